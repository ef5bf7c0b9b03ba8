"""The nearness and rarity ladders: the same words at each level, distractors excluded by their taxa."""

from __future__ import annotations

from collections import Counter

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.methods.ladders.taxa import NEARNESS, RARITY
from horsesense.methods.ladders.thresholds import build_ladder
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.near_distractors import links_between


@pytest.fixture(scope="module")
def wordnet() -> Graph:
    graph = find_wordnet_graph()
    if graph is None or graph.origin.version != "3.0":
        pytest.skip("WordNet 3.0 is not here (horsesense fetch wordnet)")
    return graph


@pytest.fixture(scope="module")
def nearness(wordnet: Graph) -> Probe:
    return build_ladder("nearness", families=30)


def test_nearness_asks_the_same_words_at_every_level(nearness: Probe) -> None:
    words: dict[object, set[str]] = {}
    for item in nearness.items:
        words.setdefault(item.facets["level_name"], set()).add(item.groups["asked"])
    assert list(words) == list(NEARNESS)
    assert len({frozenset(each) for each in words.values()}) == 1
    assert all(len(each) == 30 for each in words.values())


def test_distractors_are_excluded_by_their_taxa_at_the_stated_distance(wordnet: Graph, nearness: Probe) -> None:
    disjoint, number = Disjointness(wordnet), wordnet.number
    for item in nearness.items:
        assert item.answer is not None
        answer = number[item.concepts[item.answer]]
        assert answer in disjoint.above(number[item.groups["asked"]])
        for name in set(item.concepts) - {wordnet.ids[answer]}:
            other = number[name]
            assert disjoint.certificate(number[item.groups["asked"]], other).startswith("taxa: ")
            links = links_between(wordnet, answer, other)
            level = int(item.facets["level"])
            assert (
                links == {1: 4, 2: 3, 3: 2}[level] if level in (1, 2, 3) else links >= 7 if level == 0 else links <= 4
            )


def test_rarity_asks_rarer_words_level_by_level(wordnet: Graph) -> None:
    items = build_ladder("rarity", families=30).items
    assert Counter(item.facets["level_name"] for item in items) == dict.fromkeys(RARITY, 30)
    zipf = {level: [float(i.facets["zipf"]) for i in items if i.facets["level"] == level] for level in range(3)}
    assert min(zipf[0]) >= 3.0 - 0.05
    assert 2.0 - 0.05 <= min(zipf[1]) <= max(zipf[1]) <= 3.0
    assert max(zipf[2]) <= 2.0


def test_a_seed_draws_other_words_and_too_many_are_refused(wordnet: Graph, nearness: Probe) -> None:
    other = build_ladder("nearness", families=30, seed=1)
    assert {item.groups["asked"] for item in other.items} != {item.groups["asked"] for item in nearness.items}
    with pytest.raises(UserError, match="has"):
        build_ladder("nearness", families=1000)
