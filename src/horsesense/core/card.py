"""The card of a probe: description, provenance and scoring."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from horsesense.core.audit import EarlierAudit, LabelQuality
from horsesense.data import FieldProblem, check_fields, read_text, sha256_of_bytes, writing
from horsesense.errors import UserError, unknown
from horsesense.progress import warn


@dataclass(frozen=True, slots=True)
class HumanFigure:
    """Human accuracy on a probe or a part of it. Figures of different kinds are never subtracted."""

    value: float
    """Accuracy, 0 to 1."""
    kind: str
    """Kind in words: single person, majority of 5, filtered majority of 5 …; empty if not reported."""
    source: str
    """Source of the figure."""
    part: str = ""
    """Part of the probe, ``facet=value``; empty for all of it."""
    n: int | None = None
    """Number of items judged, if known."""
    people: int | None = None
    """Number of people, if known."""


@dataclass(frozen=True, slots=True)
class Card:
    """Metadata of a probe."""

    name: str
    """Name of the probe."""
    method: str = ""
    """Name of the method or builder that it comes from; empty for a table."""
    items: int = 0
    """Number of items, counted on reading."""
    families: int = 0
    """Number of families, counted on reading."""
    licence: str = ""
    """Licence of the content."""
    made: str = ""
    """Provenance in a sentence."""
    seed: int | None = None
    """Seed of the sampling."""
    metric: str = "accuracy"
    """Primary metric, one of `METRICS`."""
    normalise: str = ""
    """Normalisation of the primary metric; empty for that of the form (see `horsesense.scoring.normalise`)."""
    group: str = "family"
    """Group by which intervals are clustered."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """Counts of repaired, dropped or unusual items."""
    human: tuple[HumanFigure, ...] = ()
    """How well people do, each figure with its kind."""
    label_quality: LabelQuality | None = None
    """Label quality by the last blind audit; None if there was none."""


SPLIT = re.compile(r"(.+\.(?:jsonl|parquet)(?:\.gz)?):([^/:.]+)")
"""Path with a split, ``FILE:SPLIT``."""
CHECKSUM = "sha256"
"""Field of a card's file: the checksum of the other fields. A card that a person wrote needs none."""
CLUSTER_AVERAGE = "average over clusters"
METRICS = ("accuracy", CLUSTER_AVERAGE)
"""Share of correct items, or the average of the clusters' shares, so that every cluster has the same weight. The share
of whole families is always reported as well."""


def card_path(probe: Path) -> Path:
    """Return the path of a probe file's card.

    >>> card_path(Path("a/wsc.jsonl.gz")).as_posix()
    'a/wsc.card.json'
    """
    return probe.with_name(f"{probe_name(probe)}.card.json")


def probe_name(path: Path) -> str:
    """Return the name of a probe file in a run: the file name without its ending, plus the split.

    >>> probe_name(Path("sets/isa.jsonl.gz")), probe_name(Path("sets/isa.jsonl:test"))
    ('isa', 'isa-test')
    """
    if named := SPLIT.fullmatch(path.name):
        return f"{probe_name(Path(named[1]))}-{named[2]}"
    name = path.name
    for suffix in (".gz", ".jsonl", ".parquet"):
        name = name.removesuffix(suffix)
    return name


def card_values(card: Card) -> dict[str, Any]:
    """Return the card as in its file; the label quality is left out if there is none.

    >>> "label_quality" in card_values(Card("demo"))
    False
    """
    return {name: value for name, value in asdict(card).items() if name != "label_quality" or value}


@contextmanager
def writing_card(path: Path, card: Card) -> Iterator[None]:
    """Write a card that replaces the old one when the block ends without an error."""
    with writing(path) as temporary:
        values = card_values(card)
        values[CHECKSUM] = _checksum(values)
        temporary.write_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        yield


def _checksum(values: Any) -> str:
    return sha256_of_bytes(json.dumps(values, sort_keys=True).encode())


def read_card(path: Path) -> Card:
    """Read a card; one that was changed after it was written is believed, with a warning: people edit cards."""
    text = read_text(path)
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError("this is not JSON", file=path, line=error.lineno, fix="repair or remove the card") from error
    except (ValueError, RecursionError):  # a number of thousands of digits, or lists nested as deep
        raise _not_a_card().at(path) from None
    checksum = values.pop(CHECKSUM, None) if isinstance(values, dict) else None
    try:
        card = check_fields(Card, values, _bad_card)
        if not all(0 <= figure.value <= 1 for figure in card.human):
            raise _wrong_type("human")
        if card.metric not in METRICS:
            raise unknown("metric", card.metric, METRICS)
    except UserError as error:
        raise error.at(path) from None
    if checksum not in (None, _checksum(values)):
        warn(
            f"{path}: the card was changed after it was written; if that was you, remove its field {CHECKSUM!r}, "
            "otherwise make the probe or get the card again"
        )
    return card


def _bad_card(problem: FieldProblem) -> UserError:
    if len(problem.path) > 1 or (problem.kind == "wrong" and problem.path):
        return _wrong_type(problem.field)
    return _not_a_card()


def _not_a_card() -> UserError:
    return UserError("this is not a card of a probe", fix="repair or remove it")


def _wrong_type(field: str) -> UserError:
    return UserError(f"the card's field {field!r} has the wrong type", fix="repair or remove it")


def add_human_figures(probe: Path, figures: Sequence[HumanFigure]) -> None:
    """Add figures to the card of a probe; earlier ones of the same source are replaced."""
    path, card = _card_beside(probe)
    sources = {figure.source for figure in figures}
    others = tuple(figure for figure in card.human if figure.source not in sources)
    with writing_card(path, replace(card, human=others + tuple(figures))):
        pass


def add_label_quality(probe: Path, quality: LabelQuality) -> LabelQuality:
    """Write the result of an audit to the card beside a probe, and return it with the list of earlier audits.

    The same audit again (same sample, same auditor) replaces itself.
    """
    path, card = _card_beside(probe)
    old = card.label_quality
    earlier: tuple[EarlierAudit, ...] = ()
    if old is not None:
        again = (old.content, old.seed, old.n, old.auditor) == (
            quality.content, quality.seed, quality.n, quality.auditor,
        )  # fmt: skip
        earlier = old.earlier if again else (old.as_earlier(), *old.earlier)
    listed = replace(quality, earlier=earlier)
    with writing_card(path, replace(card, label_quality=listed)):
        pass
    return listed


def _card_beside(probe: Path) -> tuple[Path, Card]:
    path = card_path(probe)
    if not path.is_file():
        raise UserError("the probe has no card", file=path, fix="make the probe with import or build, which write one")
    return path, read_card(path)
