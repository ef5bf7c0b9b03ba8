"""Near questions that ship with the package: read back as written, certified, and as many as asked for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.methods.wordnetqa import stored_near
from horsesense.methods.wordnetqa.disjointness import Disjointness
from horsesense.methods.wordnetqa.distractors import QuestionOptions
from horsesense.methods.wordnetqa.near_distractors import odd_kinds
from horsesense.methods.wordnetqa.plan import RELATIONS, Relation
from horsesense.methods.wordnetqa.questions import ConceptQuestion, option_text
from horsesense.methods.wordnetqa.stored_near import MORE, StoredQuestion, stored_in, stored_questions, write_stored


@pytest.fixture(scope="module")
def wordnet() -> Graph:
    graph = find_wordnet_graph()
    if graph is None or graph.origin.version != "3.0":
        pytest.skip("WordNet 3.0 is not here (horsesense fetch wordnet)")
    return graph


def test_what_is_written_is_read_back(wordnet: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = wordnet.number
    example = wordnet.examples[number["dog.n.01"]][0]
    others = tuple(number[name] for name in ("cat.n.01", "oak.n.02", "chair.n.01", "joy.n.01"))
    asked, answer = number["dog.n.01"], number["canine.n.02"]
    questions = [
        ("hypernymy", ConceptQuestion(asked, answer, 1, "", "dog", "word_kind")),
        ("definitions", ConceptQuestion(asked, asked, 0, example, "dog", "means")),
    ]
    monkeypatch.setattr(stored_near, "files", lambda _: tmp_path)
    for relation, question in questions:
        write_stored(
            tmp_path / "near" / f"{relation}.tsv.gz",
            wordnet,
            [QuestionOptions(question, "test", "near", 0, others)],
        )
        (stored,) = stored_questions(wordnet, relation, 5, 0, None)
        assert stored.question(wordnet, relation) == (question, others)


def test_a_seed_keeps_concepts_whole_and_a_limit_takes_the_first(
    wordnet: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [wordnet.ids[concept] for concept in range(40)]
    every = [StoredQuestion(asked, f"{asked} {hops}", "t", -1, ()) for asked in names for hops in range(3)]
    lines = "\n".join("\t".join((each.asked, each.answer, each.template, "")) for each in every)
    monkeypatch.setattr(stored_near, "has_stored", lambda *_: True)
    monkeypatch.setattr(stored_near, "_file", lambda _: _Bytes(lines))
    assert stored_questions(wordnet, "hypernymy", 5, 0, None) == every
    drawn = stored_questions(wordnet, "hypernymy", 5, 3, None)
    assert sorted(map(repr, drawn)) == sorted(map(repr, every))
    assert drawn != every
    assert all(drawn[i].asked == drawn[i + 1].asked == drawn[i + 2].asked for i in range(0, len(drawn), 3))
    assert stored_questions(wordnet, "hypernymy", 5, 3, 7) == drawn[:7]


def test_the_profile_asks_the_first_file_and_a_build_all_files(
    wordnet: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = wordnet.number
    others = tuple(number[name] for name in ("cat.n.01", "oak.n.02", "chair.n.01", "joy.n.01"))
    monkeypatch.setattr(stored_near, "files", lambda _: tmp_path)
    for name, asked in {
        "hypernymy": "dog.n.01",
        "hypernymy-more": "wolf.n.01",
    }.items():
        question = ConceptQuestion(number[asked], number["canine.n.02"], 1, "", asked, "word_kind")
        write_stored(
            tmp_path / "near" / f"{name}.tsv.gz", wordnet, [QuestionOptions(question, "test", "near", 0, others)]
        )
    assert [each.asked for each in stored_questions(wordnet, "hypernymy", 5, 0, None)] == ["dog.n.01"]
    every = {each.asked for each in stored_questions(wordnet, "hypernymy", 5, 0, None, more=True)}
    assert every == {"dog.n.01", "wolf.n.01"}


class _Bytes:
    """A file in memory."""

    def __init__(self, text: str) -> None:
        self._text = text

    def is_file(self) -> bool:
        return True

    def read_bytes(self) -> bytes:
        import gzip

        return gzip.compress(self._text.encode())


@pytest.mark.parametrize("relation", [relation for relation in RELATIONS if stored_near._file(relation).is_file()])
def test_stored_questions_are_certified_without_an_encoder(wordnet: Graph, relation: Relation) -> None:
    probe = hs.wordnetqa.build(relation=relation, distractors="near", limit=40)
    assert len(probe.items) == 40
    disjoint = Disjointness(wordnet)
    for item in probe.items:
        assert item.answer is not None
        wrong = [name for place, name in enumerate(item.concepts) if place != item.answer]
        for name in wrong:
            assert disjoint.certificate(wordnet.number[item.groups["asked"]], wordnet.number[name]), item.text
        assert item.facets["distractor_kind"] == "near"
    if relation in ("hypernymy", "hyponymy"):
        keys = [(item.groups["asked"], item.groups["answer"]) for item in probe.items]
        for concept, kind in keys if relation == "hypernymy" else [key[::-1] for key in keys]:
            assert kind in _walk(wordnet, concept), "WordNet says so"
            assert not {(concept, kind), (concept, "*"), ("*", kind)} & odd_kinds(), (concept, kind)


@pytest.mark.parametrize("relation", ["hypernymy", "hyponymy"])
def test_no_sense_of_a_further_distractor_holds(wordnet: Graph, relation: Relation) -> None:
    """A vein is an anatomical structure: *structure*, a building, is not offered."""
    links = wordnet.up if relation == "hypernymy" else wordnet.down
    for stored in stored_in(f"{relation}{MORE}"):
        asked = wordnet.number[stored.asked]
        true = {asked, *links.reached(asked)}
        for other in stored.distractors:
            words = wordnet.lemmas[wordnet.number[other]]
            assert true.isdisjoint(sense for word in words for sense in wordnet.by_lemma[word.lower()]), (stored, other)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_set_has_no_question_twice_and_no_option_twice(wordnet: Graph, relation: Relation) -> None:
    every = [each for name in (relation, f"{relation}{MORE}") for each in stored_in(name)]
    questions = [each.question(wordnet, relation)[0] for each in every]
    asked = Counter((question.asked, question.sentence, question.answer) for question in questions)
    assert max(asked.values()) == 1
    for each in every:
        texts = [option_text(wordnet, relation, wordnet.number[name]) for name in (each.answer, *each.distractors)]
        assert len(set(texts)) == len(texts), each


@pytest.mark.usefixtures("wordnet")
def test_near_synonymy_is_the_audited_set_and_half_of_the_default() -> None:
    near = hs.wordnetqa.build(relation="synonymy", distractors="near")
    audit = near.card.label_quality
    assert audit is not None
    assert audit.items == len(near.items)
    assert audit.final.bad.value == 0
    default = hs.wordnetqa.build(relation="synonymy", limit=41)
    kinds = [item.facets["distractor_kind"] for item in default.items]
    assert (len(kinds), kinds.count("near")) == (41, 21)
    assert default.card.name == "wordnetqa-synonymy-mixed"
    assert default.card.label_quality is None
    assert "of wordnetqa-synonymy-near-more (5,829 items" in default.card.made
    assert {item.id for item in default.items if item.facets["distractor_kind"] == "near"} < {i.id for i in near.items}


def _walk(wordnet: Graph, concept: str) -> set[str]:
    """Walk every isa link upwards."""
    found, waiting = set(), [concept]
    while waiting:
        here = waiting.pop()
        upper = [wordnet.ids[other] for other, hops in wordnet.up.row(wordnet.number[here]) if hops == 1]
        waiting += [each for each in upper if each not in found]
        found.update(upper)
    return found
