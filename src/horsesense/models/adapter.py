"""An adapter folder (peft) as a model: put into its base once, kept in the cache as a folder like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import cache_folder, disk_errors, read_text, sha256_of_file, writing_folder
from horsesense.models.quiet import quiet_transformers

CONFIG = "adapter_config.json"
_WEIGHTS = "adapter_model.safetensors"
_RECIPE = 1
"""Raised when the making changes, so that old folders are made again."""


def is_adapter(folder: Path) -> bool:
    return (folder / CONFIG).is_file() and not (folder / "config.json").is_file()


def merged(folder: Path) -> Path:
    """The folder of the base model with the adapter in it, made on first use."""
    from horsesense.models.names import locate

    weights = folder / _WEIGHTS
    if not weights.is_file():
        raise UserError(f"the adapter has no {_WEIGHTS}", file=folder, fix="save it as safetensors")
    try:
        settings: Any = json.loads(read_text(folder / CONFIG))
        base = settings["base_model_name_or_path"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise UserError("the adapter does not say which model it is for", file=folder / CONFIG) from error
    found = locate(base).folder
    with disk_errors(weights):
        made_from = f"{sha256_of_file(weights)[:24]}-{_RECIPE}"
    place = cache_folder("merged", made_from)
    if not (place / "config.json").is_file():
        with disk_errors(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            with writing_folder(place) as part:
                _merge(found, folder, str(settings.get("horsesense_family", "")), part)
    return place


def _merge(base: Path, adapter: Path, family: str, folder: Path) -> None:
    from peft import PeftModel

    from horsesense.models.families import family_named, family_of
    from horsesense.models.load import _part, _tokenizer

    with quiet_transformers():
        kind = family_named(family) if family else family_of(_part(base, "AutoConfig"), base.name)
        network = _part(base, kind.auto_class, dtype="float32", use_safetensors=True)
        try:
            joined = PeftModel.from_pretrained(network, str(adapter)).merge_and_unload()
        except (ValueError, RuntimeError, KeyError) as error:
            reason = str(error).strip().splitlines()[0]
            raise UserError(f"the adapter does not fit its base ({reason})", file=adapter) from error
        joined.save_pretrained(folder)
        _tokenizer(base).save_pretrained(folder)
