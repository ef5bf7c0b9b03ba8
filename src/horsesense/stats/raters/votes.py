"""Vote tables: labels by item and annotator, as integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.resampling import Floats

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scale:
    """Possible answers of an annotation task."""

    labels: tuple[str, ...] = ()
    """Labels, in order if ordinal."""
    ordered: bool = False
    """Whether the labels are ordinal."""
    objections: tuple[str, ...] = ()
    """Answers that reject the question (it makes no sense)."""
    abstentions: tuple[str, ...] = ()
    """Answers that do not count as votes (I don't know)."""
    criteria: tuple[str, ...] = ()
    """Names of the criteria that can fail; a value joins the failed ones by ``+``."""


ScaleOf = Callable[[str], Scale]
"""Function from an item to its possible answers."""


@dataclass(frozen=True, slots=True)
class Votes:
    """Table of votes, one entry per vote."""

    items: tuple[str, ...]
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    item: Codes
    """Index of each vote's item in ``items``."""
    annotator: Codes
    """Index of its annotator in ``annotators``."""
    label: Codes
    """Index of its label in ``labels``."""

    @property
    def number(self) -> int:
        return len(self.label)

    @property
    def people(self) -> int:
        """Number of annotators; 0 if unknown."""
        return 0 if any(name.startswith("#") for name in self.annotators) else len(self.annotators)

    def counts(self) -> Floats:
        """Count the votes per item (row) and label (column)."""
        table = np.zeros((len(self.items), len(self.labels)))
        np.add.at(table, (self.item, self.label), 1)
        return table


def judgements_by_item(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """Group judgements by item, in the order in which items first occur."""
    by_item: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_item.setdefault(judgement.item, []).append(judgement)
    return by_item


def tabulate(votes: Iterable[tuple[str, str, str]], labels: Sequence[str]) -> Votes:
    """Tabulate votes from triples of item, annotator and label; a value that is not a label is an error.

    >>> table = tabulate([("i", "ann", "yes"), ("i", "ben", "no"), ("j", "ann", "yes")], ["no", "yes"])
    >>> table.counts().tolist(), table.people
    ([[1.0, 1.0], [0.0, 1.0]], 2)
    """
    known = {label: index for index, label in enumerate(labels)}
    items: dict[str, int] = {}
    annotators: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []
    for item, annotator, value in votes:
        if value not in known:
            raise UserError(f"the value {value!r} of {item} is not a label", fix=f"the labels are {', '.join(labels)}")
        rows.append(
            (items.setdefault(item, len(items)), annotators.setdefault(annotator, len(annotators)), known[value])
        )
    codes = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Votes(tuple(items), tuple(annotators), tuple(labels), codes[:, 0], codes[:, 1], codes[:, 2])


def votes_on_scale(judgements: Iterable[Judgement], scale_of: ScaleOf, objections: bool = False) -> Votes:
    """Tabulate votes for labels without abstentions; ``objections`` includes objections as labels.

    If items have their own options, the labels are option indices, A, B, C …, since the texts of different questions
    are unrelated.

    >>> scales = {"i": Scale(("hot", "cold")), "j": Scale(("wet", "dry"))}
    >>> given = [Judgement("i", "ann", "choice", "cold"), Judgement("j", "ann", "choice", "wet")]
    >>> table = votes_on_scale(given, scales.__getitem__)
    >>> table.labels, table.label.tolist()
    (('A', 'B'), [1, 0])
    """
    valid: list[tuple[Judgement, tuple[str, ...]]] = []
    scales: dict[tuple[str, ...], None] = {}
    beside: dict[str, None] = {}
    for judgement in judgements:
        scale = scale_of(judgement.item)
        if judgement.value in scale.abstentions or (judgement.value in scale.objections and not objections):
            continue
        valid.append((judgement, scale.labels))
        scales[scale.labels] = None
        beside.update(dict.fromkeys(scale.objections if objections else ()))
    letters = tuple(letter(index) for index in range(max(map(len, scales), default=0)))
    labels = next(iter(scales)) if len(scales) == 1 else letters

    def coded(value: str, options: tuple[str, ...]) -> str:
        return labels[options.index(value)] if value in options and options is not labels else value

    rows = ((each.item, each.annotator, coded(each.value, options)) for each, options in valid)
    return tabulate(rows, (*labels, *beside))


def letter(place: int) -> str:
    """Return the letter of an option by its index: A, B … Z, AA, AB …

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    first, last = divmod(place, 26)
    return (letter(first - 1) if first else "") + chr(ord("A") + last)
