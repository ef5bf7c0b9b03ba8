"""SciQ and the lines of ARC and OpenBookQA, on files of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.published import read_files

SCIQ = [
    {
        "question": "What melts at 0 °C?",
        "correct_answer": "ice",
        "distractor1": "iron",
        "distractor2": "salt",
        "distractor3": "sand",
        "support": "",
    },
    {
        "question": "What is heavy?",
        "correct_answer": "lead",
        "distractor1": "air",
        "distractor2": "air",
        "distractor3": "foam",
        "support": "Lead is.",
    },
]


def test_sciq_hides_where_the_answer_was(tmp_path: Path) -> None:
    path = tmp_path / "valid.json"
    path.write_text(json.dumps(SCIQ), encoding="utf-8")
    probe = read_files("sciq", [path])
    assert [(item.options, item.answer) for item in probe.items] == [
        (("ice", "iron", "salt", "sand"), 0),
        (("air", "foam", "lead"), 2),
    ]
    assert probe.card.notes["repeated answers left out"] == 1
    for content, problem in (
        ("{", "this is not JSON"),
        ("{}", "not a list"),
        ('[{"question": "?"}]', "correct_answer"),
    ):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(UserError, match=problem):
            read_files("sciq", [path])


def test_arc_has_any_number_of_options(tmp_path: Path) -> None:
    def line(key: str, *labels: str) -> str:
        choices = [{"text": f"answer {label}", "label": label} for label in labels]
        return json.dumps({"id": "x", "question": {"stem": f"Which is {key}?", "choices": choices}, "answerKey": key})

    path = tmp_path / "train.jsonl"
    path.write_text(f"{line('C', 'A', 'B', 'C', 'D')}\n{line('2', '1', '2', '3')}\n", encoding="utf-8")
    probe = read_files("arc", [path])
    assert [(len(item.options), item.answer) for item in probe.items] == [(4, 2), (3, 1)]
    path.write_text(line("E", "A", "B"), encoding="utf-8")
    with pytest.raises(UserError, match=r"answerKey 'E' .*labels A, B"):
        read_files("arc", [path])


def test_released_sciq(shared: Path) -> None:
    folder = shared / "data" / "kb" / "science_mcqa" / "sciq"
    for name in ("valid", "test"):
        probe = read_files("sciq", [folder / f"{name}.json"])
        assert len(probe.items) == 1000
        assert {len(item.options) for item in probe.items} <= {3, 4}
