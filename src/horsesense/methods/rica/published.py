"""What the paper printed of RICA (figure 4, appendix), as rows to stand beside ours."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Any

from horsesense.methods.rica.knowledge_tables import DATA
from horsesense.methods.suites.frame import PaperRow, PaperTable

SETS = ("human-verified", "human-curated", "both")
GROUPS = {"masked": "masked word", "sentence": "sentence probability"}
"""How the paper asks a model, by what the file of figures calls it."""


@cache
def published() -> dict[str, Any]:
    """The file of figures, in per cent."""
    return tomllib.loads((DATA / "published.toml").read_text(encoding="utf-8"))


def _printed(values: Sequence[float]) -> tuple[float | None, ...]:
    cells = tuple(value / 100 for value in values)
    return cells if len(cells) == len(SETS) else (*cells, None)


def zero_shot_rows() -> list[PaperRow]:
    """What models get without training."""
    return [
        PaperRow(name, "published", _printed(settings["zero-shot"]), group)
        for kind, group in GROUPS.items()
        for name, settings in published()[kind].items()
    ]


def trained_table() -> PaperTable:
    """The training settings (section 3.3, appendix), as published; a model that one trained is asked like any other."""
    rows = tuple(
        PaperRow(f"{name}, {setting}", "published", _printed(values), f"{GROUPS[kind]}: {name}")
        for kind in GROUPS
        for name, settings in published()[kind].items()
        for setting, values in settings.items()
        if setting != "zero-shot"
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
        for kind in GROUPS
        for name, settings in published()[kind].items()
        for setting, values in settings.items()
        if len(values) == 3 and not min(values[:2]) <= values[2] <= max(values[:2])
    ]
    return f"Published figures for both sets that do not lie between their parts: {', '.join(wrong)}."
