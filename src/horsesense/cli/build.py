"""``horsesense build``: make a probe from knowledge; one sub-command a method."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.build_rica import rica
from horsesense.cli.output import Json, say_skipped, write_built
from horsesense.cli.settings import AsPaper, Limit, Out, Seed
from horsesense.errors import UserError

Files = list[Path] | None

build = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make a probe from knowledge.")


@build.command("winoventi")
def winoventi(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEMAS", help="A table with noun, generic, exception and premise, or a folder of winoventi make."
        ),
    ],
    out: Out,
    machine: Annotated[
        bool, typer.Option("--machine", help="Machine-made schemas, never mixed with people's.")
    ] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Skip and count lines that cannot be read.")] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Keep what the checks object to (for people to judge).")
    ] = False,
    limit: Limit = None,
    seed: Seed = 0,
    as_paper: AsPaper = False,
    json: Json = False,
) -> None:
    """Pairs of texts that differ in one word, each with its own outcome."""
    from horsesense.api.builders import winoventi as built

    probe = built(source, machine, skip_bad, unchecked, limit, seed, as_paper)
    write_built(out, probe, json)
    say_skipped(probe.skipped)


@build.command("conjunctions")
def conjunctions(
    file: Annotated[Path, typer.Argument(help="A probe of Winograd schemas as sentences.")],
    out: Out,
    json: Json = False,
) -> None:
    """Pairs of a right sentence and the same with another conjunction (CATs), from Winograd schemas."""
    from horsesense.api.builders import conjunctions as built

    if out.resolve() == file.resolve():
        raise UserError("the pairs would overwrite the schemas", file=out, fix="choose another name")
    write_built(out, built(file), json)


@build.command("duals")
def duals(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Probes of pairs, one sentence right; or 'orders', pairs of our own."),
    ],
    out: Out,
    operator: Annotated[
        list[str] | None,
        typer.Option(
            help="insert-negation, remove-negation, opposite, converse, swap-arguments, exchange-names, twins [all]."
        ),
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option(help="What keys may rest on: proved, asserted, proposed; repeatable [all].")
    ] = None,
    each: Annotated[
        int | None, typer.Option(help="Most pairs of a method, balanced over the files; the paper has 75.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of --each.")] = 0,
    json: Json = False,
) -> None:
    """The same questions after one edit (CATs), with what each key rests on: logic, published keys, or a guess."""
    from horsesense.api.builders import duals as built

    for file in files:
        if out.resolve() == file.resolve():
            raise UserError("the duals would overwrite the probe", file=out, fix="choose another name")
    write_built(out, built(files, operator or (), status or (), each, seed), json)


@build.command("plugin")
def plugin(
    name: Annotated[str, typer.Argument(help="A builder that another package adds.")],
    out: Out,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="What the builder takes, numbers and lists as JSON; repeatable."),
    ] = None,
    json: Json = False,
) -> None:
    """Whatever a builder of another package makes."""
    from horsesense.api.probes import build as built

    write_built(out, built(name, **_options(option or [])), json)


def _options(given: list[str]) -> dict[str, object]:
    """Values are JSON where they can be read so, else text."""
    from json import loads

    options: dict[str, object] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or not key.isidentifier():
            raise UserError(f"--option {each!r} is not KEY=VALUE", fix="write it as --option limit=10")
        try:
            options[key] = loads(value)
        except ValueError:
            options[key] = value
    return options


build.command("rica")(rica)


@build.command("partwhole")
def partwhole(
    out: Out,
    relationships: Annotated[Path | None, typer.Option(help="relationships.json of Visual Genome.")] = None,
    relation_counts: Annotated[
        Path | None, typer.Option(help="A table: subject, predicate, object, count (relations, not images).")
    ] = None,
    wordnet: Annotated[bool, typer.Option("--wordnet", help="Take WordNet's meronyms too.")] = False,
    conceptnet: Annotated[Files, typer.Option(help="ConceptNet: take HasA and PartOf; repeatable.")] = None,
    genericskb: Annotated[Files, typer.Option(help="GenericsKB: take has-part statements; repeatable.")] = None,
    attributes: Annotated[Path | None, typer.Option(help="attributes.json of Visual Genome.")] = None,
    ngrams: Annotated[Files, typer.Option(help="Google's syntactic n-grams (arcs); repeatable.")] = None,
    text: Annotated[Files, typer.Option(help="Any text corpus: adjectives by a pattern; repeatable.")] = None,
    predicate: Annotated[
        list[str] | None, typer.Option(help="Predicates that tell a part: have, with, of, on; repeatable [have].")
    ] = None,
    aliases: Annotated[Path | None, typer.Option(help="Other names of objects: canonical,alias,… a line.")] = None,
    fewest: Annotated[int, typer.Option(min=1, help="Images (or relations) that a pair must be in.")] = 3,
    commonest: Annotated[int, typer.Option(min=1, help="Adjectives of each source that a whole keeps.")] = 5,
    colours: Annotated[int, typer.Option(min=0, help="Colours that a pair keeps.")] = 1,
    without: Annotated[
        list[str] | None,
        typer.Option(
            help="Switch a rule off: same, nouns, repeated, parts, adjectives, attributive, descriptive, commonest, "
            "part, colours; repeatable."
        ),
    ] = None,
    released: Annotated[
        Path | None, typer.Option(help="Candidates that others made (whole,part,adjective): count what is shared.")
    ] = None,
    limit: Limit = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Candidates: what has which part, and what is said of it that is said of the part too. Nobody has judged them."""
    from horsesense.api.builders import partwhole as built
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        probe = built(
            relationships=relationships,
            relation_counts=relation_counts,
            wordnet=wordnet,
            conceptnet=conceptnet or (),
            genericskb=genericskb or (),
            attributes=attributes,
            ngrams=ngrams or (),
            text=text or (),
            predicates=predicate or ("have",),
            aliases=aliases,
            fewest=fewest,
            commonest=commonest,
            colours=colours,
            without=without or (),
            released=released,
            limit=limit,
            seed=seed,
            progress=progress,
        )
    write_built(out, probe, json)
