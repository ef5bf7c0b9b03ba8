"""A form said in words, about things nobody has heard of.

`say` gives the statement of a form, "A is made out of wax and B is made out of iron, so A is more soft than B". What a
model wrote for a form is checked by `statement_of` before it takes the place of the grammar's words. `entities_of`
says whom statements are about: strings that nobody has heard of, first names, or the letters A and B.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from horsesense.data import numbered_lines
from horsesense.errors import UserError, unknown
from horsesense.lexicons.inflection import article
from horsesense.lexicons.negation import negated
from horsesense.lexicons.novel_names import check_names, novel_names
from horsesense.methods.rica.axioms import (
    SLOT,
    Axiom,
    Comp,
    Not,
    Prop,
    opposite,
    pair_of,
    plain,
    seen_from_a,
    swap_names,
)
from horsesense.methods.rica.clauses import frame, say_premise
from horsesense.methods.rica.knowledge_tables import shipped_list

MODES = ("novel", "fresh", "names", "letters")
POOL = 1_000
"""How many novel names there are: enough for half a million pairs, and one list for all models."""
NAME_PAIRS = 3
"""How often a statement is asked about names (section 4.3)."""
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

        def renamed(text: str) -> str:
            return _ENTITY.sub(lambda entity: names[entity[0]], text)

        return Statement(renamed(self.premise), renamed(self.before), self.word, self.other, renamed(self.after))


def say(axiom: Axiom) -> Statement:
    """The statement of a form, about A and B.

    >>> from horsesense.methods.rica.notation import parse_form
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
    before, after, words = _around(negated(clause) if denied % 2 else clause, word)
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
    articles = [article(pole) for pole in words]
    if articles[0] == articles[1]:
        return f"{before}{articles[0]} ", after, words
    return before, after, (f"{articles[0]} {words[0]}", f"{articles[1]} {words[1]}")


def filled(clause: str, word: str) -> str:
    """A clause with its comparative, article and all.

    >>> filled("has a * time flying", "easier")
    'has an easier time flying'
    """
    before, after, words = _around(clause, word)
    return f"{before}{words[0]}{after}"


# Statements that a model wrote.


def statement_of(text: str, form: Axiom) -> Statement | None:
    """The statement in a text, where it says what its form says as far as can be seen; otherwise None.

    It needs a premise and a conclusion, the entities of each, the comparative once after *so*, and a *not* exactly
    where the form has one.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("boss(A, B), so not Less(strict(A), strict(B))")
    >>> statement_of("A bosses B around, so A is not less strict than B.", form).before
    'A is not '
    >>> statement_of("A bosses B around, so A is less strict than B.", form) is None
    True
    """
    premise, so, conclusion = text.strip().rstrip(".").rpartition(", so ")
    denied = isinstance(form.conclusion, Not)
    term = form.conclusion.term if isinstance(form.conclusion, Not) else form.conclusion
    assert isinstance(term, Comp)
    word = plain(term.word).lower()
    comparatives = re.findall(rf"\b{word}\b", conclusion)
    has_not = bool(re.search(r"\b(?:not|cannot|never)\b|n't\b", conclusion))
    grammar = say(form)
    same_entities = all(
        set(_ENTITY.findall(written)) == set(_ENTITY.findall(expected))
        for written, expected in ((premise, grammar.premise), (conclusion, grammar.conclusion))
    )
    fits = len(comparatives) == 1 and has_not == denied and same_entities
    if not so or not fits or not conclusion.startswith(term.left.entity):
        return None
    before, _, after = conclusion.partition(word)
    return Statement(premise, before, word, opposite(word), after)


def sayer(written: Mapping[str, str], rejected: Counter[str]) -> Callable[[Axiom], Statement]:
    """Says a form in the words written for it; where there are none that will do, in the grammar's, and counts it."""

    def say_as_written(form: Axiom) -> Statement:
        text = written.get(str(form), "")
        statement = statement_of(text, form) if text else None
        if statement is None:
            rejected["realiser: what it wrote does not fit the form; the grammar's words were taken"] += 1
            return say(form)
        return statement

    return say_as_written


# Whom statements are about.


@dataclass(frozen=True, slots=True)
class Entities:
    """Where pairs of names come from."""

    mode: str
    names: tuple[str, ...]
    pairs: int
    """How many pairs each axiom is told about (five in the high-resource setting, section 3.3)."""
    seed: int

    @property
    def tellings(self) -> int:
        """How many times each statement is told."""
        return 1 if self.mode == "letters" else self.pairs

    def draw(self, family: str) -> list[dict[str, str]]:
        """The names of A and B, for each telling; the same for a family whatever else is built."""
        if self.mode == "letters":
            return [{"A": "A", "B": "B"}]
        chance = Random(f"{self.seed} {family}")
        drawn: list[dict[str, str]] = []
        while len(drawn) < self.pairs:
            a, b = chance.sample(self.names, 2)
            pair = {"A": a, "B": b}
            # Names that begin alike are taken for one another by people too.
            if a[:2].lower() != b[:2].lower() and pair not in drawn:
                drawn.append(pair)
        return drawn


def fresh_number() -> int:
    """A number that nobody could know before: what fresh entities are drawn by, to be recorded."""
    return secrets.randbelow(2**32)


def entities_of(choice: str, pairs: int | None, seed: int, words: Collection[str] = frozenset()) -> Entities:
    """``novel``, ``fresh``, ``names``, ``letters``, or a file with a name a line; no novel one is in ``words``.

    Fresh ones are drawn anew each time, so that no training set can have met them; ``fresh:7`` draws those of a number.
    """
    mode, _, number = choice.partition(":")
    if mode == "fresh":
        if number and not number.isdecimal():
            raise UserError(f"{number!r} is not a number to draw entities by", fix="write it like fresh:7")
        drawn = int(number) if number else fresh_number()
        return Entities(mode, tuple(novel_names(POOL, drawn, words)), pairs or 1, drawn)
    if choice == "novel":
        return Entities(choice, tuple(novel_names(POOL, seed, words)), pairs or 1, seed)
    if choice == "names":
        return Entities(choice, shipped_list("names"), pairs or NAME_PAIRS, seed)
    if choice == "letters":
        return Entities(choice, (), 1, seed)
    path = Path(choice)
    if not path.is_file():
        raise unknown("kind of entities", choice, (*MODES, "FILE"))
    return Entities("given", _names_in(path, words), pairs or 1, seed)


def _names_in(path: Path, words: Collection[str]) -> tuple[str, ...]:
    names: Sequence[str] = [line.strip() for _, line in numbered_lines(path)]
    try:
        check_names(names, words)
    except UserError as error:
        raise error.at(path, error.line) from None
    return tuple(names)
