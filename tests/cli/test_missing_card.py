"""A probe file that was copied without its card: the unit of its intervals is another, and that is said."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cli import main
from horsesense.core import Card, Item, Probe, write_probe
from horsesense.progress import HorsesenseWarning

TOLD = "it has no card, so intervals are clustered by family, although its items have groups (noun); copy its card to"


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """The file without the card that was written with it."""
    items = [
        Item(
            probe="quiz",
            form="choice",
            text=f"Is {noun} {n} of them?",
            options=("yes", "no"),
            answer=n % 2,
            groups={"noun": noun},
        )
        for noun in ("ice", "tar", "sea", "fog", "sun", "mud", "oak")
        for n in range(4)
    ]
    path = tmp_path / "quiz.jsonl"
    write_probe(path, Probe.of(items, Card(name="quiz", group="noun")))
    (tmp_path / "quiz.card.json").rename(tmp_path / "kept.card.json")
    return path


def called(*arguments: object) -> None:
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    assert left.value.code == 0


def test_python_warns_until_the_card_is_there(alone: Path) -> None:
    with pytest.warns(HorsesenseWarning, match="quiz.card.json too, or give group where") as told:
        assert hs.load_probe(alone).card.group == "family"
    assert len(told) == 1
    assert TOLD in str(told[0].message)
    assert told[0].filename == __file__, "the warning is at the line of who called"
    alone.with_name("kept.card.json").rename(alone.with_name("quiz.card.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hs.load_probe(alone).card.group == "noun"


def test_items_without_groups_need_no_card(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text(
        '{"probe": "p", "form": "choice", "text": "Is ice hot?", "options": ["yes", "no"], "answer": 1}'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hs.load_probe(tmp_path / "p.jsonl")


def test_every_command_says_it_once_beside_its_result(
    alone: Path, tiny_folders: dict[str, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    for call in (
        ("show", alone),
        ("cues", alone, "--splits", 1, "--rounds", 19),
        ("harden", alone, "-o", tmp_path / "hard.jsonl"),
        ("run", "-m", tiny_folders["gpt2"], "-p", alone, "--out", run),
        ("report", run, "-p", alone, "--out", tmp_path / "page.html"),
    ):
        called(*call, "--json")
        printed = capfd.readouterr()
        assert json.loads(printed.out)
        assert printed.err.count(TOLD) == 1, call
        assert "give --group where" in printed.err


def test_a_unit_that_is_named_needs_no_card(alone: Path, capfd: pytest.CaptureFixture[str]) -> None:
    called("cues", alone, "--splits", 1, "--rounds", 19, "--group", "noun", "--json")
    printed = capfd.readouterr()
    assert TOLD not in printed.err
    assert json.loads(printed.out)["units"] == 7
