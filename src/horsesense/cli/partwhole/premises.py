"""``horsesense partwhole premises``: triples as inference, with sentences from a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.build.writing import Out, write_built
from horsesense.cli.output import Json, say
from horsesense.errors import UserError


def premises(
    probe: Annotated[Path, typer.Argument(help="Triples on the scale of five.")],
    out: Out,
    corpus: Annotated[
        list[Path] | None, typer.Option(help="A text corpus to find sentences in; repeatable [a template].")
    ] = None,
    json: Json = False,
) -> None:
    """Premise and hypothesis for each triple; where the corpus has no sentence, a template, marked as such."""
    from contextlib import closing, nullcontext

    from horsesense.cli.stages import stages
    from horsesense.knowledge.corpus import Corpus
    from horsesense.probes.partwhole.inference import as_inference, coverage
    from horsesense.records import read_probe

    folder = next((path for path in corpus or () if path.is_dir()), None)
    if folder is not None:
        raise UserError("this is a folder, not a file", file=folder, fix="name its files, each with a --corpus")
    triples = read_probe(probe)
    told = ", ".join(path.name for path in corpus or ())
    with stages() as tick, closing(Corpus(corpus, tick)) if corpus else nullcontext() as opened:
        made = as_inference(triples, opened, told, tick)
    found, number = coverage(made)
    say(f"{found:,} of {number:,} pairs of whole and adjective have a sentence; the others have a template")
    write_built(out, made, json)
