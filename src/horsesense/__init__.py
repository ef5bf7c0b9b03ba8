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
    from horsesense import annotate as annotate
    from horsesense.annotate import audit as audit
    from horsesense.api import cats as cats
    from horsesense.api import partwhole as partwhole
    from horsesense.api import rica as rica
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
    from horsesense.api.cues import CueFindings as CueFindings
    from horsesense.api.cues import HardenedProbe as HardenedProbe
    from horsesense.api.cues import find_cues as find_cues
    from horsesense.api.cues import harden as harden
    from horsesense.api.frames import Frame as Frame
    from horsesense.api.keeping import InstalledPlugins as InstalledPlugins
    from horsesense.api.keeping import add_source as add_source
    from horsesense.api.keeping import fetch as fetch
    from horsesense.api.keeping import list_plugins as list_plugins
    from horsesense.api.keeping import list_sources as list_sources
    from horsesense.api.models import engine as engine
    from horsesense.api.models import load_model as load_model
    from horsesense.api.probes import build as build
    from horsesense.api.probes import load_probe as load_probe
    from horsesense.api.probes import overview as overview
    from horsesense.api.probes import read_release as read_release
    from horsesense.api.profile import Profile as Profile
    from horsesense.api.profile import profile as profile
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
    from horsesense.exchange.formats import export as export
    from horsesense.exchange.logged_run import import_log as import_log
    from horsesense.models.api.settings import ServedSettings as ServedSettings
    from horsesense.progress import HorsesenseWarning as HorsesenseWarning
    from horsesense.progress import Progress as Progress
    from horsesense.replication.replication import Replication as Replication
    from horsesense.replication.replication import replicate as replicate
    from horsesense.training.baselines import ControlSettings as ControlSettings
    from horsesense.training.baselines import FittedControl as FittedControl
    from horsesense.training.baselines import fit_control as fit_control
    from horsesense.training.fine_tuning import train as train
    from horsesense.training.inoculation import Inoculation as Inoculation
    from horsesense.training.inoculation import inoculate as inoculate
    from horsesense.training.inoculation_trials import InoculationGrid as InoculationGrid
    from horsesense.training.training_record import TrainingSettings as TrainingSettings
    from horsesense.training.training_results import Training as Training

__version__ = "0.2.0"

_WHERE = {
    "api.asking": ("ask", "open_run"),
    "api.cache": ("CacheContents", "CacheEntry", "PrunedCache", "list_cache", "prune_cache"),
    "api.comparing": ("compare", "gate"),
    "api.cues": ("CueFindings", "HardenedProbe", "find_cues", "harden"),
    "exchange.formats": ("export",),
    "exchange.logged_run": ("import_log",),
    "api.frames": ("Frame",),
    "api.keeping": (
        "InstalledPlugins",
        "add_source",
        "fetch",
        "list_plugins",
        "list_sources",
    ),
    "api.models": ("engine", "load_model"),
    "api.probes": ("build", "load_probe", "overview", "read_release"),
    "api.profile": ("Profile", "profile"),
    "replication.replication": ("Replication", "replicate"),
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
    "training.baselines": ("ControlSettings", "FittedControl", "fit_control"),
    "training.fine_tuning": ("train",),
    "training.inoculation": ("Inoculation", "inoculate"),
    "training.inoculation_trials": ("InoculationGrid",),
    "training.training_record": ("TrainingSettings",),
    "training.training_results": ("Training",),
}
_MODULES = {
    "annotate": "annotate",
    "audit": "annotate.audit",
    **{name: f"api.{name}" for name in ("cats", "partwhole", "rica", "winoventi", "wordnetqa")},
}
"""Modules of their own: ``horsesense.rica.derive`` and the like."""
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "CacheContents",
    "CacheEntry",
    "Card",
    "Comparison",
    "ControlSettings",
    "CueFindings",
    "Fills",
    "FittedControl",
    "Frame",
    "HardenedProbe",
    "HorsesenseWarning",
    "Inoculation",
    "InoculationGrid",
    "InstalledPlugins",
    "Item",
    "Probe",
    "Profile",
    "Progress",
    "PrunedCache",
    "Replication",
    "Report",
    "Run",
    "Scores",
    "ScoringSpec",
    "ServedSettings",
    "ShownAnswers",
    "Training",
    "TrainingSettings",
    "UserError",
    "Verified",
    "__version__",
    "add_source",
    "annotate",
    "ask",
    "audit",
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
    "profile",
    "prune_cache",
    "read_release",
    "replicate",
    "rica",
    "saliency",
    "score",
    "show",
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
        return import_module(f"horsesense.{_MODULES[name]}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'horsesense' has no attribute {name!r}")
    value = getattr(import_module(f"horsesense.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
