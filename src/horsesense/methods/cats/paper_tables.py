"""CATs as a suite: tables 3 and 6 with one's own models in them, and what figure 1 draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from horsesense.core.spec import parse_spec
from horsesense.methods.cats.suite import SUITES, Suite, open_suite
from horsesense.methods.cats.table import (
    accuracy_row,
    consistency_row,
    published_rows,
    released_counts,
    source,
    titles,
)
from horsesense.methods.suites.frame import Kind, OpenedData, PaperRow, PaperSuite, PaperTable, with_published
from horsesense.runs.results import Answered
from horsesense.stats import Estimate

_PARTS = (
    ("both_right", "both halves right"),
    ("consistent", "consistent (both right or both wrong)"),
    ("expected", "consistent by chance of the two accuracies"),
    ("accuracy_a", "accuracy, original"),
    ("accuracy_b", "accuracy, edited"),
)


def _open(suite: Suite) -> PaperSuite:
    def open_data(folder: Path | None, skip_bad: bool) -> OpenedData:
        opened = open_suite(suite, folder, skip_bad)
        return OpenedData(opened.probes, opened.files.paths, opened.files.missing)

    tables = _accuracy_tables if suite.table == "accuracy" else _pair_tables
    return PaperSuite(suite.name, source(), suite.spec, open_data, tables)


def _by_model(answered: Sequence[Answered], sets: Sequence[str]) -> dict[str, dict[str, Answered]]:
    models: dict[str, dict[str, Answered]] = {}
    for run in answered:
        if run.part.probe.name in sets and run.judged:
            models.setdefault(run.part.model.name, {})[run.part.probe.name] = run
    return models


def _is_papers(answered: Sequence[Answered], sets: Sequence[str]) -> bool:
    """Whether all sets were asked whole, as the paper scores."""
    counts, spec = released_counts(), parse_spec("paper:cats")
    scored = all(run.spec.pll == spec.pll and run.spec.bos == spec.bos for run in answered)
    asked = {run.part.probe.name: len(run.items) for run in answered}
    return scored and all(asked.get(name) == counts[name] for name in sets)


def _accuracy_tables(
    answered: Sequence[Answered], controls: Sequence[Answered], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """Table 3: accuracy on each set and their mean."""
    sets = SUITES["cats"].sets
    names = titles()
    ours = []
    for model, runs in _by_model(answered, sets).items():
        row = accuracy_row(runs)
        cells: list[Estimate | float | None] = [row.sets.get(name) for name in sets]
        ours.append(PaperRow(model, "ours", (*cells, row.average), row.direction))
    printed = [
        PaperRow(
            row.model,
            "published",
            (*(row.values[name] for name in sets), row.average()),
            "people" if row.human else row.direction,
        )
        for row in published_rows("accuracy")
    ]
    columns = [*(names[name] for name in sets), "average"]
    made = with_published("CATs, table 3: accuracy", columns, ours, printed, _is_papers(answered, sets), source())
    again = (
        "Published averages are computed again from their rows; three of those printed do not follow from them. The "
        "paper's CA had 189 instances and its WSC 273; the release has 183 and 283."
    )
    return (*made[:-1], PaperTable(made[-1].title, made[-1].columns, made[-1].rows, (*made[-1].notes, again)))


def _pair_tables(
    answered: Sequence[Answered], controls: Sequence[Answered], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """Table 6: both halves right first; consistency, which wrong answers earn too, second."""
    sets = SUITES["cats-robust"].sets
    columns = [titles()[name] for name in sets]
    ours = []
    for model, runs in _by_model(answered, sets).items():
        row = consistency_row(runs)
        for part, meaning in _PARTS:
            cells = tuple(getattr(row.sets[name], part) if name in row.sets else None for name in sets)
            kind: Kind = "ours"
            ours.append(PaperRow(f"{model}: {meaning}", kind, cells, model))
    printed = [
        PaperRow(f"{row.model}: consistent", "published", tuple(row.values[name] for name in sets), row.direction)
        for row in published_rows("consistency")
    ]
    made = with_published("CATs, table 6: pairs of duals", columns, ours, printed, _is_papers(answered, sets), source())
    sizes = "The paper speaks of 75 pairs a method; the release has 92, 82, 74 and 75. It prints consistency only."
    return (*made[:-1], PaperTable(made[-1].title, made[-1].columns, made[-1].rows, (*made[-1].notes, sizes)))


CATS = _open(SUITES["cats"])
CATS_ROBUST = _open(SUITES["cats-robust"])
