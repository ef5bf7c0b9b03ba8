"""``horsesense build``: make a probe from knowledge; one sub-command a method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, print_json

if TYPE_CHECKING:
    from horsesense.records import Probe

build = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make a probe from knowledge.")

Out = Annotated[Path, typer.Option("-o", "--out", help="The probe to write: .jsonl, .jsonl.gz or .parquet.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Most items; whole clusters are drawn.")]
Seed = Annotated[int, typer.Option(min=0, help="Which ones: the same seed gives the same file.")]
Ways = Annotated[int, typer.Option("--options", min=2, max=20, help="Options of a question.")]
AsPaper = Annotated[bool, typer.Option("--as-paper", help="The paper's distractors, giveaways and all.")]


@build.command("wordnetqa")
def wordnetqa(
    out: Out,
    relation: Annotated[str, typer.Option(help="definitions, synonymy, hypernymy or hyponymy.")],
    source: Annotated[str, typer.Option(help="A knowledge source with isa, definitions and examples.")] = "wordnet",
    limit: Limit = None,
    seed: Seed = 0,
    ways: Ways = 5,
    as_paper: AsPaper = False,
    json: Json = False,
) -> None:
    """Questions about meanings and kinds, grown from WordNet or a source of one's own."""
    from horsesense.knowledge.sources import open_graph
    from horsesense.probes.wordnetqa import Plan, build_wordnetqa

    plan = Plan(relation, seed, limit, as_paper, ways)
    _write(out, build_wordnetqa(open_graph(source), plan), json)


@build.command("dictionaryqa")
def dictionaryqa(
    out: Out,
    source: Annotated[str, typer.Option(help="A knowledge source with words, definitions and examples.")] = "gcide",
    limit: Limit = None,
    seed: Seed = 0,
    ways: Ways = 5,
    as_paper: AsPaper = False,
    json: Json = False,
) -> None:
    """Questions about the sense that a word has in an example, grown from a dictionary."""
    from horsesense.knowledge.sources import open_graph
    from horsesense.probes.dictionaryqa import Plan, build_dictionaryqa

    _write(out, build_dictionaryqa(open_graph(source), Plan(seed, limit, as_paper, ways)), json)


def _write(out: Path, probe: Probe, json: bool) -> None:
    from horsesense.records import write_probe

    write_probe(out, probe)
    card = probe.card
    if json:
        print_json({"out": str(out), "items": card.items, "families": card.families, "notes": dict(card.notes)})
        return
    print(f"{card.items:,} items in {card.families:,} families  {out}")
    for note, count in card.notes.items():
        print(f"  {note}: {count:,}")
