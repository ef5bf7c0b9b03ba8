"""A network that is in memory already, perhaps in training: scored as it is, and left as it was."""

from __future__ import annotations

import hashlib
from typing import Any

from horsesense.errors import UserError
from horsesense.models.hf.components import window_of
from horsesense.models.hf.families import family_named, family_of_class
from horsesense.models.hf.language_model import LanguageModel

MEMORY = "memory"
"""Identity of its weights, which may change at the next step."""


def borrow(network: Any, tokenizer: Any, *, name: str = MEMORY, family: str | None = None) -> LanguageModel:
    """Wrap a loaded network and its tokenizer as a `LanguageModel`.

    Nothing is changed: parameters, dtype, device, hooks, mode, config and random state stay as they are. So the head
    runs at every position of a text, unlike that of a model loaded by name.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise UserError("the tokenizer has no character offsets", fix="use a fast one")
    bare = getattr(network, "module", network)  # as DistributedDataParallel wraps it
    named = bare.get_base_model() if hasattr(bare, "get_base_model") else bare
    kind = family_named(family) if family else family_of_class(type(named).__name__, name)
    parameter = next(bare.parameters())
    return LanguageModel(
        name=name,
        family=kind,
        network=bare,
        tokenizer=tokenizer,
        device=parameter.device,
        dtype=str(parameter.dtype).removeprefix("torch."),
        window=window_of(named, tokenizer),
        weights=MEMORY,
        revision="",
        architecture=type(named).__name__,
        parameters=sum(each.numel() for each in bare.parameters()),
        notes=(f"device {parameter.device} (in memory)",),
        dtype_reason="as it is in memory",
        borrowed=True,
    )


def hash_of_weights(network: Any) -> str:
    """Return the SHA-256 over the current parameters and buffers, which identifies the weights in a run folder."""
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(network.state_dict().items()):
        content = tensor.detach().to("cpu").contiguous()
        digest.update(f"{name} {content.dtype} {tuple(content.shape)}\n".encode())
        digest.update(content.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()
