"""Evidence adds up to the difference of the scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import ScoringSpec
from horsesense.models.hf.load import load_model
from horsesense.scoring.texts import ScoredText, ScoredToken, evidence, score_texts, scored_text

tokens = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(-9, 0)), min_size=1, max_size=12
).map(lambda pairs: scored_text("", [ScoredToken(name, 0, 0, float(value)) for name, value in pairs]))  # fmt: skip


@given(tokens, tokens)
def test_the_sum_is_the_difference_and_every_token_stands_once(one: ScoredText, other: ScoredText) -> None:
    places = evidence(one, other)
    assert sum(place.q for place in places) == pytest.approx(one.sum - other.sum)
    assert [place.token for place in places if place.token] == [token.token for token in one.tokens]
    assert [place.against for place in places if place.against] == [token.token for token in other.tokens]


@given(tokens)
def test_a_text_says_nothing_against_itself(text: ScoredText) -> None:
    assert all(place.q == 0 and not place.edited for place in evidence(text, text))


def test_the_paper_s_case(tiny_folders: dict[str, Path]) -> None:
    """Sentences of equal length, token by token; before the edit a causal model sees no difference."""
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    one, other = score_texts(model, ["The stone is 19 fast.", "The stone is 84 fast."], ScoringSpec())
    places = evidence(one, other)
    assert len(places) == len(one.tokens)
    first_edit = next(number for number, place in enumerate(places) if place.edited)
    assert all(abs(place.q) < 1e-5 for place in places[:first_edit])
    assert abs(places[first_edit].q) > 1e-3
