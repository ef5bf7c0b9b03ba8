"""Models made of a base and an adapter, merged on first use into a model folder.

There are two kinds: an adapter folder as peft saves it, and the small file, part of this package, that turns a causal
model into a masked one (bidirectional attention, low-rank matrices added to the weights).
"""

from __future__ import annotations

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any

from horsesense.data import disk_errors, read_text, sha256_of_file
from horsesense.errors import UserError
from horsesense.models.folders import cached_model_folder, identity_of, look_at_weights, weight_files, weight_hash
from horsesense.models.hf.load import quiet_transformers, read_adapter, read_part, read_tokenizer, saving

_RECIPE = 2
"""Counted up when the conversion changes, so that old folders are made again."""

_GET_BASE = "give a base in a folder, or download that model once by running it under its own name"
_PEFT_CONFIG = "adapter_config.json"
_PEFT_WEIGHTS = "adapter_model.safetensors"

WINDOW = 512
"""The longest text that adapters were trained on, in tokens."""
SEPARATOR = "<|endoftext|>"
"""Added before and after every text, as in training."""


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds a peft adapter and no model."""
    return (folder / _PEFT_CONFIG).is_file() and not (folder / "config.json").is_file()


def adapter_weights(folder: Path) -> Path:
    """Return the file of an adapter's weights, after a check."""
    weights = folder / _PEFT_WEIGHTS
    if not weights.is_file():
        raise UserError(f"the adapter has no {_PEFT_WEIGHTS}", file=folder, fix="save it as safetensors")
    look_at_weights([weights])
    return weights


def merge_adapter(folder: Path) -> Path:
    """Return the folder of the base model merged with a peft adapter."""
    from horsesense.models.locate import locate

    weights = adapter_weights(folder)
    try:
        settings: Any = json.loads(read_text(folder / _PEFT_CONFIG))
        base = settings["base_model_name_or_path"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise UserError("the adapter does not say which model it is for", file=folder / _PEFT_CONFIG) from error
    there = Path(base).expanduser() if isinstance(base, str) else folder
    if not isinstance(base, str) or not base.strip() or (there.is_dir() and is_adapter(there)):
        problem = (
            "the adapter names no base model" if base in (None, "") else f"the adapter's base {base!r} is not a model"
        )
        raise UserError(problem, file=folder / _PEFT_CONFIG, fix="name its base there (base_model_name_or_path)")
    # An adapter may name any model; it must not start a download that nobody asked for.
    try:
        base_folder = locate(base, download=False).folder
    except UserError as error:
        raise UserError(
            f"the adapter's base {base} is not here ({error.problem})", file=folder, fix=_GET_BASE
        ) from error
    base_files = weight_files(base_folder)
    look_at_weights(base_files)
    with disk_errors(weights):
        parts = identity_of(base_folder, weight_hash(base_files)), sha256_of_file(weights)
        settings_hash = sha256_of_file(folder / _PEFT_CONFIG)
    made_from = hashlib.sha256("\n".join((*parts, settings_hash)).encode()).hexdigest()
    family = str(settings.get("horsesense_family", ""))
    return cached_model_folder("merged", f"{made_from[:24]}-{_RECIPE}", partial(_merge, base_folder, folder, family))


def _merge(base: Path, adapter: Path, family: str, folder: Path) -> None:
    from horsesense.models.hf.families import family_named, family_of

    with quiet_transformers():
        kind = family_named(family) if family else family_of(read_part(base, "AutoConfig"), base.name)
        network = read_part(base, kind.auto_class, dtype="float32")
        joined = read_adapter(network, adapter).merge_and_unload()
        with saving(folder):
            joined.save_pretrained(folder)
            read_tokenizer(base).save_pretrained(folder)


def apply_adapter(base: Path, adapter: Path) -> Path:
    """Return the folder of a causal base model that our adapter turned into a masked one."""
    with disk_errors(adapter):
        made_from = f"{base.name}-{sha256_of_file(adapter)[:24]}-1"
    return cached_model_folder("adapted", made_from, partial(write_adapted, base, adapter))


def write_adapted(base: Path, adapter: Path, folder: Path) -> None:
    """Merge a base model and an adapter, and save the result as a model folder."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(adapter, "pt") as file:
            about = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 a safetensors file is no mapping
    except SafetensorError as error:
        raise UserError(f"the adapter is damaged ({error})", file=adapter, fix="install horsesense again") from error
    tokenizer = _masking_tokenizer(base, about["mask_token"])
    network = _bidirectional(base, int(about["read_offset"]))
    _add_matrices(network, tensors, tokenizer.mask_token_id)
    with saving(folder), quiet_transformers():
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _bidirectional(base: Path, read_offset: int) -> Any:
    from horsesense.models.bidirectional_llama import BidirectionalLlamaConfig

    values = read_part(base, "AutoConfig").to_dict()
    for name in ("model_type", "architectures"):
        values.pop(name)
    config = BidirectionalLlamaConfig(**values | {"read_offset": read_offset, "use_cache": False})
    with quiet_transformers():
        return read_part(base, "BidirectionalLlamaForMaskedLM", config=config, dtype="float32")


def _add_matrices(network: Any, tensors: dict[str, Any], mask: int) -> None:
    """Add ``up.T @ down`` to each weight; both are int8 with one scale per row."""
    import torch

    weights = dict(network.model.named_parameters())
    with torch.no_grad():
        weights["embed_tokens.weight"][mask] = tensors["mask"].float()
        for name in sorted(name.removesuffix(".down") for name in tensors if name.endswith(".down")):
            down, up = (
                tensors[f"{name}.{side}"].float() * tensors[f"{name}.{side}_scale"][:, None] for side in ("down", "up")
            )
            weights[f"{name}.weight"] += up.T @ down


def _masking_tokenizer(base: Path, mask_token: str) -> Any:
    """Return the base's tokenizer with a mask token and separators."""
    from tokenizers import AddedToken, processors

    with quiet_transformers():
        tokenizer = read_tokenizer(base)
    for name in ("bos_token", "eos_token", "cls_token", "sep_token"):
        setattr(tokenizer, name, SEPARATOR)
    # Tokens include the space before a word, so the mask of a word includes it too, as RoBERTa's does.
    tokenizer.add_special_tokens({"mask_token": AddedToken(mask_token, lstrip=True, special=True)})
    tokenizer.model_max_length = WINDOW
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{SEPARATOR} $A {SEPARATOR}",
        pair=f"{SEPARATOR} $A {SEPARATOR} $B {SEPARATOR}",
        special_tokens=[(SEPARATOR, tokenizer.convert_tokens_to_ids(SEPARATOR))],
    )
    return tokenizer
