"""Find out whether a language model has common sense or is reading cues.

    import horsesense as hs

    probe = hs.load_probe("starter")
    model = hs.load_model("smollm2")
    run = hs.ask(model, probe)
    run.results()

Names are loaded when they are first used: importing the package loads neither torch nor pyarrow. The public modules are
used as ``horsesense.rica.derive`` and the like.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.registry import lazy_attributes, typed_names

if TYPE_CHECKING:
    from horsesense import annotate as annotate
    from horsesense.annotate import audit as audit
    from horsesense.cache import fetch as fetch
    from horsesense.core import Card as Card
    from horsesense.core import Item as Item
    from horsesense.core import Probe as Probe
    from horsesense.core import ScoringSpec as ScoringSpec
    from horsesense.core.catalogue import build as build
    from horsesense.core.catalogue import load_probe as load_probe
    from horsesense.errors import UserError as UserError
    from horsesense.exchange.logged_run import import_log as import_log
    from horsesense.item_analysis.analysis import items as items
    from horsesense.methods import cats as cats
    from horsesense.methods import partwhole as partwhole
    from horsesense.methods import rica as rica
    from horsesense.methods import winoventi as winoventi
    from horsesense.methods import wordnetqa as wordnetqa
    from horsesense.methods.ladders.thresholds import ladder as ladder
    from horsesense.methods.published import read_release as read_release
    from horsesense.models.api.settings import ServedSettings as ServedSettings
    from horsesense.models.load import load_model as load_model
    from horsesense.planting.experiment import plant as plant
    from horsesense.profiling.profile import profile as profile
    from horsesense.replication.replication import replicate as replicate
    from horsesense.report.show import show as show
    from horsesense.runs.ask import DesignSettings as DesignSettings
    from horsesense.runs.ask import ask as ask
    from horsesense.runs.ask import open_run as open_run
    from horsesense.runs.comparison import compare as compare
    from horsesense.runs.engine import ComputeSettings as ComputeSettings
    from horsesense.runs.regression import check_regression as check_regression
    from horsesense.runs.run import Run as Run
    from horsesense.scoring.text_analysis import fill as fill
    from horsesense.scoring.text_analysis import saliency as saliency
    from horsesense.scoring.text_analysis import score as score
    from horsesense.training.baselines import fit_control as fit_control
    from horsesense.training.fine_tuning import train as train
    from horsesense.training.inoculation import inoculate as inoculate

__version__ = "0.3.0"

_PUBLIC = typed_names(__file__)
__all__ = ["__version__", *_PUBLIC]
__getattr__, __dir__ = lazy_attributes(__name__, _PUBLIC)
