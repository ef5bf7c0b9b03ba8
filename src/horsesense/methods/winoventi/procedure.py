"""Summaries of WinoVenti results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from horsesense.core import Facet, iter_judgements
from horsesense.core.document import Document
from horsesense.data import FieldProblem, check_json, read_text
from horsesense.errors import UserError
from horsesense.methods.winoventi.associations import Association, shares
from horsesense.methods.winoventi.elicitation import ModelAssociations
from horsesense.methods.winoventi.evaluation import Evaluation
from horsesense.methods.winoventi.measures import ContextShift, Strongest, Subset
from horsesense.methods.winoventi.nouns import NounList
from horsesense.methods.winoventi.people import STAGES, Stage, people_file
from horsesense.methods.winoventi.pipeline import PipelineResult
from horsesense.methods.winoventi.plan import read_plan
from horsesense.methods.winoventi.schemas import CheckedSchema, Triplet, read_schemas, read_triplets
from horsesense.methods.winoventi.steps import RUN, STATE, read_state
from horsesense.stats import Estimate, Sliced

_FREQUENT = 10
"""Words that are listed as the most frequent."""


@dataclass(frozen=True, slots=True)
class FrequentWord:
    """A word that many nouns are tied to."""

    word: str
    count: int
    share: float
    """Of all associations."""


@dataclass(frozen=True, slots=True)
class AssociationSummary(Document):
    """The words that a model ties to nouns, negated or not."""

    model: str
    """The model that was asked."""
    ranker: str | None
    """The model that ranked them; null where none did."""
    nouns: int
    """Nouns that were asked about."""
    associations: int
    """Associations that were found."""
    by_k: Mapping[str, int]
    """How many at each depth of the rankings."""
    kept: int
    """Those that are left after nonsense, ranking and knee."""
    kept_by_k: Mapping[str, int]
    """How many of these at each depth."""
    knees: Mapping[str, float]
    """By depth, the largest perplexity that stays."""
    last_knee: float | None
    """The same over what is left of all depths; null where no last round was held."""
    dropped: Mapping[str, int]
    """Why others went, the commonest reason first."""
    frequent: tuple[FrequentWord, ...]
    """The most frequent words."""
    notes: Mapping[str, int]
    """What was left out or found odd, counted."""
    out: Path | None
    """The file they were written to; null where none was named."""


def association_summary(
    model: str, ranker: str | None, nouns: NounList, associations: ModelAssociations, out: Path | None
) -> AssociationSummary:
    """What came of asking a model about nouns."""
    selection = associations.selection
    everything = selection.associations
    return AssociationSummary(
        model=model,
        ranker=ranker,
        nouns=len(nouns.nouns),
        associations=len(everything),
        by_k=_by_k(everything),
        kept=len(selection.kept),
        kept_by_k=_by_k(selection.kept),
        knees={str(k): value for k, value in selection.knees.items()},
        last_knee=selection.last_knee,
        dropped=dict(Counter(each.reason for each in everything if not each.kept).most_common()),
        frequent=tuple(FrequentWord(*each) for each in shares(everything)[:_FREQUENT]),
        notes={**nouns.notes, **associations.notes},
        out=out,
    )


def _by_k(associations: Sequence[Association]) -> dict[str, int]:
    return {str(k): count for k, count in sorted(Counter(each.k for each in associations).items())}


@dataclass(frozen=True, slots=True)
class SliceOfTest:
    """Items of one test that share the value of a facet."""

    value: Facet
    """The value of the facet."""
    test: str
    """``generic`` or ``exception``."""
    accuracy: Estimate


@dataclass(frozen=True, slots=True)
class ModelEvaluation:
    """What one model makes of the schemas."""

    model: str
    headline: Subset | None
    """The subset ``individual``: schemas that the model's own bias speaks against; null where nobody passed them."""
    subsets: tuple[Subset, ...]
    """``all``, ``individual``, and ``intersection`` where there are several models."""
    shift: ContextShift | None
    """What premises change in the same subset: the headline's first number; null where nobody passed them."""
    shifts: tuple[ContextShift, ...]
    """What premises change, for all subsets."""
    reverse: tuple[Subset, ...]
    """The same with the context word asked for; empty where that was not asked."""
    tokens: tuple[Subset, ...]
    """All and Individual, cut by whether the outcomes have as many tokens for every model that is asked."""
    slices: Mapping[str, tuple[SliceOfTest, ...]]
    """Accuracy by facet."""
    failures: Strongest
    """The exceptions that it fails most clearly."""
    successes: Strongest
    """The exceptions that it gets most clearly."""
    notes: Mapping[str, int]
    """What to mind, counted."""
    proposed: int
    """Schemas that neither people nor a stated judge have passed; with any of them there is no headline."""


@dataclass(frozen=True, slots=True)
class Evaluations(Document):
    """Models on WinoVenti schemas."""

    out: Path
    """The folder of the run."""
    probe: Path
    """The schemas."""
    models: tuple[ModelEvaluation, ...]
    """One entry a model."""


def evaluations(out: Path, probe: Path, results: Sequence[Evaluation]) -> Evaluations:
    """The evaluations of all models of a run."""
    return Evaluations(out, probe, tuple(map(_evaluation, results)))


def _evaluation(evaluation: Evaluation) -> ModelEvaluation:
    passed = not evaluation.proposed
    return ModelEvaluation(
        model=evaluation.model,
        headline=next(each for each in evaluation.subsets if each.subset == "individual") if passed else None,
        subsets=evaluation.subsets,
        shift=next((each for each in evaluation.shifts if each.subset == "individual"), None) if passed else None,
        shifts=evaluation.shifts,
        reverse=evaluation.reverse,
        tokens=evaluation.tokens,
        slices={name: _slices(sliced) for name, sliced in evaluation.slices.items()},
        failures=evaluation.failures,
        successes=evaluation.successes,
        notes=evaluation.notes,
        proposed=evaluation.proposed,
    )


def _slices(sliced: Sliced) -> tuple[SliceOfTest, ...]:
    return tuple(SliceOfTest(each.where[0], str(each.where[1]), each.accuracy) for each in sliced.slices)


@dataclass(frozen=True, slots=True)
class StepCounts:
    """How many there were after each step, and why others went."""

    nouns: int
    associations: int
    kept: int
    """Associations that are left after ranking."""
    left_out: Mapping[str, int]
    """Why other associations went."""
    triplets: int
    """Noun, association and exception."""
    origins: Mapping[str, int]
    """Where exceptions come from."""
    filtered: int
    """Triplets that the model is biased on."""
    schemas: Mapping[str, int]
    """Schemas by who wrote them."""
    objections: Mapping[str, int]
    """What speaks against schemas."""
    passing: Mapping[str, int]
    """Schemas that nothing speaks against, by who wrote them."""
    validated: Mapping[str, int]
    """Those of them that people, or a stated judge, have passed."""


@dataclass(frozen=True, slots=True)
class PipelineSummary(Document):
    """The whole procedure for one model, as far as it has come."""

    out: Path
    """Its folder."""
    model: str
    """Whose associations are turned against it."""
    counts: StepCounts
    """The yield of each step."""
    stages: tuple[Stage, ...]
    """How far people have come in each of their stages."""
    next: str
    """What is to be done next, in words."""
    probes: Mapping[str, Path]
    """``validated`` (passed by people or a stated judge) and ``proposed`` (by nobody yet), where there are any."""
    evaluations: Mapping[str, ModelEvaluation]
    """What the model makes of each probe; only what was validated has a headline."""
    sample: tuple[str, ...]
    """A few of the schemas that nobody has passed yet, to see what they are like."""
    notes: Mapping[str, int]
    """What was odd in the list of nouns, counted."""


def pipeline_summary(
    result: PipelineResult, out: Path, model: str, stages: tuple[Stage, ...], notes: Mapping[str, int]
) -> PipelineSummary:
    """What came of a pipeline."""
    counts = StepCounts(**result.counts)
    return PipelineSummary(
        out=out,
        model=model,
        counts=counts,
        stages=stages,
        next=next_step(stages, sum(counts.validated.values()), out),
        probes=result.probes,
        evaluations={kind: _evaluation(each) for kind, each in result.evaluations.items()},
        sample=sample_of(result.schemas),
        notes=notes,
    )


def sample_of(schemas: Sequence[CheckedSchema], most: int = 8, seed: int = 0) -> tuple[str, ...]:
    """Some schemas that checks let pass and nobody has judged, drawn by the seed, as people would read them."""
    open_ = [each.schema for each in schemas if each.passes and not each.schema.validated]
    drawn = Random(seed).sample(open_, min(most, len(open_)))
    return tuple(f"{s.premise} The {s.triplet.noun}: {s.triplet.generic} / {s.triplet.exception}" for s in drawn)


@dataclass(frozen=True, slots=True)
class PipelineStatus(Document):
    """How far the pipeline of a folder has come."""

    out: Path
    """Its folder."""
    model: str
    """Whose associations are turned against it."""
    counts: StepCounts | None
    """The yield of each step; null where it has not come to its end once."""
    stages: tuple[Stage, ...]
    """How far people have come in each of their stages."""
    next: str
    """What is to be done next, in words."""


def next_step(stages: Sequence[Stage], validated: int, folder: Path) -> str:
    """What is to be done next.

    >>> next_step([Stage("exceptions", "open", 4, 4, 1, 1, ())], 0, Path("wv"))
    'people answer exceptions (1 of 4 answers are there): horsesense winoventi serve wv'
    """
    for each in stages:
        if each.state == "open":
            far = f"{each.answered:,} of {each.wanted:,} answers are there"
            return f"people answer {each.stage} ({far}): horsesense winoventi serve {folder}"
        if each.state == "waiting":
            return f"the machine goes on with what people said: horsesense winoventi make … --out {folder}"
    if all(each.state == "not asked" for each in stages):
        return "people are not asked, so that nothing is validated and there is no headline"
    return f"all stages are done: {validated:,} schemas are validated"


def kept_counts(folder: Path) -> StepCounts | None:
    """The yield of each step as the folder of a pipeline keeps it."""
    path = folder / "counts.json"

    def wrong(problem: FieldProblem) -> UserError:
        told = f"the count {problem.where} is {problem.kind}" if problem.path else "these are no counts of a pipeline"
        return UserError(told, file=path, fix="make the pipeline again in this folder, which writes them anew")

    return check_json(StepCounts, read_text(path), wrong) if path.is_file() else None


_SAMPLE = 12


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """How many there were after one step."""

    step: str
    count: int
    share: float
    """Of the largest step: how wide it is drawn."""
    note: str
    """Why others went, or where these come from."""


@dataclass(frozen=True, slots=True)
class PipelineShown:
    """All that a page says of a pipeline."""

    model: str
    kind: str
    """``validated`` or ``proposed``: what the figures of the page are about; empty where nothing was asked yet."""
    run: Path | None
    """The run with these answers."""
    funnel: tuple[FunnelRow, ...]
    people: tuple[tuple[str, int, int], ...]
    """Of each stage its judgements, and how many people gave them."""
    triplets: tuple[Triplet, ...]
    """A sample of those that passed the filter, drawn by the plan's seed."""
    schemas: tuple[CheckedSchema, ...]
    """A sample, those that pass first."""
    seed: int


def is_pipeline(folder: Path) -> bool:
    """Whether a folder is that of a pipeline."""
    return (folder / STATE).is_file()


def read_pipeline(folder: Path) -> PipelineShown:
    """What the folder of a pipeline has."""
    plan, steps = read_plan(folder), read_state(folder / STATE)["steps"]
    runs = {kind: steps.get(f"{RUN}{kind}", {}).get("output") for kind in ("validated", "proposed")}
    kind = next((each for each, run in runs.items() if run), "")
    counts = kept_counts(folder)
    lot = random.Random(plan.seed)
    return PipelineShown(
        model=plan.model,
        kind=kind,
        run=folder / str(runs[kind]) if kind else None,
        funnel=() if counts is None else _funnel(counts),
        people=tuple(_said(folder, stage) for stage in STAGES),
        triplets=tuple(_drawn(read_triplets(path), lot) if (path := folder / "filtered.tsv").is_file() else ()),
        schemas=tuple(_sample(folder / "schemas.tsv", lot)),
        seed=plan.seed,
    )


def _funnel(counts: StepCounts) -> tuple[FunnelRow, ...]:
    def told(numbers: Mapping[str, int]) -> str:
        return ", ".join(f"{name} {count:,}" for name, count in numbers.items())

    passing, validated = (sum(each.values()) for each in (counts.passing, counts.validated))
    rows = (
        ("nouns", counts.nouns, ""),
        ("associations", counts.associations, ""),
        ("kept after nonsense, ranking and knee", counts.kept, told(counts.left_out)),
        ("triplets with an exception", counts.triplets, told(counts.origins)),
        ("the model prefers the generic word", counts.filtered, ""),
        ("premise pairs", sum(counts.schemas.values()), told(counts.schemas)),
        ("pass all checks", passing, told(counts.objections)),
        ("passed by people or a stated judge", validated, told(counts.validated)),
    )
    most = max(1, *(count for _, count, _ in rows))
    return tuple(FunnelRow(step, count, count / most, note) for step, count, note in rows)


def _said(folder: Path, stage: str) -> tuple[str, int, int]:
    path = people_file(folder, stage)
    said = Counter(placed.judgement.annotator for placed in iter_judgements(path)) if path.is_file() else Counter()
    return stage, sum(said.values()), len(said)


def _drawn(triplets: Sequence[Triplet], lot: random.Random) -> list[Triplet]:
    return lot.sample(list(triplets), min(_SAMPLE, len(triplets)))


def _sample(path: Path, lot: random.Random) -> list[CheckedSchema]:
    """Schemas that pass, and a few that do not."""
    schemas = read_schemas(path)[0] if path.is_file() else []
    passing, others = ([each for each in schemas if each.passes == wanted] for wanted in (True, False))
    drawn = lot.sample(passing, min(_SAMPLE, len(passing)))
    return drawn + lot.sample(others, min(_SAMPLE // 3, len(others)))
