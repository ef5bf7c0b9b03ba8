"""The 24 kinds of table 7, eight linguistic operators times asymmetry, and proofs that two forms are equivalent.

`perturb` applies one kind to an axiom (section 2.2, stage 5). `prove` rewrites two forms by equations until no rule
applies. The rules: spaces in names do not matter; an animal is a thing; double negation cancels; there are no ties, so
not less is more; less of one is more of the other; comparatives with the same opposite (bigger and larger) are on one
scale; a conjunction has no order; A and B may be exchanged throughout; a lexicon lists antonyms and paraphrases. Every
rule is an equation, so forms that meet are equivalent. That a relation excludes its converse is not used: it would be
an implication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from horsesense.core.document import Document
from horsesense.errors import translate_errors
from horsesense.lexicons.word_forms import OPPOSITES, with_article
from horsesense.methods.rica.axioms import (
    And,
    Axiom,
    Comp,
    Not,
    Premise,
    Prop,
    Rel,
    Term,
    claim,
    flip,
    is_upper,
    one_scale,
    pair_of,
    plain,
    rename_property,
    seen_from_a,
)
from horsesense.methods.rica.english_statements import say, template
from horsesense.methods.rica.lexicon import NO_LEXICON, OPPOSED, PhraseLexicon, whole_lexicon
from horsesense.methods.rica.notation import read_axiom

PERTURBATIONS = {
    "original": ("phrase", False),
    "negation": ("phrase", True),
    "antonym": ("antonym", False),
    "paraphrase": ("paraphrase", False),
    "paraphrase_inversion": ("inversion", False),
    "negation_antonym": ("antonym", True),
    "negation_paraphrase": ("paraphrase", True),
    "negation_paraphrase_inversion": ("inversion", True),
}
"""Phrase of the lexicon, and whether it is negated."""
ASYMMETRIES = ("none", "premise", "conclusion")


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A kind of perturbation: an operator and an asymmetry."""

    perturbation: str
    asymmetry: str = "none"

    @property
    def name(self) -> str:
        """The published name for the six published kinds, and similar names for the others.

        >>> Perturbation("negation", "premise").name, Perturbation("original").name
        ('negated_asymmetric_premise', 'original')
        >>> Perturbation("antonym", "conclusion").name
        'antonym_asymmetric_conclusion'
        """
        operator = {"original": "", "negation": "negated"}.get(self.perturbation, self.perturbation)
        asymmetry = "" if self.asymmetry == "none" else f"asymmetric_{self.asymmetry}"
        return "_".join(filter(None, (operator, asymmetry))) or "original"

    @property
    def operator(self) -> str:
        """``logical``: equivalent whatever the words mean; ``lexical``: equivalent if the lexicon is right.

        >>> Perturbation("negation", "premise").operator, Perturbation("negation_antonym").operator
        ('logical', 'lexical')
        """
        return "logical" if PERTURBATIONS[self.perturbation][0] == "phrase" else "lexical"

    @property
    def retest(self) -> bool:
        """Whether it is another kind with A and B exchanged: a retest, which measures consistency."""
        return self.asymmetry == "conclusion"


KINDS = tuple(Perturbation(perturbation, asymmetry) for perturbation in PERTURBATIONS for asymmetry in ASYMMETRIES)
PUBLISHED = tuple(kind for kind in KINDS if kind.perturbation in ("original", "negation"))
"""The six kinds of the published sets."""


def perturb(axiom: Axiom, kind: Perturbation, lexicon: PhraseLexicon = NO_LEXICON) -> Axiom | None:
    """Apply a kind of perturbation to an axiom; None if the operator does not apply.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("Taller(A, B), so Less(short of breath(A), short of breath(B))")
    >>> print(perturb(form, Perturbation("negation", "premise")))
    Taller(B, A), so not Less(short of breath(A), short of breath(B))
    """
    claimed = claim(axiom)
    if kind.asymmetry != "none" and claimed.right is None:
        return None
    sense, denied = PERTURBATIONS[kind.perturbation]
    phrased = _phrased(claimed, sense, lexicon)
    if phrased is None:
        return None
    conclusion = phrased if (kind.asymmetry == "none") != denied else flip(phrased)
    premise = axiom.premise.swapped() if kind.asymmetry == "premise" else axiom.premise
    if kind.asymmetry == "conclusion":
        conclusion = conclusion.swapped()
    return replace(axiom, premise=premise, conclusion=Not(conclusion) if denied else conclusion)


def perturb_all(
    axiom: Axiom, lexicon: PhraseLexicon = NO_LEXICON, kinds: Sequence[Perturbation] = KINDS
) -> dict[Perturbation, Axiom]:
    """Apply every kind that is applicable, in the order of table 7."""
    forms = ((kind, perturb(axiom, kind, lexicon)) for kind in kinds)
    return {kind: form for kind, form in forms if form is not None}


def _phrased(claimed: Comp, sense: str, lexicon: PhraseLexicon) -> Comp | None:
    """Replace the phrase of a comparison, on its own scale and at the equivalent pole."""
    if sense == "phrase":
        return claimed
    entry = lexicon.find(seen_from_a(claimed.left), pair_of(claimed.word))
    phrase = dict(entry.senses()).get(sense) if entry else None
    if phrase is None:
        return None
    upper = is_upper(claimed.word) != (sense in OPPOSED)
    word = phrase.pair[0 if upper else 1]
    word = word.capitalize() if claimed.word[:1].isupper() else word
    left = rename_property(claimed.left, phrase.text)
    right = None if claimed.right is None else rename_property(claimed.right, phrase.text)
    return replace(claimed, word=word, left=left, right=right)


@dataclass(frozen=True, slots=True)
class Derivation(Document):
    """An axiom in every kind that applies."""

    template: int
    """Number of its logical template (table 3)."""
    forms: Mapping[str, str]
    """Logical form by kind of perturbation; kinds that do not apply are missing."""
    statements: Mapping[str, str]
    """The same in words."""


@translate_errors()
def derive(form: str, *, lexicon: str | Path | None = None) -> Derivation:
    """Derive the perturbations of an axiom: the published six, and those of the 24 kinds that apply.

    Args:
        form: Logical form, or statement about A and B in plain words.
        lexicon: Table of phrases, antonyms and paraphrases; it takes precedence over the shipped one.

    Returns:
        The forms in logic and in words, by kind.

    >>> derive("boss(A, B), so More(strict(A), strict(B))").statements["negated"]
    "A is B's boss, so A is not less strict than B"
    """
    axiom = read_axiom(form)
    forms = {kind.name: derived for kind, derived in perturb_all(axiom, whole_lexicon(lexicon)).items()}
    return Derivation(
        template=template(axiom),
        forms={name: str(derived) for name, derived in forms.items()},
        statements={name: say(derived).text for name, derived in forms.items()},
    )


# Equivalence.


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A form and the rule that led to it."""

    rule: str
    """Name of the rule."""
    form: str
    """Logical form."""


@dataclass(frozen=True, slots=True)
class Proof(Document):
    """Whether two forms are equivalent, and why."""

    equivalent: bool
    """Whether they are equivalent."""
    steps: tuple[ProofStep, ...]
    """From one form to the other; if they differ, from each to its normal form."""


@translate_errors()
def equivalent(form: str, other: str, *, lexicon: str | Path | None = None) -> Proof:
    """Decide whether two forms are equivalent, and show the steps from one to the other.

    Args:
        form: Logical form, or statement about A and B in plain words.
        other: Form or statement to compare it with.
        lexicon: Table of phrases, antonyms and paraphrases; it takes precedence over the shipped one.

    Returns:
        The decision, and the steps of the proof.
    """
    return prove(read_axiom(form), read_axiom(other), whole_lexicon(lexicon))


def prove(form: Axiom, other: Axiom, lexicon: PhraseLexicon = NO_LEXICON) -> Proof:
    """Decide whether two axioms are equivalent, with the steps from one to the other.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))")
    >>> other = parse_form("Material(B, wax) and Material(A, iron), so not More(soft(A), soft(B))")
    >>> prove(form, other).equivalent
    True
    """
    there, back = list(rewrite(form, lexicon)), list(rewrite(other, lexicon))
    same = there[-1][1] == back[-1][1]
    # Backwards, each rule leads to the form before it.
    rest = [(back[i + 1][0], back[i][1]) for i in reversed(range(len(back) - 1))] if same else back
    return Proof(same, tuple(ProofStep(rule, str(axiom)) for rule, axiom in there + rest))


@lru_cache(maxsize=2**14)  # the statements and the ladder of a study are built from the same axioms
def canonical(form: Axiom, lexicon: PhraseLexicon = NO_LEXICON) -> Axiom:
    """Return the normal form, which is the same for all equivalent forms."""
    for _, change in _rules(lexicon):
        form = change(form)
    return form


def rewrite(form: Axiom, lexicon: PhraseLexicon = NO_LEXICON) -> Iterator[tuple[str, Axiom]]:
    """Yield the form, then each different form with the rule that leads to it."""
    yield "given", form
    for rule, change in _rules(lexicon):
        changed = change(form)
        if str(changed) != str(form):
            yield rule, changed
        form = changed


def _rules(lexicon: PhraseLexicon) -> tuple[tuple[str, Callable[[Axiom], Axiom]], ...]:
    return (
        ("spaces mean nothing", lambda axiom: _both(axiom, _tidy_term)),
        ("an animal is a thing", lambda axiom: _both(axiom, _thing)),
        ("not not is nothing", lambda axiom: _both(axiom, _undoubled)),
        ("no ties: not less is more", lambda axiom: _both(axiom, _affirmed)),
        ("the lexicon's phrase", lambda axiom: _by_lexicon(axiom, lexicon)),
        ("less of one is more of the other", _upper_pole),
        ("one opposite, one scale", lambda axiom: _both(axiom, _on_one_scale)),
        ("a conjunction has no order", _ordered),
        ("A and B are any two", lambda axiom: min(axiom, _ordered(_upper_pole(axiom.swapped())), key=str)),
    )


def _both(form: Axiom, change: Callable[[Term], Term]) -> Axiom:
    """Apply a change to every term of premise and conclusion."""
    match form.premise:
        case And(left, right):
            premise: Premise = And(change(left), change(right))
        case term:
            premise = change(term)
    conclusion = change(form.conclusion)
    assert isinstance(conclusion, Comp | Not)
    return Axiom(premise, conclusion)


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
            return flip(comparison)
        case _:
            return term


def _by_lexicon(form: Axiom, lexicon: PhraseLexicon) -> Axiom:
    term = form.conclusion
    if not isinstance(term, Comp) or not _has_opposite(term):
        return form
    entry, sense = lexicon.head(seen_from_a(term.left), pair_of(term.word))
    upper = is_upper(term.word) != (sense in OPPOSED)
    word = entry.phrase.pair[0 if upper else 1].capitalize()
    sides = (rename_property(side, entry.phrase.text) if side else None for side in (term.left, term.right))
    return replace(form, conclusion=Comp(word, *sides))  # type: ignore[arg-type]  # the left side is always there


def _upper_pole(form: Axiom) -> Axiom:
    return _both(form, _raised)


def _raised(term: Term) -> Term:
    if isinstance(term, Comp) and term.right is not None and _has_opposite(term) and not is_upper(term.word):
        return replace(flip(term), left=term.right, right=term.left)
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
    """Return whether the comparative has an opposite; the published typo ``Aetter`` has none and stays as it is."""
    return plain(term.word).lower() in OPPOSITES
