"""Every way to say one axiom, in the notation of RICA and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.probes.rica.forms import Axiom
from horsesense.probes.rica.lexicon import NO_LEXICON, Lexicon
from horsesense.probes.rica.operators import derive_all
from horsesense.probes.rica.premises import template
from horsesense.probes.rica.statements import say
from horsesense.records.document import Document


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
