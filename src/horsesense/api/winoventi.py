"""WinoVenti from Python: a model's own associations, the whole pipeline for one model, and its evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.api.models import named
from horsesense.api.probes import PathLike, load_probe, opened
from horsesense.api.winoventi_associations import MODEL, Associations, associations, jaccard, nouns_of
from horsesense.api.winoventi_pipeline import make, serve, status
from horsesense.core import Probe, ScoringSpec
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, translate_errors
from horsesense.methods.winoventi.associations import read_depths, read_registry
from horsesense.methods.winoventi.background import keep_background, own_depths, read_background
from horsesense.methods.winoventi.building import WrittenSplits, make_splits, write_splits
from horsesense.methods.winoventi.calibration import Calibration
from horsesense.methods.winoventi.calibration import calibrate as calibrate_filters
from horsesense.methods.winoventi.evaluation import MAIN, ask_all
from horsesense.methods.winoventi.evaluation import evaluate as evaluate_answers
from horsesense.methods.winoventi.plan import PipelineMachine, PipelinePeople, PipelineSources
from horsesense.methods.winoventi.summaries import Evaluations, evaluations
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask import Settings
from horsesense.runs.engine import Engine

__all__ = [
    "Associations",
    "PipelineMachine",
    "PipelinePeople",
    "PipelineSources",
    "associations",
    "calibrate",
    "evaluate",
    "jaccard",
    "make",
    "nouns_of",
    "serve",
    "splits",
    "status",
]


@translate_errors()
def evaluate(
    probe: PathLike,
    *,
    out: PathLike,
    models: Sequence[str] = (MODEL,),
    depths: PathLike | None = None,
    registry: PathLike | None = None,
    own_associations: bool = True,
    reverse: bool = True,
    limit: int | None = None,
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    family: str | None = None,
    allow_pickle: bool = False,
    engine: str | Engine = "here",
    progress: Progress = NO_PROGRESS,
) -> Evaluations:
    """Generic and exception test, both right, the drop; All, Individual and Intersection; slices and margins.

    Args:
        probe: The file of a WinoVenti probe, imported or built.
        out: Folder of the run; a stopped one goes on.
        models: Who is asked.
        depths: Depths of associations: the release's outcome collection, or our own table.
        registry: The release's registry, whose models count for the intersection.
        own_associations: Ask for each model's own associations too.
        reverse: Also ask for the context word, its outcome given.
        limit: At most so many items; whole schemas are drawn.
        seed: Which ones.
        spec: What a score means.
        device: Where models are put.
        family: How models are asked, where their config does not tell.
        allow_pickle: Take pickled weights too.
        engine: Where models are asked: ``"here"``, ``"ray"``, ``"ray:ADDRESS"``, or what `horsesense.engine` gave; own
            associations are asked for here.
        progress: Told how far it has come.

    Returns:
        Each model's figures with intervals.
    """
    if len(set(models)) < len(models):
        raise UserError("a model is named twice", fix="name each once")
    settings = Settings(
        spec=parse_spec(spec) if isinstance(spec, str) else spec,
        limit=limit,
        seed=seed,
        device=device,
        family=family,
        allow_pickle=allow_pickle,
    )
    folder = Path(out)
    for file, read in ((depths, read_depths), (registry, read_registry)):
        if file is not None:
            read(Path(file))  # what is wrong with it is told before the asking
    asked = ask_all(list(models), load_probe(probe), folder, settings, progress, reverse, named(engine))
    drawn = asked[0][MAIN].probe
    own = {name: own_depths(name, drawn, folder, settings) for name in models} if own_associations else {}
    paths = [None if file is None else Path(file) for file in (depths, registry)]
    keep_background(folder, paths[0], paths[1], own)
    return evaluations(folder, Path(probe), evaluate_answers(asked, read_background(folder)))


@translate_errors()
def splits(
    probe: Probe | PathLike,
    setting: str,
    out: PathLike,
    *,
    dev: float = 0.0,
    seed: int = 0,
    unseen_nouns: bool = False,
) -> WrittenSplits:
    """Half- and full-exception splits with the paper's shares; test items say whether their twin was seen.

    Args:
        probe: A WinoVenti probe, or its file.
        setting: half-exception or full-exception.
        out: Folder for train.jsonl, dev.jsonl and the tests.
        dev: Share of training schemas held back.
        seed: Which schemas.
        unseen_nouns: Draw whole nouns, not schemas as the paper does: no test is about a noun of training.

    Returns:
        The files, with what is in each.
    """
    return write_splits(make_splits(opened(probe), setting, seed, dev, unseen_nouns), seed, Path(out))


@translate_errors()
def calibrate(
    registry: PathLike,
    *,
    schemas: Sequence[PathLike] = (),
    texts: Sequence[PathLike] = (),
    conceptnet: PathLike | None = None,
    seed: int = 0,
) -> Calibration:
    """How good the machine's filters are: on exceptions that people gave, and on schemas that they judged.

    Args:
        registry: The release's registry.
        schemas: The release's evaluation collections.
        texts: Texts in which adjectives are looked up beside their nouns.
        conceptnet: Triples of ConceptNet.
        seed: How words are dealt out to other associations.

    Returns:
        Recall and precision with intervals.
    """
    return calibrate_filters(
        Path(registry),
        [Path(file) for file in schemas],
        [Path(file) for file in texts],
        None if conceptnet is None else Path(conceptnet),
        seed,
    )
