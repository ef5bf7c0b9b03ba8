"""Runs that stop by a rule: they ask whole families in random order, resume, and read as one probe."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS
from horsesense.report.stored_run import with_report
from tests.planting.test_planted_cues import questions


class Knows:
    """Knows a share of the answers."""

    def __init__(self, share: float) -> None:
        self.share, self.name, self.version = share, f"knows {share}", "1"
        self.asked: set[str] = set()

    def loglikelihood(self, context: str, continuation: str) -> float:
        self.asked.add(context)
        number = int("".join(filter(str.isdigit, context)))
        drawn = int(hashlib.sha256(f"know {number}".encode()).hexdigest()[:8], 16) / 2**32
        known = continuation.strip() == f"thing {number}-{'abcd'[number % 4]}"
        return -5.0 * (known != (drawn < self.share))


def test_stops_early_and_resumes_to_the_same(tmp_path: Path) -> None:
    model: Any = Knows(0.9)
    probe = questions(600)
    run = hs.ask(model, probe, design=hs.DesignSettings(until="ci<0.08"), out=tmp_path / "run")
    (answered,) = run.answered
    assert 60 < len(answered.items) == len(model.asked) < 600
    families = [item.family for item in answered.items]
    assert all(families.count(each) == 2 for each in families)
    (found,) = with_report(run, NO_PROGRESS).until or ()
    assert found.met
    assert found.accuracy.low < 0.9 < found.accuracy.high
    assert found.accuracy.high - found.accuracy.value <= 0.08
    again: Any = Knows(0.9)
    resumed = hs.ask(again, probe, design=hs.DesignSettings(until="ci<0.08"), out=tmp_path / "run")
    assert not again.asked
    assert resumed.results().to_json() == run.results().to_json()
    opened = hs.open_run(tmp_path / "run")
    assert opened.probes == ("demo",)
    assert opened.results().to_json() == run.results().to_json()


class Replies:
    """Replies with the right option, or says nothing about every third question; silent: about all."""

    def __init__(self, silent: bool) -> None:
        self.silent, self.name, self.version = silent, f"silent {silent}", "1"

    def generate(self, messages: Any, *, max_tokens: int, temperature: float, seed: int) -> str:
        text = str(messages)
        if "of number " not in text:
            return "Cold."  # the trial asks whether ice is hot or cold
        number = int(text.split("of number ")[1].split("?")[0])
        return "" if self.silent or number % 3 == 0 else f"thing {number}-{'abcd'[number % 4]}"


def test_an_item_without_an_answer_is_not_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the page of a run without a folder is written here
    rule = hs.DesignSettings(until="ci<0.1")
    model: Any = Replies(silent=False)
    run = hs.ask(model, questions(400), design=rule, formats=["generate"])
    (found,) = with_report(run, NO_PROGRESS).until or ()
    assert found.accuracy.value == 1.0
    model = Replies(silent=True)
    run = hs.ask(model, questions(80), design=rule, formats=["generate"])
    assert len(run.answered[0].items) == 80, "nothing is known, so all is asked"
    assert not with_report(run, NO_PROGRESS).until


def test_all_is_asked_where_the_rule_is_never_met() -> None:
    model: Any = Knows(0.5)
    run = hs.ask(model, questions(80), design=hs.DesignSettings(until="ci<0.05"))
    assert len(run.answered[0].items) == 80
    with pytest.raises(UserError, match="wordings"):
        hs.ask(model, questions(8), design=hs.DesignSettings(until="ci<0.05", wordings=6))


def test_differences_that_may_be_looked_at() -> None:
    models: Any = [Knows(0.9), Knows(0.5)]
    run = hs.ask(models, questions(400))
    found = hs.compare(run, until="ci<0.15").until
    assert found is not None
    (pair,) = found
    assert pair.difference.low < 0.4 < pair.difference.high
    assert pair.settled is not None
    assert pair.settled < 200
