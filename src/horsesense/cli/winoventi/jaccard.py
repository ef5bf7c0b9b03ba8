"""``horsesense winoventi jaccard``: how alike the associations of models are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.probes.winoventi.k_files import KTable


def jaccard(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="K_FILE…", help="A table with a column a model, or one file a model of winoventi associations."
        ),
    ],
    k: Annotated[int, typer.Option(min=1, help="Cut of the rankings; for files of one model each.")] = 10,
    json: Json = False,
) -> None:
    """Mean Jaccard similarity of models' associations; two models without any for a noun agree on it."""
    from horsesense.analysis.jaccard import jaccard_table
    from horsesense.probes.winoventi.k_files import read_k_file

    table = read_k_file(files[0]) if len(files) == 1 else _of_models(files, k)
    matrix = jaccard_table(table.columns)
    if json:
        print_json({"models": list(table.models), "matrix": matrix})
        return
    _print(table.models, matrix)
    say(f"{len(table.nouns):,} nouns")


def _of_models(files: list[Path], k: int) -> KTable:
    """One table of files that have one model each, on the nouns that all were asked about."""
    from horsesense.probes.winoventi.associations import read_associations
    from horsesense.probes.winoventi.k_files import table_of
    from horsesense.records import probe_name

    models = [(probe_name(path).removesuffix(".tsv"), read_associations(path)) for path in files]
    names = [name for name, _ in models]
    if len(set(names)) < len(names):
        raise UserError("two files have the same name", fix="name each after its model")
    asked = [{each.noun for each in associations} for _, associations in models]
    nouns = sorted(set.intersection(*asked))
    left_out = len(set.union(*asked)) - len(nouns)
    if not nouns:
        raise UserError("no noun has associations in all files", fix="ask the models about the same nouns")
    if left_out:
        say(f"{left_out:,} nouns are not in all files and are left out")
    return table_of(models, k, nouns)


def _print(models: tuple[str, ...], matrix: list[list[float]]) -> None:
    width = max(map(len, models))
    console = people()
    head = " ".join(f"{number:>4}" for number in range(1, len(models) + 1))
    console.print(f"{'':{width + 3}} {head}", soft_wrap=True)
    for number, (name, row) in enumerate(zip(models, matrix, strict=True), start=1):
        cells = " ".join(f"{value:.2f}" for value in row)
        console.print(f"{number:>2} {name:{width}} {cells}", markup=False, soft_wrap=True)
