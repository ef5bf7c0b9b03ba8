"""``horsesense build``: make a probe from knowledge; one sub-command a method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from horsesense.cli.build_rica import rica
from horsesense.cli.output import Json, say_skipped
from horsesense.cli.written import AsPaper, Limit, Out, Seed, Ways, write_built
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from horsesense.methods.partwhole.pairs import Modifiers, Pairs
    from horsesense.watching import Watcher

Files = list[Path] | None
Read = TypeVar("Read")

build = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make a probe from knowledge.")


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
    from horsesense.api.probes import build as built

    options = {"source": source, "limit": limit, "seed": seed, "ways": ways, "as_paper": as_paper}
    write_built(out, built("wordnetqa", relation=relation, **options), json)


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
    from horsesense.api.probes import build as built

    options = {"source": source, "limit": limit, "seed": seed, "ways": ways, "as_paper": as_paper}
    write_built(out, built("dictionaryqa", **options), json)


@build.command("winoventi")
def winoventi(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEMAS", help="A table with noun, generic, exception and premise, or a folder of winoventi run."
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
    from dataclasses import replace

    from horsesense.methods.winoventi.building import build_winoventi
    from horsesense.methods.winoventi.checks import CheckedSchema, check_schema
    from horsesense.methods.winoventi.nouns import Noun, is_plural
    from horsesense.methods.winoventi.triplet_files import read_schemas
    from horsesense.records import Probe

    path = source / "schemas.tsv" if source.is_dir() else source
    if source.is_dir() and not path.is_file():
        raise UserError("the folder has no schemas.tsv", file=source, fix="run: horsesense winoventi run … to its end")
    read, skipped = read_schemas(path, skip_bad=skip_bad)

    def checked(schema: CheckedSchema) -> CheckedSchema:
        noun = schema.schema.triplet.noun
        objections = check_schema(schema.schema, Noun(noun, is_plural(noun))).objections
        return replace(schema, objections=tuple(dict.fromkeys((*schema.objections, *objections))))

    # A run's folder has its objections already; a table of one's own gets those that need no model.
    schemas = read if source.is_dir() else [checked(each) for each in read]
    probe = build_winoventi(
        schemas, machine=machine, literal=as_paper, keep_objections=unchecked, limit=limit, seed=seed
    )
    notes = {"bad lines skipped": len(skipped)} if skipped else {}
    write_built(out, Probe.of(probe.items, probe.card, notes), json)
    say_skipped(skipped)


@build.command("conjunctions")
def conjunctions(
    file: Annotated[Path, typer.Argument(help="A probe of Winograd schemas as sentences.")],
    out: Out,
    json: Json = False,
) -> None:
    """Pairs of a right sentence and the same with another conjunction (CATs), from Winograd schemas."""
    from horsesense.methods.cats.conjunctions import conjunction_probe
    from horsesense.records import read_probe

    if out.resolve() == file.resolve():
        raise UserError("the pairs would overwrite the schemas", file=out, fix="choose another name")
    try:
        probe = conjunction_probe(read_probe(file))
    except UserError as error:
        raise error.at(file) from None
    write_built(out, probe, json)


@build.command("duals")
def duals(
    file: Annotated[Path, typer.Argument(help="A probe of pairs: two sentences, one of them right.")],
    out: Out,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", help="insert-negation, remove-negation, antonym, swap-arguments; repeatable [all]."),
    ] = None,
    json: Json = False,
) -> None:
    """Propose dual instances by rule (CATs): negation, antonyms, swapped arguments, with the gold turned where due."""
    from horsesense.methods.cats.duals import make_duals
    from horsesense.records import read_probe

    if out.resolve() == file.resolve():
        raise UserError("the duals would overwrite the probe", file=out, fix="choose another name")
    probe = read_probe(file)
    try:
        made = make_duals(probe, rule or ())
    except UserError as error:
        raise error.at(file) from None
    write_built(out, made, json)


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
            help="Switch a rule off: same, nouns, repeated, adjectives, attributive, descriptive, commonest, part, "
            "colours; repeatable."
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
    from horsesense.cli.progress import Bars
    from horsesense.errors import unknown
    from horsesense.methods.partwhole import CandidatePlan, build_partwhole
    from horsesense.methods.partwhole.building import read_candidates
    from horsesense.methods.partwhole.pairs import HAS, read_aliases
    from horsesense.methods.partwhole.rules import SWITCHES, Rules

    for name in without or ():
        if name not in SWITCHES:
            raise unknown("rule", name, SWITCHES)
    for name in predicate or ():
        if name not in HAS:
            raise unknown("kind of predicate", name, HAS)
    other_names = read_aliases(aliases) if aliases else {}
    with Bars() as watcher:
        readers = _pair_readers(
            relationships, relation_counts, wordnet, conceptnet, genericskb, predicate or ["have"], other_names
        )
        pairs = [_read_next(watcher, "pairs", n, readers) for n in range(len(readers))]
        if not pairs:
            raise UserError(
                "no source of pairs is given", fix="give --relation-counts FILE, --wordnet, --conceptnet FILE …"
            )
        nouns = {noun for each in pairs for pair in each.counts for noun in pair}
        sources = _modifier_readers(attributes, ngrams, text, nouns, other_names)
        modifiers = [_read_next(watcher, "adjectives", n, sources) for n in range(len(sources))]
    plan = CandidatePlan(
        pairs=pairs,
        modifiers=modifiers,
        rules=Rules(frozenset(without or ()), fewest, commonest, colours),
        released=read_candidates(released) if released else (),
        limit=limit,
        seed=seed,
    )
    write_built(out, build_partwhole(plan), json)


def _read_next(watcher: Watcher, stage: str, number: int, readers: Sequence[Callable[[], Read]]) -> Read:
    watcher.at(stage, number, len(readers))
    return readers[number]()


def _pair_readers(
    relationships: Path | None,
    counts: Path | None,
    wordnet: bool,
    conceptnet: Files,
    genericskb: Files,
    kinds: Sequence[str],
    aliases: Mapping[str, str],
) -> list[Callable[[], Pairs]]:
    from functools import partial

    from horsesense.methods.partwhole.pairs import (
        conceptnet_pairs,
        genericskb_pairs,
        read_relation_counts,
        read_relationships,
        wordnet_pairs,
    )

    readers: list[Callable[[], Pairs]] = []
    if relationships:
        readers.append(partial(read_relationships, relationships, kinds, aliases))
    if counts:
        readers.append(partial(read_relation_counts, counts, kinds, aliases))
    if wordnet:
        readers.append(wordnet_pairs)
    if conceptnet:
        readers.append(partial(conceptnet_pairs, conceptnet))
    if genericskb:
        readers.append(partial(genericskb_pairs, genericskb))
    return readers


def _modifier_readers(
    attributes: Path | None, ngrams: Files, text: Files, nouns: set[str], aliases: Mapping[str, str]
) -> list[Callable[[], Modifiers]]:
    from functools import partial

    from horsesense.methods.partwhole.adjectives import read_syntactic_ngrams, read_text_modifiers
    from horsesense.methods.partwhole.pairs import read_attributes

    readers: list[Callable[[], Modifiers]] = []
    if attributes:
        readers.append(partial(read_attributes, attributes, aliases))
    if ngrams:
        readers.append(partial(read_syntactic_ngrams, ngrams, nouns))
    if text:
        readers.append(partial(read_text_modifiers, text, nouns))
    if not readers:
        raise UserError("no source of adjectives is given", fix="give --attributes FILE, --ngrams FILE or --text FILE")
    return readers
