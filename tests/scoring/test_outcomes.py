"""Outcomes of questions, counted apart and kept with prompt and reply; option orders; letters that carry nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import log
from pathlib import Path
from typing import Any

import orjson
import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.errors import UserError
from horsesense.models.protocol import Choices, Continuation
from horsesense.report import run_text
from horsesense.report.run import run
from horsesense.runs.result import spreads
from horsesense.scoring.prompt_formats import PROMPT_FORMATS, DryRun
from tests.support.reply_model import ReplyModel, key_of, reply

ITEMS = [
    Item(probe="small", form="choice", text=f"What melts {n} times?", options=("ice", "a stone", "iron"), answer=0)
    for n in range(80)
]
PROBE = Probe.of(ITEMS, Card(name="small"))
KEY = key_of(ITEMS)


def number_in(prompt: str) -> int:
    return int(prompt.partition("What melts ")[2].partition(" ")[0])


def thinker(share: float) -> ReplyModel:
    """Knows a share of the items, takes a wrong option elsewhere, and thinks aloud before it answers."""

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        right = KEY(prompt, shown)
        letter = right if number_in(prompt) < share * len(ITEMS) else next(x for x in shown if x != right)
        return reply(f"Perhaps A? The answer is C? No.\n</think>\n\n{letter}. {shown[letter]}")

    return ReplyModel(says, "thinker")


def sometimes(what: Continuation, every: int) -> ReplyModel:
    """Knows everything, and something else happens on every so many items."""

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        return what if number_in(prompt) % every == 0 else reply(KEY(prompt, shown))

    return ReplyModel(says, "sometimes")


def test_accuracy_is_what_a_thinking_model_knows() -> None:
    (result,) = hs.ask(thinker(0.8), PROBE).results().documents
    assert (result.format, result.accuracy.value, result.accuracy.n) == ("generate", 0.8, 80)
    assert result.outcomes == {"right": 64, "wrong": 16}
    assert (result.bounds, result.verdict) == (None, "above chance")


OTHERS = {
    "refused": reply("I'm sorry, but I can't help with that."),
    "filtered": reply("", "content_filter", outcome="filtered", reported="content_filter"),
    "cut off": reply("<think>Let me think. Is it A or", "length"),
    "unparsed": reply("It depends on the weather."),
    "empty": reply(""),
    "failed": reply("", "", outcome="failed", reported="HTTP 400: too long"),
}


@pytest.mark.parametrize("outcome", OTHERS)
def test_every_outcome_is_counted_apart(outcome: str, tmp_path: Path) -> None:
    run = hs.ask(sometimes(OTHERS[outcome], 20), PROBE, out=tmp_path)
    (result,) = run.results().documents
    assert result.outcomes == {"right": 76, "wrong": 0, outcome: 4}
    assert (result.accuracy.value, result.accuracy.n, result.bounds) == (1.0, 76, (0.95, 1.0))
    assert result.verdict == "above chance"
    lost = next(item for item in ITEMS if number_in(item.text) == 0)
    shown = hs.show(tmp_path, lost.id).to_json()
    (answer,) = shown["answers"]
    assert (answer["outcome"], answer["credit"], answer["chosen"]) == (outcome, None, [])
    (kept,) = answer["replies"]
    assert kept["outcome"] == outcome
    assert lost.text in kept["prompt"]
    assert kept["text"] == OTHERS[outcome].text


def test_too_few_answers_give_no_verdict_no_comparison_and_no_check(tmp_path: Path) -> None:
    few = hs.ask(sometimes(OTHERS["refused"], 4), PROBE, out=tmp_path / "few")
    good = hs.ask(thinker(1.0), PROBE, out=tmp_path / "good")
    (result,) = few.results().documents
    assert (result.verdict, result.answered, result.bounds) == ("too few answered", 60, (0.75, 1.0))
    with pytest.raises(UserError, match="75% answered"):
        few.compare(good)
    gate = hs.check_regression(tmp_path / "few", against=tmp_path / "good")
    assert (gate.verdict, gate.exit_code) == ("inconclusive", 4)
    assert "75%" in gate.checks[0].too_few
    page = few.report(tmp_path / "page.html", cues=False).read_text(encoding="utf-8")
    assert "too few answered" in page


def test_no_answer_at_all_is_no_score(tmp_path: Path) -> None:
    silent = hs.ask(sometimes(OTHERS["empty"], 1), PROBE, out=tmp_path / "run")
    (result,) = silent.results().documents
    assert (result.unanswered, result.verdict, result.outcomes) == (True, "too few answered", {"right": 0, "wrong": 0, "empty": 80})  # fmt: skip # noqa: E501
    silent.report(tmp_path / "page.html", cues=False)


def test_no_answer_at_all_is_no_rate_in_json_in_tables_and_in_words(tmp_path: Path) -> None:
    silent = hs.ask(sometimes(OTHERS["empty"], 1), PROBE, out=tmp_path / "run")
    results = silent.results()
    (document,) = json.loads(orjson.dumps(results.to_json()))
    estimate = document["accuracy"]
    assert (estimate["value"], estimate["ci"], estimate["n"]) == (None, [None, None], 0)
    assert (document["strict"], document["sensitivity"], document["outcomes"]["empty"]) == (None, {}, 80)
    (row,) = results
    assert (row["accuracy"], row["low"], row["high"], row["n"], row["unanswered"]) == (None, None, None, 0, 80)
    assert run_text.bounds(results.documents[0]) == "no item is answered"
    assert spreads(results.documents * 2) == ()
    page = silent.report(tmp_path / "page.html", cues=False).read_text(encoding="utf-8")
    assert "80 items" in page
    assert "of the answered items are right" not in page


def test_models_are_compared_on_the_items_that_both_answered() -> None:
    some, other = sometimes(OTHERS["refused"], 20), thinker(0.8)
    (side,) = hs.ask([some, other], PROBE).compare().probes
    assert side.n == 76
    assert side.accuracies["sometimes"].value == 1.0


def test_an_always_a_model_scores_chance_and_its_bias_is_reported() -> None:
    """The key is the first option of every item in the file."""
    for_ever = ReplyModel(lambda prompt, shown: reply("A"), "always A")
    (result,) = hs.ask(for_ever, PROBE).results().documents
    assert result.accuracy.value == pytest.approx(1 / 3, abs=0.15)
    assert result.replies is not None
    bias = result.replies.position
    assert bias is not None
    assert [each.value for each in bias.shares] == [1.0, 0.0, 0.0]
    assert (bias.shares[0].low > 0.9, bias.p < 0.001) == (True, True)
    (fair,) = hs.ask(thinker(0.8), PROBE).results().documents
    assert fair.replies is not None
    assert fair.replies.position is not None
    assert fair.replies.position.p > 0.01
    again = [hs.ask(for_ever, PROBE, spec=f"orders_seed={seed}").answered[0].replies for seed in (0, 0, 1)]
    orders = [[each.order for each in replies] for replies in again]
    assert orders[0] == orders[1] != orders[2]


def lettered(first: float) -> ReplyModel:
    """Lists next tokens: a letter that it knows with some probability, and something else before that."""

    def next_letters(prompt: str, words: Sequence[str]) -> Choices:
        shown = dict(line.split(". ", 1) for line in prompt.splitlines() if line[1:3] == ". ")
        right = KEY(prompt, shown) or "B"
        values = tuple(log(first if word == right else 0.001) for word in words)
        return Choices(values, (False,) * len(words))

    return ReplyModel(thinker(1.0).says, "lettered", next_letters)


def test_letters_without_most_of_the_probability_are_not_believed() -> None:
    """A model that begins with a thought or with asterisks leaves next to nothing for the letters."""
    (sure,) = hs.ask(lettered(0.9), PROBE).results().documents
    assert (sure.format, sure.accuracy.value) == ("letters", 1.0)
    (asked,) = hs.ask(lettered(0.004), PROBE, formats="letters").results().documents
    assert (asked.verdict, asked.outcomes) == ("too few answered", {"right": 0, "wrong": 0, "unparsed": 80})
    assert asked.replies is not None
    assert asked.replies.letters == pytest.approx(0.006)


def test_a_dry_run_shows_the_prompts_of_every_format_and_sends_nothing() -> None:
    model = thinker(1.0)
    dry = run(model, PROBE, dry_run=True, limit=5, formats=list(PROMPT_FORMATS))
    assert isinstance(dry, DryRun)
    assert model.asked == []
    assert dry.to_json()["items"] == {"small": 5}
    by_format: dict[str, list[str]] = {}
    for each in dry.prompts:
        by_format.setdefault(each.format, []).append(each.prompt)
    assert {name: len(each) for name, each in by_format.items()} == {
        "loglikelihood": 9,
        "pmi": 18,  # each option by itself too
        "letters": 9,
        "generate": 3,
        "structured": 3,
    }
    hs.ask(model, PROBE, limit=5)
    assert {prompt.removeprefix("[user]\n") for prompt in by_format["generate"]} <= set(model.asked)


def test_a_dry_run_shows_only_what_the_run_would_ask() -> None:
    def dry_run(model: Any, **options: Any) -> DryRun:
        dry = run(model, PROBE, dry_run=True, limit=5, **options)
        assert isinstance(dry, DryRun)
        return dry

    def formats(model: Any) -> set[str]:
        dry = dry_run(model)
        assert bool(dry.note) == (len({each.format for each in dry.prompts}) > 1)
        return {each.format for each in dry.prompts}

    assert formats(thinker(1.0)) == {"generate"}
    assert formats("a-folder-of-weights") == {"loglikelihood"}
    assert formats("openai:http://localhost:1#some") == {"loglikelihood", "letters", "generate"}
    withheld = dry_run("smollm2", design=hs.DesignSettings(withhold=["question"]))
    assert withheld.items == {"small": 5, "small.no-question": 5}
    hidden = [each.prompt for each in withheld.prompts if each.probe == "small.no-question"]
    assert all("hidden" in prompt and "melts" not in prompt for prompt in hidden)
    by_pmi = [each.prompt for each in dry_run("smollm2", normalise="pmi").prompts]
    assert (len(by_pmi), {*PROBE.items[0].options} <= {*by_pmi}) == (18, True)
