"""The engine gives what brute force gives, for every kind of tokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.core import BLANK, Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.encoding import prompt_encoder_of
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items
from tests.support.brute_force import causal_tokens, masked_tokens

CLOSE = 1e-4

ITEMS = [
    Item(probe="t", form="sentences", options=("The water was boiling.", "The water was a two-week trail, singing!")),
    Item(probe="t", form="sentences", premise="He forgot his umbrella.", options=("His coat got wet.", "It rained.")),
    Item(probe="t", form="cloze", text="Ice melts ___ than stone.", options=("faster", "more slowly", "heavier")),
    Item(probe="t", form="cloze", text="___ is far away.", options=("東京", "Zoë’s café", "1984")),
    Item(probe="t", form="cloze", premise="It rained.", text="His coat was ___.", options=("wet", "naïve", "22")),
    Item(probe="t", form="choice", text="A feather falls", options=("slowly", "more quickly than a stone does")),
    Item(
        probe="t",
        form="choice",
        premise="Ice melts.",
        text="What melts faster?",
        options=("butter", "“chocolate” — 東"),
    ),
    Item(probe="t", form="pair", premise="It rained.", text="The coat got wet.", options=("probable", "impossible")),
]


@pytest.fixture(scope="module")
def models(tiny_folders: dict[str, Path]) -> dict[str, LanguageModel]:
    return {name: load_model(str(folder), device="cpu") for name, folder in tiny_folders.items()}


def reference(model: LanguageModel, item: Item, option: str, pll: str, bos: int | None) -> list[float]:
    """Texts put together by hand, so that a slip in the prompts shows too."""
    lead = f"{item.premise} " if item.premise else ""
    unit = "word" if pll == "word-l2r" else "token"
    whole = "option" if pll == "word-l2r" else "token"
    after = ""
    if item.form == "sentences":
        before = lead
    elif item.form == "cloze":
        left, after = item.text.split(BLANK)
        before, unit = lead + left, whole
    elif item.form == "choice":
        before = f"{lead}{item.text} "
    else:
        before, after, unit = f"{lead}{item.text} That is ", ".", whole
    text = before + option + after
    if model.family.name == "causal":
        return causal_tokens(model.network, model.tokenizer, text, len(before), bos)
    return masked_tokens(model.network, model.tokenizer, text, len(before), len(before) + len(option), unit)


WAYS = [("bert", "word-l2r"), ("bert", "token"), ("roberta", "word-l2r"), ("roberta", "token")]
WAYS += [("gpt2", "word-l2r"), ("llama", "word-l2r"), ("llama_bare", "word-l2r")]


@pytest.mark.parametrize(("name", "pll"), WAYS)
def test_every_option_of_every_form_equals_brute_force(models: dict[str, LanguageModel], name: str, pll: str) -> None:
    model = models[name]
    spec = ScoringSpec(pll="token" if pll == "token" else "word-l2r")
    bos = next(iter(prompt_encoder_of(model, spec).frame.before), None)
    for item, answer in zip(ITEMS, answer_items(model, ITEMS, spec), strict=True):
        for option, found in zip(item.options, answer.logprobs, strict=True):
            wanted = reference(model, item, option, pll, bos)
            assert found == pytest.approx(wanted, abs=CLOSE), (item.form, option)
        assert answer.scores == pytest.approx([sum(tokens) for tokens in answer.logprobs], abs=CLOSE)


@pytest.mark.parametrize("offset", [-40, 2, 40])
def test_a_read_outside_of_the_text_is_an_error(models: dict[str, LanguageModel], offset: int) -> None:
    """Two places before the first word there is nothing; one place before it stands the token that begins the text."""
    item = Item(probe="t", form="sentences", options=("The stone got wet.", "The stone is hot."), answer=0)
    answer_items(models["bert"], [item], ScoringSpec(read_offset=1))
    with pytest.raises(UserError, match=f"read_offset={offset} reads outside of the text"):
        answer_items(models["bert"], [item], ScoringSpec(read_offset=offset))


def test_without_bos_the_first_token_is_not_scored(models: dict[str, LanguageModel]) -> None:
    spec = ScoringSpec(bos="none")
    (answer,) = answer_items(models["gpt2"], ITEMS[:1], spec)
    for option, found, flags in zip(ITEMS[0].options, answer.logprobs, answer.flags, strict=True):
        assert found == pytest.approx(reference(models["gpt2"], ITEMS[0], option, "token", None), abs=CLOSE)
        assert "first-unscored" in flags.split()


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama"])
def test_offsets_point_at_the_characters(models: dict[str, LanguageModel], name: str) -> None:
    """The stretches of an option's tokens cover its visible characters."""
    item = Item(probe="t", form="choice", text="The coat of", options=("Zoë got wet in 1984", "the stone"))
    (answer,) = answer_items(models[name], [item], ScoringSpec())
    for option, starts, ends in zip(item.options, answer.starts, answer.ends, strict=True):
        text = f"{item.text} {option}"
        covered = {place for a, b in zip(starts, ends, strict=True) for place in range(a, b)}
        visible = {place for place in range(len(item.text), len(text)) if not text[place].isspace()}
        assert visible <= covered
        assert min(starts) == len(item.text) + 1


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama"])
def test_a_text_beyond_the_window_is_an_error_unless_truncation_is_asked(
    models: dict[str, LanguageModel], name: str
) -> None:
    model = models[name]
    long = Item(probe="t", form="choice", text="The stone falls and " * 60, options=("melts", "the children sing"))
    with pytest.raises(UserError, match=f"the model sees {model.window}"):
        answer_items(model, [long], ScoringSpec())
    spec = ScoringSpec(truncation="left")
    (answer,) = answer_items(model, [long], spec)
    assert all("truncated" in flags for flags in answer.flags)
    # The same as asking about the end of the text that fits.
    encoder = prompt_encoder_of(model, spec)
    room = model.window - len(encoder.frame.before) - len(encoder.frame.after)
    for option, found in zip(long.options, answer.logprobs, strict=True):
        encoded = model.tokenizer(f"{long.text} {option}", add_special_tokens=False)["input_ids"][-room:]
        ids = (*encoder.frame.before, *encoded, *encoder.frame.after)
        assert len(ids) == model.window
        import torch

        if model.family.name == "causal":
            logits = model.network(torch.tensor([ids])).logits[0].double().log_softmax(-1)
            wanted = [logits[place - 1, ids[place]].item() for place in range(len(ids) - len(found), len(ids))]
            assert found == pytest.approx(wanted, abs=CLOSE)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_batches_and_order_do_not_matter(models: dict[str, LanguageModel], name: str) -> None:
    spec = ScoringSpec()
    usual = {a.item: a for a in answer_items(models[name], ITEMS, spec)}
    for budget in (1, 40, 100_000):
        for answer in answer_items(models[name], ITEMS[::-1], spec, budget):
            for one, other in zip(answer.logprobs, usual[answer.item].logprobs, strict=True):
                assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_exact_scores_are_the_same_to_the_last_bit(models: dict[str, LanguageModel], name: str) -> None:
    spec = ScoringSpec(exact=True)
    usual = {a.item: a for a in answer_items(models[name], ITEMS, spec)}
    for items, budget in ((ITEMS[::-1], 1), (ITEMS[2:5], 100_000), (ITEMS[:1] + ITEMS[3:], 40)):
        for answer in answer_items(models[name], items, spec, budget):
            assert answer == usual[answer.item]


def test_smollm2_equals_brute_force(bundled: LanguageModel) -> None:
    spec = ScoringSpec()
    separator = bundled.tokenizer.convert_tokens_to_ids("<|endoftext|>")
    items = [ITEMS[1], ITEMS[2], ITEMS[3], ITEMS[6]]
    for item, answer in zip(items, answer_items(bundled, items, spec), strict=True):
        for option, found in zip(item.options, answer.logprobs, strict=True):
            assert found == pytest.approx(reference(bundled, item, option, "word-l2r", separator), abs=CLOSE)


def test_smollm2_splits_digits_as_it_was_trained(bundled: LanguageModel) -> None:
    """Digits stand alone, and spaces before one are kept together apart from it."""
    tokens = bundled.tokenizer.tokenize("a  1984")
    assert tokens == ["a", "ĠĠ", "1", "9", "8", "4"]
