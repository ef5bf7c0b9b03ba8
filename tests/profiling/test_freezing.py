"""A version can be frozen from the repository alone, by its tool."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from horsesense.profiling import material as rooms
from horsesense.profiling.abilities import abilities
from tools import freeze_profile

FEW = ("everyday", "turned", "parts")
"""Abilities that need nothing fetched; one of them has twins."""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty place for the list, where no earlier one is."""
    path, few = tmp_path / "profile.toml", {name: abilities()[name] for name in FEW}
    for module in (rooms, freeze_profile):
        monkeypatch.setattr(module, "frozen_path", lambda version=rooms.VERSION: path)
    monkeypatch.setattr(freeze_profile, "abilities", lambda: few)
    monkeypatch.setattr(freeze_profile, "chosen", lambda names: [few[name] for name in names or FEW])
    monkeypatch.setattr(sys, "argv", ["freeze_profile"])
    cached = (rooms.frozen_list, rooms.balancing_cues)
    for each in cached:
        each.cache_clear()
    yield path
    for each in cached:
        each.cache_clear()


def test_the_list_that_ships_is_made_again_without_an_older_one(elsewhere: Path) -> None:
    shipped = tomllib.loads(Path(rooms.__file__).with_name(f"profile{rooms.VERSION}.toml").read_text(encoding="utf-8"))
    freeze_profile.main()
    made = tomllib.loads(elsewhere.read_text(encoding="utf-8"))
    assert made["abilities"] == {name: shipped["abilities"][name] for name in FEW}
    assert made["version"] == shipped["version"]
    assert sorted(made["cues"]) == sorted(shipped["cues"]), "cues of a method come first if it was imported before"


def test_one_ability_alone_is_frozen_and_the_others_stay(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Path(rooms.__file__).with_name(f"profile{rooms.VERSION}.toml").read_text(encoding="utf-8")
    parts = shipped[shipped.index("[abilities.parts]") :]
    elsewhere.write_text(shipped.replace(parts, parts.replace('content = "', 'content = "0')), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["freeze_profile", "--ability", "parts"])
    freeze_profile.main()
    made, wanted = (tomllib.loads(text)["abilities"] for text in (elsewhere.read_text(encoding="utf-8"), shipped))
    assert made == {name: wanted[name] for name in FEW}
