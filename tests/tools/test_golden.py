"""Golden files: differences are found and counted, renamed keys are recognised, and renamed options reach the calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.golden import calls
from tools.golden.comparing import compare_folders, compare_values


def _kinds(before: Any, after: Any) -> list[tuple[str, str]]:
    return sorted((each.kind, each.path) for each in compare_values(before, after, ""))


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ({"a": 1, "b": [0.5]}, {"a": 1, "b": [0.500001]}, []),
        ({"a": 0.5}, {"a": 0.501}, [("changed", ".a")]),
        ({"a": 1}, {"a": True}, [("changed", ".a")]),
        ({"a": None}, {"a": 0}, [("changed", ".a")]),
        ({"a": 1, "b": 2}, {"a": 1}, [("removed", ".b")]),
        ({"kept": {"x": 1}}, {"retention": {"x": 1}}, [("renamed", ".kept -> .retention")]),
        (
            {"kept": {"unit": 3}},
            {"retention": {"cluster": 3}},
            [("renamed", ".kept -> .retention"), ("renamed", ".kept.unit -> .kept.cluster")],
        ),
        ([1, 2, 3], [1, 3], [("changed", " (length)"), ("removed", "[]")]),
    ],
)
def test_what_differs(before: Any, after: Any, kinds: list[tuple[str, str]]) -> None:
    assert _kinds(before, after) == kinds


def test_a_report_counts_equal_differences_once(tmp_path: Path) -> None:
    for folder, key, verdict in (("a", "unit", "like guessing"), ("b", "cluster", "inconclusive")):
        for name in ("one", "two"):
            path = tmp_path / folder / "statistics" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({"rows": [{key: i, "verdict": verdict} for i in (1, 2)]}))
    (tmp_path / "b" / "statistics" / "three.json").write_text("{}")
    lines, differences = compare_folders(tmp_path / "a", tmp_path / "b", show=9)
    assert differences == 9
    assert sum("renamed" in line and "(4 times" in line for line in lines) == 1
    assert sum("(4 times; statistics/one.json and 1 more)" in line for line in lines) == 2
    assert any("added (the whole file)" in line for line in lines)
    assert compare_folders(tmp_path / "a", tmp_path / "b", show=9, common=True)[1] == 8
    assert compare_folders(tmp_path / "a", tmp_path / "a", show=9)[1] == 0


def test_renamed_words_reach_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    call = calls.Call("answers/x", "annotate soundness new", "options --ways options --limit 3 -m openai:{server}#g")
    assert call.line("URL") == [*call.command.split(), *call.words.replace("{server}", "URL").split(), "--json"]
    renamed = {
        "annotate soundness new": "audit new",
        "--ways": "--formats",
        "--ways options": "loglikelihood",
        "annotate soundness new --limit": "--items",
        "run --limit": "--never",
    }
    monkeypatch.setattr(calls, "RENAMED", renamed)
    expected = "audit new options --formats loglikelihood --items 3 -m openai:URL#g --json"
    assert call.line("URL") == expected.split()


def test_a_piece_brings_the_calls_that_it_needs() -> None:
    names = {call.name for call in calls.chosen(("commands",))}
    assert {"builders/import-partwhole-small", "commands/annotate-apply", "statistics/run"} <= names
    assert "builders/wordnetqa-hyponymy-0" not in names


def test_nothing_is_used_before_it_is_written() -> None:
    assert len({call.name for call in calls.CALLS}) == len(calls.CALLS)
    written = {"out/audited"}  # by a person, before the call
    for call in calls.CALLS:
        written |= calls.written_by(call)
        assert calls.used_by(call) <= written, call.name
