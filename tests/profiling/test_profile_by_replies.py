"""Profiles of models that only reply: both option orders, a retest, and what is said without the question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.models.protocol import Continuation
from horsesense.profiling.abilities import Edition, abilities, chosen
from horsesense.profiling.conditions import BOTH_ORDERS, conditions, planted_conditions, withheld_item, withheld_key
from horsesense.profiling.material import material
from tests.support.reply_model import ReplyModel, Says, key_of, reply

FEW: dict[str, Any] = {"abilities": ["everyday", "parts"]}


@pytest.fixture(scope="module")
def items() -> list[Item]:
    halves = [half for a in chosen(FEW["abilities"]) for half in _halves(a)]
    return [item for half in halves for item in half.items]


def _halves(ability: Any, edition: Edition = "quick") -> list[Any]:
    asked = material(ability, edition)
    return [half for half in (asked.frozen, asked.twin) if half is not None]


def knows(right: str, options: Sequence[str], share: float) -> bool:
    """Whether the model knows the answer, which it does for a share of the questions."""
    return Random(f"{right} {sorted(options)}").random() < share


def thinking(items: list[Item], share: float) -> Says:
    """Knows a share of the questions, and guesses the others; thinks aloud before it answers."""
    key = key_of(items)

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        right = key(prompt, shown)
        known = right and knows(shown[right], list(shown.values()), share)
        letter = right if known else Random(prompt).choice(sorted(shown))
        return reply(f"Perhaps A? The answer is B? No.\n</think>\n\n{letter}. {shown[letter]}")

    return says


def test_a_thinking_model_that_knows_four_of_five_gets_a_profile_that_says_so(
    items: list[Item], tmp_path: Path
) -> None:
    model = ReplyModel(thinking(items, 0.8), "thinker")
    found = hs.profile(model, out=tmp_path / "p", **FEW).models[0]
    assert found.asked.startswith("by replies; chat template")
    assert "2 option orders, seed 0" in found.asked
    assert found.forecast is not None
    assert found.forecast.requests == len(model.asked)
    for finding in found.verdicts.findings:
        assert finding.verdict in ("partly", "knows")
        asked = [item for half in _halves(abilities()[finding.ability]) for item in half.items]
        known = [knows(item.options[item.answer or 0], item.options, 0.8) for item in asked]
        assert finding.chance_corrected.low < sum(known) / len(known) < finding.chance_corrected.high
        (blind,) = [each for each in finding.explanations if each.kind == "blind"]
        assert blind.accuracy.low < 0.5 < blind.accuracy.high, "without the question it guesses"
        assert "in the retest" in [each.name for each in finding.conditions]
    again = ReplyModel(thinking(items, 0.0), "thinker")
    kept = hs.profile(again, out=tmp_path / "p", **FEW).models[0]
    assert (again.asked, kept.verdicts) == ([], found.verdicts), "stored replies are not asked for again"


@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        (lambda prompt, shown: reply("A"), "not above chance"),
        (lambda prompt, shown: reply("I'm sorry, but I can't help with that."), "inconclusive"),
        (lambda prompt, shown: reply("", "content_filter", outcome="filtered"), "inconclusive"),
        (lambda prompt, shown: reply("<think>Let me think", "length"), "inconclusive"),
    ],
    ids=["always A", "refuses", "filtered", "empty at length"],
)
def test_models_that_say_nothing_of_the_question(says: Says, verdict: str) -> None:
    (finding,) = hs.profile(ReplyModel(says), abilities=["parts"]).models[0].verdicts.findings
    assert finding.verdict == verdict
    assert finding.chance_corrected.value == pytest.approx(0.0, abs=0.01)
    if verdict == "inconclusive":
        assert "0% of the questions were answered" in finding.reasons[0]


def test_the_quick_edition_takes_at_most_4000_requests() -> None:
    materials = [material(ability, "quick") for ability in chosen(())]
    plan = [each for one in materials for each in conditions(one, "quick", "generate")]
    plan += planted_conditions(materials, "quick", "generate")
    assert {each.role for each in plan} == {"main", "twin", "retest", "prior", "withheld", "open", "planted"}
    requests = sum(len(each.probe.items) * (BOTH_ORDERS if each.variant else 1) for each in plan)
    assert 2_000 < requests <= 4_000


def test_both_orders_of_a_main_question_are_asked_and_kept(items: list[Item], tmp_path: Path) -> None:
    hs.profile(ReplyModel(thinking(items, 1.0)), out=tmp_path, limit=3, abilities=["parts"])
    (main,) = hs.open_run(tmp_path / "answers-in-orders").answered
    orders = {item.id: {each.order for each in main.replies_to(item.id)} for item in main.items}
    assert {len(each) for each in orders.values()} == {BOTH_ORDERS}
    rest = {each.part.probe.name for each in hs.open_run(tmp_path / "answers").answered}
    assert rest == {"parts-retest", "parts-withheld", "planted.professor"}
    with pytest.raises(UserError) as refused:
        hs.open_run(tmp_path)
    assert all(str(tmp_path / each) in str(refused.value.fix) for each in ("answers", "answers-in-orders"))


def test_a_withheld_question_shows_nothing_but_the_options() -> None:
    asked = Item("p", "choice", premise="In winter.", text="What is cold?", options=("ice", "fire"), answer=0)
    hidden = withheld_item(asked)
    assert (hidden.premise, hidden.answer, hidden.options) == ("", None, asked.options)
    assert "cold" not in hidden.text
    pair = Item("p", "sentences", options=("Ice is cold to touch.", "Ice is hot to touch."), answer=0)
    assert withheld_item(pair).options == ("cold", "hot")
    assert withheld_key(pair) == ("cold", "hot")


def test_settings_that_would_change_the_profile_are_refused(items: list[Item]) -> None:
    with pytest.raises(UserError, match="a profile fixes orders"):
        hs.profile(ReplyModel(thinking(items, 1.0)), spec="orders=1")


class Scorer:
    """Gives log-probabilities only: prefers the key to the other options, and sometimes anything else to the key."""

    version = "1"

    def __init__(self, items: Sequence[Item], recalls: bool) -> None:
        self.name = "recalls" if recalls else "recognises"
        self._items = {item.text: item for item in items}
        self._recalls = recalls

    def loglikelihood(self, context: str, continuation: str) -> float:
        text = max((text for text in self._items if text in context), key=len, default="")
        if not text:
            return -float(len(continuation))
        options = [option.partition(",")[0] for option in self._items[text].options]
        said = continuation.strip().partition(",")[0]
        if said in options:
            return -1.0 if options.index(said) == self._items[text].answer else -2.0
        return -2.0 if self._recalls else 0.0


def test_options_withheld_distinguish_recall_from_recognition() -> None:
    items = [item for half in _halves(abilities()["words"], "full") for item in half.items]
    scorers: list[Any] = [Scorer(items, recalls) for recalls in (True, False)]
    found = hs.profile(scorers, abilities=["words"], full=True, limit=5)
    for model, alone in zip(found.models, (1.0, 0.0), strict=True):
        (withheld,) = model.withheld
        assert withheld.question_alone is not None
        assert withheld.from_options is not None
        assert (withheld.n, withheld.with_both.value, withheld.question_alone.value) == (5, 1.0, alone)
        assert withheld.from_options.value == pytest.approx(1 - alone, abs=0.01)
        assert (withheld.median_rank == 1) is bool(alone)
    assert "| recognises | words for a meaning | 100%" in found.to_markdown()


def test_a_free_answer_is_graded_in_the_profile() -> None:
    items = [item for half in _halves(abilities()["words"]) for item in half.items]
    key, names = key_of(items), {item.text: item.options[item.answer or 0] for item in items}

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        asked = next((text for text in names if text in prompt), "")
        return reply(key(prompt, shown) or "A" if shown else names[asked].partition(",")[0])

    (withheld,) = hs.profile(ReplyModel(says), abilities=["words"], limit=5).models[0].withheld
    assert withheld.grades == {"same": 5}
    assert withheld.from_question is not None
    assert withheld.from_question.low > 0, "without the question it says A"
