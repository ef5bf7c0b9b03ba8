"""The card beside a probe: what it is, how it was made, how it is scored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from horsesense.errors import UserError, unknown
from horsesense.files import read_text, writing


@dataclass(frozen=True, slots=True)
class HumanFigure:
    """What people get on a probe or a part of it. Figures of different kinds are never subtracted."""

    value: float
    """The share of right answers, 0 to 1."""
    kind: str
    """single person, majority of 5, filtered majority of 5 …, in words; empty where nobody said."""
    source: str
    """Where the figure is from."""
    part: str = ""
    """The part of the probe it is about, ``facet=value``; empty: all of it."""
    n: int | None = None
    """Items that were judged, where known."""
    people: int | None = None
    """How many people judged, where known."""


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
    """The one primary metric, one of `METRICS`."""
    normalise: str = ""
    """The normalisation of the primary metric; empty: by form (see `horsesense.scoring.normalise`)."""
    group: str = "family"
    """The unit of dependence that intervals are clustered by."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What was repaired, dropped or found odd, counted."""
    human: tuple[HumanFigure, ...] = ()
    """How well people do, each figure with its kind."""


METRICS = ("accuracy",)
"""What is counted; the share of whole families stands beside it in any case."""

_KINDS = {"items": (int,), "families": (int,), "seed": (int, type(None)), "notes": (dict,), "human": (list,)}
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
    figures = [_human_figure(each) for each in values.pop("human", ())] if wrong is None else []
    if None in figures:
        wrong = "human"
    if wrong is not None:
        raise UserError(f"the card's field {wrong!r} has the wrong type", file=path, fix="repair or remove it")
    if values.get("metric", METRICS[0]) not in METRICS:
        raise unknown("metric", values["metric"], METRICS).at(path)
    return Card(**values, human=tuple(figure for figure in figures if figure is not None))


def _human_figure(values: Any) -> HumanFigure | None:
    """A figure as a card keeps it, or None where it is none."""
    if not isinstance(values, dict) or set(values) - {each.name for each in fields(HumanFigure)}:
        return None
    texts = [values.get("kind"), values.get("source"), values.get("part", "")]
    counts = [values.get("n"), values.get("people")]
    value = values.get("value")
    sound = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    if not sound or not all(isinstance(text, str) for text in texts):
        return None
    return HumanFigure(**values) if all(count is None or type(count) is int for count in counts) else None


def add_human_figures(probe: Path, figures: Sequence[HumanFigure]) -> None:
    """Put figures into the card beside a probe; earlier ones of the same source go."""
    path = card_path(probe)
    if not path.is_file():
        raise UserError("the probe has no card", file=path, fix="make the probe with import or build, which write one")
    card, sources = read_card(path), {figure.source for figure in figures}
    kept = tuple(figure for figure in card.human if figure.source not in sources)
    with writing_card(path, replace(card, human=kept + tuple(figures))):
        pass
