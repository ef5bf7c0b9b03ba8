"""``horsesense build partwhole``: wholes, parts and adjectives to ask about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from horsesense.cli.build.writing import Limit, Out, Seed, write_built
from horsesense.cli.output import Json
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from horsesense.probes.partwhole.mined import Modifiers, Pairs

Files = list[Path] | None
Read = TypeVar("Read")


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
    from horsesense.cli.stages import stages
    from horsesense.errors import unknown
    from horsesense.probes.partwhole import Plan, build_partwhole
    from horsesense.probes.partwhole.released_candidates import read_candidates
    from horsesense.probes.partwhole.rules import SWITCHES, Rules
    from horsesense.probes.partwhole.visual_genome import HAS, read_aliases

    for name in without or ():
        if name not in SWITCHES:
            raise unknown("rule", name, SWITCHES)
    for name in predicate or ():
        if name not in HAS:
            raise unknown("kind of predicate", name, HAS)
    other_names = read_aliases(aliases) if aliases else {}
    with stages() as tick:
        readers = _pair_readers(
            relationships, relation_counts, wordnet, conceptnet, genericskb, predicate or ["have"], other_names
        )
        pairs = [_told(tick, "pairs", n, readers) for n in range(len(readers))]
        if not pairs:
            raise UserError(
                "no source of pairs is given", fix="give --relation-counts FILE, --wordnet, --conceptnet FILE …"
            )
        nouns = {noun for each in pairs for pair in each.counts for noun in pair}
        sources = _modifier_readers(attributes, ngrams, text, nouns, other_names)
        modifiers = [_told(tick, "adjectives", n, sources) for n in range(len(sources))]
    plan = Plan(
        pairs=pairs,
        modifiers=modifiers,
        rules=Rules(frozenset(without or ()), fewest, commonest, colours),
        released=read_candidates(released) if released else (),
        limit=limit,
        seed=seed,
    )
    write_built(out, build_partwhole(plan), json)


def _told(
    tick: Callable[[str, int, int], None], stage: str, number: int, readers: Sequence[Callable[[], Read]]
) -> Read:
    tick(stage, number, len(readers))
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

    from horsesense.probes.partwhole.facts import conceptnet_pairs, genericskb_pairs, wordnet_pairs
    from horsesense.probes.partwhole.visual_genome import read_relation_counts, read_relationships

    found: list[Callable[[], Pairs]] = []
    if relationships:
        found.append(partial(read_relationships, relationships, kinds, aliases))
    if counts:
        found.append(partial(read_relation_counts, counts, kinds, aliases))
    if wordnet:
        found.append(wordnet_pairs)
    if conceptnet:
        found.append(partial(conceptnet_pairs, conceptnet))
    if genericskb:
        found.append(partial(genericskb_pairs, genericskb))
    return found


def _modifier_readers(
    attributes: Path | None, ngrams: Files, text: Files, nouns: set[str], aliases: Mapping[str, str]
) -> list[Callable[[], Modifiers]]:
    from functools import partial

    from horsesense.probes.partwhole.modifiers import read_syntactic_ngrams, read_text_modifiers
    from horsesense.probes.partwhole.visual_genome import read_attributes

    found: list[Callable[[], Modifiers]] = []
    if attributes:
        found.append(partial(read_attributes, attributes, aliases))
    if ngrams:
        found.append(partial(read_syntactic_ngrams, ngrams, nouns))
    if text:
        found.append(partial(read_text_modifiers, text, nouns))
    if not found:
        raise UserError("no source of adjectives is given", fix="give --attributes FILE, --ngrams FILE or --text FILE")
    return found
