"""A model that likes a word is told from one that knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from horsesense.core import Item
from horsesense.report.collection import collect
from horsesense.report.page import write_report
from tests.support.made_run import make_run


def statements(number: int) -> list[Item]:
    """Half of them end in a positive word, half in a negative one."""
    return [
        Item(
            "made",
            "cloze",
            text=f"Kettle {place} is ___ than a pan.",
            options=("better", "worse"),
            answer=place % 2,
            family=f"f{place}",
        )
        for place in range(number)
    ]


def page(folder: Path, run: Path) -> str:
    write_report(collect([run], cues=False), folder / "page.html", drawn=False)
    return (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("right", "told"),
    [
        ({0: 1.0, 1: 0.0}, "It prefers the positive word. That its answers follow the question is not shown."),
        ({0: 0.9, 1: 0.9}, "It has no significant preference for a word, and its answers follow the question."),
    ],
)
def test_the_page_takes_liking_and_knowing_apart(tmp_path: Path, right: dict[int, float], told: str) -> None:
    run = make_run(tmp_path / "run", {"made": lambda item: right[item.answer or 0]}, statements(120))
    assert told in page(tmp_path, run)


def test_a_probe_without_valence_has_no_such_part(tmp_path: Path) -> None:
    items = [item for item in statements(120) if item.answer == 0]
    assert "Response bias" not in page(tmp_path, make_run(tmp_path / "run", {"made": 0.6}, items))
