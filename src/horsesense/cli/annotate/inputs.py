"""What several annotate commands take: filled files, the probe behind them, and which judgements count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.annotate.studies import server_libraries
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.annotate.judgement_files import Collected

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…",
        help="Filled task files or judgements: .csv, .tsv, .jsonl; Label Studio's .json; or a served study.",
    ),
]
ProbeOption = Annotated[Path | None, typer.Option("-p", "--probe", help="The probe that was judged; checks each item.")]
InstrumentOption = Annotated[
    str, typer.Option("--instrument", help="Its name, or a .toml file; else as the files say.")
]
RoundOption = Annotated[int | None, typer.Option("--round", min=1, help="Only the judgements of this round.")]
LastOption = Annotated[bool, typer.Option("--last", help="A person's later answer to the same item counts.")]
AnnotatorOption = Annotated[str, typer.Option("--annotator", help="Who filled in rows that do not say so.")]


def collected(
    files: list[Path],
    probe: Path | None = None,
    instrument: str = "",
    round: int | None = None,
    last: bool = False,
    annotator: str = "",
) -> Collected:
    """The judgements of the files, or of a served study, checked."""
    from horsesense.annotate.judgement_files import collect
    from horsesense.annotate.study import is_study
    from horsesense.records import read_probe

    if any(is_study(path) for path in files):
        if len(files) > 1:
            raise UserError("a served study is read alone", file=files[0], fix="collect it into a file first")
        if probe or instrument or annotator or last:
            raise UserError("a served study has its items, instrument and people", fix="leave other options out")
        with server_libraries():
            from horsesense.annotate.server.judgement_log import collected_from

            return collected_from(files[0]).only(round)

    read = read_probe(probe) if probe is not None else None
    return collect(files, instrument, read, annotator, last).only(round)
