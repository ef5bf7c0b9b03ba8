"""Tables 7 and 8 of the paper, read from its text at run time."""

from __future__ import annotations

import re
from pathlib import Path

TABLE_7_ORDER = (
    "original",
    "negation",
    "antonym",
    "paraphrase",
    "paraphrase_inversion",
    "negation_antonym",
    "negation_paraphrase",
    "negation_paraphrase_inversion",
)


def _statements(text: str) -> list[str]:
    return [line for line in text.replace("’", "'").splitlines() if re.match(r"[AB] .+, so [AB] ", line)]


def _paper(shared: Path) -> str:
    return (shared / "papers" / "rica.txt").read_text(encoding="utf-8")


def table_7(shared: Path) -> dict[tuple[str, str], str]:
    """Operator and asymmetry → statement."""
    found = _statements(_paper(shared).partition("asymmetric perturbation")[2].partition("Table 7")[0])
    keys = [(said, turned) for said in TABLE_7_ORDER for turned in ("none", "premise", "conclusion")]
    return dict(zip(keys, found, strict=True))


def table_8(shared: Path) -> list[tuple[int, str]]:
    """Logical template and statement; a page number stands in the middle of one."""
    text = re.sub(r"\n\d{4} ", " ", _paper(shared).partition("annotation user interface")[2].partition("Table 8")[0])
    numbers = [int(line) for line in text.splitlines() if re.fullmatch(r"[1-5]", line)]
    return list(zip(numbers, _statements(text), strict=True))
