"""Find out whether a language model has common sense or is reading cues.

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
    from horsesense.api.asking import ask as ask
    from horsesense.api.asking import open_run as open_run
    from horsesense.api.asking import run as run
    from horsesense.api.cache import list_cache as list_cache
    from horsesense.api.cache import prune_cache as prune_cache
    from horsesense.api.comparing import check_regression as check_regression
    from horsesense.api.comparing import compare as compare
    from horsesense.api.cues import find_cues as find_cues
    from horsesense.api.cues import harden as harden
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
    from horsesense.api.profile import profile as profile
    from horsesense.api.reporting import export_run as export_run
    from horsesense.api.reporting import write_report as write_report
    from horsesense.api.run import Run as Run
    from horsesense.api.showing import show as show
    from horsesense.api.texts import fill as fill
    from horsesense.api.texts import saliency as saliency
    from horsesense.api.texts import score as score
    from horsesense.api.verify import verify as verify
    from horsesense.core import Card as Card
    from horsesense.core import Item as Item
    from horsesense.core import Probe as Probe
    from horsesense.core import ScoringSpec as ScoringSpec
    from horsesense.errors import UserError as UserError
    from horsesense.exchange.formats import export as export
    from horsesense.exchange.logged_run import import_log as import_log
    from horsesense.methods import rica as rica
    from horsesense.methods import winoventi as winoventi
    from horsesense.methods.cats import api as cats
    from horsesense.methods.ladders.api import ladder as ladder
    from horsesense.methods.partwhole import api as partwhole
    from horsesense.methods.suites.ask import ask_suite as ask_suite
    from horsesense.methods.suites.ask import run_suite as run_suite
    from horsesense.methods.wordnetqa import api as wordnetqa
    from horsesense.models.api.settings import ServedSettings as ServedSettings
    from horsesense.models.load_settings import LoadSettings as LoadSettings
    from horsesense.progress import HorsesenseWarning as HorsesenseWarning
    from horsesense.progress import Progress as Progress
    from horsesense.replication.replication import replicate as replicate
    from horsesense.runs.compute_settings import ComputeSettings as ComputeSettings
    from horsesense.runs.compute_settings import EngineSettings as EngineSettings
    from horsesense.training.baselines import ControlSettings as ControlSettings
    from horsesense.training.baselines import fit_control as fit_control
    from horsesense.training.fine_tuning import train as train
    from horsesense.training.inoculation import inoculate as inoculate
    from horsesense.training.inoculation_trials import InoculationGrid as InoculationGrid
    from horsesense.training.training_record import TrainingSettings as TrainingSettings

__version__ = "0.2.0"

_WHERE = {
    "api.asking": ("ask", "open_run", "run"),
    "api.cache": ("list_cache", "prune_cache"),
    "api.comparing": ("check_regression", "compare"),
    "api.cues": ("find_cues", "harden"),
    "api.keeping": (
        "add_source",
        "fetch",
        "list_plugins",
        "list_sources",
    ),
    "api.models": ("engine", "load_model"),
    "api.probes": ("build", "load_probe", "overview", "read_release"),
    "api.profile": ("profile",),
    "api.reporting": ("export_run", "write_report"),
    "api.run": ("Run",),
    "api.showing": ("show",),
    "api.texts": ("fill", "saliency", "score"),
    "api.verify": ("verify",),
    "errors": ("UserError",),
    "methods.ladders.api": ("ladder",),
    "methods.suites.ask": ("ask_suite", "run_suite"),
    "models.load_settings": ("LoadSettings",),
    "models.api.settings": ("ServedSettings",),
    "core": ("Card", "Item", "Probe", "ScoringSpec"),
    "runs.compute_settings": ("ComputeSettings", "EngineSettings"),
    "progress": ("HorsesenseWarning", "Progress"),
    "exchange.formats": ("export",),
    "exchange.logged_run": ("import_log",),
    "replication.replication": ("replicate",),
    "training.baselines": ("ControlSettings", "fit_control"),
    "training.fine_tuning": ("train",),
    "training.inoculation": ("inoculate",),
    "training.inoculation_trials": ("InoculationGrid",),
    "training.training_record": ("TrainingSettings",),
}
_MODULES = {
    "annotate": "annotate",
    "audit": "annotate.audit",
    "cats": "methods.cats.api",
    "partwhole": "methods.partwhole.api",
    "rica": "methods.rica",
    "winoventi": "methods.winoventi",
    "wordnetqa": "methods.wordnetqa.api",
}
"""Public modules: ``horsesense.rica.derive`` and the like."""
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "Card",
    "ComputeSettings",
    "ControlSettings",
    "EngineSettings",
    "HorsesenseWarning",
    "InoculationGrid",
    "Item",
    "LoadSettings",
    "Probe",
    "Progress",
    "Run",
    "ScoringSpec",
    "ServedSettings",
    "TrainingSettings",
    "UserError",
    "__version__",
    "add_source",
    "annotate",
    "ask",
    "ask_suite",
    "audit",
    "build",
    "cats",
    "check_regression",
    "compare",
    "engine",
    "export",
    "export_run",
    "fetch",
    "fill",
    "find_cues",
    "fit_control",
    "harden",
    "import_log",
    "inoculate",
    "ladder",
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
    "run",
    "run_suite",
    "saliency",
    "score",
    "show",
    "train",
    "verify",
    "winoventi",
    "wordnetqa",
    "write_report",
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
