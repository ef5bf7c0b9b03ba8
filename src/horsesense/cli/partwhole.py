"""``horsesense partwhole``: triples of whole, part and adjective."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli import output
from horsesense.cli.output import Json, people, print_json, write_built
from horsesense.cli.settings import Out

if TYPE_CHECKING:
    from horsesense.methods.partwhole.distributions import Distributions, VotesOfTriples
    from horsesense.methods.partwhole.table import PartWholeTable, TableRow
    from horsesense.stats import Estimate

partwhole = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Does the adjective carry over to the part? (docs/methods/partwhole.md)",
)


@partwhole.command("check")
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Judged triples: whole,part,jj,label,bin_label.")
    ],
    most: Annotated[int, typer.Option(min=1, help="Rows of a kind that are shown; --json has all.")] = 20,
    json: Json = False,
) -> None:
    """Missing words, phrases, upper case, unknown adjectives, contradictions, labels that disagree: row by row."""
    from horsesense.api.partwhole import check as check_triples
    from horsesense.methods.partwhole.checking import KINDS

    checked = check_triples(*files)
    if json:
        print_json(checked)
        return
    console = people()
    odd_rows = {(oddity.file, oddity.line) for oddity in checked.odd}
    console.print(f"{checked.rows:,} rows, {len(odd_rows):,} of them odd")
    for kind, meaning in KINDS.items():
        of_kind = [oddity for oddity in checked.odd if oddity.kind == kind]
        if not of_kind:
            continue
        console.print(f"{kind}: {len(of_kind):,} ({meaning})", style="bold", markup=False)
        for oddity in of_kind[:most]:
            triple, about = ", ".join(oddity.triple), f"  {oddity.about}" if oddity.about else ""
            console.print(f"  {oddity.file}:{oddity.line}  {triple}{about}", markup=False, soft_wrap=True)
        if len(of_kind) > most:
            console.print(f"  … and {len(of_kind) - most:,} more", markup=False)


@partwhole.command("recast")
def recast(
    probe: Annotated[Path, typer.Argument(help="Triples on the scale of five.")],
    out: Out,
    labels: Annotated[str, typer.Option(help="five, three, binary, or entailment (three under inference names).")],
    json: Json = False,
) -> None:
    """The task in fewer labels: {guaranteed, probably}, unrelated, {unlikely, impossible}; or yes and no."""
    from horsesense.api.partwhole import recast as in_labels

    write_built(out, in_labels(probe, labels), json)


@partwhole.command("split")
def split(
    probe: Annotated[Path, typer.Argument(help="Judged triples.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for train.jsonl, dev.jsonl and test.jsonl.")],
    by: Annotated[
        str, typer.Option(help="random, whole, part, adjective, or nouns (no noun in two parts).")
    ] = "random",
    seed: Annotated[int, typer.Option(min=0, help="Which ones.")] = 0,
    json: Json = False,
) -> None:
    """70, 10 and 20 per cent of the triples."""
    from horsesense.api.partwhole import split as write_split

    written = write_split(probe, out, by=by, seed=seed)
    if json:
        print_json(written)
        return
    for part in written.parts:
        words = f"{part.wholes:,} wholes, {part.parts:,} parts, {part.adjectives:,} adjectives"
        people().print(f"{part.part:<6} {part.items:,} items, {words}  {part.out}", markup=False, soft_wrap=True)
    if written.dropped:
        people().print(f"dropped {written.dropped:,} triples whose nouns fall to different parts")


@partwhole.command("premises")
def premises(
    probe: Annotated[Path, typer.Argument(help="Triples on the scale of five.")],
    out: Out,
    corpus: Annotated[
        list[Path] | None, typer.Option(help="A text corpus to find sentences in; repeatable [a template].")
    ] = None,
    json: Json = False,
) -> None:
    """Premise and hypothesis for each triple; where the corpus has no sentence, a template, marked as such."""
    from horsesense.api.partwhole import premises as as_inference
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        made = as_inference(probe, corpus or (), progress=progress)
    write_built(out, made, json)


@partwhole.command("table")
def table(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Runs on the same triples; also of controls.")
    ],
    train: Annotated[Path | None, typer.Option(help="The training set: slice by what it has seen.")] = None,
    votes: Annotated[
        list[Path] | None,
        typer.Option(help="The released votes: people as rows, and rows held against votes; repeatable."),
    ] = None,
    dev: Annotated[
        list[Path] | None,
        typer.Option(help="A run of the same models on dev: fit their preference for labels there; repeatable."),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print each row's confusion matrix and slices too.")
    ] = False,
    json: Json = False,
) -> None:
    """Accuracy, mean absolute error and quadratic-weighted kappa, with two-way intervals over wholes and parts."""
    from horsesense.api.partwhole import table as table_of

    made = table_of(*folders, train=train, votes=votes or (), dev=dev or ())
    if json:
        print_json(made)
        return
    _print_rows(made)
    if details:
        _print_details(made.rows)


@partwhole.command("pictures")
def pictures(
    probe: Annotated[Path, typer.Argument(help="Triples that people are to judge.")],
    out: Out,
    relationships: Annotated[Path, typer.Option(help="relationships.json of Visual Genome.")],
    images: Annotated[Path, typer.Option(help="image_data.json of Visual Genome.")],
    each: Annotated[int, typer.Option(min=1, help="How many pictures a pair.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Which ones.")] = 0,
    json: Json = False,
) -> None:
    """Pictures of each pair with boxes around whole and part, for a study (section 4.1)."""
    from horsesense.api.partwhole import pictures as picked

    made = picked(probe, relationships, images, out, each=each, seed=seed)
    if json:
        print_json(made)
        return
    say = f"{made.with_pictures:,} of {made.pairs:,} pairs have {each} pictures, {len(made.images):,} files; "
    people().print(f"{say}{len(made.without):,} pairs have none  {made.out}", markup=False, soft_wrap=True)


@partwhole.command("gold")
def gold(
    votes: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Judgements of triples, as released.")],
    out: Out,
    each: Annotated[int, typer.Option(min=1, help="How many triples of each label.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Which ones.")] = 0,
    json: Json = False,
) -> None:
    """Gold items of a qualification: triples on which all judges agree, so many of each label (section 4.2)."""
    from horsesense.api.partwhole import gold as picked

    write_built(out, picked(votes, each=each, seed=seed), json)


def _print_rows(made: PartWholeTable) -> None:
    from rich.markup import escape

    frame = output.table("", "accuracy", "steps off", "kappa", "n")
    frame.columns[0].min_width = 12
    for row in made.rows:
        cells = [_in_words(each) for each in (row.accuracy, row.mean_absolute_error, row.quadratic_kappa)]
        frame.add_row(escape(_called(row)), *cells, f"{row.n:,}")
    published = made.published
    frame.add_section()
    where = "the same triples" if published.same_triples else "not these triples"
    frame.add_row(f"published ({where}):", style="dim")
    for each in published.rows:
        frame.add_row(f"  {escape(each.name)}", f"{each.accuracy:.3f}")
    people().print(frame)
    people().print(
        f"In brackets 95 %, two-way over wholes and parts; kappa is quadratic-weighted. Published: {published.source}; "
        f"{published.about}.",
        style="dim",
        soft_wrap=True,
    )
    if made.votes is not None:
        _print_votes(made, made.votes)


def _called(row: TableRow) -> str:
    return row.name + (f" (mean of {row.seeds} seeds)" if row.seeds > 1 else "")


def _of_votes(each: Distributions | None) -> tuple[str, str]:
    if each is None:
        return "", ""
    mark = "*" if each.calibrated else ""
    return _in_words(each.ranked_probability) + mark, _in_words(each.log_score) + mark


def _print_votes(made: PartWholeTable, votes: VotesOfTriples) -> None:
    """How near each row is to the votes behind the labels; people against one another last."""
    from rich.markup import escape

    frame = output.table("", "off the votes", "surprise", "accuracy", "votes", title="against the votes themselves")
    frame.columns[0].min_width = 12
    for row in made.rows:
        if row.votes is not None:
            frame.add_row(
                escape(_called(row)), *_of_votes(row.votes), _in_words(row.votes.accuracy), f"{row.votes.votes:,}"
            )
    if votes.ceiling is not None:
        frame.add_row("people: one vote against two others", *_of_votes(votes.ceiling), "", f"{votes.ceiling.votes:,}")
    people().print(frame)
    numbers = ", ".join(f"{number} votes {count:,}" for number, count in votes.by_number.items())
    lines = [
        "Off the votes: ranked probability score; surprise: log score, smoothed; both 0 at best, on triples with three "
        "votes. * and accuracy: after a calibration fitted on dev.",
        f"{votes.triples:,} triples have votes ({numbers}).",
    ]
    if votes.ceiling and votes.ceiling_with_dropped:
        kept, every = votes.ceiling.ranked_probability, votes.ceiling_with_dropped.ranked_probability
        lines.append(
            f"{votes.all_different:,} triples whose votes all differ were dropped by the release, and it shows: with "
            f"them one vote is {every.value:.3f} off the two others, without them {kept.value:.3f}."
        )
    for line in lines:
        people().print(line, style="dim", markup=False, soft_wrap=True)


def _print_details(rows: Sequence[TableRow]) -> None:
    for row in rows:
        if row.confusion is not None:
            labels = row.confusion.labels
            grid = output.table("", *labels, title=f"{row.name}: right (down), chosen (across)")
            for label, counts in zip(labels, row.confusion.counts, strict=True):
                grid.add_row(label, *(f"{count:,.0f}" for count in counts))
            people().print(grid)
        for name, slices in row.slices.items():
            cells = "; ".join(f"{each.where} {_in_words(each.accuracy)}, n = {each.accuracy.n:,}" for each in slices)
            people().print(f"{row.name} by {name}: {cells}", style="dim", markup=False, soft_wrap=True)


def _in_words(e: Estimate | None) -> str:
    from math import isnan

    if e is None or isnan(e.value):
        return ""
    return f"{e.value:.3f}" + ("" if isnan(e.low) else f" ({e.low:.2f}–{e.high:.2f})")
