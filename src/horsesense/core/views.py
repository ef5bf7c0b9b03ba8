"""One item in other forms, and the overview of a probe."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from horsesense.core.card import card_values
from horsesense.core.document import Document
from horsesense.core.item import BLANK, FORMS, Form, Item
from horsesense.core.probe import Probe

_WORD_ENDS = re.compile(r"\s|[.,;:!?]+(\s|$)")
"""What may follow a blank: closing marks that all options share belong to the text, not to the options."""


def view(item: Item, form: Form) -> Item | None:
    """Return the item in ``form``, or None if it has no valid version in that form.

    >>> cloze = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    >>> view(cloze, "sentences").options
    ('Ice is cold.', 'Ice is hot.')
    >>> view(view(cloze, "sentences"), "cloze").text
    'Ice is ___.'
    """
    if form == item.form:
        return item
    if form == "sentences":
        return _as_sentences(item)
    if form == "cloze":
        return _as_cloze(item)
    if form == "choice":
        return _as_choice(item)
    return None


def fill_blank(text: str, option: str) -> str:
    return text.replace(BLANK, option)


def _as_sentences(item: Item) -> Item | None:
    if item.form == "cloze":
        return replace(item, form="sentences", text="", options=tuple(fill_blank(item.text, o) for o in item.options))
    if item.form == "choice":
        return replace(item, form="sentences", text="", options=tuple(f"{item.text} {o}" for o in item.options))
    return None


def _common_prefix(texts: Sequence[str]) -> int:
    """Return the length of the common prefix of texts."""
    for index, letters in enumerate(zip(*texts, strict=False)):
        if len(set(letters)) > 1:
            return index
    return min(map(len, texts))


def _as_cloze(item: Item) -> Item | None:
    """Convert sentences that differ in one stretch of whole words to a cloze."""
    if item.form != "sentences" or len(set(item.options)) < len(item.options) or len(item.options) < 2:
        return None
    start = _common_prefix(item.options)
    while start > 0 and not item.options[0][start - 1].isspace():
        start -= 1
    end = _common_prefix([option[start:][::-1] for option in item.options])
    while end > 0 and not _WORD_ENDS.match(item.options[0], len(item.options[0]) - end):
        end -= 1
    stretches = tuple(option[start : len(option) - end] for option in item.options)
    if not all(stretch.strip() for stretch in stretches):
        return None
    first = item.options[0]
    before, after = first[:start], first[len(first) - end :]
    # A blank with no word around it asks nothing; a blank that was there already leaves two.
    if BLANK in before + after or not any(letter.isalnum() for letter in before + after):
        return None
    return replace(item, form="cloze", text=before + BLANK + after, options=stretches)


def _as_choice(item: Item) -> Item | None:
    if item.form == "cloze" and item.text.rstrip(" .!").endswith(BLANK):
        question = item.text.partition(BLANK)[0].rstrip()
        return replace(item, form="choice", text=question) if question else None
    if item.form == "sentences" and (cloze := _as_cloze(item)) is not None:
        return _as_choice(cloze)
    return None


MOST_COUNTED = 12
"""Maximum number of values of a facet that are listed."""


@dataclass(frozen=True, slots=True)
class ItemView(Document):
    """Texts of an item in another form."""

    premise: str
    """Text before the question, or empty."""
    text: str
    """The cloze, the question or the hypothesis, or empty."""
    options: tuple[str, ...]
    """Options in the order of the item."""


@dataclass(frozen=True, slots=True)
class ItemInForms(Document):
    """One item in all its forms."""

    item: Item
    """The item itself."""
    views: dict[Form, ItemView]
    """The same question in each other valid form."""


@dataclass(frozen=True, slots=True)
class FacetCounts(Document):
    """One facet over the items of a probe."""

    values: int
    """Number of distinct values."""
    counts: dict[str, int]
    """Item counts of the most frequent values, as text."""


@dataclass(frozen=True, slots=True)
class HeatCell(Document):
    """One cell of the heat map."""

    hops: str
    """Number of steps between concept and answer."""
    distractor_kind: str
    """Source of the wrong options."""
    items: int
    """Number of items."""


@dataclass(frozen=True, slots=True)
class Overview(Document):
    """Contents of a probe: counts, facets, samples."""

    card: Mapping[str, Any]
    """The card, as stored next to the probe."""
    items: int
    """Number of items."""
    families: int
    """Number of families; items without a family count as one each."""
    forms: dict[str, int]
    """Number of items by form."""
    options: dict[str, int]
    """Number of items by number of options."""
    answers: dict[str, int]
    """Number of items by index of the answer; ``none`` for unjudged items."""
    facets: dict[str, FacetCounts]
    """Value counts of each facet."""
    heat_map: tuple[HeatCell, ...]
    """Items by hops and kind of distractor, for items that have both."""
    groups: dict[str, int]
    """Number of clusters of each group."""
    samples: tuple[Item, ...]
    """Items sampled by seed, in the order of the probe."""
    label_quality: str | None = None
    """Label quality in a sentence, if a sample has been audited."""


def item_in_forms(item: Item) -> ItemInForms:
    """Return an item as it is and in every other form that is valid for it."""
    views: dict[Form, ItemView] = {}
    for form in FORMS:
        seen = view(item, form) if form != item.form else None
        if seen is not None:
            views[form] = ItemView(seen.premise, seen.text, seen.options)
    return ItemInForms(item, views)


SAMPLES = 3
"""Items that an overview shows."""


def overview(probe: Probe, samples: int, seed: int) -> Overview:
    """Count the items of a probe, and sample some of them."""
    items = probe.items
    facets: dict[str, Counter[str]] = {}
    groups: dict[str, set[str]] = {}
    cells: Counter[tuple[str, str]] = Counter()
    for item in items:
        if "hops" in item.facets and "distractor_kind" in item.facets:
            cells[str(item.facets["hops"]), str(item.facets["distractor_kind"])] += 1
        for name, value in item.facets.items():
            facets.setdefault(name, Counter())[str(value)] += 1
        for name, unit in item.groups.items():
            groups.setdefault(name, set()).add(unit)
    drawn = random.Random(seed).sample(range(len(items)), min(samples, len(items)))
    return Overview(
        card=card_values(probe.card),
        items=len(items),
        families=probe.card.families,
        forms=dict(Counter(item.form for item in items)),
        options={str(n): count for n, count in sorted(Counter(len(item.options) for item in items).items())},
        answers=_answers(item.answer for item in items),
        facets={
            name: FacetCounts(len(counts), dict(counts.most_common(MOST_COUNTED)))
            for name, counts in sorted(facets.items())
        },
        heat_map=tuple(HeatCell(hops, kind, count) for (hops, kind), count in sorted(cells.items())),
        groups={name: len(units) for name, units in sorted(groups.items())},
        samples=tuple(items[index] for index in sorted(drawn)),
        label_quality=None if probe.card.label_quality is None else probe.card.label_quality.in_words(),
    )


def _answers(golds: Iterable[int | None]) -> dict[str, int]:
    """Count items by answer, unjudged ones last."""
    counts = sorted(Counter(golds).items(), key=lambda pair: (pair[0] is None, pair[0] or 0))
    return {"none" if answer is None else str(answer): count for answer, count in counts}
