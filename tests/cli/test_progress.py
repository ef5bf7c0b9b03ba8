"""What people see while they wait: bars on a terminal, a forecast in words, nothing else elsewhere."""

from __future__ import annotations

import re

import pytest

from horsesense.cli import progress
from horsesense.cli.progress import Bars
from horsesense.progress import Progress, SumProgress


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


def plain(text: str) -> str:
    """Without the colours and movements of a terminal; what is drawn anew is a line of its own."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n")


def test_how_long_it_takes_is_said_after_ten_seconds_and_every_half_minute(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with Bars() as bars:
        bars.update("m on p", 1_000, 101_000, "tokens")
        clock.seconds = 9
        bars.update("m on p", 10_000, 101_000, "tokens")
        assert capsys.readouterr().err == ""
        clock.seconds = 20
        bars.update("m on p", 11_000, 101_000, "tokens")
        assert capsys.readouterr().err == "m on p: 11%, about 3 minutes left, at 500 tokens per second\n"
        clock.seconds = 40
        bars.update("m on p", 12_000, 101_000, "tokens")
        bars.update("other", 0, 9)
        clock.seconds = 90
        bars.update("other", 1, 9)
        assert capsys.readouterr() == ("", ""), "not all the time, and only where things are counted"
        clock.seconds = 101
        bars.update("m on p", 91_900, 101_000, "tokens")
    assert capsys.readouterr().err == "m on p: 91%, less than a minute left, at 900 tokens per second\n"


def test_a_terminal_has_bars_and_is_told_once(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Bars() as bars:
        for second in range(0, 100, 10):
            clock.seconds = second
            bars.update("m on p", 1_000 * second, 1_000_000, "tokens")
    assert plain(capsys.readouterr().err).count("minutes left, at") == 1


def test_a_stage_that_begins_anew_has_a_forecast_of_its_own(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with Bars() as bars:
        for begun in (0, 100):
            clock.seconds = begun
            bars.update("training", 0, 1_000, "steps", "loss 0.100")
            clock.seconds = begun + 11
            bars.update("training", 11, 1_000, "steps", "loss 0.090")
    assert capsys.readouterr().err == "training: 1%, about 16 minutes left, at 1 steps per second\n" * 2


def test_bars_are_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with Bars(stay=True) as run:
        run.update("m[/b] on p", 0, 1_000, "tokens")
        run.update("m[/b] on p", 250, 1_000, "tokens")
    assert re.search(r"^m\[/b\] on p .*250/1,000 tokens 0:00:", plain(capsys.readouterr().err), re.MULTILINE)
    with Bars() as training:
        training.update("training", 5, 10, note="loss 0.250")
        training.update("training", 1, 10, note="loss 0.500")
    drawn = plain(capsys.readouterr().err)
    assert drawn.rstrip().splitlines()[-1].startswith("training, loss 0.500")
    with Bars() as bars:
        bars.update("WordNet", 0, 1)
        bars.update("cues", 1, 2)
        bars.update("WordNet", 1, 1)
    assert len(bars._bars.tasks) == 2, "a stage that is taken up again keeps its bar"


def test_many_stages_are_one_without_their_details() -> None:
    class Listener(Progress):
        def __init__(self) -> None:
            self.seen: list[tuple[str, int, int, str]] = []
            self.heard: list[str] = []

        def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
            self.seen.append((stage, done, total, unit))

        def log(self, text: str) -> None:
            self.heard.append(text)

    listener = Listener()
    whole = SumProgress(listener, "m", 100, "tokens")
    for stage, done in (("a", 10), ("a", 20), ("b", 5), ("a", 30)):
        whole.update(stage, done, 50, "tokens")
    whole.update("a: replies", 3, 4, "replies")
    whole.log("said")
    whole.detail("50 tokens to compute")
    assert listener.seen == [
        *(("m", done, 100, "tokens") for done in (10, 20, 25, 35)),
        ("a: replies", 3, 4, "replies"),
    ]
    assert listener.heard == ["said"]
    listener.detail("shown where nobody leaves it out")
    assert listener.heard[1:] == ["shown where nobody leaves it out"]
