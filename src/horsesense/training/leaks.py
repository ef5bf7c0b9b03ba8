"""What a training set gives away of a test set. Pure.

An item leaks where it stands in both; where the same family or the same answer concept does; where the text is the same
but for case and punctuation; where it rests on the same fact (facts.py), whatever the two sets call it; and, where a
setting says so, where an entity's name is. That half of a fact is shared is counted and refuses nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from horsesense.core import Item
from horsesense.core.document import Document
from horsesense.errors import UserError, argument
from horsesense.lexicons.words import words
from horsesense.training.facts import fact, names, parts

FIRST = 10
"""Pairs that an error names."""
HALF = "half a fact"
"""The kind that is counted and refuses nothing: one premise of several, with the same conclusion."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A test item that training has seen something of."""

    kind: str
    """What is shared: item, text, family, answer, fact, entity, half a fact."""
    shared: str
    train: str
    """Id of a training item that has it."""
    test: str
    """Id of the test item."""

    def __str__(self) -> str:
        short = self.shared if len(self.shared) <= 60 else f"{self.shared[:57]}…"
        return f"{self.train} ~ {self.test} ({self.kind}: {short})"


@dataclass(frozen=True, slots=True)
class Leaks:
    """All leaks from training into a test, and whether they were let pass."""

    cases: tuple[Leak, ...] = ()
    """One a test item and kind."""
    allowed: str = ""
    """Why training went on in spite of them; empty where there are none."""
    items: int = field(default=0)
    """Test items that leak in any way but by half a fact."""

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(leak.kind for leak in self.cases))

    def seen(self, kinds: Collection[str]) -> set[str]:
        """Ids of the test items that leak in one of these ways."""
        return {leak.test for leak in self.cases if leak.kind in kinds}


def find_leaks(train: Sequence[Item], test: Sequence[Item], entities: bool = False) -> Leaks:
    """All leaks from one set into another; ``entities`` also looks at the names that statements are about.

    >>> train = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    >>> test = Item(probe="demo", form="cloze", text="ICE is ___!", options=("cold", "hot"), answer=0)
    >>> [leak.kind for leak in find_leaks([train], [test]).cases]
    ['text']
    """
    leaks = []
    for kind, keys in _kinds(entities).items():
        owners: dict[str, str] = {}
        for item in train:
            for key in keys(item):
                owners.setdefault(key, item.id)
        owners.pop("", None)
        for item in test:
            shared = next((key for key in keys(item) if key in owners), None)
            # The same item shares all the rest with itself, which says nothing more.
            if shared is not None and not (kind != "item" and owners[shared] == item.id):
                leaks.append(Leak(kind, shared, owners[shared], item.id))
    return Leaks(tuple(leaks), items=len({leak.test for leak in leaks if leak.kind != HALF}))


def without_leaks(train: Sequence[Item], test: Sequence[Item]) -> list[Item]:
    """The training items that share nothing with a test, not even half a fact."""
    kept = list(train)
    for keys in _kinds(entities=False).values():
        seen = {key for item in test for key in keys(item)} - {""}
        kept = [item for item in kept if seen.isdisjoint(keys(item))]
    return kept


def _kinds(entities: bool) -> dict[str, Callable[[Item], Iterable[str]]]:
    """What two sets can share, and how it is told of an item."""
    kinds: dict[str, Callable[[Item], Iterable[str]]] = {
        "item": lambda item: [item.id],
        "text": lambda item: [wording(item)],
        "family": lambda item: [item.family],
        "answer": lambda item: [answer_concept(item)],
        "fact": lambda item: [fact(item)],
        HALF: parts,
    }
    return kinds | {"entity": lambda item: [name.lower() for name in names(item)]} if entities else kinds


def check_leaks(leaks: Leaks, allow: bool = False, by_design: str = "") -> Leaks:
    """Raise an error with the first pairs, unless they are allowed; ``by_design`` says why a setting may leak."""
    if not leaks.items:
        return leaks
    if allow or by_design:
        return Leaks(leaks.cases, by_design or "--allow-overlap", leaks.items)
    cases = [leak for leak in leaks.cases if leak.kind != HALF]
    counts = ", ".join(f"{number:,} by {kind}" for kind, number in leaks.counts.items() if kind != HALF)
    raise UserError(
        f"{leaks.items:,} test items leak into training ({counts}): {'; '.join(map(str, cases[:FIRST]))}",
        fix=f"split them apart, or add {argument('allow_overlap')}, which is recorded",
    )


def wording(item: Item) -> str:
    """What an item says, in lower-case words; with the right answer where the question alone may be common."""
    text = f"{item.premise} {item.text}"
    if item.form in ("choice", "sentences") and item.answer is not None and not item.ordered:
        text += f" {item.options[item.answer]}"
    return " ".join(words(text))


def answer_concept(item: Item) -> str:
    """The concept that is the right answer, where the probe knows one."""
    if item.groups.get("answer"):
        return item.groups["answer"]
    return item.concepts[item.answer] if item.concepts and item.answer is not None else ""


@dataclass(frozen=True, slots=True)
class LeakCounts(Document):
    """What training has seen of the tests."""

    items: int
    """Test items that training has seen something of, but for those that share half a fact only."""
    by: Mapping[str, int]
    """Items by what is shared: item, text, family, answer, fact, entity, half a fact."""
    allowed: str
    """Why it went on in spite of them; empty where there are none."""

    @classmethod
    def of(cls, leaks: Leaks) -> LeakCounts:
        return cls(leaks.items, leaks.counts, leaks.allowed)
