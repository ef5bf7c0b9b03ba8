"""``horsesense rica derive``: every way to say an axiom."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.cli.rica.inputs import LexiconFile, axiom_of, lexicon_of


def derive(
    form: Annotated[
        str, typer.Argument(help="A logical form, or a statement about A and B in plain words.", show_default=False)
    ],
    lexicon: LexiconFile = None,
    json: Json = False,
) -> None:
    """Every way to say an axiom: the release's six, and those of the 24 kinds that apply."""
    from horsesense.probes.rica.operators import KINDS, derive_all
    from horsesense.probes.rica.premises import template
    from horsesense.probes.rica.statements import say

    axiom = axiom_of(form)
    forms = {kind.name: found for kind, found in derive_all(axiom, lexicon_of(lexicon)).items()}
    statements = {name: say(found).text for name, found in forms.items()}
    if json:
        told = {name: str(found) for name, found in forms.items()}
        print_json({"template": template(axiom), "forms": told, "statements": statements})
        return
    for name, found in forms.items():
        people().print(name, style="bold", markup=False)
        people().print(f"  {found}\n  {statements[name]}", markup=False, soft_wrap=True)
    rest = len(KINDS) - len(forms)
    if rest:
        people().print(f"{rest} of the {len(KINDS)} kinds do not apply or are not in the lexicon", style="dim")
