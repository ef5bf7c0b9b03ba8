"""Prompt formats: each against a plain reference, and what is refused."""

from __future__ import annotations

import copy
from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

import horsesense as hs
from horsesense.core import Card, Item, Probe, Reply, ScoringSpec
from horsesense.core.answer_columns import StoredReplies
from horsesense.errors import UserError
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.hf.trainable import borrow
from horsesense.models.protocol import Prompt
from horsesense.runs.item_columns import item_columns
from horsesense.runs.replies import reply_statistics
from horsesense.scoring.generate import answer_from
from horsesense.scoring.prompts import block, examples_from, option_orders
from tests.support.made_items import made_reply

CHOICE = [
    Item(
        probe="demo",
        form="choice",
        text=f"What melts {n}?",
        options=("ice", "stone", "iron"),
        answer=n % 3,
        family=f"f{n // 2}",
        groups={"noun": f"n{n % 5}"},
        facets={"split": "train" if n < 10 else "test"},
    )
    for n in range(14)
]
FORMS = [
    CHOICE[0],
    Item(probe="demo", form="cloze", text="Ice is ___ to touch.", options=("cold", "hot"), answer=0),
    Item(probe="demo", form="sentences", options=("The stone is hard.", "The stone is soft."), answer=0),
    Item(probe="demo", form="pair", premise="It rains.", text="It is wet.", options=("true", "false"), answer=0),
]


@pytest.fixture(scope="module")
def causal(tiny_folders: dict[str, Path]) -> LanguageModel:
    tokenizer = load_model(str(tiny_folders["gpt2"]), device="cpu").tokenizer
    torch.manual_seed(1)
    sizes = {"vocab_size": len(tokenizer), "n_positions": 512, "n_embd": 32, "n_layer": 2, "n_head": 2}
    return borrow(GPT2LMHeadModel(GPT2Config(**sizes)).eval(), tokenizer, name="tiny")


def probe(items: list[Item]) -> Probe:
    return Probe.of(items, Card(name="demo"))


@pytest.mark.parametrize("item", FORMS, ids=lambda item: item.form)
def test_letters_are_the_shares_of_the_next_token_over_all_orders(causal: LanguageModel, item: Item) -> None:
    (answered,) = hs.ask(causal, probe([item]), formats="letters").answered
    # The plain way: one text an order, the softmax at its end, both spellings of each letter.
    vocabulary, network = causal.tokenizer.get_vocab(), causal.network
    shares = np.zeros(len(item.options))
    for order in option_orders(item, 0, 0):
        text = f"{block(item, order)}\nAnswer:"
        ids = [causal.tokenizer.convert_tokens_to_ids("<|endoftext|>"), *causal.tokenizer(text)["input_ids"]]
        with torch.no_grad():
            logits = network(input_ids=torch.tensor([ids])).logits[0, -1].softmax(-1)
        found = [sum(float(logits[vocabulary[t]]) for t in (x, f"Ġ{x}") if t in vocabulary) for x in "ABC"]
        letters = np.array(found[: len(item.options)])
        for place, option in enumerate(order):
            shares[option] += letters[place] / letters.sum() / len(item.options)
    assert np.exp(answered.answers[0].scores) == pytest.approx(shares, abs=1e-5)
    assert len(answered.replies) == len(item.options)


@pytest.mark.parametrize("item", FORMS, ids=lambda item: item.form)
@pytest.mark.parametrize("way", ["loglikelihood", "pmi", "letters", "generate"])
def test_every_form_can_be_asked_in_every_way(causal: LanguageModel, item: Item, way: str) -> None:
    run = hs.ask(causal, probe([item]), formats=way)
    assert run.results()["format"] == [way]
    assert len(run.answered[0].answers[0].scores) == len(item.options)


def test_a_masked_model_fills_in_the_letter(tiny_folders: dict[str, Path]) -> None:
    short = Item(probe="demo", form="choice", text="ice?", options=("a", "b"), answer=0)
    run = hs.ask(str(tiny_folders["bert"]), probe([short]), formats="letters", compute=hs.ComputeSettings(device="cpu"))
    assert sum(map(exp, run.answered[0].answers[0].scores)) == pytest.approx(1.0)
    with pytest.raises(UserError, match="generate"):
        hs.ask(str(tiny_folders["bert"]), probe([short]), formats="generate", compute=hs.ComputeSettings(device="cpu"))


def test_pmi_of_sentences_is_that_of_the_words_they_differ_in(causal: LanguageModel) -> None:
    sentences, cloze = FORMS[2], Item(probe="demo", form="cloze", text="The stone is ___.", options=("hard", "soft"))
    by_pmi = hs.ask(causal, probe([sentences]), formats="pmi").answered[0]
    plain = hs.ask(causal, probe([cloze]), normalise="pmi").answered[0]
    assert by_pmi.scores(by_pmi.primary())[0] == pytest.approx(plain.scores("pmi")[0])
    apart = Item(probe="demo", form="sentences", options=("Stones sink.", "A cork is under water now."), answer=0)
    with pytest.raises(UserError, match=r"PMI needs a question"):
        hs.ask(causal, probe([apart]), formats="pmi")


@pytest.mark.parametrize("seed", range(5))
def test_examples_are_never_of_the_asked_family_nor_of_another_split(seed: int) -> None:
    spec = ScoringSpec(shots=3, shots_from="train", shots_seed=seed)
    examples = examples_from(CHOICE, spec)
    again = examples_from(list(reversed(CHOICE)), spec)
    for item in CHOICE:
        drawn = examples(item)
        assert drawn == again(item), "the order of the file does not matter"
        assert len({each.id for each in drawn}) == 3
        for each in drawn:
            assert each.facets["split"] == "train"
            assert each.family != item.family
            assert each.groups["noun"] != item.groups["noun"]


def test_examples_that_cannot_be_drawn_are_told() -> None:
    with pytest.raises(UserError, match="no split to draw them from"):
        examples_from(CHOICE, ScoringSpec(shots=1))
    with pytest.raises(UserError, match="split 'dev'; it has test, train"):
        examples_from(CHOICE, ScoringSpec(shots=1, shots_from="dev"))
    with pytest.raises(UserError, match=r"examples are left"):
        examples_from(CHOICE, ScoringSpec(shots=14, shots_from="all"))(CHOICE[0])


def test_examples_stand_before_an_option_and_offsets_do_not_move(causal: LanguageModel) -> None:
    """Options with an example are what a text with the example written into it gives."""
    spec = ScoringSpec(shots=1, shots_from="train")
    (shown,) = hs.ask(causal, probe(CHOICE), formats="loglikelihood", spec=spec, limit=2).answered
    item, answer = shown.items[0], shown.answers[0]
    (example,) = examples_from(CHOICE, spec)(item)
    assert example.answer is not None
    before = f"{example.text} {example.options[example.answer]}\n\n{item.text} "
    scored = hs.score(causal, [before + option for option in item.options])
    for text, total in zip(scored, answer.scores, strict=True):
        assert sum(t.logprob for t in text.tokens if t.start >= len(before)) == pytest.approx(total, abs=1e-4)
    assert answer.starts[0][0] == len(f"{item.text} ")


def test_what_is_not_parsed_is_neither_right_nor_wrong(causal: LanguageModel) -> None:
    """Random weights write nonsense: nothing is guessed, and the unanswered items bound the accuracy on all."""
    run = hs.ask(causal, probe(CHOICE), formats="generate")
    said = run.answered[0].replies
    parsed = sum(reply.parsed is not None for reply in said)
    right = sum(r.parsed == i.answer for r, i in zip(said, run.answered[0].items, strict=True) if r.parsed is not None)
    assert parsed < len(said)
    (document,) = run.results().documents
    assert document.replies is not None
    assert (document.replies.n, document.replies.parsed) == (len(CHOICE), parsed)
    assert document.outcomes is not None
    assert sum(document.outcomes.values()) == len(CHOICE)
    assert document.outcomes["unparsed"] + document.outcomes.get("empty", 0) == len(CHOICE) - parsed
    assert (document.answered, document.verdict) == (parsed, "too few answered")
    assert document.bounds == pytest.approx((right / len(CHOICE), (right + len(CHOICE) - parsed) / len(CHOICE)))


def test_samples_vote_and_depend_on_the_seed_alone(causal: LanguageModel) -> None:
    spec = ScoringSpec(samples=3, temperature=1.0)
    whole = hs.ask(causal, probe(CHOICE), formats="generate", spec=spec, limit=4).answered[0].replies
    alone = hs.ask(causal, probe(CHOICE), formats="generate", spec=spec, limit=2).answered[0].replies
    by_item = {(reply.item, reply.sample): reply.text for reply in whole}
    assert len({reply.text for reply in whole}) > 4
    assert all(by_item.get((r.item, r.sample), r.text) == r.text for r in alone)
    with pytest.raises(UserError, match=r"3 samples at temperature 0"):
        hs.ask(causal, probe(CHOICE), formats="generate", spec=ScoringSpec(samples=3))
    replies = [_said(n, parsed) for n, parsed in enumerate((0, 0, 2, None))]
    scores = answer_from(CHOICE[0], replies).scores
    assert scores == pytest.approx((log(2.5 / 4.5), log(0.5 / 4.5), log(1.5 / 4.5)))


def _said(sample: int, parsed: int | None, order: tuple[int, ...] = (0, 1, 2), item: str = CHOICE[0].id) -> Reply:
    return made_reply(item, parsed=parsed, order=order, sample=sample)


def test_a_model_that_always_takes_the_first_letter_is_found_out() -> None:
    columns = item_columns(CHOICE[:1], "family")
    orders = option_orders(CHOICE[0], 0, 0)
    biased = reply_statistics(columns, StoredReplies.of([_said(0, order[0], order) for order in orders]))
    assert biased.position is not None
    assert ([each.value for each in biased.position.shares], biased.stable) == ([1.0, 0.0, 0.0], 0.0)
    assert biased.position.bias == pytest.approx(2 / 3)
    knows = reply_statistics(columns, StoredReplies.of([_said(0, 1, order) for order in orders]))
    assert knows.position is not None
    assert knows.position.bias == pytest.approx(0.0)
    assert (knows.position.p, knows.stable) == (1.0, 1.0)


@pytest.mark.parametrize("count", [1, 2, 0])
def test_the_test_of_position_bias_keeps_its_level_and_finds_a_bias(count: int) -> None:
    """Against simulation: models that know options, guess options, or take the first letter in three of ten cases."""
    items = [
        Item(probe="demo", form="choice", text=f"What is {n}?", options=tuple("abcde"[: 2 + n % 4]), answer=0)
        for n in range(150)
    ]
    columns = item_columns(items, "family")
    rng = np.random.default_rng(0)

    def p_of(seed: int, biased: float) -> float:
        said = []
        for item in items:
            known = int(rng.integers(len(item.options)))
            for order in option_orders(item, count, seed):
                chosen = order[0] if rng.random() < biased else known if rng.random() < 0.5 else rng.choice(order)
                said.append(_said(0, int(chosen), order, item.id))
        found = reply_statistics(columns, StoredReplies.of(said)).position
        assert found is not None
        return found.p

    null = np.array([p_of(seed, 0.0) for seed in range(200)])
    assert (null < 0.05).mean() == pytest.approx(0.05, abs=0.04)
    assert np.median([p_of(seed, 0.3) for seed in range(5)]) < 0.01


def test_option_orders_depend_on_seed_and_item_and_put_every_option_everywhere() -> None:
    item = CHOICE[0]
    assert option_orders(item, 1, 0) == option_orders(item, 0, 0)[:1], "more orders begin with the same"
    first = [option_orders(each, 1, seed)[0] for each in CHOICE for seed in range(60)]
    shares = np.array([[order[position] for order in first] for position in range(3)])
    for position in range(3):
        assert np.bincount(shares[position], minlength=3) / len(first) == pytest.approx([1 / 3] * 3, abs=0.06)
    for each in CHOICE:
        assert {tuple(sorted(column)) for column in zip(*option_orders(each, 0, 1), strict=True)} == {(0, 1, 2)}
    scale = replace(item, options=("never", "rarely", "often", "always"), ordered=True)
    for seed in range(10):
        ((a, b, c, d),) = option_orders(scale, 1, seed)
        assert {(b - a) % 4, (c - b) % 4, (d - c) % 4} in ({1}, {3}), "a scale keeps its neighbours"


def test_ways_are_kept_apart_resumed_and_never_set_against_each_other(causal: LanguageModel, tmp_path: Path) -> None:
    run = hs.ask(causal, probe(CHOICE), out=tmp_path / "a", formats="loglikelihood,letters")
    assert run.results()["format"] == ["loglikelihood", "letters"]
    before = {path: path.read_bytes() for path in sorted((tmp_path / "a" / "answers").iterdir())}
    more = hs.ask(causal, probe(CHOICE), out=tmp_path / "a", formats=["letters", "pmi"])
    assert more.results()["format"] == ["letters", "pmi"]
    assert all(path.read_bytes() == content for path, content in before.items())
    assert hs.open_run(tmp_path / "a").results()["format"] == ["loglikelihood", "letters", "pmi"]
    kept = hs.open_run(tmp_path / "a").answered[1].replies
    assert [(r.item, r.logprobs) for r in kept] == [(r.item, r.logprobs) for r in run.answered[1].replies]
    hs.ask(causal, probe(CHOICE), out=tmp_path / "b", formats="generate")
    with pytest.raises(UserError, match=r"generate in .*b.*letters"):
        hs.compare(tmp_path / "b", hs.ask(causal, probe(CHOICE), formats="letters"))
    spec = ScoringSpec(orders=1)
    with pytest.raises(UserError, match="orders"):
        hs.compare(tmp_path / "a", hs.ask(causal, probe(CHOICE), formats="letters", spec=spec))
    same = hs.compare(tmp_path / "a", hs.ask(causal, probe(CHOICE), formats="letters"))
    assert [side.format for side in same.probes] == ["letters"]


@pytest.fixture(scope="module")
def chatty(causal: LanguageModel) -> LanguageModel:
    tokenizer = copy.deepcopy(causal.tokenizer)
    tokenizer.chat_template = (
        "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
        "{% if add_generation_prompt %}assistant:\n{% endif %}"
    )
    return replace(causal, tokenizer=tokenizer)


@pytest.mark.parametrize("item", FORMS, ids=lambda item: item.form)
def test_an_option_is_the_reply_in_a_chat(chatty: LanguageModel, item: Item) -> None:
    """Against the network itself: the tokens of the option behind the template, with no BOS before it."""
    spec = "chat=on,system=Be brief."
    (answered,) = hs.ask(chatty, probe([item]), formats="loglikelihood", spec=spec).answered
    (plain,) = hs.ask(chatty, probe([item]), formats="loglikelihood", spec="chat=off").answered
    ((answer,), (without,)) = answered.answers, plain.answers
    assert "chat template" in answered.part.asked
    for option, score, logprobs in zip(item.options, answer.scores, answer.logprobs, strict=True):
        said = {
            "choice": item.text,
            "cloze": f"Fill in the blank. Reply with the missing words only.\n{item.text}",
            "sentences": "Say a sentence that makes sense, and nothing else.",
            "pair": "How does the second sentence follow from the first? Reply with one of these words: true, false.\n"
            "It rains.\nIt is wet.",
        }[item.form]
        template = f"system: Be brief.\nuser: {said}\nassistant:\n"
        begun, whole = (chatty.tokenizer(text)["input_ids"] for text in (template, template + option))
        with torch.inference_mode():
            table = chatty.network(torch.tensor([whole])).logits[0].double().log_softmax(-1)
        wanted = [table[place - 1, whole[place]].item() for place in range(len(begun), len(whole))]
        assert list(logprobs) == pytest.approx(wanted, abs=1e-4)
        assert score == pytest.approx(sum(wanted), abs=1e-3)
    assert [starts[0] for starts in answer.starts] == [starts[0] for starts in without.starts], "as without a template"
    assert answer.scores != without.scores
    (auto,) = hs.ask(chatty, probe([item]), formats="loglikelihood").answered
    assert auto.answers == plain.answers, "a template has to be asked for"


def test_pmi_in_a_chat_is_against_a_reply_to_nothing(chatty: LanguageModel) -> None:
    (answered,) = hs.ask(chatty, probe(CHOICE[:1]), formats="pmi", spec="chat=on").answered
    begun, options = "user: \nassistant:\n", CHOICE[0].options
    prompts = [Prompt(begun + option, len(begun), len(begun + option), bare=True) for option in options]
    alone = chatty.likelihoods(chatty.encode(prompts, ScoringSpec()), ScoringSpec())
    assert answered.answers[0].baseline == pytest.approx([float(each.logprobs.sum()) for each in alone], abs=1e-4)


@pytest.mark.parametrize(
    ("ways", "spec", "why"),
    [
        ("letter", "default", "did you mean 'letters'"),
        ("auto,generate", "default", "auto alone"),
        ("letters", "reason=20", "does not allow reasoning"),
        ("letters", "chat=on", "has no chat template"),
        ("loglikelihood", "chat=on", "has no chat template"),
        ("generate", "system=Be brief.", "needs a chat template"),
        ("generate", "temperature=-1", "too small"),
    ],
)
def test_what_cannot_be_asked_is_told(causal: LanguageModel, ways: str, spec: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        hs.ask(causal, probe(CHOICE[:1]), formats=ways, spec=spec)
