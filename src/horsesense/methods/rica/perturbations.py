"""The 24 kinds of table 7: eight linguistic operators (table 2) times asymmetry (section 2.2, stage 5).

`derive` says an axiom in one of the kinds, `derive_all` in all that apply, and `derivation` writes them down in the
notation of RICA and in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from horsesense.core.document import Document
from horsesense.methods.rica.axioms import Axiom, Comp, Not, claim, flipped, is_upper, named, pair_of, seen_from_a
from horsesense.methods.rica.clauses import template
from horsesense.methods.rica.lexicon import NO_LEXICON, OPPOSED, Lexicon
from horsesense.methods.rica.statements import say

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
"""Which phrase of the lexicon is said, and whether it is denied."""
ASYMMETRIES = ("none", "premise", "conclusion")


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the ways to say an axiom."""

    perturbation: str
    asymmetry: str = "none"

    @property
    def name(self) -> str:
        """The release's name for its six kinds, and names like them for the others.

        >>> Kind("negation", "premise").name, Kind("original").name, Kind("antonym", "conclusion").name
        ('negated_asymmetric_premise', 'original', 'antonym_asymmetric_conclusion')
        """
        operator = {"original": "", "negation": "negated"}.get(self.perturbation, self.perturbation)
        asymmetry = "" if self.asymmetry == "none" else f"asymmetric_{self.asymmetry}"
        return "_".join(filter(None, (operator, asymmetry))) or "original"

    @property
    def operator(self) -> str:
        """``logical``: proved to say the same, whatever the words mean; ``lexical``: as far as the lexicon is right.

        >>> Kind("negation", "premise").operator, Kind("negation_antonym").operator
        ('logical', 'lexical')
        """
        return "logical" if PERTURBATIONS[self.perturbation][0] == "phrase" else "lexical"

    @property
    def retest(self) -> bool:
        """Whether it is another kind with A and B exchanged: what is asked twice shows how steady answers are."""
        return self.asymmetry == "conclusion"


KINDS = tuple(Kind(perturbation, asymmetry) for perturbation in PERTURBATIONS for asymmetry in ASYMMETRIES)
RELEASED = tuple(kind for kind in KINDS if kind.perturbation in ("original", "negation"))
"""The six kinds of the released sets."""


def derive(axiom: Axiom, kind: Kind, lexicon: Lexicon = NO_LEXICON) -> Axiom | None:
    """The axiom said in another way; None where the operator does not apply.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("Taller(A, B), so Less(short of breath(A), short of breath(B))")
    >>> print(derive(form, Kind("negation", "premise")))
    Taller(B, A), so not Less(short of breath(A), short of breath(B))
    """
    claimed = claim(axiom)
    if kind.asymmetry != "none" and claimed.right is None:
        return None
    sense, denied = PERTURBATIONS[kind.perturbation]
    phrased = _phrased(claimed, sense, lexicon)
    if phrased is None:
        return None
    conclusion = phrased if (kind.asymmetry == "none") != denied else flipped(phrased)
    premise = axiom.premise.swapped() if kind.asymmetry == "premise" else axiom.premise
    if kind.asymmetry == "conclusion":
        conclusion = conclusion.swapped()
    return replace(axiom, premise=premise, conclusion=Not(conclusion) if denied else conclusion)


def derive_all(axiom: Axiom, lexicon: Lexicon = NO_LEXICON, kinds: Sequence[Kind] = KINDS) -> dict[Kind, Axiom]:
    """Every kind that applies, in the order of table 7."""
    forms = ((kind, derive(axiom, kind, lexicon)) for kind in kinds)
    return {kind: form for kind, form in forms if form is not None}


def _phrased(claimed: Comp, sense: str, lexicon: Lexicon) -> Comp | None:
    """The comparison with another phrase, on that phrase's own scale, at the pole that says the same."""
    if sense == "phrase":
        return claimed
    entry = lexicon.find(seen_from_a(claimed.left), pair_of(claimed.word))
    phrase = dict(entry.senses()).get(sense) if entry else None
    if phrase is None:
        return None
    upper = is_upper(claimed.word) != (sense in OPPOSED)
    word = phrase.pair[0 if upper else 1]
    word = word.capitalize() if claimed.word[:1].isupper() else word
    left = named(claimed.left, phrase.text)
    right = None if claimed.right is None else named(claimed.right, phrase.text)
    return replace(claimed, word=word, left=left, right=right)


@dataclass(frozen=True, slots=True)
class Derivation(Document):
    """Every way to say an axiom."""

    template: int
    """Which of the paper's five logical templates it fills (table 3)."""
    forms: Mapping[str, str]
    """By kind of perturbation, the logical form; kinds that do not apply are not there."""
    statements: Mapping[str, str]
    """The same in words."""


def derivation(axiom: Axiom, lexicon: Lexicon = NO_LEXICON) -> Derivation:
    """The kinds that apply to an axiom, each as a form and as a statement."""
    forms = {kind.name: form for kind, form in derive_all(axiom, lexicon).items()}
    return Derivation(
        template=template(axiom),
        forms={name: str(form) for name, form in forms.items()},
        statements={name: say(form).text for name, form in forms.items()},
    )
