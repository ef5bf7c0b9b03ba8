"""Planted faults are found by the rules, each with its reason; sound items pass; the builder keeps its own rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

import horsesense as hs
from horsesense.core import Item, Probe
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph, load_graph
from horsesense.lexicons.sources import add_file
from horsesense.methods.wordnetqa import certainty_rules as rules
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.checking import CheckedItems, check_items
from horsesense.methods.wordnetqa.plan import RELATIONS, WordNetPlan
from horsesense.methods.wordnetqa.questions import option_text

KENNEL = """lemma\tbeast\tbeast
definition\tbeast\ta living creature
lemma\tdog\tdog
definition\tdog\ta beast that barks
isa\tdog\tbeast
lemma\tpug\tpug
definition\tpug\ta short hound
example\tpug\tthe pug sat
isa\tpug\tdog
lemma\tpug2\tpug
definition\tpug2\tclay for bricks
isa\tpug2\tclay
lemma\tclay\tclay
definition\tclay\twet soil
lemma\thound\thound
definition\thound\tsomething hunting
similar\thound\tpug
lemma\tcart\tcart
definition\tcart\ttwo wheels and planks
lemma\tstub\tstub
definition\tstub\tshort hound
"""


@pytest.fixture(scope="module")
def kennel(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("kennel")
    (folder / "kennel.tsv").write_text(KENNEL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        add_file("kennel", folder / "kennel.tsv")
        return load_graph("kennel")


def item(graph: Graph, relation: str, text: str, *concepts: str, answer: int = 0) -> Item:
    return Item(
        probe="p",
        form="choice",
        text=text,
        options=tuple(option_text(graph, relation, graph.number[name]) for name in concepts),
        answer=answer,
        concepts=concepts,
        groups={"asked": "pug"},
        facets={"task": relation, "asked": "pug"},
    )


def checked(graph: Graph, *items: Item) -> CheckedItems:
    return check_items(items, "asked", lambda: graph, lambda: lambda text: None)


@pytest.mark.parametrize(
    ("relation", "distractor", "rule"),
    [
        ("hypernymy", "cart", None),
        ("hypernymy", "beast", rules.HOLDS),
        ("hypernymy", "clay", rules.HOLDS),  # of the other sense of pug
        ("definitions", "cart", None),
        ("definitions", "pug2", rules.SENSE),
        ("definitions", "hound", rules.BESIDE),
        ("definitions", "stub", rules.PARAPHRASE),
    ],
)
def test_a_planted_fault_is_found_with_its_reason(
    kennel: Graph, relation: str, distractor: str, rule: str | None
) -> None:
    answer = "dog" if relation == "hypernymy" else "pug"
    found = checked(kennel, item(kennel, relation, "What is 'pug' in 'the pug sat'?", answer, distractor))
    assert list(found.rules) == ([rule] if rule else [])
    assert found.broken.value == (1.0 if rule else 0.0)
    if rule:
        assert found.items[0].options == (option_text(kennel, relation, kennel.number[distractor]),)


def test_an_answer_with_the_asked_stem_is_given_away(kennel: Graph) -> None:
    given = item(kennel, "hypernymy", "In 'the pug sat', a 'pug' is", "dog", "cart")
    away = replace(given, options=("dog, defined as 'a pug and others'", given.options[1]))
    assert list(checked(kennel, away).rules) == [rules.GIVEN_AWAY]


def test_dictionary_questions_bar_paraphrases_only() -> None:
    facets = {"task": "dictionary", "asked": "slow"}
    options = ("not quick; dilatory", "dilatory and by no means quick", "dull of wit")
    bad = Item(probe="p", form="choice", text="?", options=options, answer=0, facets=facets)
    found = check_items([bad], "family", lambda: pytest.fail("no graph is needed"), lambda: lambda text: None)
    assert found.items[0].options == (options[1],)


def test_what_cannot_be_checked_is_counted_or_refused(kennel: Graph) -> None:
    unknown = replace(item(kennel, "hypernymy", "?", "dog", "cart"), facets={"task": "hypernymy", "asked": "cat"})
    other = Item(probe="p", form="choice", text="?", options=("a", "b"), answer=0)
    found = checked(kennel, item(kennel, "hypernymy", "the pug", "dog", "cart"), unknown, other)
    assert found.n == 1
    assert sum(found.unchecked.values()) == 2
    with pytest.raises(UserError, match="no item can be checked"):
        checked(kennel, other)


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_builder_keeps_the_rules(relation: str) -> None:
    from horsesense.lexicons.sources import open_graph
    from horsesense.lexicons.wordnet import find_wordnet

    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    probe: Probe = build_wordnetqa(open_graph(), WordNetPlan(relation, limit=120))
    found = hs.wordnetqa.check(probe)
    assert found.n == len(probe.items) > 60
    assert found.rules == {}
