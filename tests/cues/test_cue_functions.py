"""What single cues say about items made for them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from horsesense.core import Item
from horsesense.cues.battery import Learnt, Number, battery, number_scores
from horsesense.cues.question import entity_order_of
from horsesense.cues.table import Table, place_of_text, table_of
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import read_wordnet
from horsesense.lexicons.words import FUNCTION_WORDS, words
from tests.support import ROOT
from tests.support.made_up_probes import noise
from tests.support.small_wordnet import write_small_wordnet

CUES = {cue.name: cue for cue in battery()}


def numbers(name: str, table: Table) -> list[float]:
    cue = CUES[name]
    assert isinstance(cue, Number)
    found: list[float] = number_scores(table, cue).tolist()
    return found


def codes(name: str, table: Table) -> dict[int, int]:
    """Flat option → its category."""
    cue = CUES[name]
    assert isinstance(cue, Learnt)
    keys = cue.compute(table)
    return dict(zip(keys.option.tolist(), keys.codes.tolist(), strict=True))


def choice(question: str, *options: str) -> Table:
    return table_of([Item(probe="p", form="choice", text=question, options=options, answer=0)])


def test_there_are_about_forty_and_each_says_what_it_is() -> None:
    assert len(CUES) >= 40
    for cue in CUES.values():
        assert cue.about.endswith(".")
        assert cue.most


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("characters", ("ab", "abcd"), [2, 4]),
        ("words", ("one two", "one"), [2, 1]),
        ("word length", ("ab abcd", "abc"), [3, 3]),
        ("punctuation", ("a, b; c.", "a"), [3, 0]),
        ("commas", ("a, b; c.", "a"), [2, 0]),
        ("capitals", ("The Hague", "the hague"), [2, 0]),
        ("digits", ("10 of 12", "ten"), [4, 0]),
        ("hyphens", ("fire-dog", "dog"), [1, 0]),
        ("negations", ("it can't, no", "it can"), [2, 0]),
        ("valence", ("good", "bad and ugly"), [1, -2]),
        ("hedges", ("usually so", "so"), [1, 0]),
        ("absolutes", ("always so", "so"), [1, 0]),
        ("pronouns", ("she saw it", "a dog"), [2, 0]),
        ("articles", ("the dog", "dogs"), [1, 0]),
        ("prepositions", ("in of", "dogs"), [2, 0]),
        ("comparatives", ("colder", "cold"), [1, 0]),
        ("function words", ("the dog", "of the"), [0.5, 1]),
        ("odd length", ("ab", "abcd", "abcdef"), [2, 0, 2]),
    ],
)
def test_counts(name: str, options: tuple[str, ...], expected: list[float]) -> None:
    assert numbers(name, choice("?", *options)) == expected


def test_frequency_is_higher_for_the_common_word() -> None:
    table = choice("?", "water", "quagmire", "the quagmire")
    common, rare, mixed = numbers("frequency", table)
    assert common > mixed > rare
    assert numbers("rarest word", table)[1] == numbers("rarest word", table)[2]


def test_overlap_is_that_of_plain_sets() -> None:
    table = table_of(noise(60, 4, 5) + noise(30, 3, 6))
    shared, bigrams, first = numbers("shared words", table), numbers("shared bigrams", table), []
    for place, text in enumerate(table.texts[t] for t in table.text_of):
        asked, said = words(table.contexts[table.item_of[place]]), words(text)
        assert shared[place] == sum(word in asked for word in said if word not in FUNCTION_WORDS)
        pairs = set(pairwise(asked))
        assert bigrams[place] == sum(pair in pairs for pair in pairwise(said))
        first.append(float(said[0] in asked))
    assert numbers("first word shared", table) == first


def test_likeness_is_that_of_plain_sets() -> None:
    table = table_of(noise(60, 4, 7) + noise(30, 3, 8))
    found = numbers("like the others", table)
    for item, start in zip(table.items, table.starts.tolist(), strict=False):
        bags = [set(words(option)) for option in item.options]
        for place, bag in enumerate(bags):
            others = bags[:place] + bags[place + 1 :]
            expected = np.mean([np.mean([word in other for other in others]) for word in bag])
            assert found[start + place] == pytest.approx(expected)


def test_offered_counts_the_whole_probe() -> None:
    items = [Item(probe="p", form="choice", text=f"{n}?", options=("a", f"b{n}"), answer=0) for n in range(3)]
    assert numbers("offered", table_of(items)) == [3, 1] * 3


def test_sentences_are_compared_where_they_differ() -> None:
    sentences = "Because it rained we left.", "Because it rained we never left."
    table = table_of([Item(probe="p", form="sentences", options=sentences, answer=0)])
    assert numbers("words", table) == [0, 1]
    assert numbers("negations", table) == [0, 1]


def test_labels_of_a_pair_have_no_wording() -> None:
    pair = Item(probe="p", form="pair", premise="It rains.", text="It is wet.", options=("no", "entailment"), answer=1)
    table = table_of([pair])
    for cue in CUES.values():
        if isinstance(cue, Number):
            assert np.isnan(number_scores(table, cue)).all()
    assert codes("bag of words", table) == {}
    assert len(codes("answer prior", table)) == 2


@pytest.mark.parametrize(
    ("premise", "conclusion", "order"),
    [
        ("kuna is paper and xdivmaf is metal", "kuna burns more than xdivmaf", 1),
        ("kuna is paper and xdivmaf is metal", "xdivmaf burns more than kuna", 0),
        ("kuna holds xdivmaf's hand", "xdivmaf is less kind than kuna", 0),
        ("kuna is paper", "it burns", -1),
    ],
)
def test_entity_order(premise: str, conclusion: str, order: int) -> None:
    assert entity_order_of(premise, conclusion) == order


def statement(premise: str, conclusion: str) -> Item:
    return Item(probe="p", form="cloze", text=f"{premise}, so {conclusion}", options=("less", "more"), answer=1)


def test_exclusive_or_joins_order_and_negation() -> None:
    premise = "kuna is wet and xdivmaf is dry"
    items = [
        statement(premise, "kuna is ___ soft than xdivmaf"),
        statement(premise, "xdivmaf is not ___ soft than kuna"),
        statement(premise, "xdivmaf is ___ soft than kuna"),
        statement(premise, "kuna is not ___ soft than xdivmaf"),
    ]
    found = codes("entity order xor negation", table_of(items))
    same, both, swapped, denied = (found[place] for place in (0, 2, 4, 6))
    assert same == both != swapped == denied


def test_a_conjunction_contest_knows_its_rivals() -> None:
    rows = [("because", "and"), ("because", "but"), ("and", "because")]
    items = [
        Item(probe="p", form="sentences", options=tuple(f"It fell {c} it broke." for c in row), answer=0)
        for row in rows
    ]
    found = codes("conjunction contest", table_of(items))
    assert found[0] == found[5] != found[2]
    assert found[1] == found[4]


def test_slots_of_a_triple_go_with_their_label() -> None:
    items = [
        Item(
            probe="p",
            form="pair",
            premise="p",
            text="h",
            options=("no", "yes"),
            answer=0,
            facets={"whole": whole, "part": "lid", "adjective": "red"},
        )
        for whole in ("box", "pan", "box")
    ]
    found = codes("whole", table_of(items))
    assert found[0] == found[4] != found[2]
    assert len({found[0], found[1], found[2], found[3]}) == 4
    assert len(set(codes("part", table_of(items)).values())) == 2


@pytest.fixture(scope="module")
def taxonomy(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return read_wordnet(write_small_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("dog", "dog.n.01"),
        ("Laika", "laika.n.01"),
        ("young person", "young_person.n.01"),
        ("andiron, fire-dog", "andiron.n.01"),
        ("an animal that barks", "dog.n.01"),
        ("andiron (or dog), defined as 'a tool that holds logs'", "andiron.n.01"),
        ("dog (or chase) event, defined as 'go after someone'", "dog.v.01"),
        ("animal (or beast), defined as 'a thing that moves by itself; \"no animal reads\"'", "animal.n.01"),
        ("something else altogether", None),
    ],
)
def test_texts_name_their_concept(text: str, concept: str | None, taxonomy: Graph) -> None:
    place = place_of_text(text, taxonomy)
    assert (taxonomy.ids[place] if place >= 0 else None) == concept


def test_a_knowledge_id_goes_before_the_text(taxonomy: Graph) -> None:
    item = Item(
        probe="p", form="choice", text="?", options=("dog", "cat"), concepts=("animal.n.01", "cat.n.01"), answer=0
    )
    table = table_of([item], taxonomy=taxonomy)
    assert [taxonomy.ids[place] for place in table.synset] == ["animal.n.01", "cat.n.01"]
    assert numbers("all hyponyms", table) == [6, 1]
    assert numbers("depth", table) == [1, 2]
    assert numbers("lemmas", table) == [2, 1]
    assert numbers("example", table) == [1, 0]


def test_without_wordnet_its_cues_abstain() -> None:
    assert np.isnan(numbers("hyponyms", choice("?", "dog", "cat"))).all()


def test_the_documentation_lists_every_cue() -> None:
    listed = (ROOT / "docs" / "results" / "cues.md").read_text(encoding="utf-8")
    for cue in CUES.values():
        assert f"| {cue.name} | {cue.about} |" in listed


def test_the_order_that_breaks_ties_is_kept() -> None:
    """Cues of equal accuracy are ranked by it, so another order is another best cue."""
    order = [cue.name for cue in battery()]
    named = ["hyponyms", "sense number", "shared words", "characters", "above another", "near another"]
    assert sorted(named, key=order.index) == named
