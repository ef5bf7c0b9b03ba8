"""Statements that something else wrote for a form: checked before they take the place of the grammar's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from horsesense.probes.rica.comparison import opposite
from horsesense.probes.rica.forms import Axiom, Comp, Not, plain
from horsesense.probes.rica.statements import Statement, say


def statement_of(text: str, form: Axiom) -> Statement | None:
    """The statement in a text, where it says what its form says as far as can be seen; otherwise None.

    It needs a premise and a conclusion, the entities of each, the comparative once after *so*, and a *not* exactly
    where the form has one.

    >>> from horsesense.probes.rica.parsing import parse_form
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
    found = re.findall(rf"\b{word}\b", conclusion)
    negated = bool(re.search(r"\b(?:not|cannot|never)\b|n't\b", conclusion))
    own = say(form)
    entities = all(
        _entities(one) == _entities(other) for one, other in ((premise, own.premise), (conclusion, own.conclusion))
    )
    if not so or len(found) != 1 or negated != denied or not entities or not conclusion.startswith(term.left.entity):
        return None
    before, _, after = conclusion.partition(word)
    return Statement(premise, before, word, opposite(word), after)


def _entities(text: str) -> set[str]:
    return set(re.findall(r"\b[AB]\b", text))


def sayer(written: Mapping[str, str], rejected: Counter[str]) -> Callable[[Axiom], Statement]:
    """Says a form in the words written for it; where there are none that will do, in the grammar's, and counts it."""

    def told(form: Axiom) -> Statement:
        text = written.get(str(form), "")
        found = statement_of(text, form) if text else None
        if found is None:
            rejected["realiser: what it wrote does not fit the form; the grammar's words were taken"] += 1
            return say(form)
        return found

    return told
