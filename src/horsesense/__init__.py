"""horsesense tells whether a language model has common sense or is a clever Hans.

    import horsesense as hs

    probe = hs.load_probe("starter")
    model = hs.load_model("smollm2")
    run = hs.ask(model, probe)
    run.results()

Names are loaded when they are first used: importing the package loads neither torch nor pyarrow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horsesense.api import cats as cats
    from horsesense.api import rica as rica
    from horsesense.api import winoventi as winoventi
    from horsesense.api.asking import Scores as Scores
    from horsesense.api.asking import ask as ask
    from horsesense.api.asking import open_run as open_run
    from horsesense.api.asking import score as score
    from horsesense.api.cache import CacheContents as CacheContents
    from horsesense.api.cache import CacheEntry as CacheEntry
    from horsesense.api.cache import PrunedCache as PrunedCache
    from horsesense.api.cache import list_cache as list_cache
    from horsesense.api.cache import prune_cache as prune_cache
    from horsesense.api.cues import CueFindings as CueFindings
    from horsesense.api.cues import HardenedProbe as HardenedProbe
    from horsesense.api.cues import find_cues as find_cues
    from horsesense.api.cues import harden as harden
    from horsesense.api.frames import Frame as Frame
    from horsesense.api.learning import fit_control as fit_control
    from horsesense.api.learning import inoculate as inoculate
    from horsesense.api.learning import train as train
    from horsesense.api.models import load_model as load_model
    from horsesense.api.probes import build as build
    from horsesense.api.probes import load_probe as load_probe
    from horsesense.api.probes import overview as overview
    from horsesense.api.probes import read_release as read_release
    from horsesense.api.run import Comparison as Comparison
    from horsesense.api.run import Run as Run
    from horsesense.api.verify import Verified as Verified
    from horsesense.api.verify import verify as verify
    from horsesense.errors import UserError as UserError
    from horsesense.records import Card as Card
    from horsesense.records import Item as Item
    from horsesense.records import Probe as Probe
    from horsesense.records import ScoringSpec as ScoringSpec
    from horsesense.records import write_probe as write_probe
    from horsesense.watching import Watcher as Watcher

__version__ = "0.1.0"

_WHERE = {
    "api.asking": ("Scores", "ask", "open_run", "score"),
    "api.cache": ("CacheContents", "CacheEntry", "PrunedCache", "list_cache", "prune_cache"),
    "api.cues": ("CueFindings", "HardenedProbe", "find_cues", "harden"),
    "api.frames": ("Frame",),
    "api.learning": ("fit_control", "inoculate", "train"),
    "api.models": ("load_model",),
    "api.probes": ("build", "load_probe", "overview", "read_release"),
    "api.run": ("Comparison", "Run"),
    "api.verify": ("Verified", "verify"),
    "errors": ("UserError",),
    "records": ("Card", "Item", "Probe", "ScoringSpec", "write_probe"),
    "watching": ("Watcher",),
}
_METHODS = ("cats", "rica", "winoventi")
"""Modules of their own: ``horsesense.rica.derive`` and the like."""
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "CacheContents",
    "CacheEntry",
    "Card",
    "Comparison",
    "CueFindings",
    "Frame",
    "HardenedProbe",
    "Item",
    "Probe",
    "PrunedCache",
    "Run",
    "Scores",
    "ScoringSpec",
    "UserError",
    "Verified",
    "Watcher",
    "__version__",
    "ask",
    "build",
    "cats",
    "find_cues",
    "fit_control",
    "harden",
    "inoculate",
    "list_cache",
    "load_model",
    "load_probe",
    "open_run",
    "overview",
    "prune_cache",
    "read_release",
    "rica",
    "score",
    "train",
    "verify",
    "winoventi",
    "write_probe",
]


def __getattr__(name: str) -> Any:
    if name in _METHODS:
        return import_module(f"horsesense.api.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'horsesense' has no attribute {name!r}")
    value = getattr(import_module(f"horsesense.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
