"""Leaks from a training set into a test set. Pure.

A test item leaks if training contains the item itself, its family, its answer concept, its text (ignoring case and
punctuation), the fact that it rests on, or, where a setting says so, an entity's name. Sharing half of a fact is
counted but does not stop a training.

The fact of an item is read off its words, so that it is the same for built and published items. An inference (``A is a
cork, B is a nail, so A is more likely to float``) rests on its premises and the property that they bear on; entities,
the order of clauses and negation do not matter. A part-whole judgement rests on whole, part and adjective.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from horsesense.core import BLANK, Item
from horsesense.core.document import INTERNAL, Document
from horsesense.errors import UserError, argument
from horsesense.lexicons.word_forms import OPPOSITES, PAIR_OF, is_negation
from horsesense.lexicons.words import listed, words

FIRST = 10
"""Number of pairs that an error names."""
HALF = "half a fact"
"""The kind that is only counted: one premise of several, with the same conclusion."""

_CONNECTIVE = ", so "
_CLAUSES = re.compile(r", | and | while ")
_SMALL = OPPOSITES.keys() | frozenset(
    listed("a an the and so than is are was were be been to of out in on at likely do does did while who which made")
)
"""Words that can be added or left out without changing the meaning."""
_TRIPLE = ("whole", "part", "adjective")


@dataclass(frozen=True, slots=True)
class Leak:
    """A test item that shares something with training."""

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
class Leaks(Document):
    """Leaks from training into a test, and whether they were allowed."""

    items: int = 0
    """Test items that leak, apart from those that share half a fact only."""
    by: Mapping[str, int] = field(default_factory=dict)
    """Items by what is shared: item, text, family, answer, fact, entity, half a fact."""
    allowed: str = ""
    """Why training continued despite the leaks; empty if there are none."""
    cases: tuple[Leak, ...] = field(default=(), metadata=INTERNAL)
    """One per test item and kind."""

    def seen(self, kinds: Collection[str]) -> set[str]:
        """Return the ids of the test items that leak in one of these ways."""
        return {leak.test for leak in self.cases if leak.kind in kinds}

    def in_words(self) -> str:
        """Describe the leaks in one sentence; empty if there are none."""
        if not self.items:
            return ""
        counts = ", ".join(f"{count:,} by {kind}" for kind, count in self.by.items())
        return f"{self.items:,} test items leak ({counts}); recorded as: {self.allowed}"


def find_leaks(train: Sequence[Item], test: Sequence[Item], entities: bool = False) -> Leaks:
    """Find all leaks from one set into another; ``entities`` also compares the names that statements are about.

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
            # An item that is in both sets shares everything else with itself.
            if shared is not None and not (kind != "item" and owners[shared] == item.id):
                leaks.append(Leak(kind, shared, owners[shared], item.id))
    items = {leak.test for leak in leaks if leak.kind != HALF}
    return Leaks(len(items), dict(Counter(leak.kind for leak in leaks)), cases=tuple(leaks))


def without_leaks(train: Sequence[Item], test: Sequence[Item]) -> list[Item]:
    """Return the training items that share nothing with a test, not even half a fact."""
    items = list(train)
    for keys in _kinds(entities=False).values():
        seen = {key for item in test for key in keys(item)} - {""}
        items = [item for item in items if seen.isdisjoint(keys(item))]
    return items


def _kinds(entities: bool) -> dict[str, Callable[[Item], Iterable[str]]]:
    """Return the kinds of leaks, with the function that gives the keys of an item."""
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
    """Raise an error that names the first pairs, unless leaks are allowed or ``by_design`` says why."""
    if not leaks.items:
        return leaks
    if allow or by_design:
        return replace(leaks, allowed=by_design or "--allow-overlap")
    cases = [leak for leak in leaks.cases if leak.kind != HALF]
    counts = ", ".join(f"{number:,} by {kind}" for kind, number in leaks.by.items() if kind != HALF)
    raise UserError(
        f"{leaks.items:,} test items leak into training ({counts}): {'; '.join(map(str, cases[:FIRST]))}",
        fix=f"split them apart, or add {argument('allow_overlap')}, which is recorded",
    )


def wording(item: Item) -> str:
    """Return the text of an item in lower-case words, with the answer where the question alone may be common."""
    text = f"{item.premise} {item.text}"
    if item.form in ("choice", "sentences") and item.answer is not None and not item.ordered:
        text += f" {item.options[item.answer]}"
    return " ".join(words(text))


def answer_concept(item: Item) -> str:
    """Return the concept of the right answer; empty if the probe has none."""
    if item.groups.get("answer"):
        return item.groups["answer"]
    return item.concepts[item.answer] if item.concepts and item.answer is not None else ""


def fact(item: Item) -> str:
    """Return the fact that an item rests on, as sorted content words; empty if it rests on none.

    >>> text = "wob is a cork, zim is a nail, so zim is not ___ likely to float than wob"
    >>> fact(Item("demo", "cloze", text=text, options=("less", "more"), answer=1, groups={"entities": "wob zim"}))
    'cork & nail → float'
    """
    if all(name in item.facets for name in _TRIPLE):
        return " ".join(str(item.facets[name]).lower() for name in _TRIPLE)
    premises, conclusion = _sides(item)
    return f"{' & '.join(sorted(premises))} → {conclusion}" if premises and conclusion else ""


def parts(item: Item) -> list[str]:
    """Return each premise with the conclusion, if there are several premises: one of them is half of the fact.

    >>> text = "wob is a cork, zim is a nail, so wob is ___ likely to float than zim"
    >>> parts(Item("demo", "cloze", text=text, options=("less", "more"), answer=1, groups={"entities": "wob zim"}))
    ['cork → float', 'nail → float']
    """
    premises, conclusion = _sides(item)
    return [f"{premise} → {conclusion}" for premise in premises] if conclusion and len(premises) > 1 else []


def names(item: Item) -> list[str]:
    """Return the made-up names that a statement is about, from its group or the name of its family."""
    if item.groups.get("entities"):
        return item.groups["entities"].split()
    named = item.family.split()
    return named if all(re.search(rf"\b{re.escape(name)}\b", item.text) for name in named) else []


def _sides(item: Item) -> tuple[tuple[str, ...], str]:
    """Return the content of each premise and of the conclusion; nothing if nothing is inferred."""
    right = "" if item.answer is None or item.ordered else item.options[item.answer]
    if item.form == "sentences":
        text = right
    else:
        text = item.text.replace(BLANK, right) if item.form == "cloze" else f"{item.text} {right}"
        text = f"{item.premise.rstrip('.')}{_CONNECTIVE}{text}" if item.premise and item.form == "pair" else text
    if _CONNECTIVE not in text:
        return (), ""
    premise, _, conclusion = text.rpartition(_CONNECTIVE)
    entities = frozenset(name.lower() for name in names(item))
    contents = (_content(clause, entities) for clause in _CLAUSES.split(premise))
    return tuple(clause for clause in contents if clause), _content(conclusion, entities)


@lru_cache(maxsize=1 << 16)
def _content(text: str, entities: frozenset[str]) -> str:
    bare = {word.removesuffix("'s") for word in words(text) if not is_negation(word)}
    content = bare - entities - _SMALL
    # "is heavier than" has no content but its scale, whichever pole it names.
    return " ".join(sorted(content or {PAIR_OF[word][0] for word in bare & PAIR_OF.keys()}))
