"""``horsesense winoventi associations, jaccard``: the words that models tie to nouns, and how alike they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Family, OneModel, Spec, spec_of
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.methods.winoventi.associations import KTable
    from horsesense.methods.winoventi.measures import Similarity
    from horsesense.methods.winoventi.nouns import NounList
    from horsesense.methods.winoventi.summaries import AssociationSummary

DEFAULT_MODEL = "smollm2-masked"
"""The bundled masked model: associations are collected from masked ones."""

Nouns = Annotated[
    str, typer.Option(help="A file with one noun a line or a column Word (as THINGS' concepts), or: wordnet.")
]
AsPaper = Annotated[bool, typer.Option("--as-paper", help="The paper's literal sentence and rules.")]
Ranker = Annotated[str, typer.Option(help="The causal model that ranks by perplexity; none: no ranking.")]
NounLimit = Annotated[int | None, typer.Option("--limit", min=1, help="Most nouns, drawn by seed.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the draw.")]


def associations(
    nouns: Nouns,
    model: OneModel = DEFAULT_MODEL,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Write all of them: .tsv, .csv or .jsonl.")] = None,
    as_paper: AsPaper = False,
    template: Annotated[
        str, typer.Option(help="A sentence of one's own, such as 'Every {noun} is {not}___ today.'")
    ] = "",
    k: Annotated[str, typer.Option(help="Depths of the rankings, by commas.")] = "1,3,5,8,10",
    ranker: Ranker = "smollm2",
    limit: NounLimit = None,
    seed: Seed = 0,
    spec: Spec = "default",
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Words common to the best of "The X is ___" and "The X is not ___", ranked and cut at the knee."""
    from horsesense.api.winoventi import nouns_of
    from horsesense.cli.progress import Bars
    from horsesense.methods.winoventi.asking import Asking, associate
    from horsesense.methods.winoventi.associations import write_associations
    from horsesense.methods.winoventi.summaries import association_summary
    from horsesense.models.local.load import load_model

    with Bars() as watcher:
        listed = nouns_of(nouns, as_paper=as_paper, limit=limit, seed=seed, watcher=watcher)
    asking = Asking(as_paper, template, _depths(k), spec_of(spec, None))
    loaded = load_model(model, family=family, device=device, allow_pickle=allow_pickle)
    ranking = load_model(ranker, device=device, allow_pickle=allow_pickle) if ranker != "none" else None
    with Bars() as watcher:
        associated = associate(loaded, ranking, listed.nouns, asking, watcher)
    if out is not None:
        write_associations(out, associated.selection.associations)
    summary = association_summary(model, None if ranker == "none" else ranker, listed, associated, out)
    if json:
        print_json(summary)
        return
    _print_associations(summary, listed)
    if out is not None:
        say(f"written to {out}")


def _depths(text: str) -> tuple[int, ...]:
    try:
        depths = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise UserError(f"--k {text} is not a list of numbers", fix="write 1,3,5,8,10") from None
    if depths[0] < 1 or depths[-1] > 100:
        raise UserError(f"--k {text} is out of range", fix="use depths from 1 to 100")
    return depths


def _print_associations(summary: AssociationSummary, listed: NounList) -> None:
    console = people()
    console.print(f"{summary.associations:,} associations of {summary.nouns:,} nouns, {summary.kept:,} kept")
    for k, count in summary.by_k.items():
        knee = summary.knees.get(k)
        console.print(f"  k = {k:>2}  {count:>6,}" + (f"  knee at perplexity {knee:,.0f}" if knee else ""))
    if summary.last_knee is not None:
        console.print(f"  over all  knee at perplexity {summary.last_knee:,.0f}")
    for reason, count in summary.dropped.items():
        console.print(f"  left out, {reason}: {count:,}", markup=False)
    frequent = ", ".join(f"{each.word} {each.share:.1%}" for each in summary.frequent)
    console.print(f"most frequent: {frequent}", markup=False, soft_wrap=True)
    for what, count in summary.notes.items():
        if what not in listed.odd:
            console.print(f"  {what}: {count:,}", markup=False)


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
    from horsesense.methods.winoventi.associations import read_k_file
    from horsesense.methods.winoventi.measures import Similarity, jaccard_table

    table = read_k_file(files[0]) if len(files) == 1 else _of_models(files, k)
    similarity = Similarity(table.models, tuple(map(tuple, jaccard_table(table.columns))))
    if json:
        print_json(similarity)
        return
    _print_similarity(similarity)
    say(f"{len(table.nouns):,} nouns")


def _of_models(files: list[Path], k: int) -> KTable:
    """One table of files that have one model each, on the nouns that all were asked about."""
    from horsesense.methods.winoventi.associations import read_associations, table_of
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


def _print_similarity(similarity: Similarity) -> None:
    models = similarity.models
    width = max(map(len, models))
    console = people()
    head = " ".join(f"{number:>4}" for number in range(1, len(models) + 1))
    console.print(f"{'':{width + 3}} {head}", soft_wrap=True)
    for number, (name, row) in enumerate(zip(models, similarity.matrix, strict=True), start=1):
        cells = " ".join(f"{value:.2f}" for value in row)
        console.print(f"{number:>2} {name:{width}} {cells}", markup=False, soft_wrap=True)
