"""A masked model made of a causal one and a small adapter: attention both ways, thin matrices added to the weights.

It is put together once, on first use, into a folder like any other model's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import cache_folder, disk_errors, sha256_of_file, writing_folder
from horsesense.models.quiet import quiet_transformers

_RECIPE = 1
"""Raised when the making changes, so that old folders are made again."""

WINDOW = 512
"""The longest text that adapters were trained on."""
SEPARATOR = "<|endoftext|>"
"""Stands before and after every text, as it did in training."""


def adapted(base: Path, adapter: Path) -> Path:
    """The folder of a base model with an adapter; its name tells the files it was made from."""
    with disk_errors(adapter):
        made_from = f"{base.name}-{sha256_of_file(adapter)[:24]}-{_RECIPE}"
    folder = cache_folder("adapted", made_from)
    if not (folder / "config.json").is_file():
        with disk_errors(folder):
            folder.parent.mkdir(parents=True, exist_ok=True)
            with writing_folder(folder) as part:
                write_adapted(base, adapter, part)
    return folder


def write_adapted(base: Path, adapter: Path, folder: Path) -> None:
    """Put a base model and an adapter together and save the result as a model folder."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(adapter, "pt") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 a safetensors file is no mapping
    except SafetensorError as error:
        raise UserError(f"the adapter is damaged ({error})", file=adapter, fix="install horsesense again") from error
    tokenizer = _tokenizer(base, about["mask_token"])
    network = _network(base, int(about["read_offset"]))
    _add(network, tensors, tokenizer.mask_token_id)
    with quiet_transformers():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _network(base: Path, read_offset: int) -> Any:
    from transformers import AutoConfig

    from horsesense.models.bidirectional import BidirectionalLlamaConfig, BidirectionalLlamaForMaskedLM

    values = AutoConfig.from_pretrained(base).to_dict()
    for name in ("model_type", "architectures"):
        values.pop(name)
    config = BidirectionalLlamaConfig(**values | {"read_offset": read_offset, "use_cache": False})
    with quiet_transformers():
        return BidirectionalLlamaForMaskedLM.from_pretrained(base, config=config, dtype="float32")


def _add(network: Any, tensors: dict[str, Any], mask: int) -> None:
    """Add ``up.T @ down`` to each weight; both are int8 with a scale a row."""
    import torch

    weights = dict(network.model.named_parameters())
    with torch.no_grad():
        weights["embed_tokens.weight"][mask] = tensors["mask"].float()
        for name in sorted(name.removesuffix(".down") for name in tensors if name.endswith(".down")):
            down, up = (
                tensors[f"{name}.{side}"].float() * tensors[f"{name}.{side}_scale"][:, None] for side in ("down", "up")
            )
            weights[f"{name}.weight"] += up.T @ down


def _tokenizer(base: Path, mask_token: str) -> Any:
    """The base's tokenizer, with a mask token and with what stands around a text."""
    from tokenizers import AddedToken, processors
    from transformers import AutoTokenizer

    with quiet_transformers():
        tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    for name in ("bos_token", "eos_token", "cls_token", "sep_token"):
        setattr(tokenizer, name, SEPARATOR)
    # Its words carry the space before them, so the mask that stands for one takes that space in, as RoBERTa's does.
    tokenizer.add_special_tokens({"mask_token": AddedToken(mask_token, lstrip=True, special=True)})
    tokenizer.model_max_length = WINDOW
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{SEPARATOR} $A {SEPARATOR}",
        pair=f"{SEPARATOR} $A {SEPARATOR} $B {SEPARATOR}",
        special_tokens=[(SEPARATOR, tokenizer.convert_tokens_to_ids(SEPARATOR))],
    )
    return tokenizer
