"""The released axioms against our operators: the five other forms derived from each original."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UserError
from horsesense.files import numbered_lines
from horsesense.probes.rica.forms import Axiom, Comp, Not, Rel, plain
from horsesense.probes.rica.operators import RELEASED, derive
from horsesense.probes.rica.parsing import parse_form
from horsesense.probes.rica.rewriting import equivalent
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class Difference:
    """A released form that is not what its original gives."""

    line: int
    """Of the released file."""
    kind: str
    """Which of the five other forms."""
    released: str
    """What the release has."""
    derived: str
    """What the original gives."""
    reason: str
    """Why they differ, where that is known."""


@dataclass(frozen=True, slots=True)
class Checked(Document):
    """What came of deriving a whole release."""

    axioms: int
    """Axioms of the release."""
    derived: int
    """Forms that had to be derived."""
    exact: int
    """Forms that came out as the release has them."""
    differences: Sequence[Difference]
    """The others."""


def check_release(path: Path) -> Checked:
    """Derive five forms from each original; what differs by a character is told, with the reason."""
    differences: list[Difference] = []
    axioms = derived = 0
    others = [kind for kind in RELEASED if kind.name != "original"]
    for line, text in numbered_lines(path):
        try:
            forms = {name: told[0] for name, told in json.loads(text).items()}
            original = parse_form(forms["original"])
            axioms += 1
            for kind in others:
                derived += 1
                own = derive(original, kind)
                if str(own) != forms[kind.name]:
                    reason = reason_of(parse_form(forms[kind.name]), original)
                    differences.append(Difference(line, kind.name, forms[kind.name], str(own), reason))
        except UserError as error:
            raise error.at(path, line) from None
        except (ValueError, AttributeError, KeyError, TypeError, IndexError) as error:
            raise UserError(
                "this is not an axiom of the release", file=path, line=line, fix="give RICA_10k_axiom2set.jsonl"
            ) from error
    if not axioms:
        raise UserError("there is no axiom in it", file=path, fix="give RICA_10k_axiom2set.jsonl")
    return Checked(axioms, derived, derived - len(differences), differences)


def reason_of(released: Axiom, original: Axiom) -> str:
    """Why a released form is not what its original gives."""
    term = released.conclusion
    inner = term.term if isinstance(term, Not) else term
    if isinstance(inner, Comp) and inner.right is not None and inner.left.entity == inner.right.entity:
        return f"the release compares {inner.left.entity} with itself, by {plain(inner.word)!r}"
    if isinstance(released.premise, Rel) and released.premise.gap is None:
        return "the release lost the premise's second mention of a person, and its entities"
    if equivalent(released, original).equivalent:
        return "the same, written in another way"
    return "the release says something else: not every person of the premise was exchanged"
