"""The card beside a probe: what it is, how it was made, how it is scored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import read_text, writing


@dataclass(frozen=True, slots=True)
class Card:
    """What a reader of a probe has to know."""

    name: str
    method: str = ""
    """rica, cats, winoventi, partwhole, wordnetqa, dictionaryqa, starter … or empty."""
    items: int = 0
    families: int = 0
    licence: str = ""
    made: str = ""
    """How it was made, in a sentence."""
    seed: int | None = None
    metric: str = "accuracy"
    """The one primary metric."""
    normalise: str = ""
    """The normalisation of the primary metric; empty: by form (see `horsesense.scoring.normalise`)."""
    group: str = "family"
    """The unit of dependence that intervals are clustered by."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What was repaired, dropped or found odd, counted."""


_KINDS = {"items": (int,), "families": (int,), "seed": (int, type(None)), "notes": (dict,)}
"""What the fields of a card hold that are not text."""


def card_path(probe: Path) -> Path:
    """Where the card of a probe file lies.

    >>> card_path(Path("a/wsc.jsonl.gz")).as_posix()
    'a/wsc.card.json'
    """
    return probe.with_name(f"{probe_name(probe)}.card.json")


def probe_name(path: Path) -> str:
    """What a probe file is called in a run: its name without the ending."""
    name = path.name
    for suffix in (".gz", ".jsonl", ".parquet"):
        name = name.removesuffix(suffix)
    return name


@contextmanager
def writing_card(path: Path, card: Card) -> Iterator[None]:
    """Write a card that takes its place when the block ends without an error."""
    with writing(path) as temporary:
        temporary.write_text(json.dumps(asdict(card), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        yield


def read_card(path: Path) -> Card:
    try:
        values: Any = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise UserError("this is not JSON", file=path, line=error.lineno, fix="repair or remove the card") from error
    known = {f.name for f in fields(Card)}
    if not isinstance(values, dict) or "name" not in values or set(values) - known:
        raise UserError("this is not a card of a probe", file=path, fix="repair or remove it")
    wrong = next((name for name, value in values.items() if type(value) not in _KINDS.get(name, (str,))), None)
    if wrong is None and not set(map(type, values.get("notes", {}).values())) <= {int}:
        wrong = "notes"
    if wrong is not None:
        raise UserError(f"the card's field {wrong!r} has the wrong type", file=path, fix="repair or remove it")
    return Card(**values)
