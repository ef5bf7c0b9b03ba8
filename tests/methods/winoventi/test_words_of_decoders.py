"""Words that a causal model puts into a blank are ranked as whole sentences."""

from __future__ import annotations

from pathlib import Path

from horsesense.methods.winoventi.asking import Asking, as_sentences, ask_associations
from horsesense.methods.winoventi.nouns import Noun
from horsesense.models.local.load import load_model
from horsesense.records import ScoringSpec
from horsesense.scoring.texts import score_texts


def test_the_ranking_is_that_of_the_sentences(tiny_folders: dict[str, Path]) -> None:
    """Against whole sentences scored one by one: what stands before the blank is the same for all words."""
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    words = ["stone", "water", "sun", "coat", "summer", "wet"]
    texts = ["The kettle is ___.", "The kettle is not ___,"]
    ranked = as_sentences(model, texts, [words, words[:3]], ScoringSpec())
    for text, given, found in zip(texts, [words, words[:3]], ranked, strict=True):
        scored = score_texts(model, [text.replace("___", word) for word in given], ScoringSpec())
        sums = dict(zip(given, (each.sum for each in scored), strict=True))
        assert found == sorted(given, key=lambda word: -sums[word])
    assert ranked[0] != words, "or nothing was ranked anew"


def test_a_decoder_is_asked_for_associations(tiny_folders: dict[str, Path]) -> None:
    model = load_model(str(tiny_folders["gpt2"]), device="cpu")
    (associations,) = ask_associations(model, [Noun("kettle")], Asking(depths=(3,)))
    assert all(each.noun == "kettle" for each in associations)
