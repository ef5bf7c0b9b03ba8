"""Words, their frequency, and closed classes."""

from __future__ import annotations

import pytest
import wordfreq
from hypothesis import given
from hypothesis import strategies as st

from horsesense.lexicons.word_forms import PAIRS, comparative_valence, is_comparative, negations, valence
from horsesense.lexicons.words import word_spans, words, words_between, zipf


@pytest.mark.parametrize("word", ["the", "apple", "submarine", "don't", "gravity"])
def test_frequency_is_that_of_wordfreq(word: str) -> None:
    assert zipf(word) == pytest.approx(wordfreq.zipf_frequency(word, "en"), abs=0.01)


def test_a_made_up_word_has_no_frequency() -> None:
    assert zipf("geqnyyoodka") == 0


def test_a_compound_is_as_rare_as_its_rarest_part() -> None:
    assert zipf("zebra-striped") == min(zipf("zebra"), zipf("striped"))


@given(st.text())
def test_words_are_lower_case_and_without_spaces(text: str) -> None:
    assert all(word and word == word.lower() and not any(map(str.isspace, word)) for word in words(text))


@given(st.text("ab-'’_ .\t\n9é"), st.integers(0, 12), st.integers(0, 12))
def test_words_of_a_stretch_are_those_that_begin_in_it(text: str, first: int, last: int) -> None:
    assert words_between(text, first, last) == sum(first <= start < last for start, _ in word_spans(text))


def test_negations_are_counted_in_contractions_too() -> None:
    assert negations(words("It isn’t true that nobody can't knot a rope.")) == 3


def test_the_poles_of_a_comparative_differ_in_valence() -> None:
    for good, bad in PAIRS:
        assert is_comparative(good)
        assert (comparative_valence(good), comparative_valence(bad)) == (1, -1)
        assert valence(good) > valence(bad)
