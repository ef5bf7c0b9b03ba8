"""``horsesense annotate pause, resume, revoke, withdraw``: who takes part, changed while the study is served."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horsesense.cli.annotate.studies import SomeNames, StudyFolder, opened
from horsesense.cli.output import Json, people, print_json
from horsesense.errors import UserError


def pause(study: StudyFolder, names: SomeNames = None, json: Json = False) -> None:
    """Give nothing more to judge to these people, or to nobody; what is in hand may still be answered."""
    with opened(study) as served:
        from horsesense.annotate.server.participants import pause as paused

        paused(served, names or [])
    _tell(json, {"study": str(study), "people": names or [], "state": "paused"})


def resume(study: StudyFolder, names: SomeNames = None, json: Json = False) -> None:
    """Go on after a pause; also for people whom attention items stopped or the qualification kept out."""
    with opened(study) as served:
        from horsesense.annotate.server.participants import pause as paused

        paused(served, names or [], paused=False)
    _tell(json, {"study": str(study), "people": names or [], "state": "resumed"})


def revoke(
    study: StudyFolder,
    names: SomeNames = None,
    crowd: Annotated[bool, typer.Option("--crowd", help="End the links of crowds; who is in stays in.")] = False,
    json: Json = False,
) -> None:
    """End the personal links of people; what they said stays. annotate invite --renew gives a new one."""
    if bool(names) == crowd:
        raise UserError("nobody is named", fix="name people, or end the links of crowds with --crowd")
    with opened(study) as served:
        from horsesense.annotate.server.links_and_sessions import end_joins
        from horsesense.annotate.server.withdrawal import revoke as revoked

        if crowd:
            end_joins(served)
        else:
            revoked(served, names or [])
    _tell(json, {"study": str(study), "people": names or [], "state": "revoked"})


def withdraw(
    study: StudyFolder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="One person, by name or code.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it is written down.")] = "",
    json: Json = False,
) -> None:
    """Take a person's judgements out: nothing counts them any more, and their items are asked again."""
    with opened(study) as served:
        from horsesense.annotate.server.withdrawal import withdraw as withdrawn

        number = withdrawn(served, name, reason)
    _tell(json, {"study": str(study), "people": [name], "state": "withdrawn", "judgements": number})


def _tell(json: bool, document: dict[str, Any]) -> None:
    if json:
        print_json(document)
        return
    who = ", ".join(document["people"]) or "the study"
    more = f", {document['judgements']:,} judgements" if "judgements" in document else ""
    people().print(f"{who}: {document['state']}{more}", markup=False, soft_wrap=True)
