"""Load a model: refuse weights that are missing, run no code of the checkpoint."""

from __future__ import annotations

from horsesense.errors import UserError, argument, need
from horsesense.models.hf.components import (
    check_used,
    quiet_transformers,
    read_part,
    read_tokenizer,
    trust_inputs,
    window_of,
)
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
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.prefix_tree import longest_in_trees
from horsesense.models.hf.selective_head import SelectiveLMHead
from horsesense.models.locate import identify, plugin_model


def load_model(
    name: str,
    *,
    family: str | None = None,
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
        kind = family_named(family) if family else family_of(config, name)
        tokenizer = read_tokenizer(located.folder)
        network, report = read_part(
            located.folder,
            kind.auto_class,
            use_safetensors=None if allow_pickle else True,
            output_loading_info=True,
            **loading_options(device, dtype),
        )
    made_up = sorted(report["missing_keys"]) + sorted(str(key) for key in report["mismatched_keys"])
    if made_up:
        raise UserError(
            f"{len(made_up)} weights of {name} are not in its files and would be random ({made_up[0]} …)",
            fix="use a checkpoint that was trained with this head",
        )
    check_used(report, network, name)
    fixed = is_device_mapped(device, dtype)
    place, reason = mapped_device(network) if fixed else choose_device(device)
    if place.type == "cpu":
        reason += f", threads: {fit_threads()}"
    network.config.use_cache = False
    parameters = network.num_parameters()  # counts packed 4-bit weights correctly; before the head gets its own copy
    (network if fixed else network.to(place)).eval()
    if dtype != "float32":
        sum_head_in_float32(network)
    trust_inputs(network)
    paths, head = apply_fast_paths(network, kind, place, dtype, movable=not fixed)
    if kind.left_to_right and not paths.left_to_right:
        raise UserError(
            f"{name} sees the tokens that it predicts, so it is not a causal model",
            fix=f"leave {argument('family')} out",
        )
    window = window_of(network, tokenizer)
    trees = longest_in_trees(network.config, window) if paths.prefix_trees else 0
    return LanguageModel(
        name=name,
        family=kind,
        network=network,
        tokenizer=tokenizer,
        device=place,
        dtype=dtype,
        window=window,
        weights=identity.weights,
        identity=identity.whole,
        revision=located.revision,
        architecture=type(network).__name__,
        parameters=parameters,
        notes=(f"device {place} ({reason})", f"dtype {dtype} ({_why(dtype)})", *_slow(kind, head, trees)),
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


def architecture_of(name: str, *, allow_pickle: bool = False) -> str:
    """Return the class that a model's config names; empty where it names none. No weights are loaded."""
    folder = identify(name, allow_pickle=allow_pickle).located.folder
    with quiet_transformers():
        config = read_part(folder, "AutoConfig")
    return next(iter(architectures_in(config)), "")
