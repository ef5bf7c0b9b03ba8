"""The development set: pairs of sentences of our own writing, for choosing between designs."""

from __future__ import annotations

import re
from pathlib import Path

DEV = Path(__file__).with_name("dev.txt")
_CHOICE = re.compile(r"\{([^|{}]+)\|([^|{}]+)\}")


def read_dev(path: Path = DEV) -> list[tuple[str, str]]:
    """(what makes sense, what does not), for each line of the file."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] not in "#["]
    return [(_CHOICE.sub(r"\1", line), _CHOICE.sub(r"\2", line)) for line in lines]
