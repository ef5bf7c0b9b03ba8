"""The nearness and rarity ladders: what kind of living thing a word names, among other living things.

Nearness asks about the same words at every level; the distractors come closer in the taxonomy, and on the top level
they are also as related to the word as the answer is. Rarity asks about rarer and rarer words, all with near
distractors. A distractor is certainly false because its biological taxon excludes that of the asked word; the taxa are
stored with the item.

The questions are in ``taxa.tsv``, so that no encoder is needed: ladder, level, asked concept, answer and distractors by
their ids in WordNet 3.0. ``tools/store_near.py ladders`` writes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from horsesense.core import Item, Source
from horsesense.cues.relatedness import Encoder
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import looks_alike
from horsesense.methods.wordnetqa.attested import AttestedConcepts, sense_number
from horsesense.methods.wordnetqa.certainty_rules import CertaintyRules
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.near_distractors import frequency, links_between
from horsesense.methods.wordnetqa.rank_balance import UnitVectors

FILE = "taxa.tsv"
NEARNESS = ("random", "distance 4", "distance 3", "distance 2", "near and as related")
RARITY = ("Zipf 3 or more", "Zipf 2 to 3", "Zipf below 2")
LEVEL_NAMES = {"nearness": NEARNESS, "rarity": RARITY}
_DISTANCES: tuple[frozenset[int], ...] = (
    frozenset(range(7, 40)),
    frozenset({4}),
    frozenset({3}),
    frozenset({2}),
    frozenset({2, 3, 4}),
)
_LEAST = (3.0, 2.0, 0.0)
_IN_USE = 1.8
"""Frequency (Zipf) of a word of the nearness ladder."""
_OFFERED = 1.5
"""Frequency (Zipf) of an option."""
_OTHERS = 4
_MOST_HOPS = 3
_MOST_RIGHT = 10
"""Times that a kind is the answer on one level."""
_TEMPLATE = "Which of the following is '{word}' a kind of?"


# The ladders as items.


@cache
def _rows() -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    lines = Path(__file__).with_name(FILE).read_text(encoding="utf-8").splitlines()
    split = (line.split("\t") for line in lines if not line.startswith("#"))
    return tuple((ladder, int(level), tuple(ids)) for ladder, level, *ids in split)


def taxa_items(graph: Graph, ladder: str, levels: Sequence[int], families: int, seed: int) -> list[Item]:
    """Return ``families`` questions on each level, the first of the file or, with another seed, some of it."""
    names = LEVEL_NAMES[ladder]
    for level in levels:
        if not 0 <= level < len(names):
            raise UserError(f"the {ladder} ladder has no level {level}", fix=f"use levels from 0 to {len(names) - 1}")
    disjoint = Disjointness(graph)
    items: list[Item] = []
    for level in levels:
        rows = [ids for name, at, ids in _rows() if (name, at) == (ladder, level)]
        if seed:
            # The same words on every level of nearness.
            Random(f"{ladder} {seed} {level if ladder == 'rarity' else ''}").shuffle(rows)
        if len(rows) < families:
            raise UserError(f"level {level} of the {ladder} ladder has {len(rows)} questions", fix="ask for fewer")
        items += [_item(graph, disjoint, ladder, level, ids, seed) for ids in rows[:families]]
    return items


def _item(graph: Graph, disjoint: Disjointness, ladder: str, level: int, ids: Sequence[str], seed: int) -> Item:
    asked, answer, *others = ids
    word = graph.lemmas[graph.number[asked]][0]
    options = [answer, *others]
    Random(f"{seed} {ladder} {level} {asked}").shuffle(options)
    certificates = ((other, disjoint.certificate(graph.number[asked], graph.number[other])) for other in others)
    return Item(
        f"ladder-{ladder}",
        "choice",
        text=_TEMPLATE.replace("{word}", word),
        options=tuple(graph.lemmas[graph.number[each]][0] for each in options),
        answer=options.index(answer),
        concepts=tuple(options),
        family=f"{ladder}-{level}-{asked}",
        groups={"asked": asked, "answer": answer},
        facets={
            "task": ladder,
            "level": level,
            "level_name": LEVEL_NAMES[ladder][level],
            "zipf": round(frequency(word), 1),
            "status": "asserted",
        },
        source=Source(
            file=FILE,
            triples=(
                ("hypernymy", asked, answer),
                *((f"not, by {reason}", asked, other) for other, reason in certificates),
            ),
            licence=graph.origin.licence,
        ),
    )


# How the file is made.


class _Taxa:
    """Living things that can be asked about and offered."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.disjoint = graph, Disjointness(graph)
        attested = AttestedConcepts(graph, CertaintyRules(graph))
        self.living = [
            concept
            for concept in range(len(graph))
            if graph.pos[concept] == "n"
            and self.disjoint.taxa(concept)
            and not self.disjoint.is_taxon(concept)
            and attested.shown(concept)
        ]
        self._known: dict[int, list[tuple[int, int]]] = {}
        # Offered are groups with a taxon of their own: a pest or a female may be of any kind.
        self.offered = {
            concept
            for concept in self.living
            if graph.members.get(concept) and frequency(self.name(concept)) >= _OFFERED and graph.down.reached(concept)
        }

    def name(self, concept: int) -> str:
        return self.graph.lemmas[concept][0]

    def stems(self) -> list[_Stem]:
        """Return words in their first sense with a kind at most `_MOST_HOPS` above: the nearest one that the word does
        not give away and that has enough others around it."""
        graph, found = self.graph, []
        for asked in self.living:
            if sense_number(graph, asked) != 1:
                continue
            kinds = [other for other, hops in graph.up.row(asked) if hops <= _MOST_HOPS and other in self.offered]
            clear = [other for other in kinds if not looks_alike(self.name(asked), self.name(other))]
            able = [_Stem(asked, answer, self._candidates(asked, answer)) for answer in clear]
            crowded = (stem for stem in able if min(map(stem.count, _DISTANCES[:-1])) >= _OTHERS)
            found += [stem for stem in (next(crowded, None), *able[:1]) if stem is not None][:1]
        return found

    def _candidates(self, asked: int, answer: int) -> dict[int, int]:
        """Return what may be offered beside the answer, with its distance from it."""
        taxa, all_taxa = self.disjoint.taxa(asked), self.disjoint.all_taxa(asked)
        word = self.name(asked)
        found = {}
        for other, far in self._around(answer):
            excluded = taxa.isdisjoint(self.disjoint.all_taxa(other)) and all_taxa.isdisjoint(self.disjoint.taxa(other))
            if excluded and not self.disjoint.comparable(asked, other) and not looks_alike(word, self.name(other)):
                found[other] = far
        return found

    def _around(self, answer: int) -> list[tuple[int, int]]:
        """Return what can be offered with an answer, with its distance."""
        if answer not in self._known:
            others = (other for other in sorted(self.offered) if self.apart(other, answer))
            self._known[answer] = [(other, links_between(self.graph, answer, other)) for other in others]
        return self._known[answer]

    def apart(self, one: int, other: int) -> bool:
        """Return whether two options can be offered together: neither is above the other, and their names differ."""
        above = self.disjoint.above
        return one not in above(other) and other not in above(one) and self.name(one) != self.name(other)


@dataclass(frozen=True, slots=True)
class _Stem:
    """A word, its kind, and other kinds with their distance from it."""

    asked: int
    answer: int
    candidates: Mapping[int, int]

    def count(self, distances: frozenset[int]) -> int:
        return sum(far in distances for far in self.candidates.values())


class _Chooser:
    """Chooses distractors that are right elsewhere about as often as they are wrong, one time in four."""

    def __init__(self, taxa: _Taxa, stems: Sequence[_Stem], seed: str) -> None:
        self.taxa, self.rng = taxa, Random(seed)
        self.right = Counter(stem.answer for stem in stems)
        self.wrong: Counter[int] = Counter()

    def choose(self, stem: _Stem, groups: Sequence[tuple[Sequence[int], int]]) -> tuple[int, ...]:
        """Return so many candidates of each group, none above another; nothing where there are too few."""
        chosen: list[int] = []
        for candidates, needed in groups:
            taken = 0
            order = self.rng.sample(candidates, len(candidates))
            for other in sorted(order, key=lambda each: (self.wrong[each] + 1) / (_OTHERS * self.right[each] + 0.5)):
                if taken < needed and all(self.taxa.apart(other, each) for each in chosen):
                    chosen.append(other)
                    taken += 1
            if taken < needed:
                return ()
        self.wrong.update(chosen)
        return tuple(chosen)


def _at_distance(taxa: _Taxa, stems: Sequence[_Stem], distances: frozenset[int]) -> dict[int, tuple[int, ...]]:
    chooser = _Chooser(taxa, stems, f"distance {sorted(distances)}")
    made = {
        stem.asked: chooser.choose(stem, [([o for o, far in stem.candidates.items() if far in distances], _OTHERS)])
        for stem in stems
    }
    return {asked: chosen for asked, chosen in made.items() if chosen}


def _as_related(
    taxa: _Taxa, stems: Sequence[_Stem], distances: frozenset[int], encoders: Sequence[Encoder], most: int
) -> dict[int, tuple[int, ...]]:
    """Return near distractors of which 0 to 4 are closer to the word than the answer by every encoder, and the others
    farther by every encoder: each number for one stem in five."""
    names = sorted({other for stem in stems for other in (stem.answer, *stem.candidates)})
    column = {other: index for index, other in enumerate(names)}
    texts = [_TEMPLATE.replace("{word}", taxa.name(stem.asked)) for stem in stems]
    similar = []
    for encoder in map(UnitVectors, encoders):
        similar.append(encoder.vectors(texts) @ encoder.vectors([taxa.name(other) for other in names]).T)
    chooser = _Chooser(taxa, stems, "as related")
    counts: Counter[int] = Counter()
    made: dict[int, tuple[int, ...]] = {}
    for index, stem in enumerate(stems):
        near = [other for other, far in stem.candidates.items() if far in distances]
        own = [table[index, column[stem.answer]] for table in similar]
        gaps = {o: [table[index, column[o]] - mine for table, mine in zip(similar, own, strict=True)] for o in near}
        closer = [other for other in near if min(gaps[other]) > 0]
        farther = [other for other in near if max(gaps[other]) < 0]
        for wanted in sorted(range(_OTHERS + 1), key=lambda number: counts[number]):
            if counts[wanted] < most // (_OTHERS + 1):
                chosen = chooser.choose(stem, [(closer, wanted), (farther, _OTHERS - wanted)])
                if chosen:
                    made[stem.asked] = chosen
                    counts[wanted] += 1
                    break
    return made


FAMILIES = 120
"""Families per level."""


def choose_taxa(graph: Graph, encoders: Sequence[Encoder]) -> list[str]:
    """Return the lines of `FILE`."""
    taxa = _Taxa(graph)
    stems = taxa.stems()
    Random("taxa").shuffle(stems)
    lines: list[str] = []

    def add(ladder: str, level: int, stem: _Stem, distractors: Sequence[int]) -> None:
        ids = (graph.ids[concept] for concept in (stem.asked, stem.answer, *distractors))
        lines.append("\t".join((ladder, str(level), *ids)))

    in_use = _few_of_each([stem for stem in stems if frequency(taxa.name(stem.asked)) >= _IN_USE])
    for distances in _DISTANCES[:-1]:
        able = _at_distance(taxa, in_use, distances)
        in_use = [stem for stem in in_use if stem.asked in able]
    top = _as_related(taxa, in_use, _DISTANCES[-1], encoders, FAMILIES)
    in_use = [stem for stem in in_use if stem.asked in top]
    for level, distances in enumerate(_DISTANCES):
        chosen = top if level == len(_DISTANCES) - 1 else _at_distance(taxa, in_use, distances)
        for stem in in_use:
            add("nearness", level, stem, chosen[stem.asked])
    for level, least in enumerate(_LEAST):
        below = _LEAST[level - 1] if level else 9.0
        band = _few_of_each([stem for stem in stems if least <= frequency(taxa.name(stem.asked)) < below])
        chosen = _as_related(taxa, band, _DISTANCES[-1], encoders, FAMILIES)
        for stem in band:
            if stem.asked in chosen:
                add("rarity", level, stem, chosen[stem.asked])
    return lines


def _few_of_each(stems: Sequence[_Stem]) -> list[_Stem]:
    """Return at most `_MOST_RIGHT` stems of one answer."""
    room: Counter[int] = Counter()
    kept = []
    for stem in stems:
        room[stem.answer] += 1
        if room[stem.answer] <= _MOST_RIGHT:
            kept.append(stem)
    return kept


def write_taxa(graph: Graph, encoders: Sequence[Encoder], file: Path) -> None:
    """Write `FILE`."""
    head = "# ladder, level, asked concept, answer, distractors; written by tools/store_near.py"
    file.write_text("\n".join([head, *choose_taxa(graph, encoders)]) + "\n", encoding="utf-8")
