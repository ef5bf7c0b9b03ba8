"""Cues of word form and of kinship: planted they are found, and they say what a plain loop says."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from horsesense.core import Item
from horsesense.cues.battery import Number, battery, number_scores
from horsesense.cues.table import table_of
from horsesense.lexicons.graph import Graph, build_graph
from horsesense.lexicons.sources import read_wordnet
from horsesense.lexicons.triples import Triple
from horsesense.lexicons.words import FUNCTION_WORDS, words
from tests.support.graph_walks import links_between
from tests.support.small_wordnet import write_small_wordnet

CUES = {cue.name: cue for cue in battery()}


def numbers(name: str, items: list[Item], taxonomy: Graph | None = None) -> list[float]:
    cue = CUES[name]
    assert isinstance(cue, Number)
    found: list[float] = number_scores(table_of(items, taxonomy=taxonomy), cue).tolist()
    return found


def item(question: str, *options: str, concepts: tuple[str, ...] = ()) -> Item:
    return Item(probe="p", form="choice", text=question, options=options, answer=0, concepts=concepts)


@pytest.fixture(scope="module")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("wordnet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        return read_wordnet(write_small_wordnet(folder))


def test_the_longest_common_beginning_counts_from_four_letters_on() -> None:
    asked = item("He spoke materialistically of cats", "in a material manner", "a cat", "a catastrophe", "of the")
    assert numbers("stem", [asked]) == [8, 0, 0, 0]


def test_edit_distance_is_that_of_a_plain_loop() -> None:
    chance = Random(3)
    vocabulary = ["".join(chance.choices("abcd", k=chance.randint(4, 7))) for _ in range(40)]
    items = [
        item(" ".join(chance.sample(vocabulary, 4)), *(" ".join(chance.sample(vocabulary, 3)) for _ in range(3)))
        for _ in range(20)
    ]
    expected = [
        max(1 - _edits(one, two) / max(len(one), len(two)) for one in words(option) for two in words(each.text))
        for each in items
        for option in each.options
    ]
    assert numbers("edit distance", items) == pytest.approx(expected, abs=1e-6)


def _edits(one: str, two: str) -> int:
    if not one or not two:
        return len(one) + len(two)
    changed = _edits(one[1:], two[1:]) + (one[0] != two[0]) if len(one) + len(two) < 9 else _rows(one, two)
    return changed if len(one) + len(two) >= 9 else min(changed, _edits(one[1:], two) + 1, _edits(one, two[1:]) + 1)


def _rows(one: str, two: str) -> int:
    table = np.zeros((len(one) + 1, len(two) + 1), dtype=int)
    table[:, 0], table[0] = range(len(one) + 1), range(len(two) + 1)
    for i, a in enumerate(one, 1):
        for j, b in enumerate(two, 1):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (a != b))
    return int(table[-1, -1])


def test_function_words_are_no_name() -> None:
    assert {"with", "from"} <= FUNCTION_WORDS
    assert np.isnan(numbers("edit distance", [item("with this from", "with", "from that")])).all()


def test_kinship_is_what_walking_the_links_gives(taxonomy: Graph) -> None:
    names = ("animal.n.01", "dog.n.01", "puppy.n.01", "tool.n.01", "run.v.01")
    asked = item("?", *names, concepts=names)
    above, below = numbers("above another", [asked], taxonomy), numbers("below another", [asked], taxonomy)
    assert above == [2, 1, 0, 0, 0]
    assert below == [0, 1, 2, 0, 0]
    near = numbers("near another", [asked], taxonomy)
    for place, name in enumerate(names):
        links = [links_between(taxonomy, name, other) for other in names if other != name]
        known = [count for count in links if count is not None]
        assert near[place] == -min(known) if known else np.isnan(near[place])


def test_derived_words_are_found(taxonomy: Graph) -> None:
    facts = [Triple("derivation", "speak", "speech", "speak", "speech"), Triple("lemma", "speech", "speech")]
    known = build_graph(taxonomy.origin, facts)
    assert numbers("derivation", [item("they speak", "a speech", "a dog")], known) == [1, 0]
