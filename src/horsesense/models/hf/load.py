"""Load a model: config, tokenizer and weights; refuse weights that are missing, run no code of the checkpoint."""

from __future__ import annotations

import errno
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from horsesense.data import disk_errors
from horsesense.errors import UserError, argument, need
from horsesense.models.hf.device import (
    BITS,
    choose_device,
    fit_threads,
    is_device_mapped,
    loading_options,
    mapped_device,
)
from horsesense.models.hf.families import Family, architectures_in, family_named, family_of
from horsesense.models.hf.fast_paths import apply_fast_paths, sum_head_in_float32
from horsesense.models.hf.forward import SelectiveLMHead, longest_in_trees
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.locate import identify, plugin_model

_VOCABULARIES = ("tokenizer.json", "vocab*", "*.model", "merges.txt", "tekken.json")
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
_TORCH_WRITES = ("PytorchStreamWriter", "inline_container", "iostream")
"""Signs in torch's errors that it could not write; the last where the disk was full at the end of the file."""
_TORCH_REASON = re.compile(r"with strerror: (.+)")
_LAYER = re.compile(r"\b(layers?|h|blocks?)\.\d+\.")
_NO_LAYER = re.compile(r"pooler|position_ids|inv_freq|masked_bias|attn\.bias$|num_batches_tracked")
"""Entries of older checkpoints beside the weights that are computed or not needed."""
_LOOKS = "warn_if_padding_and_no_attention_mask"


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Suppress progress bars, log lines below errors, and warnings."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def saving(folder: Path) -> Iterator[None]:
    """Translate the errors of torch and safetensors on a full disk."""
    try:
        with disk_errors(folder):
            yield
    except Exception as error:  # safetensors and torch have error classes of their own for it, and torch several
        code = _number_of(str(error))
        if code is None:
            raise
        if not code:
            problem = "the disk is full, or cannot be written (torch does not say which)"
            raise UserError(problem, file=folder, fix="free some space and run the same command again") from error
        with disk_errors(folder):
            raise OSError(code, os.strerror(code)) from error


def _number_of(message: str) -> int | None:
    """Return the system's error number for a failed write; 0 where it is not named, None for any other error."""
    if number := _OS_ERROR.search(message):
        return int(number[1])
    if reason := _TORCH_REASON.search(message):
        return next((code for code in errno.errorcode if os.strerror(code) == reason[1].strip()), 0)
    return 0 if any(name in message for name in _TORCH_WRITES) else None


def read_part(folder: Path, auto_class: str, **options: Any) -> Any:
    """Load one part of a model from its folder; a bad one is one sentence.

    Models are loaded only here and in `read_adapter`, which a test checks: no code of theirs is run, nothing is
    downloaded, and pickles are opened only where they were allowed.
    """
    import transformers

    from horsesense.models import bidirectional_llama

    loader = getattr(transformers, auto_class, None) or getattr(bidirectional_llama, auto_class)
    if auto_class not in ("AutoConfig", "AutoTokenizer"):
        options.setdefault("use_safetensors", None if "gguf_file" in options else True)
        if not options.keys() & {"gguf_file", "config"}:
            labels = {name: options.pop(name) for name in ("id2label", "label2id") if name in options}
            options["config"] = read_part(folder, "AutoConfig", **labels)
            # A config may name a kernel of the hub, which would be downloaded and run.
            options["config"]._attn_implementation = None
    with _one_sentence("transformers cannot load it", folder, "check the model folder"):
        return loader.from_pretrained(str(folder), trust_remote_code=False, local_files_only=True, **options)


def read_adapter(network: Any, folder: Path) -> Any:
    """Load a peft adapter around a network."""
    from peft import PeftModel

    if not (folder / "adapter_model.safetensors").is_file():  # peft would open a pickle
        raise UserError("the adapter has no adapter_model.safetensors", file=folder, fix="save it as safetensors")
    with _one_sentence("the adapter does not fit its base", folder, "check the adapter folder"):
        return PeftModel.from_pretrained(network, str(folder), local_files_only=True)


@contextmanager
def _one_sentence(problem: str, folder: Path, fix: str) -> Iterator[None]:
    """Translate any error about a bad config, folder, tokenizer or weight file, also a panic in Rust, into one
    sentence."""
    import safetensors

    try:
        yield
    except UserError:
        raise
    except safetensors.SafetensorError as error:
        raise UserError(f"the weights are damaged ({error})", file=folder, fix="download the model again") from error
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UserError(f"{problem} ({reason})", file=folder, fix=fix) from error


def check_used(report: Mapping[str, Any], network: Any, name: str) -> None:
    """Refuse weights in the files that the network does not use: its config has fewer layers than they have.

    Another head, or a pooler that this one does not need, may be left out.
    """
    prefix = f"{getattr(network, 'base_model_prefix', '')}."
    inside = [key for key in report["unexpected_keys"] if key.startswith(prefix) or _LAYER.search(key)]
    left_out = sorted(key for key in inside if not _NO_LAYER.search(key))
    if left_out:
        raise UserError(
            f"{len(left_out)} weights in the files of {name} are not used by its config ({left_out[0]} …)",
            fix="get the config that belongs to the weights",
        )


def read_tokenizer(folder: Path, **options: Any) -> Any:
    """Load the tokenizer of a model folder; one that is missing, or has no offsets, is an error."""
    if not any(path.exists() for pattern in _VOCABULARIES for path in folder.glob(pattern)):
        # transformers would make up an empty one from the config.
        raise UserError("the folder has no tokenizer", file=folder, fix="save the tokenizer beside the model")
    tokenizer = read_part(folder, "AutoTokenizer", **options)
    if not getattr(tokenizer, "is_fast", False):
        raise UserError("the tokenizer has no character offsets", file=folder, fix="use a model with a fast one")
    longest = tokenizer.model_max_length
    if not isinstance(longest, int | float):
        raise UserError(
            f"the tokenizer's model_max_length is not a number ({longest!r})",
            file=folder,
            fix="check tokenizer_config.json",
        )
    return tokenizer


def window_of(network: Any, tokenizer: Any) -> int:
    """Return the longest input, from the config and the tokenizer; RoBERTa's first positions are not usable."""
    known = [getattr(network.config, name, None) for name in ("max_position_embeddings", "n_positions")]
    sizes = [size for size in known if isinstance(size, int) and size > 0]
    for name, module in network.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            sizes = [size - module.padding_idx - 1 for size in sizes]
            break
    if tokenizer.model_max_length < 1_000_000:
        sizes.append(tokenizer.model_max_length)
    return min(sizes) if sizes else 1_000_000


def trust_inputs(network: Any) -> None:
    """Do not search for padding where no mask is given: there is none, and the search waits for the device at every
    batch."""
    for part in network.modules():
        if hasattr(part, _LOOKS):
            setattr(part, _LOOKS, lambda *_, **__: None)


def load_model(
    name: str,
    *,
    model_type: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    allow_pickle: bool = False,
) -> LanguageModel:
    """Load a model by any of the names that ``-m`` takes; a plug-in loads its own models."""
    need("torch")
    foreign = plugin_model(name)
    if foreign is not None:
        if not isinstance(foreign, LanguageModel):
            raise UserError(f"{name} gives no weights", fix="use it in run, score or profile")
        return foreign
    identity = identify(name, allow_pickle=allow_pickle)  # checks the files before torch is loaded, which takes seconds
    located = identity.located
    with quiet_transformers():
        config = read_part(located.folder, "AutoConfig")
        kind = family_named(model_type) if model_type else family_of(config, name)
        tokenizer = read_tokenizer(located.folder)
        try:
            network, report = read_part(
                located.folder,
                kind.auto_class,
                use_safetensors=None if allow_pickle else True,
                output_loading_info=True,
                **loading_options(device, dtype),
            )
        except UserError as error:
            if model_type is None or "Unrecognized configuration class" not in error.problem:
                raise
            raise UserError(
                f"{name} is a {config.model_type} model, which transformers cannot load as {model_type}",
                fix=f"leave {argument('model_type')} out, or give another",
            ) from error
    made_up = sorted(report["missing_keys"]) + sorted(str(key) for key in report["mismatched_keys"])
    if made_up:
        raise UserError(
            f"{len(made_up)} weights of {name} are not in its files and would be random ({made_up[0]} …)",
            fix="use a checkpoint that was trained with this head",
        )
    check_used(report, network, name)
    fixed = is_device_mapped(device, dtype)
    chosen_device, reason = mapped_device(network) if fixed else choose_device(device)
    if chosen_device.type == "cpu":
        reason += f", threads: {fit_threads()}"
    network.config.use_cache = False
    parameters = network.num_parameters()  # counts packed 4-bit weights correctly; before the head gets its own copy
    (network if fixed else network.to(chosen_device)).eval()
    if dtype != "float32":
        sum_head_in_float32(network)
    trust_inputs(network)
    paths, head = apply_fast_paths(network, kind, chosen_device, dtype, movable=not fixed)
    if kind.left_to_right and not paths.left_to_right:
        raise UserError(
            f"{name} sees the tokens that it predicts, so it is not a causal model",
            fix=f"leave {argument('model_type')} out",
        )
    window = window_of(network, tokenizer)
    trees = longest_in_trees(network.config, window) if paths.prefix_trees else 0
    return LanguageModel(
        name=name,
        family=kind,
        network=network,
        tokenizer=tokenizer,
        device=chosen_device,
        dtype=dtype,
        window=window,
        weights=identity.weights,
        identity=identity.whole,
        revision=located.revision,
        architecture=type(network).__name__,
        parameters=parameters,
        notes=(f"device {chosen_device} ({reason})", f"dtype {dtype} ({_why(dtype)})", *_slow(kind, head, trees)),
        dtype_reason=_why(dtype),
        head=head,
        longest_in_trees=trees,
    )


def _slow(family: Family, head: SelectiveLMHead | None, trees: int) -> list[str]:
    """Return which fast paths this architecture does not allow."""
    notes = []
    if head is None and family.selective_head:
        notes.append("its head runs at every position")
    if family.takes_trees and not trees:
        notes.append("common prefixes are not shared")
    return notes


def _why(dtype: str) -> str:
    if dtype == "int8":
        return "requested; a score depends slightly on its batch, the head is in float32"
    if dtype in BITS:
        return "requested; computation is in bfloat16, the head sums in float32"
    return "full precision" if dtype == "float32" else "requested; the head sums in float32"


def architecture_of(name: str) -> str:
    """Return the class that a model's config names; empty where it names none. No weights are loaded."""
    folder = identify(name).located.folder
    with quiet_transformers():
        config = read_part(folder, "AutoConfig")
    return next(iter(architectures_in(config)), "")
