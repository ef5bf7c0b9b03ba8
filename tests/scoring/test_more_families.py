"""Permuted, sequence-to-sequence and classifier families equal brute force too."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.scoring.option_scores import answer_items

CLOSE = 1e-4
SENTENCES = Item(probe="t", form="sentences", options=("The water was boiling.", "Zoë’s two-week trail, singing!"))
CLOZE = Item(probe="t", form="cloze", text="Ice melts ___ than stone.", options=("faster", "more slowly", "22"))
CHOICE = Item(probe="t", form="choice", premise="Ice melts.", text="What is wet?", options=("a coat", "the dry stone"))
LABELS = ("entailment", "neutral", "contradiction")
PAIR = Item(probe="t", form="pair", premise="It rained.", text="The coat got wet.", options=LABELS)


@pytest.fixture(scope="module")
def models(tiny_folders: dict[str, Path]) -> dict[str, LanguageModel]:
    return {name: load_model(str(folder), device="cpu") for name, folder in tiny_folders.items()}


def pieces(model: LanguageModel, text: str) -> tuple[list[int], list[tuple[int, int]], list[int]]:
    """Token ids with the special ones, their characters, and which are special."""
    made = model.tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    return made["input_ids"], made["offset_mapping"], made["special_tokens_mask"]


def inside(text: str, span: tuple[int, int], start: int, end: int) -> bool:
    """Whether a token begins in the stretch; one of nothing but space belongs to what follows it."""
    visible = [place for place in range(*span) if not text[place].isspace()]
    return start <= (visible[0] if visible else span[1]) < end


def test_xlnet_hides_one_target_from_every_place(models: dict[str, LanguageModel]) -> None:
    """The token PLL of a sentence, each target with a mask made by hand for a batch of one; nothing is added to it."""
    model = models["xlnet"]
    (answer,) = answer_items(model, [SENTENCES], ScoringSpec(pll="token"))
    for text, found in zip(SENTENCES.options, answer.logprobs, strict=True):
        ids = model.tokenizer(text, add_special_tokens=False).input_ids
        wanted = []
        for place in range(len(ids)):
            unseen = torch.zeros(1, len(ids), len(ids))
            unseen[0, :, place] = 1.0
            target = torch.zeros(1, 1, len(ids))
            target[0, 0, place] = 1.0
            logits = model.network(torch.tensor([ids]), perm_mask=unseen, target_mapping=target).logits[0, 0]
            wanted.append(logits.double().log_softmax(-1)[ids[place]].item())
        assert found == pytest.approx(wanted, abs=CLOSE)


def test_xlnet_does_not_see_what_it_predicts(models: dict[str, LanguageModel]) -> None:
    """With the whole option hidden, its first token's score cannot depend on the later ones."""
    model = models["xlnet"]
    item = Item(probe="t", form="cloze", text="Ice ___ fast.", options=("in 19", "in 84"))
    (answer,) = answer_items(model, [item], ScoringSpec())
    one, other = answer.logprobs
    assert len(one) == len(other)
    assert one[0] == other[0]


def test_bart_is_read_at_its_mask(models: dict[str, LanguageModel]) -> None:
    """One masked token at a time; the decoder gets the masked input shifted right, as the library does by itself."""
    model = models["bart"]
    (answer,) = answer_items(model, [SENTENCES], ScoringSpec(pll="token"))
    for text, found in zip(SENTENCES.options, answer.logprobs, strict=True):
        ids, offsets, special = pieces(model, text)
        wanted = []
        for place in range(len(ids)):
            if special[place] or not inside(text, offsets[place], 0, len(text)):
                continue
            masked = list(ids)
            masked[place] = model.tokenizer.mask_token_id
            shifted = [model.network.config.decoder_start_token_id, *masked[:-1]]
            encoded, fed = torch.tensor([masked]), torch.tensor([shifted])
            logits = model.network(input_ids=encoded, decoder_input_ids=fed).logits[0, place]
            wanted.append(logits.double().log_softmax(-1)[ids[place]].item())
        assert found == pytest.approx(wanted, abs=CLOSE)


def test_t5_scores_what_stood_at_the_sentinel(models: dict[str, LanguageModel]) -> None:
    """The loss that the library computes for the labels, summed, is the option's score."""
    model = models["t5"]
    (answer,) = answer_items(model, [CLOZE], ScoringSpec())
    sentinel = model.tokenizer.convert_tokens_to_ids("<extra_id_0>")
    for option, found in zip(CLOZE.options, answer.logprobs, strict=True):
        text = CLOZE.text.replace("___", option)
        start = CLOZE.text.index("___")
        ids, offsets, special = pieces(model, text)
        gone = [p for p in range(len(ids)) if not special[p] and inside(text, offsets[p], start, start + len(option))]
        encoder = [*ids[: gone[0]], sentinel, *ids[gone[-1] + 1 :]]
        labels = torch.tensor([[sentinel, *(ids[place] for place in gone)]])
        logits = model.network(input_ids=torch.tensor([encoder]), labels=labels).logits[0].double().log_softmax(-1)
        wanted = [logits[place + 1, token].item() for place, token in enumerate(labels[0, 1:])]
        assert found == pytest.approx(wanted, abs=CLOSE)


def test_t5_conditional_is_the_loss_of_the_answer(models: dict[str, LanguageModel]) -> None:
    model = models["t5"]
    (answer,) = answer_items(model, [CHOICE], ScoringSpec(seq2seq="conditional"))
    for option, score in zip(CHOICE.options, answer.scores, strict=True):
        text = f"{CHOICE.premise} {CHOICE.text} {option}"
        ids, offsets, special = pieces(model, text)
        border = len(text) - len(option)
        split = next(p for p in range(len(ids)) if not special[p] and inside(text, offsets[p], border, len(text)))
        last = max(place for place in range(len(ids)) if not special[place]) + 1
        labels = torch.tensor([ids[split:last]])
        loss = model.network(input_ids=torch.tensor([[*ids[:split], *ids[last:]]]), labels=labels).loss
        assert score == pytest.approx(-loss.item() * labels.shape[1], abs=CLOSE)


def test_a_classifier_of_pairs_gives_the_probability_of_each_label(models: dict[str, LanguageModel]) -> None:
    model = models["nli"]
    (answer,) = answer_items(model, [PAIR], ScoringSpec())
    made = model.tokenizer(PAIR.premise, PAIR.text, return_tensors="pt")
    assert made["token_type_ids"].any()
    wanted = model.network(**made).logits[0].double().log_softmax(-1)
    assert answer.scores == pytest.approx([wanted[2].item(), wanted[1].item(), wanted[0].item()], abs=CLOSE)
    assert answer.logprobs == ()


def test_a_multiple_choice_head_weighs_the_options_of_an_item(models: dict[str, LanguageModel]) -> None:
    model = models["choice"]
    (answer,) = answer_items(model, [CHOICE], ScoringSpec())
    question = f"{CHOICE.premise} {CHOICE.text}"
    made = model.tokenizer([question] * 2, list(CHOICE.options), return_tensors="pt", padding=True)
    logits = model.network(**{name: values[None] for name, values in made.items()}).logits[0]
    assert answer.scores == pytest.approx(logits.double().log_softmax(-1).tolist(), abs=CLOSE)


def test_a_form_that_a_family_cannot_answer_is_told(models: dict[str, LanguageModel]) -> None:
    for name, item in (("nli", CHOICE), ("choice", PAIR), ("choice", SENTENCES)):
        with pytest.raises(UserError, match=f"cannot answer the form '{item.form}'"):
            answer_items(models[name], [item], ScoringSpec())


def test_an_unknown_label_set_is_told(models: dict[str, LanguageModel]) -> None:
    other = Item(probe="t", form="pair", premise="It rained.", text="Wet.", options=("possible", "impossible"))
    with pytest.raises(UserError, match="no label for the option 'possible'"):
        answer_items(models["nli"], [other], ScoringSpec())


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama", "xlnet", "bart", "t5"])
def test_one_word_or_many_scores_are_joint(models: dict[str, LanguageModel], name: str) -> None:
    """Results do not depend on what else is asked, in which order, or in which batches."""
    items = [SENTENCES, CLOZE, CHOICE, PAIR]
    together = {a.item: a for a in answer_items(models[name], items[::-1], ScoringSpec(), budget=60)}
    for item in items:
        (alone,) = answer_items(models[name], [item], ScoringSpec(), budget=1)
        for one, other in zip(alone.logprobs, together[item.id].logprobs, strict=True):
            assert one == pytest.approx(other, abs=2e-5)
