"""Build candidates as in section 3 of the paper: pairs, and adjectives of the whole that occur with the part.

`read_candidates` reads the published candidates, before annotation, to count which of ours are among them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from horsesense.core import Card, Item, Probe, Source
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.methods.partwhole import pairs as pair_readers
from horsesense.methods.partwhole.dataset import unjudged
from horsesense.methods.partwhole.pairs import (
    PREDICATES,
    Modifiers,
    Pairs,
    adjective_class,
    read_syntactic_ngrams,
    read_text_modifiers,
)
from horsesense.methods.partwhole.rules import RULES, CandidateRules, Sieve
from horsesense.methods.published.reading import Reading, fields_of
from horsesense.progress import NO_PROGRESS, Progress

AUDITS = {
    "strict": "Bad pairs: a language model audited 108 pairs that pass the rule parts. 7 were not parts, 6.5% [2.6%, "
    "12.9%], and 9 were unclear. It found 25 of 25 seeded errors.",
    "wide": "Bad pairs: a language model audited 119 pairs that pass the rule parts with wide evidence. "
    "11 were not parts, 9.2% [4.7%, 15.9%], and 5 were unclear. It found 30 of 30 seeded errors.",
}
"""Results of audits of mined pairs (docs/results/readings), by evidence; on the card of every probe built."""
WITHOUT_PARTS = "Bad pairs: about one in three in an audit without the rule parts, which is off here."

Triple = tuple[str, str, str]
"""Whole, part, adjective."""


@dataclass(frozen=True, slots=True)
class PairSources:
    """Sources of pairs: files and lexicons with wholes and their parts."""

    relationships: str | Path | None = None
    """File relationships.json of Visual Genome."""
    relation_counts: str | Path | None = None
    """Table with subject, predicate, object and count, where relations are counted, not images."""
    wordnet: bool = False
    """Use WordNet's meronyms."""
    conceptnet: Sequence[str | Path] = ()
    """ConceptNet file, for HasA and PartOf."""
    genericskb: Sequence[str | Path] = ()
    """GenericsKB file, for has-part statements."""
    predicates: Sequence[str] = ("have",)
    """Kind of predicate that indicates a part: have, with, of, on."""
    aliases: str | Path | None = None
    """Other names of objects, one line per object: canonical,alias,…"""

    def __post_init__(self) -> None:
        for name in self.predicates:
            if name not in PREDICATES:
                raise unknown("kind of predicate", name, PREDICATES)


@dataclass(frozen=True, slots=True)
class AdjectiveSources:
    """Sources of adjectives: files with adjectives of nouns."""

    attributes: str | Path | None = None
    """File attributes.json of Visual Genome."""
    ngrams: Sequence[str | Path] = ()
    """File of Google's syntactic n-grams (arcs)."""
    text: Sequence[str | Path] = ()
    """Text corpus, in which adjectives are found by a pattern."""


def build_partwhole(
    pairs: Sequence[Pairs],
    modifiers: Sequence[Modifiers],
    rules: CandidateRules | None = None,
    published: Collection[Triple] = (),
    limit: int | None = None,
    seed: int = 0,
) -> Probe:
    """Build unlabelled triples; the notes count what each rule rejected.

    A whole keeps the commonest adjectives of each source. Each triple records whether it is among the published ones.
    """
    if not pairs or not modifiers:
        missing = "pairs of whole and part" if not pairs else "adjectives"
        raise UserError(f"no source of {missing} is given", fix="see docs/methods/partwhole.md for those there are")
    sieve = Sieve(rules or CandidateRules())
    candidates = sieve.pairs(pairs)
    if not candidates:
        raise UserError(
            "no pair of whole and part is left", fix=f"give more sources, or a smaller {argument('fewest')}"
        )
    ranked = {each.source: sieve.adjectives(each, (whole for whole, _ in candidates)) for each in modifiers}
    seen: dict[str, set[str]] = defaultdict(set)
    for each in modifiers:
        for noun, adjectives in each.counts.items():
            seen[noun].update(adjectives)
    items = []
    for (whole, part), names in sorted(candidates.items()):
        having: dict[str, list[str]] = {}
        for adjective_source, by_whole in ranked.items():
            for word in by_whole.get(whole, ()):
                having.setdefault(word, []).append(adjective_source)
        for word in sieve.triples((whole, part), tuple(having), seen):
            source = Source(triples=(("has-part", whole, part), ("has-property", whole, word)))
            item = unjudged(whole, part, word, source)
            facets = {
                "adjective_source": "+".join(having[word]),
                "pair_source": "+".join(dict.fromkeys(names)),
                "adjective_class": adjective_class(word),
            }
            if published:
                facets["released"] = "yes" if (whole, part, word) in published else "no"
            items.append(replace(item, facets={**item.facets, **facets}))
    if not items:
        raise UserError(
            "no triple is left", fix=f"give more text, or switch a rule off ({argument('without', 'part')})"
        )
    sources: list[Pairs | Modifiers] = [*pairs, *modifiers]
    notes = Counter({f"{why} ({each.source})": count for each in sources for why, count in each.left_out.items()})
    for name in {each.source for each in pairs}:
        notes[f"pairs kept from {name}"] = sum(name in names for names in candidates.values())
    notes.update(sieve.rejected)
    if published:
        released = {triple[:2] for triple in published}
        notes["pairs among the released before the rule parts"] = len(released & sieve.before_parts)
        notes["pairs among the released after it"] = len(released & candidates.keys())
        notes.update(overlap(items, published))
    if limit is not None and limit < len(items):
        sampled = set(random.Random(seed).sample(range(len(items)), limit))
        items = [item for index, item in enumerate(items) if index in sampled]
    card = Card(
        name="partwhole",
        method="partwhole",
        licence=" and ".join(dict.fromkeys(e.licence for e in sources if e.licence)),
        made=_how_made(pairs, modifiers, sieve.rules),
        seed=seed,
        group="whole",
    )
    return Probe.of(items, card, {note: count for note, count in sorted(notes.items()) if count})


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


def _how_made(pairs: Sequence[Pairs], modifiers: Sequence[Modifiers], rules: CandidateRules) -> str:
    facts = ", ".join(f"{each.source} ({each.unit})" for each in pairs)
    words = ", ".join(each.source for each in modifiers)
    off = [name for name in RULES if not rules.on(name)]
    description = f"Pairs from {facts}; adjectives from {words}; nobody has judged them yet."
    description += f" Rules switched off: {', '.join(off)}." if off else ""
    return f"{description} {WITHOUT_PARTS if 'parts' in off else AUDITS[rules.evidence]}"


def read_candidates(path: Path) -> set[Triple]:
    """Read a file of candidates: ``whole,part,adjective`` per line, no header."""
    triples: set[Triple] = set()
    for number, raw in Reading().lines(path):
        fields = [field.strip() for field in fields_of(raw, ",", quoted=True)]
        if len(fields) != 3 or not all(fields):
            raise UserError("this is not a candidate", file=path, line=number, fix="write whole,part,adjective")
        triples.add((fields[0], fields[1], fields[2]))
    return triples


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
    sources, words = pairs or PairSources(), adjectives or AdjectiveSources()
    aliases = pair_readers.read_aliases(Path(sources.aliases)) if sources.aliases else {}
    of_pairs = (
        (sources.relationships, partial(pair_readers.read_relationships, kinds=sources.predicates, aliases=aliases)),
        (
            sources.relation_counts,
            partial(pair_readers.read_relation_counts, kinds=sources.predicates, aliases=aliases),
        ),
        (sources.wordnet, pair_readers.wordnet_pairs),
        (sources.conceptnet, pair_readers.conceptnet_pairs),
        (sources.genericskb, pair_readers.genericskb_pairs),
    )
    known: list[Pairs] = _read_all(of_pairs, "pairs", ("relation_counts", "wordnet", "conceptnet"), progress)
    nouns = {noun for each in known for pair in each.counts for noun in pair}
    of_adjectives = (
        (words.attributes, partial(pair_readers.read_attributes, aliases=aliases)),
        (words.ngrams, partial(read_syntactic_ngrams, nouns=nouns)),
        (words.text, partial(read_text_modifiers, nouns=nouns)),
    )
    modifiers: list[Modifiers] = _read_all(of_adjectives, "adjectives", ("attributes", "ngrams", "text"), progress)
    triples = read_candidates(Path(published)) if published else ()
    return build_partwhole(known, modifiers, rules, triples, limit, seed)


def _read_all(
    readers: Sequence[tuple[str | Path | Sequence[str | Path] | bool | None, Callable[..., Any]]],
    stage: str,
    options: Sequence[str],
    progress: Progress,
) -> list[Any]:
    """Read every source that is given: a file, several files, or a lexicon; ``options`` are named if none is."""
    named_sources = [(value, read) for value, read in readers if value]
    if not named_sources:
        *others, last = (argument(name, *([] if name == "wordnet" else ["FILE"])) for name in options)
        raise UserError(f"no source of {stage} is given", fix=f"give {', '.join(others)} or {last}")
    sources = []
    for i, (value, read) in enumerate(named_sources):
        progress.update(stage, i, len(named_sources))
        if value is True:
            sources.append(read())
        elif isinstance(value, str | Path):
            sources.append(read(Path(value)))
        elif value:
            sources.append(read([Path(file) for file in value]))
    return sources
