"""Relatedness as a control: cosines of question and option, as a cue and in a section of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.cues import measure_cues
from horsesense.cues.findings import find_cues
from horsesense.cues.relatedness import Encoder, cosines, picked, related, word_vector_encoder
from horsesense.lexicons.vectors import Vectors
from horsesense.report.run_report import write_report
from tests.support.made_run import make_run

TOPICS = ("sea", "sky", "farm", "town")
ASKED = ("boat", "cloud", "cow", "bus")
"""What questions call the same topics, so that no word is shared."""


def encoder_of_topics(calls: list[int] | None = None) -> Encoder:
    """One dimension per topic: a text is where its words are."""

    def encode(texts: Sequence[str]) -> np.ndarray:
        if calls is not None:
            calls.append(len(texts))
        return np.array(
            [[float(one in text or other in text) for one, other in zip(TOPICS, ASKED, strict=True)] for text in texts]
        )

    return Encoder("topics", "topics", "0" * 64, encode)


def questions(n: int = 80) -> list[Item]:
    """Four options of which one is on the topic of the question, and right in three of four questions."""
    rng = np.random.default_rng(0)
    items = []
    for number in range(n):
        order = rng.permutation(4)
        topic = int(rng.integers(4))
        right = topic if number % 4 else (topic + 1) % 4
        options = tuple(f"thing {number} of the {TOPICS[place]}" for place in order)
        answer = [int(place) for place in order].index(right)
        items.append(Item("p", "choice", text=f"What fits a {ASKED[topic]}?", options=options, answer=answer))
    return items


def test_the_nearest_option_is_a_cue_and_a_section_of_its_own() -> None:
    items = questions()
    own = encoder_of_topics()
    found = measure_cues(items, "item", splits=2, rounds=19, encoded=[(own, cosines(items, own))])
    (near,) = found.relatedness
    assert near.accuracy.value == pytest.approx(0.75)
    assert near.coverage == 1.0
    assert found.best is not None
    assert found.best.name == "relatedness by topics"
    assert found.to_json()["relatedness"][0]["encoder"] == "topics"
    without = measure_cues(items, "item", splits=2, rounds=19)
    assert without.relatedness == ()
    assert without.searched.value < 0.6


def test_the_answers_that_are_stored_are_those_of_the_cue_that_is_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("horsesense.cues.findings.encoders", lambda progress: [encoder_of_topics()])
    probe = Probe.of(questions(), Card("p"))
    found = find_cues(probe, group="item", splits=2, rounds=19, out=tmp_path / "cue")
    assert found.best is not None
    assert found.best.name == "relatedness by topics"
    (near,) = found.relatedness
    assert near.accuracy == found.best.accuracy, "the same rule has one interval"
    (stored,) = hs.open_run(tmp_path / "cue").answered
    assert stored.estimate(stored.credits(None)).value == pytest.approx(0.75)
    assert found.best.pick in stored.part.model.frame


def test_a_report_compares_the_model_with_relatedness(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    items = [replace(item, family=str(place)) for place, item in enumerate(questions())]
    runs = {rate: make_run(tmp_path / str(rate), {"m": rate}, items, probe="p") for rate in (0.5, 1.0)}

    def text(run: Path) -> str:
        write_report(run, out=tmp_path / "page.html", pictures=False)
        return (tmp_path / "page.html").read_text("utf-8")

    monkeypatch.setattr("horsesense.cues.findings.encoders", lambda progress: [encoder_of_topics()])
    low, high = text(runs[0.5]), text(runs[1.0])
    for page in (low, high):
        assert "The option most similar to the question is right in 75.0% [" in page
    assert "so it may explain the score" in low
    assert "This does not explain the score." in high
    monkeypatch.setattr("horsesense.cues.findings.encoders", lambda progress: [])
    without = text(runs[1.0])
    assert "Relatedness was not measured: run `horsesense fetch glove minilm`." in without
    assert "most similar" not in without


def test_sentences_are_compared_with_what_they_share_and_labels_not_at_all() -> None:
    pair = Item("p", "sentences", options=("The sea is salt.", "The sea is town."), answer=0)
    labels = Item("p", "pair", premise="sea", text="sea", options=("entailment", "neutral"), answer=0)
    (first, second) = cosines([pair, labels], encoder_of_topics())
    assert np.isnan(first[0])  # "salt" has no vector here
    assert first[1] == 0.0  # "town" is not on the topic of "The sea is"
    assert np.isnan(second).all()
    assert picked([second]) == [(0.5, 0.5)]


def test_rare_words_count_more_and_what_is_common_is_taken_off() -> None:
    vectors = Vectors({"the": 0, "ice": 1, "cold": 2}, np.array([[4, 4], [1, 0], [0, 1]], dtype=np.float32))
    encode = word_vector_encoder(vectors, {"the": 0.05, "ice": 1e-5, "cold": 1e-5}.__getitem__, "").encode
    bare, framed = encode(["ice", "the ice the"])
    turned = float(bare @ framed / np.linalg.norm(bare) / np.linalg.norm(framed))
    assert turned > 0.95
    plain = np.array([1.0, 0.0]) @ np.array([9.0, 8.0]) / np.linalg.norm([9.0, 8.0])
    assert turned > plain


def test_cosines_are_stored_once_per_probe_and_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))
    items, calls = questions(12), list[int]()
    own = encoder_of_topics(calls)
    first = related(items, known=[own])["topics"][1]
    assert related(items, known=[own])["topics"][1] == first
    assert len(calls) == 1
    related([replace(items[0], text="Who is in the sky?"), *items[1:]], known=[own])
    related(items, known=[replace(own, content="1" * 64)])
    assert len(calls) == 3, "other items and another encoder are computed anew"
    for path in (tmp_path / "relatedness").iterdir():
        path.write_bytes(b"damaged")
    assert related(items, known=[own])["topics"][1] == first
