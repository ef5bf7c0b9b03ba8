"""What a paper printed, kept as data beside what we measure; averages are computed again from their rows."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

HUMAN = "HUMAN"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a published table."""

    model: str
    values: Mapping[str, float]
    """By set, as printed."""
    printed: float | None
    """The average as printed; None where the table has none."""
    direction: str = ""
    """unidirectional or bidirectional; empty where it is no model."""
    parameters: int | None = None
    """In millions, where the paper says."""
    text: str = ""
    """What it was trained on, in the paper's own units."""

    @property
    def human(self) -> bool:
        return self.model == HUMAN

    def average(self, sets: Sequence[str] | None = None) -> float:
        """The mean over sets, all of them or those given."""
        chosen = [self.values[name] for name in (self.values if sets is None else sets)]
        return math.fsum(chosen) / len(chosen)

    @property
    def follows(self) -> bool:
        """Whether the printed average can be had from the row, rounded or cut to three digits.

        >>> PublishedRow("a", {"x": 0.5, "y": 0.6}, 0.55).follows, PublishedRow("b", {"x": 0.5}, 0.6).follows
        (True, False)
        """
        if self.printed is None:
            return True
        # Single values are rounded themselves, so half a unit of the last digit is nothing to argue about.
        return abs(self.average() - self.printed) < 0.001


@cache
def _published() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("cats.toml").read_text(encoding="utf-8"))


def published_rows(table: str) -> list[PublishedRow]:
    """The rows of a table: ``accuracy`` (table 3) or ``consistency`` (table 6)."""
    models = _published()["models"]
    rows = []
    for model, printed in _published()[table].items():
        values = {name: value for name, value in printed.items() if name != "average"}
        rows.append(PublishedRow(model, values, printed.get("average"), **models.get(model, {})))
    return rows


def titles() -> dict[str, str]:
    """What the paper calls each set."""
    return dict(_published()["titles"])


def source() -> str:
    """Whose figures they are."""
    return str(_published()["source"])
