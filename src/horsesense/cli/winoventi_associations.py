"""``horsesense winoventi associations, jaccard``: the words that models tie to nouns, and how alike they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, say
from horsesense.cli.settings import AllowPickle, Device, Dtype, Family, OneModel, Spec, spec_of
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.methods.winoventi.associations import Similarity
    from horsesense.methods.winoventi.nouns import NounList
    from horsesense.methods.winoventi.procedure import AssociationSummary

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
    dtype: Dtype = None,
    device: Device = "auto",
    family: Family = None,
    allow_pickle: AllowPickle = False,
    json: Json = False,
) -> None:
    """Words common to the best of "The X is ___" and "The X is not ___", ranked and cut at the knee."""
    from horsesense.api.winoventi import associations as associate
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        found = associate(
            nouns,
            model=model,
            out=out,
            as_paper=as_paper,
            template=template,
            k=_depths(k),
            ranker=ranker,
            limit=limit,
            seed=seed,
            spec=spec_of(spec, dtype),
            device=device,
            family=family,
            allow_pickle=allow_pickle,
            progress=progress,
        )
    if json:
        print_json(found.summary)
        return
    _print_associations(found.summary, found.nouns)
    if out is not None:
        say(f"written to {out}")


def _depths(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"--k {text} is not a list of numbers", fix="write 1,3,5,8,10") from None


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
    from horsesense.api.winoventi import jaccard as similarity_of
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        similarity = similarity_of(*files, k=k, progress=progress)
    if json:
        print_json(similarity)
        return
    _print_similarity(similarity)


def _print_similarity(similarity: Similarity) -> None:
    models = similarity.models
    width = max(map(len, models))
    console = people()
    head = " ".join(f"{number:>4}" for number in range(1, len(models) + 1))
    console.print(f"{'':{width + 3}} {head}", soft_wrap=True)
    for number, (name, row) in enumerate(zip(models, similarity.matrix, strict=True), start=1):
        cells = " ".join(f"{value:.2f}" for value in row)
        console.print(f"{number:>2} {name:{width}} {cells}", markup=False, soft_wrap=True)
