"""``horsesense annotate invite, codes, pause, resume, revoke, withdraw``: who takes part in a served study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, table

if TYPE_CHECKING:
    from horsesense.annotate.server.links import Standing

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The folder that annotate new made.")]
SomeNames = Annotated[
    list[str] | None, typer.Argument(metavar="NAME…", help="People, by name or code; nobody named: the whole study.")
]


def print_rows(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """A small table; nothing where there is no row."""
    from rich.markup import escape

    if not rows:
        return
    frame = table(*columns, left=left)
    for row in rows:
        frame.add_row(*(escape(cell) for cell in row))
    people().print(frame)


def invite(
    study: StudyFolder,
    names: SomeNames = None,
    researcher: Annotated[
        bool, typer.Option("--researcher", help="They see the progress of the study, and judge nothing.")
    ] = False,
    queue: Annotated[
        str, typer.Option("--queue", help="Only items of this queue (a value of the study's queue).")
    ] = "",
    renew: Annotated[
        bool, typer.Option("--renew", help="A new link for people who have one; the old one ends.")
    ] = False,
    crowd: Annotated[
        str, typer.Option("--crowd", help="One link for many: prolific, mturk or open (whoever has the link).")
    ] = "",
    most: Annotated[int, typer.Option("--most", min=1, help="So many people may come in by the link of a crowd.")] = 20,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write name, code and link as .csv, .tsv or .jsonl.")
    ] = None,
    json: Json = False,
) -> None:
    """Make personal links. Each is shown once: only a hash of it is kept."""
    from horsesense.api.studies import invite as make_links

    links = make_links(
        study,
        names or (),
        researcher=researcher,
        queue=queue,
        renew=renew,
        crowd=crowd,
        most=most,
        out=out,
    )
    if json:
        print_json(links)
    elif out is None:
        for link in links.people:
            people().print(f"{link.name}  {link.link}", markup=False, soft_wrap=True)
    else:
        people().print(f"{len(links.people):,} links  {out}", markup=False, soft_wrap=True)


def codes(
    study: StudyFolder,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write them as .csv, .tsv or .jsonl.")] = None,
    json: Json = False,
) -> None:
    """Names, answers and completion codes, to hold against what people gave to a platform."""
    from horsesense.api.studies import codes as completions

    found = completions(study, out=out)
    if json:
        print_json(found)
        return
    persons = found.people
    columns = ("name", "code", "state", "completion", "answered")
    print_rows(columns, [tuple(str(getattr(each, name)) for name in columns) for each in persons], left=4)
    if not persons:
        people().print("nobody is invited yet", markup=False)


def pause(study: StudyFolder, names: SomeNames = None, json: Json = False) -> None:
    """Give nothing more to judge to these people, or to nobody; what is in hand may still be answered."""
    from horsesense.api.studies import pause as pause_people

    _print_standing(pause_people(study, names or ()), json)


def resume(study: StudyFolder, names: SomeNames = None, json: Json = False) -> None:
    """Go on after a pause; also for people whom attention items stopped or the qualification kept out."""
    from horsesense.api.studies import resume as resume_people

    _print_standing(resume_people(study, names or ()), json)


def revoke(
    study: StudyFolder,
    names: SomeNames = None,
    crowd: Annotated[bool, typer.Option("--crowd", help="End the links of crowds; who is in stays in.")] = False,
    json: Json = False,
) -> None:
    """End the personal links of people; what they said stays. annotate invite --renew gives a new one."""
    from horsesense.api.studies import revoke as end_links

    _print_standing(end_links(study, names or (), crowd=crowd), json)


def withdraw(
    study: StudyFolder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="One person, by name or code.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it is written down.")] = "",
    json: Json = False,
) -> None:
    """Take a person's judgements out: nothing counts them any more, and their items are asked again."""
    from horsesense.api.studies import withdraw as take_out

    _print_standing(take_out(study, name, reason=reason), json)


def _print_standing(standing: Standing, json: bool) -> None:
    if json:
        print_json(standing)
        return
    names = ", ".join(standing.people) or "the study"
    more = f", {standing.judgements:,} judgements" if standing.judgements is not None else ""
    people().print(f"{names}: {standing.state}{more}", markup=False, soft_wrap=True)
