"""Evaluations of WinoVenti for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from horsesense.cli.annotate.tables import estimate_json
from horsesense.cli.output import people

if TYPE_CHECKING:
    from horsesense.analysis import Estimate, Sliced
    from horsesense.analysis.winoventi import Strongest, Subset
    from horsesense.studies.winoventi.evaluation import Evaluation

_FIGURES = ("generic", "exception", "both", "drop", "macro_generic", "macro_exception")
_SHOWN = 5


def evaluation_json(one: Evaluation) -> dict[str, Any]:
    """One model; ``individual`` is the headline."""
    return {
        "model": one.model,
        "headline": _subset_json(next(s for s in one.subsets if s.name == "individual")),
        "subsets": [_subset_json(each) for each in one.subsets],
        "reverse": [_subset_json(each) for each in one.reverse],
        "slices": {name: _sliced_json(table) for name, table in one.slices.items()},
        "failures": _strongest_json(one.failures),
        "successes": _strongest_json(one.successes),
        "notes": dict(one.notes),
    }


def _subset_json(each: Subset) -> dict[str, Any]:
    figures = {name: _figure(getattr(each, name)) for name in _FIGURES}
    return {"subset": each.name, "schemas": each.schemas, **figures, "mass": each.mass}


def _figure(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate_json(estimate)


def _sliced_json(table: Sliced) -> list[dict[str, Any]]:
    rows = []
    for each in table.slices:
        figure = estimate_json(each.accuracy)
        rows.append({"value": each.where[0], "test": each.where[1], "accuracy": figure.pop("value"), **figure})
    return rows


def _strongest_json(found: Strongest) -> dict[str, Any]:
    listed = [{**asdict(one), "facets": dict(one.facets)} for one in found.outcomes]
    return {
        "items": listed,
        "by_k": dict(found.by_k),
        "by_word": dict(found.by_word),
        "not_own": found.not_own,
    }


def print_evaluations(found: Sequence[Evaluation]) -> None:
    """A table a model, the headline marked, then slices and what stands out."""
    console = people()
    for one in found:
        console.print(f"{one.model}", markup=False, style="bold")
        for title, subsets in (("", one.subsets), (", turned round", one.reverse)):
            for each in subsets:
                mark = "  ← headline" if each.name == "individual" and not title else ""
                console.print(f"  {_told(each, title)}{mark}", markup=False, soft_wrap=True)
        for name, table in one.slices.items():
            cells = (f"{s.where[0]} {s.where[1]} {s.accuracy.value:.3f} (n {s.accuracy.n:,})" for s in table.slices)
            console.print(f"  by {name}: {'; '.join(cells)}", markup=False, soft_wrap=True)
        for what, extremes in (("failures", one.failures), ("successes", one.successes)):
            words = ", ".join(f"{word} {count}" for word, count in list(extremes.by_word.items())[:_SHOWN])
            depths = ", ".join(f"k={k} {count}" for k, count in extremes.by_k.items())
            console.print(
                f"  strongest {len(extremes.outcomes)} {what}: {words}; {depths}", markup=False, soft_wrap=True
            )
        for note, count in one.notes.items():
            console.print(f"  {note}" + (f": {count:,}" if count else ""), markup=False, soft_wrap=True)


def _told(each: Subset, title: str) -> str:
    if each.generic is None or each.exception is None or each.both is None or each.drop is None:
        return f"{each.name + title:<26} no schemas"
    numbers = (_range("generic", each.generic), _range("exception", each.exception), _range("both", each.both))
    mass = f"mass {each.mass:.3f}" if each.mass is not None else ""
    macro = (
        f"macro {each.macro_generic.value:.3f}/{each.macro_exception.value:.3f}"
        if each.macro_generic and each.macro_exception
        else ""
    )
    parts = ", ".join((*numbers, _range("drop", each.drop), macro, mass))
    return f"{each.name + title:<26} {parts}, {each.schemas:,} schemas"


def _range(name: str, estimate: Estimate) -> str:
    return f"{name} {estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
