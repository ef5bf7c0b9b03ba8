"""``horsesense annotate invite, codes, pause, resume, revoke, withdraw``: who takes part in a served study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, table
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.annotate.server.links import Standing
    from horsesense.annotate.server.served_study import Served

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The folder that annotate new made.")]
SomeNames = Annotated[
    list[str] | None, typer.Argument(metavar="NAME…", help="People, by name or code; nobody named: the whole study.")
]


@contextmanager
def opened(folder: Path) -> Iterator[Served]:
    """The study and its database, closed again at the end."""
    from horsesense.annotate.server.served_study import open_study

    served = open_study(folder)
    try:
        yield served
    finally:
        served.engine.dispose()


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
    if bool(names) == bool(crowd):
        raise UserError("people are invited by name, or as a crowd", fix="give names, or --crowd")
    with opened(study) as served:
        from dataclasses import asdict

        from horsesense.annotate.server.links import Links, crowd_link, personal_links
        from horsesense.files.tables import write_rows

        links = (
            (crowd_link(served, crowd, most),)
            if crowd
            else personal_links(served, names or [], researcher, queue, renew)
        )
    if out is not None:
        # Whoever reads the file can answer as these people.
        out.touch(mode=0o600)
        write_rows(out, map(asdict, links), ("name", "code", "link"))
        out.chmod(0o600)
    if json:
        print_json(Links(study, links, out))
    elif out is None:
        for link in links:
            people().print(f"{link.name}  {link.link}", markup=False, soft_wrap=True)
    else:
        people().print(f"{len(links):,} links  {out}", markup=False, soft_wrap=True)


def codes(
    study: StudyFolder,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write them as .csv, .tsv or .jsonl.")] = None,
    json: Json = False,
) -> None:
    """Names, answers and completion codes, to hold against what people gave to a platform."""
    with opened(study) as served:
        from dataclasses import asdict

        from horsesense.annotate.server.links import Completions, completions
        from horsesense.files.tables import write_rows

        persons = completions(served)
    if out is not None:
        write_rows(out, map(asdict, persons), ("name", "code", "state", "answered", "completion"))
    if json:
        print_json(Completions(study, persons, out))
        return
    columns = ("name", "code", "state", "completion", "answered")
    print_rows(columns, [tuple(str(getattr(each, name)) for name in columns) for each in persons], left=4)
    if not persons:
        people().print("nobody is invited yet", markup=False)


def pause(study: StudyFolder, names: SomeNames = None, json: Json = False) -> None:
    """Give nothing more to judge to these people, or to nobody; what is in hand may still be answered."""
    with opened(study) as served:
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.participants import pause as pause_people

        pause_people(served, names or [])
    _print_standing(Standing(study, tuple(names or ()), "paused"), json)


def resume(study: StudyFolder, names: SomeNames = None, json: Json = False) -> None:
    """Go on after a pause; also for people whom attention items stopped or the qualification kept out."""
    with opened(study) as served:
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.participants import pause as pause_people

        pause_people(served, names or [], paused=False)
    _print_standing(Standing(study, tuple(names or ()), "resumed"), json)


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
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.links_and_sessions import end_joins
        from horsesense.annotate.server.withdrawal import revoke as end_links

        if crowd:
            end_joins(served)
        else:
            end_links(served, names or [])
    _print_standing(Standing(study, tuple(names or ()), "revoked"), json)


def withdraw(
    study: StudyFolder,
    name: Annotated[str, typer.Argument(metavar="NAME", help="One person, by name or code.")],
    reason: Annotated[str, typer.Option("--reason", help="Why; it is written down.")] = "",
    json: Json = False,
) -> None:
    """Take a person's judgements out: nothing counts them any more, and their items are asked again."""
    with opened(study) as served:
        from horsesense.annotate.server.links import Standing
        from horsesense.annotate.server.withdrawal import withdraw as withdraw_work

        number = withdraw_work(served, name, reason)
    _print_standing(Standing(study, (name,), "withdrawn", number), json)


def _print_standing(standing: Standing, json: bool) -> None:
    if json:
        print_json(standing)
        return
    names = ", ".join(standing.people) or "the study"
    more = f", {standing.judgements:,} judgements" if standing.judgements is not None else ""
    people().print(f"{names}: {standing.state}{more}", markup=False, soft_wrap=True)
