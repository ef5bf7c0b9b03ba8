"""What a training set gives away of a test set. Pure.

An item leaks where it stands in both; where the same family or the same answer concept does; where the
text is the same but for case and punctuation; and, where a setting says so, where an entity's name is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from horsesense.errors import UserError, argument
from horsesense.language.words import words
from horsesense.records import Item
from horsesense.records.document import Document

FIRST = 10
"""Pairs that an error names."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A test item that training has seen something of."""

    kind: str
    """What is shared: item, text, family, answer, entity."""
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
    """Test items that leak in any way."""

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
    kinds: dict[str, Callable[[Item], Iterable[str]]] = {
        "item": lambda item: [item.id],
        "text": lambda item: [wording(item)],
        "family": lambda item: [item.family],
        "answer": lambda item: [answer_concept(item)],
    }
    if entities:
        kinds["entity"] = names
    leaks = []
    for kind, keys in kinds.items():
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
    return Leaks(tuple(leaks), items=len({leak.test for leak in leaks}))


def check_leaks(leaks: Leaks, allow: bool = False, by_design: str = "") -> Leaks:
    """Raise an error with the first pairs, unless they are allowed; ``by_design`` says why a setting may leak."""
    if not leaks.cases:
        return leaks
    if allow or by_design:
        return Leaks(leaks.cases, by_design or "--allow-overlap", leaks.items)
    counts = ", ".join(f"{number:,} by {kind}" for kind, number in leaks.counts.items())
    raise UserError(
        f"{leaks.items:,} test items leak into training ({counts}): {'; '.join(map(str, leaks.cases[:FIRST]))}",
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


def names(item: Item) -> list[str]:
    """The made-up names that a statement is about: RICA's families are named by them."""
    return item.groups.get("entities", item.family).lower().split()


@dataclass(frozen=True, slots=True)
class LeakCounts(Document):
    """What training has seen of the tests."""

    items: int
    """Test items that training has seen something of."""
    by: Mapping[str, int]
    """Those items by what is shared: item, text, family, answer, entity."""
    allowed: str
    """Why it went on in spite of them; empty where there are none."""

    @classmethod
    def of(cls, leaks: Leaks) -> LeakCounts:
        return cls(leaks.items, leaks.counts, leaks.allowed)
