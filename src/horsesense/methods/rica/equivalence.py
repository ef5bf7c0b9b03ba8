"""Do two forms say the same? Both are rewritten by equations until nothing is left to rewrite.

The rules: spaces in names mean nothing; an animal is a thing; not not is nothing; there are no ties, so not less is
more; less of one is more of the other; comparatives with the same opposite (bigger and larger, taller and longer) are
on one scale, since their opposite does not tell which is meant; the order of a conjunction means nothing; A and B are
any two, so they may be exchanged throughout; a lexicon says which phrases are antonyms and paraphrases. Every rule is
an equation, so what meets says the same. That a relation excludes its converse is not used: it would be an
implication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from horsesense.core.document import Document
from horsesense.lexicons.comparatives import OPPOSITES
from horsesense.lexicons.inflection import with_article
from horsesense.methods.rica.axioms import (
    And,
    Axiom,
    Comp,
    Not,
    Premise,
    Prop,
    Rel,
    Term,
    flipped,
    is_upper,
    named,
    one_scale,
    pair_of,
    plain,
    seen_from_a,
)
from horsesense.methods.rica.lexicon import NO_LEXICON, OPPOSED, Lexicon


@dataclass(frozen=True, slots=True)
class Step:
    """A form and the rule that led to it."""

    rule: str
    form: Axiom


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether two forms say the same, and why."""

    equivalent: bool
    steps: tuple[Step, ...]
    """From one form to the other; where they differ, from each to its last form."""


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One form on the way, as it is written."""

    rule: str
    """What led to it."""
    form: str


@dataclass(frozen=True, slots=True)
class WrittenProof(Document):
    """Whether two forms say the same, and why, as it is written."""

    equivalent: bool
    """Whether they do."""
    proof: tuple[ProofStep, ...]
    """From one form to the other; where they differ, from each to its last form."""


def written_proof(proof: Proof) -> WrittenProof:
    """The proof with its forms in the notation of RICA."""
    return WrittenProof(proof.equivalent, tuple(ProofStep(step.rule, str(step.form)) for step in proof.steps))


def equivalent(form: Axiom, other: Axiom, lexicon: Lexicon = NO_LEXICON) -> Proof:
    """Whether two forms say the same, with the way from one to the other.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))")
    >>> other = parse_form("Material(B, wax) and Material(A, iron), so not More(soft(A), soft(B))")
    >>> equivalent(form, other).equivalent
    True
    """
    there, back = list(rewritten(form, lexicon)), list(rewritten(other, lexicon))
    same = there[-1].form == back[-1].form
    if not same:
        return Proof(False, tuple(there + back))
    # Backwards each rule leads to the form before it.
    returning = [Step(back[k + 1].rule, back[k].form) for k in reversed(range(len(back) - 1))]
    return Proof(True, tuple(there + returning))


def canonical(form: Axiom, lexicon: Lexicon = NO_LEXICON) -> Axiom:
    """The last form that the rules lead to: the same for all that say the same."""
    return list(rewritten(form, lexicon))[-1].form


def rewritten(form: Axiom, lexicon: Lexicon = NO_LEXICON) -> Iterator[Step]:
    """The form itself and each form after it that differs."""
    yield Step("given", form)
    for rule, change in (
        ("spaces mean nothing", lambda axiom: _both(axiom, _tidy_term)),
        ("an animal is a thing", lambda axiom: _both(axiom, _thing)),
        ("not not is nothing", lambda axiom: _both(axiom, _undoubled)),
        ("no ties: not less is more", lambda axiom: _both(axiom, _affirmed)),
        ("the lexicon's phrase", lambda axiom: _by_lexicon(axiom, lexicon)),
        ("less of one is more of the other", _upper_pole),
        ("one opposite, one scale", lambda axiom: _both(axiom, _on_one_scale)),
        ("a conjunction has no order", _ordered),
        ("A and B are any two", lambda axiom: min(axiom, _ordered(_upper_pole(axiom.swapped())), key=str)),
    ):
        changed = change(form)
        if str(changed) != str(form):
            yield Step(rule, changed)
        form = changed


def _both(form: Axiom, change: Callable[[Term], Term]) -> Axiom:
    """Premise and conclusion, changed term by term."""
    return Axiom(_changed_premise(form.premise, change), _concluded(change(form.conclusion)))


def _tidy_term(term: Term) -> Term:
    match term:
        case Prop(name, entity, value):
            return Prop(plain(name), entity, value if value is None else plain(value))
        case Rel(name, first, second):
            return Rel(plain(name), first, second)
        case Comp(word, left, right):
            sides = _tidy_term(left), None if right is None else _tidy_term(right)
            return Comp(plain(word), *sides)  # type: ignore[arg-type]  # a side is a property and stays one
        case Not(inner):
            return Not(_tidy_term(inner))


def _thing(term: Term) -> Term:
    match term:
        case Prop(name, entity, str(value)) if name.lower() == "animal":
            return Prop("Thing", entity, with_article(value))
        case _:
            return term


def _undoubled(term: Term) -> Term:
    match term:
        case Not(Not(inner)):
            return _undoubled(inner)
        case _:
            return term


def _affirmed(term: Term) -> Term:
    match term:
        case Not(Comp() as comparison) if _has_opposite(comparison):
            return flipped(comparison)
        case _:
            return term


def _by_lexicon(form: Axiom, lexicon: Lexicon) -> Axiom:
    term = form.conclusion
    if not isinstance(term, Comp) or not _has_opposite(term):
        return form
    entry, sense = lexicon.head(seen_from_a(term.left), pair_of(term.word))
    upper = is_upper(term.word) != (sense in OPPOSED)
    word = entry.phrase.pair[0 if upper else 1].capitalize()
    sides = (named(side, entry.phrase.text) if side else None for side in (term.left, term.right))
    return replace(form, conclusion=Comp(word, *sides))  # type: ignore[arg-type]  # the left side is always there


def _upper_pole(form: Axiom) -> Axiom:
    return _both(form, _raised)


def _raised(term: Term) -> Term:
    if isinstance(term, Comp) and term.right is not None and _has_opposite(term) and not is_upper(term.word):
        return replace(flipped(term), left=term.right, right=term.left)
    return term


def _on_one_scale(term: Term) -> Term:
    match term:
        case Comp(word) if _has_opposite(term):
            return replace(term, word=one_scale(word))
        case Not(inner):
            return Not(_on_one_scale(inner))
        case _:
            return term


def _ordered(form: Axiom) -> Axiom:
    if isinstance(form.premise, And) and str(form.premise.right) < str(form.premise.left):
        return replace(form, premise=And(form.premise.right, form.premise.left))
    return form


def _has_opposite(term: Comp) -> bool:
    """Whether the comparative has an opposite; the release's slip ``Aetter`` has none and stays as it is."""
    return plain(term.word).lower() in OPPOSITES


def _changed_premise(premise: Premise, change: Callable[[Term], Term]) -> Premise:
    if isinstance(premise, And):
        return And(change(premise.left), change(premise.right))
    return change(premise)


def _concluded(term: Term) -> Comp | Not:
    assert isinstance(term, Comp | Not)
    return term
