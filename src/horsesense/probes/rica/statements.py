"""A form said in words: "A is made out of wax and B is made out of iron, so A is more soft than B"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.language.inflection import article
from horsesense.language.negation import negated
from horsesense.probes.rica.comparison import opposite, pair_of
from horsesense.probes.rica.forms import SLOT, Axiom, Comp, Not, Prop, plain, seen_from_a, swap_names
from horsesense.probes.rica.frames import frame
from horsesense.probes.rica.premises import say_premise

_ENTITY = re.compile(r"\b[AB]\b")
_ARTICLE = re.compile(r"\ban? \*")


@dataclass(frozen=True, slots=True)
class Statement:
    """An axiom in words, with the comparative of the conclusion apart."""

    premise: str
    before: str
    """The conclusion up to the comparative."""
    word: str
    """The comparative; with its article where the other pole has another one ("an easier", "a harder")."""
    other: str
    """The other pole in its place."""
    after: str

    @property
    def text(self) -> str:
        return f"{self.premise}, so {self.conclusion}"

    @property
    def conclusion(self) -> str:
        return f"{self.before}{self.word}{self.after}"

    def about(self, names: Mapping[str, str]) -> Statement:
        """The same about somebody."""

        def told(text: str) -> str:
            return _ENTITY.sub(lambda found: names[found[0]], text)

        return Statement(told(self.premise), told(self.before), self.word, self.other, told(self.after))


def say(axiom: Axiom) -> Statement:
    """The statement of a form, about A and B.

    >>> from horsesense.probes.rica.parsing import parse_form
    >>> say(parse_form("Taller(A, B), so not Harder(reach a shelf(A), reach a shelf(B))")).text
    'A is taller than B, so A does not find it harder to reach a shelf than B'
    """
    denied, term = 0, axiom.conclusion
    while isinstance(term, Not):
        denied, term = denied + 1, term.term  # type: ignore[assignment]  # a conclusion is a comparison, denied or not
    assert isinstance(term, Comp)
    word = plain(term.word).lower()
    premise = say_premise(axiom.premise)
    clause = frame(_uncapped(seen_from_a(term.left)), pair_of(word), _event(axiom))
    if term.left.entity == "B":
        clause = swap_names(clause)
    told = negated(clause) if denied % 2 else clause
    before, after, words = _around(told, word)
    if term.right is not None and term.right.entity not in clause.split():
        after += f" than {term.right.entity}"
    return Statement(premise, f"{term.left.entity} {before}", words[0], words[1], after)


def _uncapped(name: str) -> str:
    """The release writes ``Old(A)`` for "old"."""
    return name.lower() if name.istitle() and " " not in name else name


def _event(axiom: Axiom) -> str:
    return plain(axiom.premise.name) if isinstance(axiom.premise, Prop) else ""


def _around(clause: str, word: str) -> tuple[str, str, tuple[str, str]]:
    """What stands before and after the comparative, and the comparative with its opposite."""
    words = word, opposite(word)
    before, _, after = clause.partition(SLOT)
    if not _ARTICLE.search(clause):
        return before, after, words
    before = before[: -len(re.search(r"an? $", before)[0])]  # type: ignore[index]  # the search above found it
    one, two = (article(each) for each in words)
    if one == two:
        return f"{before}{one} ", after, words
    return before, after, (f"{one} {words[0]}", f"{two} {words[1]}")


def filled(clause: str, word: str) -> str:
    """A clause with its comparative, article and all.

    >>> filled("has a * time flying", "easier")
    'has an easier time flying'
    """
    before, after, words = _around(clause, word)
    return f"{before}{words[0]}{after}"
