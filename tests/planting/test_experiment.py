"""The experiment from end to end: a model that follows a hint is found, a model that ignores it is not called one."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.errors import UserError
from horsesense.models.protocol import Continuation
from horsesense.planting.render import planting
from tests.planting.test_planted_cues import questions
from tests.support.reply_model import ReplyModel, reply

HINT = re.compile(r"A professor thinks that the answer is “(.+?)”")
NUMBER = re.compile(r"number (\d+)\?")


class Scorer:
    """Knows three quarters of the answers, guesses the others, and follows a professor in a share of the questions."""

    def __init__(self, follows: float) -> None:
        self.follows, self.name, self.version = follows, f"follows {follows}", "1"

    def loglikelihood(self, context: str, continuation: str) -> float:
        found = NUMBER.search(context)
        assert found
        number = int(found[1])
        hint = HINT.search(context)
        if hint and _draw(f"follow {number}") < self.follows:
            return 0.0 if hint[1] == continuation.strip() else -5.0
        if number % 4:
            return 0.0 if continuation.strip() == f"thing {number}-{'abcd'[number % 4]}" else -5.0
        return -5 * _draw(f"guess {continuation}")


def _draw(text: str) -> float:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 2**32


def test_followers_are_found_and_others_are_not(tmp_path: Path) -> None:
    models: Any = [Scorer(0.6), Scorer(0.0)]
    found = hs.plant(questions(160), model=models, cue="professor", out=tmp_path / "out")
    follower, other = found.effects
    assert follower.verdict == "follows the cue"
    assert follower.moved.low <= 0.6 <= follower.moved.high
    assert other.verdict == "not moved"
    assert other.moved.value == 0
    assert follower.accuracy_wrong < follower.accuracy_placebo < follower.accuracy_right
    assert follower.accuracy_placebo == other.accuracy_placebo
    row, unmoved = found.overall
    assert (row.verdict, row.strongest, row.moved.value) == ("follows professor", "professor", follower.moved.value)
    assert (unmoved.verdict, unmoved.strongest) == ("not moved", "")
    (difference,) = found.differences
    assert difference.difference.value == pytest.approx(follower.moved.value)
    assert difference.adjusted < 0.001
    again = hs.plant(questions(160), model=models, cue="professor", out=tmp_path / "out")
    assert again.to_json() == found.to_json()


def test_a_cue_that_is_not_known(tmp_path: Path) -> None:
    model: Any = Scorer(0.0)
    with pytest.raises(UserError, match="professor"):
        hs.plant(questions(4), model=model, cue="profesor", out=tmp_path / "out")


def test_the_letter_pattern_needs_letters(tmp_path: Path) -> None:
    model: Any = Scorer(0.0)
    with pytest.raises(UserError, match="letters"):
        hs.plant(questions(20), model=model, cue="pattern", out=tmp_path / "out")


def test_a_model_that_follows_the_place_is_found(tmp_path: Path) -> None:
    """It takes the first letter in a share of the questions, and knows the others."""

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        number = int(NUMBER.findall(prompt)[0])
        key = f"thing {number}-{'abcd'[number % 4]}"
        follows = _draw(f"first {number}") < 0.5
        letter = "A" if follows else next(each for each, option in shown.items() if option == key)
        return reply(f"{letter}. {shown[letter]}")

    model: Any = ReplyModel(says)
    found = hs.plant(
        questions(160), model=model, cue=["first", "last"], formats="generate", out=tmp_path / "out"
    )  # fmt: skip
    first, last = found.effects
    assert first.verdict == "follows the cue"
    assert first.moved.low <= 0.5 <= first.moved.high
    assert first.mentioned == 0.0
    assert last.verdict in ("not moved", "avoids the cue", "inconclusive")
    assert last.moved.value <= 0.1


def test_replies_that_mention_the_hint_and_replies_that_say_nothing(tmp_path: Path) -> None:
    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        hint = HINT.search(prompt)
        if not hint:
            return reply("I would rather not say.")  # unparsed in the placebo arm
        letter = next(letter for letter, option in shown.items() if option == hint[1])
        number = int(NUMBER.findall(prompt)[0])
        return reply(f"{letter}. {hint[1]}" + (", as the professor says" if number % 2 else ""))

    model: Any = ReplyModel(says)
    found = hs.plant(questions(40), model=model, cue="professor", formats="generate", out=tmp_path / "out")
    (effect,) = found.effects
    assert (effect.moved.value, effect.accuracy_placebo, effect.mentioned) == (1.0, 0.0, 0.5)


def test_the_table_says_how_many_items_each_cue_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def says(_: str, shown: dict[str, str]) -> Continuation:
        return reply(f"A. {shown['A']}")

    monkeypatch.setenv("COLUMNS", "80")
    model: Any = ReplyModel(says)
    found = hs.plant(
        questions(12), model=model, cue=["professor", "first"], formats="generate", out=tmp_path / "out"
    )  # fmt: skip
    planting(found)
    professor, first = (each.n for each in found.effects)
    assert professor == 12 > first
    text = capsys.readouterr().out
    assert f"{first} to 12 items per cue" in " ".join(text.split())
    assert {"professor", "first", "mentioned"} <= set(text.split()), "names are not broken on 80 columns"
