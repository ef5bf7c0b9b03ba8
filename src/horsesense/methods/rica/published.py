"""What the paper printed of RICA (figure 4, appendix), as rows to stand beside ours."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from horsesense.methods.ledger import printed, printed_table
from horsesense.methods.rica.knowledge_tables import DATA
from horsesense.methods.suites.frame import PaperRow, PaperTable

SETS = ("human-verified", "human-curated", "both")
GROUPS = {"masked": "masked word", "sentence": "sentence probability"}
"""How the paper asks a model."""
_LEFT_TO_RIGHT = ("GPT2",)
_ZERO_SHOT = "zero-shot"
_PARTS = ("easy", "hard", "joint")


@cache
def published() -> dict[str, Any]:
    """What is to be known of the paper beside its figures."""
    return tomllib.loads((DATA / "published.toml").read_text(encoding="utf-8"))


@cache
def _results() -> dict[str, dict[str, tuple[float | None, ...]]]:
    """Model → setting → the share right on each set and on both, as the ledger has them."""
    results: dict[str, dict[str, tuple[float | None, ...]]] = {}
    for model, cells in printed_table("rica", "appendix, last tables").items():
        settings = dict.fromkeys(column.partition(" / ")[0] for column in cells)
        results[model] = {
            setting: tuple(_share(cells.get(f"{setting} / {part}")) for part in _PARTS) for setting in settings
        }
    return results


def _share(value: float | None) -> float | None:
    return None if value is None else value / 100


def _group(model: str) -> str:
    return GROUPS["sentence" if model in _LEFT_TO_RIGHT else "masked"]


def human_accuracy() -> float:
    """The share of statements that the majority of people got right."""
    return printed("rica", "section 4.1", "human performance", "accuracy, majority vote per probe") / 100


def zero_shot_rows() -> list[PaperRow]:
    """What models get without training."""
    return [PaperRow(name, "published", settings[_ZERO_SHOT], _group(name)) for name, settings in _results().items()]


def trained_table() -> PaperTable:
    """The training settings (section 3.3, appendix), as published; a model that one trained is asked like any other."""
    rows = tuple(
        PaperRow(f"{name}, {setting}", "published", values, f"{_group(name)}: {name}")
        for name, settings in _results().items()
        for setting, values in settings.items()
        if setting != _ZERO_SHOT
    )
    notes = (
        f"From {published()['source']}: a share of the verified training set (low resource), all of it with so many "
        "novel entities a statement (high resource), 100,000 raw statements (noisy).",
    )
    return PaperTable("RICA, figure 4 and appendix: after training, as published", SETS, rows, notes)


def not_between() -> str:
    """The joint figures that are not between their two parts, which no mixture can be."""
    wrong = [
        f"{name} ({setting})"
        for name, settings in _results().items()
        for setting, (easy, hard, joint) in settings.items()
        if easy and hard and joint and not min(easy, hard) <= joint <= max(easy, hard)
    ]
    return f"Published figures for both sets that do not lie between their parts: {', '.join(wrong)}."
