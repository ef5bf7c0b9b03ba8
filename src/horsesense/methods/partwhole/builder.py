"""Build candidates as in section 3 of the paper: pairs, and adjectives of the whole that occur with the part.

`read_candidates` reads the published candidates, before annotation, to count which of ours are among them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from annotated_types import Ge

from horsesense.core import Card, Item, Probe, Source
from horsesense.errors import UserError, argument, translate_errors
from horsesense.methods.partwhole import pairs as pair_readers
from horsesense.methods.partwhole.adjectives import adjective_class, read_syntactic_ngrams, read_text_modifiers
from horsesense.methods.partwhole.dataset import unjudged
from horsesense.methods.partwhole.pairs import Modifiers, Pair, Pairs
from horsesense.methods.partwhole.rules import Sieve
from horsesense.methods.partwhole.settings import RULES, AdjectiveSources, CandidateRules, PairSources
from horsesense.methods.published.reading import Reading, fields_of
from horsesense.progress import NO_PROGRESS, Progress

READ = (
    "Bad pairs: a language model audited 148 pairs that passed the rule parts (60 of Visual Genome, 30 of each other "
    "source, before deduplication). 4 were not parts, 2.7% [0.7%, 6.8%], and 10 were unclear. It found 33 of 40 seeded "
    "errors."
)
"""Result of an audit of mined pairs (docs/results/readings); on the card of every probe built with these rules."""
WITHOUT_PARTS = "Bad pairs: about one in three in an audit without the rule parts, which is off here."

Triple = tuple[str, str, str]
"""Whole, part, adjective."""


@dataclass(frozen=True, slots=True)
class CandidatePlan:
    """Sources and rules of candidates."""

    pairs: Sequence[Pairs]
    modifiers: Sequence[Modifiers]
    """Adjectives by source; a whole keeps the commonest of each source."""
    rules: CandidateRules = field(default_factory=CandidateRules)
    published: Collection[Triple] = ()
    """Published candidates; each of ours records whether it is among them."""
    limit: int | None = None
    seed: int = 0


def build_partwhole(plan: CandidatePlan) -> Probe:
    """Build unlabelled triples; the notes count what each rule rejected."""
    if not plan.pairs or not plan.modifiers:
        missing = "pairs of whole and part" if not plan.pairs else "adjectives"
        raise UserError(f"no source of {missing} is given", fix="see docs/methods/partwhole.md for those there are")
    sieve = Sieve(plan.rules)
    pairs = sieve.pairs(plan.pairs)
    if not pairs:
        raise UserError(
            "no pair of whole and part is left", fix=f"give more sources, or a smaller {argument('fewest')}"
        )
    ranked = {each.source: sieve.adjectives(each, (whole for whole, _ in pairs)) for each in plan.modifiers}
    seen: dict[str, set[str]] = defaultdict(set)
    for each in plan.modifiers:
        for noun, adjectives in each.counts.items():
            seen[noun].update(adjectives)
    items = [item for pair in sorted(pairs) for item in _items(pair, pairs[pair], ranked, sieve, seen, plan)]
    if not items:
        raise UserError(
            "no triple is left", fix=f"give more text, or switch a rule off ({argument('without', 'part')})"
        )
    sources: list[Pairs | Modifiers] = [*plan.pairs, *plan.modifiers]
    notes = Counter({f"{why} ({each.source})": count for each in sources for why, count in each.left_out.items()})
    for name in {each.source for each in plan.pairs}:
        notes[f"pairs kept from {name}"] = sum(name in names for names in pairs.values())
    notes.update(sieve.rejected)
    if plan.published:
        notes.update(overlap(items, plan.published))
    if plan.limit is not None and plan.limit < len(items):
        sampled = set(random.Random(plan.seed).sample(range(len(items)), plan.limit))
        items = [item for place, item in enumerate(items) if place in sampled]
    card = Card(
        name="partwhole",
        method="partwhole",
        licence=" and ".join(dict.fromkeys(e.licence for e in sources if e.licence)),
        made=_how_made(plan),
        seed=plan.seed,
        group="whole",
    )
    return Probe.of(items, card, {note: count for note, count in sorted(notes.items()) if count})


def _items(
    pair: Pair,
    sources: tuple[str, ...],
    ranked: Mapping[str, Mapping[str, Sequence[str]]],
    sieve: Sieve,
    seen: Mapping[str, set[str]],
    plan: CandidatePlan,
) -> list[Item]:
    whole, part = pair
    having: dict[str, list[str]] = {}
    for adjective_source, adjectives in ranked.items():
        for word in adjectives.get(whole, ()):
            having.setdefault(word, []).append(adjective_source)
    items = []
    for word in sieve.triples(pair, tuple(having), seen):
        source = Source(triples=(("has-part", whole, part), ("has-property", whole, word)))
        item = unjudged(whole, part, word, source)
        facets = {
            "adjective_source": "+".join(having[word]),
            "pair_source": "+".join(dict.fromkeys(sources)),
            "adjective_class": adjective_class(word),
        }
        if plan.published:
            facets["released"] = "yes" if (whole, part, word) in plan.published else "no"
        items.append(replace(item, facets={**item.facets, **facets}))
    return items


def overlap(items: Sequence[Item], published: Collection[Triple]) -> dict[str, int]:
    """Count our triples and pairs among the published ones, and the published ones that our nouns allow."""
    ours = {(i.groups["whole"], i.groups["part"], i.groups["adjective"]) for i in items}
    theirs = set(published)
    pairs, known = {triple[:2] for triple in ours}, {triple[:2] for triple in theirs}
    nouns = {noun for pair in pairs for noun in pair}
    return {
        "triples among the released": len(ours & theirs),
        "pairs": len(pairs),
        "pairs among the released": len(pairs & known),
        "released triples of nouns that are here": sum({*triple[:2]} <= nouns for triple in theirs),
        "triples of released pairs": sum(triple[:2] in known for triple in ours),
    }


def _how_made(plan: CandidatePlan) -> str:
    pairs = ", ".join(f"{each.source} ({each.unit})" for each in plan.pairs)
    words = ", ".join(each.source for each in plan.modifiers)
    off = [name for name in RULES if not plan.rules.on(name)]
    made = f"Pairs from {pairs}; adjectives from {words}; nobody has judged them yet."
    made += f" Rules switched off: {', '.join(off)}." if off else ""
    return f"{made} {WITHOUT_PARTS if 'parts' in off else READ}"


def read_candidates(path: Path) -> set[Triple]:
    """Read a file of candidates: ``whole,part,adjective`` per line, no header."""
    triples: set[Triple] = set()
    for number, raw in Reading().lines(path):
        fields = [field.strip() for field in fields_of(raw, ",", quoted=True)]
        if len(fields) != 3 or not all(fields):
            raise UserError("this is not a candidate", file=path, line=number, fix="write whole,part,adjective")
        triples.add((fields[0], fields[1], fields[2]))
    return triples


_Source = TypeVar("_Source")


@translate_errors()
def build(
    *,
    pairs: PairSources | None = None,
    adjectives: AdjectiveSources | None = None,
    rules: CandidateRules | None = None,
    published: str | Path | None = None,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> Probe:
    """Build candidate triples: a whole, its part, and an adjective that is used with both. They have no labels.

    Args:
        pairs: Sources of pairs.
        adjectives: Sources of adjectives.
        rules: Rules.
        published: Published candidates (whole,part,adjective) to count shared ones.
        limit: Maximum number of items.
        seed: Random seed.
        progress: Progress callback.

    Returns:
        The probe; the notes on its card count what each rule rejected.
    """
    sources = pairs or PairSources()
    aliases = pair_readers.read_aliases(Path(sources.aliases)) if sources.aliases else {}
    known = _read_all(_pair_readers(sources, aliases), "pairs", progress)
    nouns = {noun for each in known for pair in each.counts for noun in pair}
    modifiers = _read_all(_modifier_readers(adjectives or AdjectiveSources(), nouns, aliases), "adjectives", progress)
    plan = CandidatePlan(
        pairs=known,
        modifiers=modifiers,
        rules=rules or CandidateRules(),
        published=read_candidates(Path(published)) if published else (),
        limit=limit,
        seed=seed,
    )
    return build_partwhole(plan)


def _read_all(readers: Sequence[Callable[[], _Source]], stage: str, progress: Progress) -> list[_Source]:
    sources = []
    for i, read in enumerate(readers):
        progress.update(stage, i, len(readers))
        sources.append(read())
    return sources


def _pair_readers(sources: PairSources, aliases: dict[str, str]) -> list[Callable[[], Pairs]]:
    readers: list[Callable[[], Pairs]] = []
    if sources.relationships:
        readers.append(
            partial(pair_readers.read_relationships, Path(sources.relationships), sources.predicates, aliases)
        )
    if sources.relation_counts:
        readers.append(
            partial(pair_readers.read_relation_counts, Path(sources.relation_counts), sources.predicates, aliases)
        )
    if sources.wordnet:
        readers.append(pair_readers.wordnet_pairs)
    if sources.conceptnet:
        readers.append(partial(pair_readers.conceptnet_pairs, [Path(file) for file in sources.conceptnet]))
    if sources.genericskb:
        readers.append(partial(pair_readers.genericskb_pairs, [Path(file) for file in sources.genericskb]))
    if not readers:
        raise UserError(
            "no source of pairs is given",
            fix=f"give {argument('relation_counts', 'FILE')}, {argument('wordnet')}, "
            f"{argument('conceptnet', 'FILE')} …",
        )
    return readers


def _modifier_readers(
    sources: AdjectiveSources, nouns: set[str], aliases: dict[str, str]
) -> list[Callable[[], Modifiers]]:
    readers: list[Callable[[], Modifiers]] = []
    if sources.attributes:
        readers.append(partial(pair_readers.read_attributes, Path(sources.attributes), aliases))
    if sources.ngrams:
        readers.append(partial(read_syntactic_ngrams, [Path(file) for file in sources.ngrams], nouns))
    if sources.text:
        readers.append(partial(read_text_modifiers, [Path(file) for file in sources.text], nouns))
    if not readers:
        raise UserError(
            "no source of adjectives is given",
            fix=f"give {argument('attributes', 'FILE')}, {argument('ngrams', 'FILE')} or {argument('text', 'FILE')}",
        )
    return readers
