"""The same items in several registered wordings and both option orders, and the interval that contains the wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from horsesense.core import Item, Probe
from horsesense.core.document import Document
from horsesense.core.item import FIXED_ORDER, Form
from horsesense.errors import UserError, argument
from horsesense.stats import Estimate, accuracy
from horsesense.stats.wording_variance import Allocation, best_allocation, variance_components, with_wording

if TYPE_CHECKING:
    from horsesense.runs.probe_answers import ProbeAnswers

_OF_ALL = (
    "Consider the following. {}",
    "Think about everyday life. {}",
    "This is part of a test of general knowledge. {}",
)
WORDINGS: Mapping[Form, tuple[str, ...]] = {
    "choice": (
        "{}",
        "Here is a question. {}",
        "Answer this quiz question: {}",
        "A friend wants to know: {}",
        *_OF_ALL,
        "Please answer with care. {}",
    ),
    "cloze": (
        "{}",
        "Here is a short text. {}",
        "Complete the sentence. {}",
        "Somebody wrote this line: {}",
        *_OF_ALL,
        "Read this with care. {}",
    ),
    "sentences": (
        "{}",
        "Here is what happened. {}",
        "A neighbour says this. {}",
        "This is from a book for children. {}",
        *_OF_ALL,
        "Read this with care. {}",
    ),
    "pair": (
        "{}",
        "Here are two sentences. {}",
        "A neighbour says this. {}",
        "Suppose that it is so. {}",
        *_OF_ALL,
        "Read this with care. {}",
    ),
}
"""Registered wordings by form. A change is another wording: add new ones at the end."""
REGISTERED = min(map(len, WORDINGS.values()))
_SUFFIX = ".worded"
_NEXT = 1000
"""Questions that the advice is about."""


def worded_probe(name: str, probe: Probe, count: int, seed: int, lettered: bool) -> Probe:
    """Return each item in ``count`` wordings drawn by seed; with letters, also with its options in reverse order."""
    if not 2 <= count <= REGISTERED:
        raise UserError(
            f"{count} wordings cannot be drawn", fix=f"{argument('wordings')} takes a number from 2 to {REGISTERED}"
        )
    drawn = sorted(Random(seed).sample(range(REGISTERED), count))
    items = [
        _reworded(item, f"{name}{_SUFFIX}", wording, reverse)
        for item in probe.items
        if item.answer is not None
        for wording in drawn
        for reverse in ((False, True) if lettered else (False,))
    ]
    card = replace(probe.card, name=f"{name}{_SUFFIX}", made=f"{probe.card.made or name}, in {count} wordings")
    return Probe.of(items, replace(card, label_quality=None, human=()))


def _reworded(item: Item, probe: str, wording: int, reverse: bool) -> Item:
    template = WORDINGS[item.form][wording]
    # What comes before a cloze, a sentence or a hypothesis is its premise.
    inside = item.form == "choice" and not item.premise
    text = template.format(item.text) if inside else item.text
    premise = item.premise if inside else template.format(item.premise).strip()
    options, concepts, answer = item.options, item.concepts, item.answer or 0
    if reverse:
        options, concepts, answer = options[::-1], concepts[::-1], len(options) - 1 - answer
    facets = {**item.facets, "wording": wording, "reversed": reverse, "worded_from": item.id, FIXED_ORDER: True}
    return replace(
        item,
        probe=probe,
        premise=premise,
        text=text,
        options=options,
        concepts=concepts,
        answer=answer,
        family=item.unit(),
        member=f"{item.member} {wording} {'reversed' if reverse else 'forward'}".strip(),
        facets=facets,
    )


@dataclass(frozen=True, slots=True)
class WordingResult(Document):
    """One model on the same items in several wordings. An item without an answer counts as wrong."""

    model: str
    """Name of the model."""
    probe: str
    """Name of the probe."""
    format: str
    """Prompt format."""
    items: int
    """Items, each asked in all wordings."""
    by_wording: Mapping[str, float]
    """Accuracy in each wording."""
    fixed: Estimate
    """Accuracy over these wordings, with the usual interval: other items, the same wordings."""
    with_wording: Estimate
    """The same accuracy with the wider interval: other items and other wordings."""
    components: Mapping[str, float]
    """Variance components of a family's mean by restricted maximum likelihood."""
    order_effect: float | None
    """Accuracy with the options in their own order minus that in reverse; null where no order is shown."""
    best: Allocation
    """Best way to spend the next 1,000 questions."""
    all_families: Allocation
    """All of them on new families."""
    all_wordings: Allocation
    """All of them on new wordings, as far as they are registered."""


def wording_results(answered: Sequence[ProbeAnswers]) -> tuple[WordingResult, ...]:
    """Return what the wordings of a run do to each model and probe."""
    parts = [each for each in answered if each.part.probe.name.endswith(_SUFFIX) and each.judged]
    return tuple(_result(each) for each in parts)


def _result(answered: ProbeAnswers) -> WordingResult:
    earned = np.nan_to_num(answered.credits(answered.primary()).values)
    items = answered.items
    group = answered.probe.card.group
    units = {name: index for index, name in enumerate(dict.fromkeys(item.unit(group) for item in items))}
    used = {each: index for index, each in enumerate(sorted({int(item.facets["wording"]) for item in items}))}
    shape = len(units), len(used), len({item.facets["reversed"] for item in items})
    sums, counts = np.zeros(shape), np.zeros(shape)
    for item, credit in zip(items, earned.tolist(), strict=True):
        cell = units[item.unit(group)], used[int(item.facets["wording"])], int(bool(item.facets["reversed"]))
        sums[cell] += credit
        counts[cell] += 1
    table = sums / counts
    components = variance_components(table)
    averaged = variance_components(table.mean(axis=2, keepdims=True))
    families, wordings, orders = table.shape
    asked = len({str(item.facets["worded_from"]) for item in items})
    chance = float(np.mean([1 / len(item.options) for item in items]))
    best, more_families, more_wordings = best_allocation(
        averaged, families, wordings, cost=asked * orders / families, more=_NEXT, most=REGISTERED
    )
    fixed = accuracy(table.mean(axis=(1, 2)), np.arange(families), chance=chance)
    wide = with_wording(table, asked, chance)
    return WordingResult(
        model=answered.part.model.name,
        probe=answered.part.probe.name.removesuffix(_SUFFIX),
        format=answered.format,
        items=asked,
        by_wording={WORDINGS[items[0].form][each]: float(table[:, index].mean()) for each, index in used.items()},
        fixed=fixed,
        with_wording=replace(wide, ci=(min(fixed.low, wide.low), max(fixed.high, wide.high))),
        components=components,
        order_effect=float(table[:, :, 0].mean() - table[:, :, 1].mean()) if orders == 2 else None,
        best=best,
        all_families=more_families,
        all_wordings=more_wordings,
    )
