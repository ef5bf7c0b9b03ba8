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
    from horsesense.api import partwhole as partwhole
    from horsesense.api import people as people
    from horsesense.api import rica as rica
    from horsesense.api import soundness as soundness
    from horsesense.api import studies as studies
    from horsesense.api import winoventi as winoventi
    from horsesense.api import wordnetqa as wordnetqa
    from horsesense.api.asking import ask as ask
    from horsesense.api.asking import open_run as open_run
    from horsesense.api.cache import CacheContents as CacheContents
    from horsesense.api.cache import CacheEntry as CacheEntry
    from horsesense.api.cache import PrunedCache as PrunedCache
    from horsesense.api.cache import list_cache as list_cache
    from horsesense.api.cache import prune_cache as prune_cache
    from horsesense.api.comparing import compare as compare
    from horsesense.api.comparing import gate as gate
    from horsesense.api.controls import fit_control as fit_control
    from horsesense.api.cues import CueFindings as CueFindings
    from horsesense.api.cues import HardenedProbe as HardenedProbe
    from horsesense.api.cues import find_cues as find_cues
    from horsesense.api.cues import harden as harden
    from horsesense.api.exchange import export as export
    from horsesense.api.exchange import import_log as import_log
    from horsesense.api.frames import Frame as Frame
    from horsesense.api.keeping import InstalledPlugins as InstalledPlugins
    from horsesense.api.keeping import add_source as add_source
    from horsesense.api.keeping import fetch as fetch
    from horsesense.api.keeping import list_plugins as list_plugins
    from horsesense.api.keeping import list_sources as list_sources
    from horsesense.api.learning import inoculate as inoculate
    from horsesense.api.learning import train as train
    from horsesense.api.learnt import FittedControl as FittedControl
    from horsesense.api.learnt import Inoculation as Inoculation
    from horsesense.api.learnt import Training as Training
    from horsesense.api.models import engine as engine
    from horsesense.api.models import load_model as load_model
    from horsesense.api.probes import build as build
    from horsesense.api.probes import load_probe as load_probe
    from horsesense.api.probes import overview as overview
    from horsesense.api.probes import read_release as read_release
    from horsesense.api.profile import Profile as Profile
    from horsesense.api.profile import profile as profile
    from horsesense.api.replicate import Replicated as Replicated
    from horsesense.api.replicate import replicate as replicate
    from horsesense.api.reporting import Report as Report
    from horsesense.api.reporting import write_report as write_report
    from horsesense.api.reporting import write_rows as write_rows
    from horsesense.api.results import Comparison as Comparison
    from horsesense.api.run import Run as Run
    from horsesense.api.showing import ShownAnswers as ShownAnswers
    from horsesense.api.showing import show as show
    from horsesense.api.texts import Fills as Fills
    from horsesense.api.texts import Scores as Scores
    from horsesense.api.texts import fill as fill
    from horsesense.api.texts import saliency as saliency
    from horsesense.api.texts import score as score
    from horsesense.api.texts import texts_in as texts_in
    from horsesense.api.verify import Verified as Verified
    from horsesense.api.verify import verify as verify
    from horsesense.api.wordnetqa import check as check
    from horsesense.core import Card as Card
    from horsesense.core import Item as Item
    from horsesense.core import Probe as Probe
    from horsesense.core import ScoringSpec as ScoringSpec
    from horsesense.core import write_probe as write_probe
    from horsesense.errors import UserError as UserError
    from horsesense.models.api.settings import ServedSettings as ServedSettings
    from horsesense.progress import HorsesenseWarning as HorsesenseWarning
    from horsesense.progress import Progress as Progress

__version__ = "0.2.0"

_WHERE = {
    "api.asking": ("ask", "open_run"),
    "api.cache": ("CacheContents", "CacheEntry", "PrunedCache", "list_cache", "prune_cache"),
    "api.comparing": ("compare", "gate"),
    "api.controls": ("fit_control",),
    "api.cues": ("CueFindings", "HardenedProbe", "find_cues", "harden"),
    "api.exchange": ("export", "import_log"),
    "api.frames": ("Frame",),
    "api.keeping": (
        "InstalledPlugins",
        "add_source",
        "fetch",
        "list_plugins",
        "list_sources",
    ),
    "api.learning": ("inoculate", "train"),
    "api.learnt": ("FittedControl", "Inoculation", "Training"),
    "api.models": ("engine", "load_model"),
    "api.probes": ("build", "load_probe", "overview", "read_release"),
    "api.profile": ("Profile", "profile"),
    "api.replicate": ("Replicated", "replicate"),
    "api.reporting": ("Report", "write_report", "write_rows"),
    "api.results": ("Comparison",),
    "api.run": ("Run",),
    "api.showing": ("ShownAnswers", "show"),
    "api.texts": ("Fills", "Scores", "fill", "saliency", "score", "texts_in"),
    "api.verify": ("Verified", "verify"),
    "api.wordnetqa": ("check",),
    "errors": ("UserError",),
    "models.api.settings": ("ServedSettings",),
    "core": ("Card", "Item", "Probe", "ScoringSpec", "write_probe"),
    "progress": ("HorsesenseWarning", "Progress"),
}
_MODULES = ("cats", "partwhole", "people", "rica", "soundness", "studies", "winoventi", "wordnetqa")
"""Modules of their own: ``horsesense.rica.derive`` and the like."""
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "CacheContents",
    "CacheEntry",
    "Card",
    "Comparison",
    "CueFindings",
    "Fills",
    "FittedControl",
    "Frame",
    "HardenedProbe",
    "HorsesenseWarning",
    "Inoculation",
    "InstalledPlugins",
    "Item",
    "Probe",
    "Profile",
    "Progress",
    "PrunedCache",
    "Replicated",
    "Report",
    "Run",
    "Scores",
    "ScoringSpec",
    "ServedSettings",
    "ShownAnswers",
    "Training",
    "UserError",
    "Verified",
    "__version__",
    "add_source",
    "ask",
    "build",
    "cats",
    "check",
    "compare",
    "engine",
    "export",
    "fetch",
    "fill",
    "find_cues",
    "fit_control",
    "gate",
    "harden",
    "import_log",
    "inoculate",
    "list_cache",
    "list_plugins",
    "list_sources",
    "load_model",
    "load_probe",
    "open_run",
    "overview",
    "partwhole",
    "people",
    "profile",
    "prune_cache",
    "read_release",
    "replicate",
    "rica",
    "saliency",
    "score",
    "show",
    "soundness",
    "studies",
    "texts_in",
    "train",
    "verify",
    "winoventi",
    "wordnetqa",
    "write_probe",
    "write_report",
    "write_rows",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"horsesense.api.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'horsesense' has no attribute {name!r}")
    value = getattr(import_module(f"horsesense.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
