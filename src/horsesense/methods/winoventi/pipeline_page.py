"""What a page says of a pipeline: the funnel, what people said, and a sample of what came out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core import iter_judgements
from horsesense.methods.winoventi.checks import CheckedSchema
from horsesense.methods.winoventi.kept_steps import RUN, STATE, read_state
from horsesense.methods.winoventi.people import STAGES, people_file
from horsesense.methods.winoventi.plan import read_plan
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.methods.winoventi.summaries import StepCounts, kept_counts
from horsesense.methods.winoventi.triplet_files import read_schemas, read_triplets

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
