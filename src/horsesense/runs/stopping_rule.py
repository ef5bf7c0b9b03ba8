"""Stop when the interval is narrow enough: families are asked in random order, step by step, and may be looked at.

Each step is a part of the run (``PROBE.step-1``, ``PROBE.step-2``, …), so that a stopped run resumes. `read_run` puts
the steps together again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Probe
from horsesense.core.document import Document
from horsesense.runs.probe_answers import ProbeAnswers, guessing, merge_steps
from horsesense.runs.shards import draw, ranks_of
from horsesense.stats import Estimate
from horsesense.stats.resampling import Floats
from horsesense.stats.sequential import confidence_sequence, parse_until

if TYPE_CHECKING:
    from horsesense.runs.run import Run

FIRST, GROWTH = 60, 1.5
"""Items of the first step, and how much larger each draw is than the one before."""


@dataclass(frozen=True, slots=True)
class SequentialResult(Document):
    """Accuracy with an interval that is valid however often it was looked at."""

    model: str
    """Name of the model."""
    probe: str
    """Name of the probe."""
    format: str
    """Prompt format."""
    accuracy: Estimate
    """Share right, with the confidence sequence after the last family."""
    met: bool
    """Whether the rule was met, so that the run stopped early or just in time."""


def ask_until(model: Any, probes: Mapping[str, Probe], until: str, *, limit: int | None, seed: int, **more: Any) -> Run:
    """Ask families in random order until the interval of every model and probe is narrow enough, or none is left.

    ``more`` are other arguments of `ask`.
    """
    from horsesense.runs.ask import ask
    from horsesense.runs.run import Run

    rule = parse_until(until)
    left = dict(probes)
    steps: list[ProbeAnswers] = []
    merged: list[ProbeAnswers] = []
    folder, number, run, previous, size = more["out"], 0, None, 0, FIRST
    while left:
        number += 1
        asked = {}
        for name, probe in left.items():
            most = len(probe.items) if limit is None else min(limit, len(probe.items))
            before = {item.id for item in draw(probe.items, previous, seed)} if previous else set()
            items = [item for item in draw(probe.items, min(size, most), seed) if item.id not in before]
            if items:
                card = replace(probe.card, name=f"{name}.step-{number}")
                asked[f"{name}.step-{number}"] = replace(probe, items=items, card=card)
        if not asked:
            break
        run = ask(model, asked, seed=seed, **more)
        steps += run.answered
        merged = merge_steps(steps)
        results = sequential_results(merged, until, seed)
        met: dict[str, bool] = {}  # a probe without any answer is not there, and is asked on
        for each in results:
            met[each.probe] = met.get(each.probe, True) and rule.is_met(each.accuracy)
        left = {
            name: probe
            for name, probe in left.items()
            if not met.get(name) and size < (len(probe.items) if limit is None else min(limit, len(probe.items)))
        }
        previous, size = size, int(size * GROWTH)
    assert run is not None
    return Run(merged, None if folder is None else run.folder, None, run.manifest, until=until)


def sequential_results(answered: Sequence[ProbeAnswers], until: str, seed: int = 0) -> tuple[SequentialResult, ...]:
    """Return the anytime-valid interval of each model and probe with gold answers; none without a rule."""
    if not until:
        return ()
    rule, results = parse_until(until), []
    for each in answered:
        if not each.has_answers:
            continue
        credits = np.nan_to_num(each.credits(each.primary()).values)
        sums, sizes = by_family(each, credits, ~each.unanswered, seed)
        estimate = confidence_sequence(sums, sizes, rule.half_width, chance=guessing(each.columns))
        part = each.part
        results.append(SequentialResult(part.model.name, part.probe.name, each.format, estimate, rule.is_met(estimate)))
    return tuple(results)


def by_family(
    answered: ProbeAnswers, values: Floats, counted: NDArray[np.bool_], seed: int = 0
) -> tuple[Floats, Floats]:
    """Return sum and size of each family over the counted items that have a gold answer, in the random order in which
    families are drawn."""
    ranks = ranks_of(answered.items, seed)
    judged = answered.columns.judged & counted
    order = sorted(np.flatnonzero(judged).tolist(), key=lambda place: ranks[answered.columns.ids[place]])
    sums: dict[int, float] = {}
    sizes: dict[int, float] = {}
    for place in order:
        unit = int(answered.units[place])
        sums[unit] = sums.get(unit, 0.0) + float(values[place])
        sizes[unit] = sizes.get(unit, 0.0) + 1
    return np.array(list(sums.values())), np.array(list(sizes.values()))
