"""What several annotate commands take: filled files, the probe behind them, and which judgements count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from horsesense.annotate.collecting import Collected

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE…", help="Filled task files or judgements: .csv, .tsv, .jsonl; Label Studio's .json."),
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
    """The judgements of the files, checked."""
    from horsesense.annotate.collecting import collect
    from horsesense.records import read_probe

    read = read_probe(probe) if probe is not None else None
    return collect(files, instrument, read, annotator, last).only(round)
