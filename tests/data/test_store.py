"""One folder holds one study: its settings are stored once, and a call with other ones is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.data.store import bind_folder, check_binding
from horsesense.errors import UserError

SETTINGS = {"items": "1f0e", "rates": (0.1, 0.2), "seed": 0}


def test_the_same_call_gets_what_the_first_one_decided(tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    assert check_binding(path, "a study", SETTINGS) is None
    assert not path.exists(), "looking binds nothing"
    first = bind_folder(path, "a study", SETTINGS, decided={"names": "drawn"})
    again = bind_folder(path, "a study", SETTINGS, decided={"names": "drawn again"})
    assert (first["names"], again["names"]) == ("drawn", "drawn")


def test_another_study_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    bind_folder(path, "a study", SETTINGS)
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"seed 0, .*asks for 1"):
        bind_folder(path, "a study", SETTINGS | {"seed": 1})
    with pytest.raises(UserError, match="holds a study with other items") as refused:
        bind_folder(path, "a study", SETTINGS | {"items": "77aa"}, {"items": "other items"})
    assert "1f0e" not in str(refused.value), "a checksum says nothing to a reader"
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "[]", '{"items": "1f0e"}'])
def test_a_damaged_record_is_one_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text(text)
    with pytest.raises(UserError, match="damaged"):
        bind_folder(path, "a study", SETTINGS)
