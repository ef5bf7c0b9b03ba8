"""Answer files whose bytes are whole and whose content is not: one sentence, be the items few or many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import horsesense as hs
from horsesense.data.store import Store
from horsesense.errors import UserError
from tests.support.made_run import made_items, make_run

Change = Callable[[Any], Any]


def put(name: str, value: Any, kind: Any = None) -> Change:
    """Every row has this value, of a kind that Arrow guesses if none is told."""
    return lambda table: table.set_column(
        table.schema.get_field_index(name), name, pa.array([value] * len(table), kind)
    )


def cast(name: str, kind: Any) -> Change:
    return lambda table: table.set_column(table.schema.get_field_index(name), name, table.column(name).cast(kind))


NO_ANSWERS: dict[str, Change] = {
    "scores that are no lists": put("scores", 1.0),
    "three scores for two options": put("scores", [1.0, 2.0, 3.0]),
    "a score that is missing": put("scores", [1.0, None]),
    "tokens without options": put("logprobs", [1.0, 2.0]),
    "places that are texts": put("starts", [["a"], ["b"]]),
    "no places for tokens": put("starts", [[], []], pa.list_(pa.list_(pa.int32()))),
    "no places for any option": put("ends", [], pa.list_(pa.list_(pa.int32()))),
    "no flags at all": lambda table: table.drop_columns(["flags"]),
    "a form that there is none of": put("view", "riddle"),
}
SAME: dict[str, Change] = {
    "as it was": lambda table: table,
    "large texts": cast("item", pa.large_string()),
    "texts by number": lambda table: table.set_column(
        table.schema.get_field_index("view"), "view", table.column("view").dictionary_encode()
    ),
    "each answer twice": lambda table: pa.concat_tables([table, table]),
}


@pytest.fixture(params=["few", "many"])
def run(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "many":
        for module in ("core.probe", "runs.store", "runs.shard_files"):
            monkeypatch.setattr(f"horsesense.{module}.MANY", 10)
    return make_run(tmp_path / "run", {"a": 0.6}, made_items(20))


def change(run: Path, how: Change) -> Path:
    (path,) = (run / "answers").iterdir()
    parquet.write_table(how(parquet.read_table(path)), path)
    Store(run).record(path)
    return path


@pytest.mark.parametrize("what", NO_ANSWERS)
def test_what_is_no_answer_is_told(what: str, run: Path) -> None:
    path = change(run, NO_ANSWERS[what])
    with pytest.raises(UserError, match=f"{path.name}: the answer file is damaged"):
        hs.open_run(run)


@pytest.mark.parametrize("what", SAME)
def test_the_same_written_otherwise_is_the_same(what: str, run: Path) -> None:
    before = hs.open_run(run)
    wanted = before.results().documents, list(before.answered[0].answers)
    change(run, SAME[what])
    after = hs.open_run(run)
    assert (after.results().documents, list(after.answered[0].answers)) == wanted


def test_a_run_that_was_opened_from_elsewhere_stays_open(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    opened = hs.open_run(Path(run.name))
    monkeypatch.chdir("/")
    assert len(list(opened.answered[0].answers)) == len(opened.answered[0].items)
