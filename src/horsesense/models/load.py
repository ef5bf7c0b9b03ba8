"""Loading a model: weights that are really there, nothing run that was not asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.models.asked import AskedPlaces, find_asked_places
from horsesense.models.attention import stand_side_by_side
from horsesense.models.branches import longest_in_trees
from horsesense.models.device import choose_device, fit_threads
from horsesense.models.families import Family, family_named, family_of
from horsesense.models.language_model import LanguageModel
from horsesense.models.names import Located, locate
from horsesense.models.quiet import quiet_transformers, trust_inputs
from horsesense.models.weights import weight_files, weight_hash

_VOCABULARIES = ("tokenizer.json", "vocab*", "*.model", "merges.txt", "tekken.json")


@dataclass(frozen=True, slots=True)
class Identity:
    """Which weights a name means, known without loading them."""

    located: Located
    weights: str
    """SHA-256 of the weight files."""


def identify(name: str, *, allow_pickle: bool = False) -> Identity:
    """Find a model and hash its weights; no torch is loaded."""
    located = locate(name, allow_pickle=allow_pickle)
    return Identity(located, weight_hash(weight_files(located.folder, allow_pickle=allow_pickle)))


def load_model(
    name: str,
    *,
    family: str | None = None,
    device: str = "auto",
    dtype: str = "float32",
    allow_pickle: bool = False,
) -> LanguageModel:
    """Load a model by any of the names that ``-m`` takes."""
    import torch

    identity = identify(name, allow_pickle=allow_pickle)
    located = identity.located
    with quiet_transformers():
        config = _part(located.folder, "AutoConfig")
        kind = family_named(family) if family else family_of(config, name)
        tokenizer = _tokenizer(located.folder)
        network, told = _part(
            located.folder,
            kind.auto_class,
            dtype=getattr(torch, dtype),
            use_safetensors=None if allow_pickle else True,
            output_loading_info=True,
        )
    made_up = sorted(told["missing_keys"]) + sorted(str(key) for key in told["mismatched_keys"])
    if made_up:
        raise UserError(
            f"{len(made_up)} weights of {name} are not in its files and would be random ({made_up[0]} …)",
            fix="use a checkpoint that was trained with this head",
        )
    place, reason = choose_device(device)
    if place.type == "cpu":
        reason += f", threads: {fit_threads()}"
    network.config.use_cache = False
    if dtype != "float32":
        _head_in_float32(network)
    network.to(place).eval()
    trust_inputs(network)
    if kind.left_to_right:
        _check_left_to_right(network, place, name)
    if kind.side_by_side and place.type == "cuda":
        stand_side_by_side(network, kind, place)
    asked = find_asked_places(network, kind, place)
    window = _window(network, tokenizer)
    trees = longest_in_trees(network, place, window) if kind.takes_trees else 0
    return LanguageModel(
        name=name,
        family=kind,
        network=network,
        tokenizer=tokenizer,
        device=place,
        dtype=dtype,
        window=window,
        weights=identity.weights,
        revision=located.revision,
        architecture=type(network).__name__,
        parameters=sum(parameter.numel() for parameter in network.parameters()),
        notes=(f"device {place} ({reason})", f"dtype {dtype} ({_why(dtype)})", *_slow(kind, asked, trees)),
        dtype_reason=_why(dtype),
        asked=asked,
        longest_in_trees=trees,
    )


def _tokenizer(folder: Path) -> Any:
    if not any(path.exists() for pattern in _VOCABULARIES for path in folder.glob(pattern)):
        # transformers would make up an empty one from the config.
        raise UserError("the folder has no tokenizer", file=folder, fix="save the tokenizer beside the model")
    tokenizer = _part(folder, "AutoTokenizer")
    if not getattr(tokenizer, "is_fast", False):
        raise UserError("the tokenizer cannot tell character offsets", file=folder, fix="use a model with a fast one")
    return tokenizer


def _part(folder: Path, auto_class: str, **options: Any) -> Any:
    """One part of a model from its folder; what transformers says about a bad one, in one sentence."""
    import safetensors
    import transformers

    from horsesense.models import bidirectional  # noqa: F401 makes its architecture known to transformers

    loader = getattr(transformers, auto_class)
    try:
        return loader.from_pretrained(str(folder), trust_remote_code=False, local_files_only=True, **options)
    except safetensors.SafetensorError as error:
        raise UserError(f"the weights are damaged ({error})", file=folder, fix="get the model again") from error
    except Exception as error:  # a bad config or folder comes back as any kind of error
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise UserError(f"transformers cannot load it ({reason})", file=folder, fix="check the model folder") from error


def _check_left_to_right(network: Any, place: Any, name: str) -> None:
    """An encoder that is loaded as a causal model sees what it predicts, and its scores mean nothing."""
    import torch

    with torch.inference_mode():
        one, other = (network(input_ids=torch.tensor([[0, 1, last]], device=place)).logits[0, :2] for last in (2, 3))
    if not torch.allclose(one.float(), other.float(), rtol=1e-2, atol=1e-2, equal_nan=True):
        raise UserError(f"{name} sees the tokens that it predicts, so it is no causal model", fix="leave --family out")


def _head_in_float32(network: Any) -> None:
    """Give the output layer weights and inputs in float32: margins between options are small."""
    import torch

    head = network.get_output_embeddings()
    for name, parameter in list(head.named_parameters(recurse=False)):
        setattr(head, name, torch.nn.Parameter(parameter.detach().float(), requires_grad=False))
    head.register_forward_pre_hook(lambda _, inputs: (inputs[0].float(), *inputs[1:]))


def _window(network: Any, tokenizer: Any) -> int:
    """The longest input, from the config and the tokenizer; RoBERTa's first positions are not usable."""
    known = [getattr(network.config, name, None) for name in ("max_position_embeddings", "n_positions")]
    sizes = [size for size in known if isinstance(size, int) and size > 0]
    for name, module in network.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            sizes = [size - module.padding_idx - 1 for size in sizes]
            break
    if tokenizer.model_max_length < 1_000_000:
        sizes.append(tokenizer.model_max_length)
    return min(sizes) if sizes else 1_000_000


def _slow(family: Family, asked: AskedPlaces | None, trees: int) -> list[str]:
    """What this architecture does not allow, and so takes longer."""
    said = []
    if asked is None and family.head_at_places:
        said.append("its head runs at every place")
    if family.takes_trees and not trees:
        said.append("texts that begin alike are computed one by one")
    return said


def _why(dtype: str) -> str:
    return "exact" if dtype == "float32" else "asked for; the head stays in float32"


def architecture_of(name: str, *, allow_pickle: bool = False) -> str:
    """The class that a model's config names; empty where it names none. No weights are loaded."""
    with quiet_transformers():
        config = _part(identify(name, allow_pickle=allow_pickle).located.folder, "AutoConfig")
    return str((getattr(config, "architectures", None) or [""])[0])
