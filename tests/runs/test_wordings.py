"""Several wordings of the same items: only wording and order differ, and a model that is sensitive to them shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import check_item
from horsesense.errors import UserError
from horsesense.models.protocol import Continuation
from horsesense.runs.wordings import REGISTERED, WORDINGS, worded_probe
from tests.planting.test_planted_cues import questions
from tests.support.reply_model import ReplyModel, reply


def some_of_starter() -> hs.Probe:
    probe = hs.load_probe("starter")
    return replace(probe, items=probe.items[:6])


def test_registered_wordings() -> None:
    assert REGISTERED >= 6
    for templates in WORDINGS.values():
        assert len(set(templates)) == len(templates)
        assert all(each.count("{}") == 1 for each in templates)


@pytest.mark.parametrize("probe", [questions(6), some_of_starter()], ids=["choice", "sentences"])
def test_items_in_other_words(probe: hs.Probe) -> None:
    worded = worded_probe("demo", probe, 6, 0, lettered=True)
    assert len(worded.items) == len({item.id for item in worded.items}) == 6 * 6 * 2
    for item in worded.items:
        check_item(item)
    origin = {item.id: item for item in probe.items}
    for item in worded.items:
        first = origin[str(item.facets["worded_from"])]
        assert item.options[item.answer or 0] == first.options[first.answer or 0]
        assert (item.options == first.options) != bool(item.facets["reversed"])
        assert first.text in item.text
        assert first.premise in item.premise
    with pytest.raises(UserError, match="wordings"):
        worded_probe("demo", probe, 1, 0, lettered=True)


def test_a_model_that_fails_in_some_wordings() -> None:
    probe = questions(40)
    key = {item.text: item.options[item.answer or 0] for item in probe.items}

    def says(prompt: str, shown: dict[str, str]) -> Continuation:
        wanted = next(option for text, option in key.items() if text in prompt)
        letters = {option: letter for letter, option in shown.items()}
        failing = "everyday life" in prompt or "test of general" in prompt
        return reply(next(letter for option, letter in letters.items() if (option == wanted) != failing))

    model: Any = ReplyModel(says)
    run = hs.ask(model, probe, formats="generate", design=hs.DesignSettings(wordings=8))
    (found,) = run.wordings()
    assert (found.items, len(found.by_wording)) == (40, 8)
    assert sorted(found.by_wording.values()) == [0, 0, 1, 1, 1, 1, 1, 1]
    assert found.fixed.value == pytest.approx(0.75)
    width = found.with_wording.high - found.with_wording.low
    assert width > 3 * (found.fixed.high - found.fixed.low)
    assert found.components["wordings"] > 0.1
    assert found.order_effect == 0
    assert found.best.wordings == REGISTERED
