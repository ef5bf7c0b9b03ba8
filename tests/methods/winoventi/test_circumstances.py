"""The shipped table of circumstances, what is made of it, and what speaks against that."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.errors import UserError
from horsesense.lexicons.words import words
from horsesense.methods.winoventi import checks, circumstances
from horsesense.methods.winoventi.builder import OWN
from horsesense.methods.winoventi.circumstances import (
    CIRCUMSTANCES,
    TYPES,
    Circumstance,
    Circumstances,
    from_circumstances,
    instantiate,
    load_circumstances,
    objections_to,
    read_circumstances,
    within_share,
)
from horsesense.methods.winoventi.exceptions import within_word_share
from horsesense.methods.winoventi.nouns import Noun, clean_nouns
from horsesense.methods.winoventi.plan import PipelinePlan
from horsesense.methods.winoventi.schemas import Schema, Triplet, parse_premise, read_schemas
from tests.support.nltk_wordnet import nltk_wordnet


@pytest.fixture(scope="module")
def table() -> Circumstances:
    """The shipped one, without WordNet: types have the words that they list."""
    return read_circumstances(CIRCUMSTANCES, TYPES)


def test_the_table_has_pairs_enough_and_two_frames_for_each(table: Circumstances) -> None:
    pairs = Counter(
        frozenset((one, other)) for frame in table.frames for one in frame.states[0] for other in frame.states[1]
    )
    assert sum(count >= 2 for count in pairs.values()) >= 120
    assert len({frame.premise for frame in table.frames}) >= 300


def test_every_frame_fits_a_noun_of_its_type(table: Circumstances) -> None:
    def fits(frame: Circumstance) -> bool:
        words = [word.replace("-", " ") for word in sorted(table.types[frame.type].words)]
        return any(
            not objections_to(instantiate(frame, Triplet(noun.word, one, other), noun), noun, frame, table, None)
            for noun in clean_nouns(enumerate(words)).nouns
            for one in frame.states[0]
            for other in frame.states[1]
        )

    assert [frame.premise for frame in table.frames if not fits(frame)] == []


def test_states_and_special_words_go_together_either_way() -> None:
    states = ("empty",), ("full", "packed")
    frame = Circumstance(states, "box", "Rosa shook the {noun} and heard [nothing / coins].", 2)
    usual = instantiate(frame, Triplet("box", "empty", "packed"), Noun("box"))
    turned = instantiate(frame, Triplet("box", "packed", "empty"), Noun("box"))
    assert usual.premise.sentences == turned.premise.sentences[::-1]
    assert usual.premise.sentences[0] == "Rosa shook the box and heard nothing."
    assert (usual.frame, usual.annotator, usual.origin) == (frame.premise, "circumstances", "machine")


@pytest.mark.parametrize(
    ("premise", "noun", "objection"),
    [
        ("Rosa [sold / kept] what the {noun} {held}.", Noun("box"), circumstances.LEFT_OVER),
        ("Rosa put a [onion / pear] into the {noun}.", Noun("box"), circumstances.WRONG_ARTICLE),
        ("Rosa would like to have a [cheaper / fuller] {noun}.", Noun("box"), checks.OUTCOME_THERE),
        ("Rosa put the {noun} on [its / the] shelf.", Noun("boxes", plural=True), circumstances.NUMBER),
        ("Rosa [sold / kept] the {noun} of hers.", Noun("cloud"), circumstances.NOT_ITS_TYPE),
    ],
)
def test_what_speaks_against_a_premise(premise: str, noun: Noun, objection: str, table: Circumstances) -> None:
    frame = Circumstance((("empty",), ("full",)), "bag_size", premise, 2)
    schema = instantiate(frame, Triplet(noun.word, "empty", "full"), noun)
    assert objection in objections_to(schema, noun, frame, table, None)


def test_a_word_derived_from_a_state_gives_it_away() -> None:
    wordnet = load_circumstances()
    if wordnet.taxonomy is None:
        pytest.skip("WordNet is not here")
    assert circumstances.is_derived("fullness", "full", wordnet)
    assert circumstances.is_derived("filled", "full", wordnet)
    assert not circumstances.is_derived("nothing", "full", wordnet)


def test_nothing_that_ships_gives_a_state_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against NLTK's WordNet and Porter's stems: every word of every premise and both of its states.

    Of the table it is asked of all states that a frame is still used for with our own check.
    """
    wordnet, ours = nltk_wordnet(tmp_path, monkeypatch), load_circumstances()
    from nltk.stem import PorterStemmer

    stem = PorterStemmer().stem

    @cache
    def forms(word: str) -> frozenset[str]:
        return frozenset({word, *(lemma for pos in "nvar" for lemma in wordnet._morphy(word, pos))})

    @cache
    def family(word: str) -> frozenset[str]:
        lemmas = [lemma for form in forms(word) for lemma in wordnet.lemmas(form)]
        kin = (other for each in lemmas for other in (*each.derivationally_related_forms(), *each.pertainyms()))
        return forms(word) | {other.name().lower() for other in kin}

    def gives_away(word: str, state: str) -> bool:
        return stem(word) == stem(state) or bool(forms(word) & family(state) or family(word) & forms(state))

    known = {("wore", "worn"): True, ("finder", "found"): True, ("fullness", "full"): True, ("coins", "full"): False}
    assert {pair: gives_away(*pair) for pair in known} == known
    shipped = [
        (each.schema.premise, {each.schema.triplet.generic, each.schema.triplet.exception}, each.schema.triplet.noun)
        for each in read_schemas(OWN)[0]
    ]
    assert len(shipped) > 300
    for frame in ours.frames:
        premise = parse_premise(frame.premise.replace("{noun}", "thing").replace("{was}", "was"))
        said = {word for sentence in premise.sentences for word in words(sentence)}
        used = {s for both in frame.states for s in both if not any(circumstances.is_derived(w, s, ours) for w in said)}
        assert all(used & set(both) for both in frame.states), "or nothing is left of the frame"
        shipped.append((premise, used, "thing"))
    found = {
        (word, state, str(premise))
        for premise, states, noun in shipped
        for sentence in premise.sentences
        for word in {*words(sentence)} - {*words(noun)}
        for state in states
        if gives_away(word, state)
    }
    assert found == set()


def test_types_come_from_wordnet_too() -> None:
    wordnet = load_circumstances()
    if wordnet.taxonomy is None:
        pytest.skip("WordNet is not here")
    assert {"animal", "furred"} <= wordnet.types_of(Noun("aardvark"))
    assert "animal" not in wordnet.types_of(Noun("cardigan"))
    assert wordnet.types_of(Noun("Paris", proper=True)) == frozenset()


@given(st.lists(st.sampled_from("abcdefgh"), max_size=200))
def test_no_frame_makes_more_than_its_share(frames: list[str]) -> None:
    some = Schema(Triplet("pan", "hot", "cold"), parse_premise("Jo [hid / sat] by the pan."), "machine")
    kept, went = within_share([replace(some, frame=frame) for frame in frames], share=0.2)
    counts = Counter(schema.frame for schema in kept)
    assert len(kept) + went == len(frames)
    assert all(count <= max(1, 0.2 * len(kept)) for count in counts.values())
    assert set(counts) == set(frames)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz")), max_size=300))
def test_no_three_words_make_half(words: list[tuple[str, str]]) -> None:
    triplets = [Triplet(f"n{place}", *pair) for place, pair in enumerate(words)]
    kept = within_word_share(triplets)
    if len(kept) > 14:
        for role in ("generic", "exception"):
            most = Counter(getattr(each, role) for each in kept).most_common(3)
            assert sum(count for _, count in most) < len(kept) / 2


def test_frames_are_spread_and_triplets_without_one_are_told(table: Circumstances) -> None:
    nouns = {noun.word: noun for noun in clean_nouns(enumerate(["bucket", "jug", "cloud"])).nouns}
    triplets = [Triplet(word, "empty", "full") for word in nouns]
    schemas, went = from_circumstances(triplets, nouns, table, None, most=2)
    assert went["triplets without a frame"] == 1
    assert {schema.triplet.noun for schema in schemas} == {"bucket", "jug"}
    assert max(Counter(schema.frame for schema in schemas).values()) == 1
    assert all(re.search(rf"\b{s.triplet.noun}\b", s.premise.sentences[0]) for s in schemas)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hot\tcold\tpan\tJo [hid / sat] by it.", "{noun} once"),
        ("hot\tcold\tpot\tJo [hid / sat] by the {noun}.", "'pot' is unknown"),
        ("hot|warm\twarm\tpan\tJo [hid / sat] by the {noun}.", "share a word"),
    ],
)
def test_bad_frames_are_told_with_their_line(tmp_path: Path, line: str, message: str) -> None:
    frames, types = tmp_path / "frames.tsv", tmp_path / "types.tsv"
    frames.write_text(f"one\tother\ttype\tpremise\n{line}\n")
    types.write_text("type\tclasses\twords\tnot\npan\t\tpan\tlid\n")
    with pytest.raises(UserError) as caught:
        read_circumstances(frames, types)
    assert message in str(caught.value)
    assert ":2: " in str(caught.value)


@pytest.mark.parametrize(
    ("model", "writer", "judge", "told"),
    [
        ("smollm2-masked", "smollm2", "", "writer 'smollm2' is related to the model"),
        ("smollm2-masked", "org/Llama-3-8B", "org/llama-2", "judge 'org/llama-2' is related to the writer"),
        ("runs/mine", "circumstances", "runs/mine", "judge 'runs/mine' is related to the model"),
    ],
)
def test_kin_may_not_write_or_judge(model: str, writer: str, judge: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        PipelinePlan(model=model, nouns=(), writer=writer, judge=judge).refuse_related()
    PipelinePlan(model=model, nouns=(), judge="org/qwen2").refuse_related()
