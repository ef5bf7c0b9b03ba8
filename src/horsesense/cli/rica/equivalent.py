"""``horsesense rica equivalent``: whether two forms say the same, with a proof."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.output import Json, people, print_json
from horsesense.cli.rica.inputs import LexiconFile, axiom_of, lexicon_of


def equivalent(
    form: Annotated[str, typer.Argument(help="A logical form, or a statement in plain words.", show_default=False)],
    other: Annotated[str, typer.Argument(help="Another one.", show_default=False)],
    lexicon: LexiconFile = None,
    json: Json = False,
) -> None:
    """Whether two forms say the same: both are rewritten by equations, and the way from one to the other is shown."""
    from horsesense.probes.rica.rewriting import equivalent as prove

    proof = prove(axiom_of(form), axiom_of(other), lexicon_of(lexicon))
    steps = [{"rule": step.rule, "form": str(step.form)} for step in proof.steps]
    if json:
        print_json({"equivalent": proof.equivalent, "proof": steps})
        return
    people().print("equivalent" if proof.equivalent else "not equivalent", style="bold")
    for step in steps:
        people().print(f"  {step['form']}    [{step['rule']}]", markup=False, soft_wrap=True)
