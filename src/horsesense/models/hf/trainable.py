"""A network in memory: open it for training, score it as it is, and leave it as it was."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from horsesense.errors import UserError
from horsesense.models.hf.device import loading_options
from horsesense.models.hf.families import family_named, family_of_class
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import check_used, quiet_transformers, read_part, read_tokenizer, window_of
from horsesense.models.locate import identify

MEMORY = "memory"
"""Identity of its weights, which may change at the next step."""


def borrow(network: Any, tokenizer: Any, *, name: str = MEMORY, model_type: str | None = None) -> LanguageModel:
    """Wrap a loaded network and its tokenizer as a `LanguageModel`.

    Nothing is changed: parameters, dtype, device, hooks, mode, config and random state stay as they are. So the head
    runs at every position of a text, unlike that of a model loaded by name.
    """
    if not getattr(tokenizer, "is_fast", False):
        raise UserError("the tokenizer has no character offsets", fix="use a fast one")
    bare = getattr(network, "module", network)  # as DistributedDataParallel wraps it
    named = bare.get_base_model() if hasattr(bare, "get_base_model") else bare
    kind = family_named(model_type) if model_type else family_of_class(type(named).__name__, name)
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


@dataclass(frozen=True, slots=True)
class TrainableModel:
    """A model ready for a trainer: weights on the CPU, quantised ones on their device."""

    name: str
    network: Any
    tokenizer: Any
    weights: str
    """SHA-256 of the initial weight files."""
    new: tuple[str, ...]
    """Weights that are not in its files: a new head, initialised by seed."""
    quantised: bool = False
    """Whether the weights come from a quantised GGUF file."""


def open_for_training(
    name: str,
    family: str,
    *,
    seed: int = 0,
    labels: tuple[str, ...] = (),
    device: str = "auto",
    dtype: str = "float32",
) -> TrainableModel:
    """Open a model with the head of a family; a head may be new, anything below it may not.

    ``labels`` are the names of a classifier's labels. ``dtype`` is for weights that an adapter leaves frozen.
    """
    kind = family_named(family)
    identity = identify(name)  # checks the files before torch is loaded, which takes seconds
    import torch

    options: dict[str, Any] = {}
    if labels:
        options["id2label"] = dict(enumerate(labels))
        options["label2id"] = {label: number for number, label in enumerate(labels)}
    torch.manual_seed(seed)
    with quiet_transformers():
        tokenizer = read_tokenizer(identity.located.folder)
        network, report = read_part(
            identity.located.folder,
            kind.auto_class,
            **(loading_options(device, dtype) if dtype != "float32" else {"dtype": torch.float32}),
            use_safetensors=True,
            output_loading_info=True,
            **options,
            **({"ignore_mismatched_sizes": True} if labels else {}),
        )
    new = tuple(sorted({*report["missing_keys"], *(str(key[0]) for key in report["mismatched_keys"])}))
    prefix = getattr(network, "base_model_prefix", "")
    below = [key for key in new if prefix and key.startswith(f"{prefix}.") and ".pooler." not in key]
    if below or (new and kind.head == "tokens"):
        raise UserError(
            f"{len(below or new)} weights of {name} are not in its files and would be random ({(below or new)[0]} …)",
            fix="use another objective, or a checkpoint that has them",
        )
    check_used(report, network, name)
    if tokenizer.pad_token_id is None:
        if tokenizer.eos_token is None:
            fix = "name a pad_token in tokenizer_config.json"
            raise UserError(f"the tokenizer of {name} has no padding token and no EOS token", fix=fix)
        tokenizer.pad_token = tokenizer.eos_token
    if getattr(network.config, "pad_token_id", None) is None:
        network.config.pad_token_id = tokenizer.pad_token_id
    network.config.use_cache = False
    unpacked = {"converted", "adapted"} & {parent.name for parent in identity.located.folder.parents}
    return TrainableModel(name, network, tokenizer, identity.weights, new, bool(unpacked))


def as_language_model(opened: TrainableModel, network: Any, family: str) -> LanguageModel:
    """Wrap the network as `horsesense.scoring` uses it, on its current device."""
    parameter = next(network.parameters())
    return LanguageModel(
        name=opened.name,
        family=family_named(family),
        network=network,
        tokenizer=opened.tokenizer,
        device=parameter.device,
        dtype="float32",
        window=window_of(network, opened.tokenizer),
        weights="",
        revision="",
        architecture=type(network).__name__,
        parameters=sum(each.numel() for each in network.parameters()),
    )
