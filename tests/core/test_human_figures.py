"""What people get on a probe, kept in its card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.core import Card, HumanFigure, Item, Probe, add_human_figures, read_probe, write_probe
from horsesense.errors import UserError

ONE = HumanFigure(0.91, "single person", "a paper, table 1", "test=generic", 644, 5)
ANOTHER = HumanFigure(1, "", "a friend")


@pytest.fixture
def written(tmp_path: Path) -> Path:
    item = Item("made", "sentences", options=("Ice is cold.", "Ice is hot."), answer=0, facets={"test": "generic"})
    path = tmp_path / "made.jsonl"
    write_probe(path, Probe.of([item], Card("made", human=(ONE,))))
    return path


def test_a_figure_comes_back_from_the_card(written: Path) -> None:
    assert read_probe(written).card.human == (ONE,)


def test_figures_of_one_source_take_the_place_of_its_earlier_ones(written: Path) -> None:
    add_human_figures(written, [ANOTHER])
    better = replace(ANOTHER, value=0.5)
    add_human_figures(written, [better])
    assert read_probe(written).card.human == (ONE, better)


def test_without_a_card_there_is_nowhere_to_put_them(written: Path) -> None:
    written.with_name("made.card.json").unlink()
    with pytest.raises(UserError, match="has no card"):
        add_human_figures(written, [ANOTHER])


@pytest.mark.parametrize(
    "damage",
    [{"value": 91}, {"value": True}, {"value": "0.9"}, {"kind": None}, {"n": 1.5}, {"colour": "red"}, {"source": 3}],
)
def test_a_damaged_figure_is_told_with_the_file(written: Path, damage: dict[str, object]) -> None:
    card = written.with_name("made.card.json")
    values = json.loads(card.read_text(encoding="utf-8"))
    values["human"][0] |= damage
    card.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(UserError, match="'human' has the wrong type") as told:
        read_probe(written)
    assert told.value.file == str(card)


def test_a_card_without_people_is_read_as_before(written: Path) -> None:
    card = written.with_name("made.card.json")
    values = json.loads(card.read_text(encoding="utf-8"))
    del values["human"], values["sha256"]
    card.write_text(json.dumps(values), encoding="utf-8")
    assert read_probe(written).card.human == ()
