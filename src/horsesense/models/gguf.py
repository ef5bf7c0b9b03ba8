"""Convert a GGUF file, once, into a folder that transformers can load, save and train.

transformers can read a GGUF, but needs many seconds for it each time and can neither save nor train the result. So the
weights are put into a plain model and written as safetensors. A file that is too large for this can be served by
llama.cpp's server.
"""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Any

from horsesense.data import disk_errors, refuse_devices, sha256_of_file
from horsesense.errors import UserError
from horsesense.models.folders import cached_model_folder
from horsesense.models.hf.load import quiet_transformers, read_part, saving
from horsesense.progress import NO_PROGRESS, Progress

_RECIPE = 1
"""Counted up when the conversion changes, so that old folders are made again."""
_TAKEN = 8
"""Bytes of memory per parameter during the conversion: in float32, as read and as it will be saved."""
_FEWEST_BITS = 1.5
"""Bits per parameter in the coarsest files there are."""
_ONE_OF_SEVERAL = re.compile(r"-\d{5}-of-\d{5}\.gguf$")


def look_at_gguf(path: Path) -> None:
    """Refuse by its first bytes a file that is not a GGUF."""
    refuse_devices(path)
    with disk_errors(path), path.open("rb") as handle:
        if handle.read(4) != b"GGUF":
            raise UserError("this is not a GGUF file", file=path, fix="give a .gguf file or a model folder")


def convert_gguf(path: Path, progress: Progress = NO_PROGRESS) -> Path:
    """Return the safetensors folder of a GGUF file, made on first use; its name is the hash of the file."""
    look_at_gguf(path)
    _check_size(path)
    return cached_model_folder("converted", f"{sha256_of_file(path)[:24]}-{_RECIPE}", partial(_convert, path, progress))


def _check_size(path: Path) -> None:
    """Refuse a file that cannot be converted on this machine before it is read."""
    served = f"serve it (llama-server -m {path.name} --port 8080) and use -m openai:http://127.0.0.1:8080/v1"
    if _ONE_OF_SEVERAL.search(path.name):
        raise UserError("a model in several GGUF files cannot be converted", file=path, fix=served)
    memory = _memory()
    if path.stat().st_size * 8 / _FEWEST_BITS * _TAKEN <= memory:
        return
    from gguf import GGUFReader

    try:
        parameters = sum(int(tensor.n_elements) for tensor in GGUFReader(str(path)).tensors)
    except Exception:  # the reader has no error class; a damaged file is reported when it is converted
        return
    if parameters * _TAKEN > memory:
        raise UserError(
            f"its {parameters / 1e9:.1f} billion parameters take {parameters * _TAKEN / 1e9:,.0f} GB of memory to be "
            f"converted, and there are {memory / 1e9:,.0f}",
            file=path,
            fix=served,
        )


def _memory() -> float:
    """Return the bytes of memory of this machine; infinity where the system does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _convert(path: Path, progress: Progress, folder: Path) -> None:
    stage, steps = f"converting {path.name} (once)", 3
    progress.update(stage, 0, steps)
    from transformers import AutoConfig

    try:
        with quiet_transformers():
            tokenizer = read_part(path.parent, "AutoTokenizer", gguf_file=path.name)
            loaded, report = read_part(
                path.parent, "AutoModelForCausalLM", gguf_file=path.name, dtype="float32", output_loading_info=True
            )
    except UserError as error:
        reason = error.problem.removeprefix("transformers cannot load it (").removesuffix(")")
        raise UserError(f"the GGUF file cannot be read ({reason})", file=path, fix="download it again") from error
    if report["missing_keys"]:
        raise UserError(
            f"the GGUF file lacks the weights {min(report['missing_keys'])} …", file=path, fix="download it again"
        )
    progress.update(stage, 1, steps)
    _mend_tokenizer(tokenizer, path)
    values = loaded.config.to_dict()
    for name in ("quantization_config", "_name_or_path", "_model_name_or_path"):
        values.pop(name, None)
    config = AutoConfig.for_model(values.pop("model_type"), **values)
    plain = type(loaded)(config)
    plain.load_state_dict(loaded.state_dict())
    progress.update(stage, 2, steps)
    with saving(folder), quiet_transformers():
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    progress.update(stage, 3, steps)


def _mend_tokenizer(tokenizer: Any, path: Path) -> None:
    """Restore what transformers drops when it reads the tokenizer of a GGUF.

    The file only names the kind of pre-tokenizer. SmolLM's ("smollm") splits digits one by one before the byte-level
    step; without it "a  1" is tokenised differently from training.
    """
    from gguf import GGUFReader
    from tokenizers import pre_tokenizers

    field = GGUFReader(str(path)).fields.get("tokenizer.ggml.pre")
    if field is not None and field.contents() == "smollm":
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
