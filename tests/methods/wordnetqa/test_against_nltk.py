"""Thousands of generated items, checked with NLTK's reader of WordNet, and the cue battery over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from horsesense.core import Item, Probe
from horsesense.cues import Findings, measure_cues
from horsesense.lexicons.sources import open_graph
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.plan import RELATIONS, WordNetPlan
from tests.support.nltk_wordnet import nltk_wordnet

SIZES = {True: 3000, False: 900}


@pytest.fixture(scope="module")
def probes() -> dict[tuple[str, bool], Probe]:
    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    graph = open_graph()
    plans = [
        WordNetPlan(relation, seed=5, limit=limit, as_paper=as_paper, exact=not as_paper)
        for relation in RELATIONS
        for as_paper, limit in SIZES.items()
    ]
    return {(plan.relation, plan.as_paper): build_wordnetqa(graph, plan) for plan in plans}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        yield nltk_wordnet(tmp_path_factory.mktemp("nltk"), patch)


class Judge:
    """What NLTK says of an item."""

    def __init__(self, reader: Any) -> None:
        self.synset = cache(reader.synset)
        self.senses = cache(lambda word: reader.synsets(word.replace(" ", "_")))
        # NLTK reads a synset's line anew for every link: each is asked once, and walked often.
        above, below = cache(lambda synset: synset.hypernyms()), cache(lambda synset: synset.hyponyms())
        all_above = cache(lambda synset: above(synset) + synset.instance_hypernyms())
        all_below = cache(lambda synset: below(synset) + synset.instance_hyponyms())
        self.up = cache(lambda synset: _walk(synset, above))
        self.down = cache(lambda synset: _walk(synset, below))
        self.all_up = cache(lambda synset: set(_walk(synset, all_above)))
        self.all_down = cache(lambda synset: set(_walk(synset, all_below)))
        self.siblings = cache(lambda synset: {s for parent in above(synset) for s in below(parent)} - {synset})

    def sister_distance(self, asked: Any, option: Any) -> int | None:
        """1 for a sister of the asked concept, 2 for a child of a sister …; asked upwards, which is a short way."""
        nearest = [hops for other, hops in (self.up(option) | {option: 0}).items() if other in self.siblings(asked)]
        return 1 + min(nearest) if nearest else None

    def check(self, item: Item) -> None:
        assert item.answer is not None
        if item.facets["pos"] in ("a", "s"):  # NLTK numbers satellites apart, so they are known by their definitions
            assert item.facets["distractor_kind"] == "random"
            return
        options = [self.synset(name) for name in item.concepts]
        asked, answer = self.synset(str(item.facets["asked"])), options[item.answer]
        wrong = [option for number, option in enumerate(options) if number != item.answer]
        self._check_texts(item, asked, options)
        self._check_truth(item, asked, answer)
        for option in wrong:
            assert option != asked
            assert option.definition().lower() != answer.definition().lower()
            assert not {n.lower() for n in option.lemma_names()} & {n.lower() for n in answer.lemma_names()}
            if item.facets["task"] == "hypernymy":
                assert option not in self.all_up(asked)
            if item.facets["task"] == "hyponymy":
                assert option not in self.all_down(asked)
                assert asked not in self.all_up(option)
        self._check_kind(item, asked, wrong)

    def _check_texts(self, item: Item, asked: Any, options: list[Any]) -> None:
        task = item.facets["task"]
        if task == "synonymy":
            assert tells(item.text, asked.definition())
        else:
            quoted = [
                *asked.examples(),
                asked.definition(),
                shown(asked.definition()),
            ]
            assert any(f"'{each}'" in item.text for each in quoted) or tells(item.text, asked.definition())
        for option, text in zip(options, item.options, strict=True):
            if task == "synonymy":
                assert text == ", ".join(option.lemma_names()).replace("_", " ")
            else:
                assert tells(text, option.definition())
            if task in ("hypernymy", "hyponymy"):
                assert text.startswith(option.lemma_names()[0].replace("_", " "))
                assert option.pos() != "v" or " event, defined as '" in text

    def _check_truth(self, item: Item, asked: Any, answer: Any) -> None:
        if item.facets["task"] == "hypernymy":
            assert self.up(asked)[answer] == item.facets["hops"]
        elif item.facets["task"] == "hyponymy":
            # Upwards: WordNet 3.0 has a hypernym (suppress) that does not know its own hyponym (inhibit).
            assert self.up(answer)[asked] == item.facets["hops"]
        else:
            assert asked == answer

    def _check_kind(self, item: Item, asked: Any, wrong: list[Any]) -> None:
        kind = item.facets["distractor_kind"]
        if kind in ("random", "pair"):
            return
        if kind == "hyponym":
            distances = [self.up(option).get(asked) for option in wrong]
        elif kind == "sister":
            starts = [asked]
            if item.facets["task"] == "hyponymy":  # or a cousin of the answer, over any parent
                starts += [up for up, hops in self.up(self.synset(item.groups["answer"])).items() if hops == 1]
            near = [[self.sister_distance(start, option) for start in starts] for option in wrong]
            wanted = int(item.facets["distractor_hops"])
            distances = [wanted if wanted in each else None for each in near]
        elif kind == "aunt":  # a sister of the answer
            answer = self.synset(item.groups["answer"])
            distances = [self.sister_distance(answer, option) for option in wrong]
        else:
            distances = [self.up(asked).get(option) for option in wrong]
        of_kind = distances.count(int(item.facets["distractor_hops"]))
        assert of_kind >= len(wrong) - int(item.facets["fillers"]) >= 1


def shown(definition: str) -> str:
    """NLTK's definition without what stood between its examples and after them: "; ; - Shakespeare"."""
    return re.split(r"\s*[;:,]\s*(?:[;:,]|-|$)", definition, maxsplit=1)[0].strip()


def tells(text: str, definition: str) -> bool:
    """Whether a text has the definition; where NLTK cut quotations out of it and left a trace, its first part."""
    if definition in text:
        return True
    trace = re.search(r"\s*[;:,]\s*(?:[;:,.()\"-]|or\b|[A-Z]|$)|  |\( ", definition)
    return trace is not None and definition[: trace.start()].split(";")[0] in text


def _walk(start: Any, step: Callable[[Any], list[Any]]) -> dict[Any, int]:
    distances, level, hops = {start: 0}, [start], 0
    while level:
        hops += 1
        level = list({other for here in level for other in step(here)} - distances.keys())
        distances.update(dict.fromkeys(level, hops))
    del distances[start]
    return distances


def test_every_item_holds_in_nltks_wordnet(probes: dict[tuple[str, bool], Probe], reader: Any) -> None:
    judge = Judge(reader)
    checked = 0
    for probe in probes.values():
        for item in probe.items:
            judge.check(item)
            checked += item.facets["pos"] not in ("a", "s")  # those are only looked at for their kind
    assert checked >= 10_000, checked


@pytest.mark.parametrize("relation", ["hypernymy", "hyponymy"])
def test_no_distractor_is_true_of_any_sense(probes: dict[tuple[str, bool], Probe], reader: Any, relation: str) -> None:
    judge, checked = Judge(reader), 0
    for item in probes[relation, False].items:
        asked = judge.synset(str(item.facets["asked"]))
        senses = [s for s in judge.senses(asked.lemma_names()[0]) if s.pos() == asked.pos()]
        for number, name in enumerate(item.concepts):
            if number != item.answer:
                option = judge.synset(name)
                for sense in senses:
                    lower, upper = (sense, option) if relation == "hypernymy" else (option, sense)
                    assert upper not in judge.all_up(lower), (item.text, name)
                checked += 1
    assert checked > 1000


def test_satellites_are_defined_as_nltk_defines_them(probes: dict[tuple[str, bool], Probe], reader: Any) -> None:
    judge, checked = Judge(reader), 0
    for item in probes["definitions", False].items:
        if item.facets["pos"] in ("a", "s"):
            word = item.concepts[item.answer or 0].rsplit(".", 2)[0]
            senses = {shown(s.definition()): s for s in judge.senses(word)}
            sense = senses[item.options[item.answer or 0]]
            assert any(f"'{example}'" in item.text for example in sense.examples())
            others = [o for number, o in enumerate(item.options) if number != item.answer]
            # NLTK takes "better" for a form of "good" as well; the rule is about the word itself.
            same = [s for s in judge.senses(word) if word in {name.lower() for name in s.lemma_names()}]
            assert not any(option in {shown(s.definition()) for s in same} for option in others)
            checked += 1
    assert checked > 100


def _cues(probe: Probe) -> Findings:
    folder = find_wordnet()
    assert folder is not None
    return measure_cues(probe.items, "asked", open_graph("wordnet"), splits=2, rounds=19)


@pytest.mark.parametrize("relation", RELATIONS)
def test_no_cue_gives_a_controlled_set_away(probes: dict[tuple[str, bool], Probe], relation: str) -> None:
    """On a draw of some hundred items: at full size no cue is above 0.25 (see the docs)."""
    cues = _cues(probes[relation, False])
    assert len(cues.cues) > 30
    for cue in cues.cues:
        assert cue.accuracy.value <= 0.30, cue.pick


def test_as_paper_has_the_giveaways_that_control_takes_away(probes: dict[tuple[str, bool], Probe]) -> None:
    hyponyms = {cue.name: cue.accuracy.value for cue in _cues(probes["hypernymy", True]).cues}
    assert hyponyms["hyponyms"] > 0.6
