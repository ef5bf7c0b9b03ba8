"""Fills are the top of the softmax at the blank."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.language_model import LanguageModel, Ranked
from horsesense.models.hf.load import load_model
from horsesense.models.hf.rows import Row
from horsesense.scoring.fill import fill_blanks
from horsesense.scoring.option_scores import answer_items
from horsesense.scoring.texts import score_texts


@pytest.fixture(scope="module")
def models(tiny_folders: dict[str, Path]) -> dict[str, LanguageModel]:
    names = ("bert", "roberta", "gpt2", "llama", "bart", "t5")
    return {name: load_model(str(tiny_folders[name]), device="cpu") for name in names}


PROMPTS = ["The stone is ___.", "Ice melts in the ___ and butter too.", "The stone is ___."]


@pytest.mark.parametrize("name", ["bert", "roberta", "bart"])
def test_the_words_of_a_mask(models: dict[str, LanguageModel], name: str) -> None:
    model = models[name]
    for prompt, found in zip(PROMPTS, fill_blanks(model, PROMPTS, 5, ScoringSpec()), strict=True):
        ids = model.tokenizer(prompt.replace("___", model.tokenizer.mask_token))["input_ids"]
        place = ids.index(model.tokenizer.mask_token_id)
        wanted = model.network(torch.tensor([ids])).logits[0, place].double().log_softmax(-1)[: len(model.tokenizer)]
        order = wanted.argsort(descending=True)[:5].tolist()
        assert [one.ids for one in found] == [(token,) for token in order]
        assert [one.logprob for one in found] == pytest.approx([wanted[t].item() for t in order], abs=1e-4)
        assert [one.rank for one in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_the_next_word_of_a_causal_model(models: dict[str, LanguageModel], name: str) -> None:
    model = models[name]
    ((first, *_),) = fill_blanks(model, ["The stone is ___."], 3, ScoringSpec())
    ids = model.tokenizer("The stone is")["input_ids"]
    start = model.tokenizer.convert_tokens_to_ids("<|endoftext|>") if name == "gpt2" else None
    ids = ids if start is None else [start, *ids]
    wanted = model.network(torch.tensor([ids])).logits[0, -1].double().log_softmax(-1)[: len(model.tokenizer)]
    assert first.ids == (wanted.argmax().item(),)
    assert first.logprob == pytest.approx(wanted.max().item(), abs=1e-4)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_what_follows_the_blank_decides_in_a_causal_model_too(models: dict[str, LanguageModel], name: str) -> None:
    """Against whole texts scored one by one: what stands before the blank is the same in all, and cancels out."""
    model, prompt = models[name], "The stone is ___ than the kettle, and"
    filled, bare = fill_blanks(model, [prompt, "The stone is ___"], 40, ScoringSpec())
    forms = model.tokenizer.convert_ids_to_tokens([each.ids[0] for each in filled])
    words = [each for each, form in zip(filled, forms, strict=True) if form[0] in "Ġ▁" and form[1:].isalpha()]
    texts = [prompt.replace("___", each.word.strip()) for each in words]
    sums = [sum(token.logprob for token in text.tokens) for text in score_texts(model, texts, ScoringSpec())]
    assert [each.logprob - words[0].logprob for each in words] == pytest.approx([s - sums[0] for s in sums], abs=1e-3)
    assert len(words) > 3
    assert [each.rank for each in filled] == list(range(1, 41))
    assert sorted((each.logprob for each in filled), reverse=True) == [each.logprob for each in filled]
    assert [each.ids for each in filled] != [each.ids for each in bare], "what follows changes the order"
    assert sum(math.exp(each.logprob) for each in fill_blanks(model, [prompt], 100, ScoringSpec())[0]) <= 1 + 1e-6


def test_a_fill_and_an_option_have_the_same_score(models: dict[str, LanguageModel]) -> None:
    """The two ways to ask about a one-token word agree."""
    model = models["bert"]
    ((best, *_),) = fill_blanks(model, ["The stone is ___ than ice."], 1, ScoringSpec())
    item = Item(probe="t", form="cloze", text="The stone is ___ than ice.", options=("stone", "ice", "water"))
    (answer,) = answer_items(model, [item], ScoringSpec())
    vocabulary = model.tokenizer.get_vocab()
    ((*ranked,),) = fill_blanks(model, [item.text], len(model.tokenizer), ScoringSpec())
    by_id = {one.ids[0]: one.logprob for one in ranked}
    for option, tokens in zip(item.options, answer.logprobs, strict=True):
        if len(tokens) == 1:
            assert tokens[0] == pytest.approx(by_id[vocabulary[option]], abs=1e-5)
    assert best.logprob == max(by_id.values())
    assert any(len(tokens) == 1 for tokens in answer.logprobs)


@pytest.mark.parametrize(
    ("name", "prompt", "problem"),
    [
        ("bert", "No blank here.", "must have one blank"),
        ("bert", "___ and ___", "must have one blank"),
        ("t5", "The stone is ___.", "no mask token"),
        ("bert", "very " * 80 + "___", "the model sees 64"),
    ],
)
def test_what_cannot_be_filled_is_told(models: dict[str, LanguageModel], name: str, prompt: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        fill_blanks(models[name], [prompt], 3, ScoringSpec())
    with pytest.raises(UserError, match="1 or more"):
        fill_blanks(models[name], [prompt], 0, ScoringSpec())


@pytest.mark.parametrize(("exact", "sizes"), [(True, [1, 1, 1]), (False, [3])])
def test_an_exact_fill_is_asked_alone(
    models: dict[str, LanguageModel], monkeypatch: pytest.MonkeyPatch, exact: bool, sizes: list[int]
) -> None:
    asked, top = list[int](), LanguageModel.top

    def counted(model: LanguageModel, rows: Sequence[Row], k: int) -> list[Ranked]:
        asked.append(len(rows))
        return top(model, rows, k)

    monkeypatch.setattr(LanguageModel, "top", counted)
    fill_blanks(
        models["bert"], ["The stone is ___.", "The coat is ___.", "The sun is ___."], 3, ScoringSpec(exact=exact)
    )
    assert asked == sizes


@pytest.mark.parametrize("name", ["nli", "choice"])
def test_a_classifier_knows_no_probability_of_words(tiny_folders: dict[str, Path], name: str) -> None:
    model = load_model(str(tiny_folders[name]), device="cpu")
    for ask in (
        lambda: fill_blanks(model, ["Ice is ___."], 3, ScoringSpec()),
        lambda: score_texts(model, ["It."], ScoringSpec()),
    ):
        with pytest.raises(UserError, match="no probabilities of words"):
            ask()
