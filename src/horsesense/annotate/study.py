"""A served study: a folder with the items, the instrument and the rules by which people are asked. Read, and made."""

from __future__ import annotations

import os
import random
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from horsesense.annotate.gold_items import spread_gold
from horsesense.annotate.instrument import Instrument, find_instrument
from horsesense.annotate.task import tasks_of
from horsesense.core import Item, Probe, write_probe
from horsesense.core.document import Document
from horsesense.data import FieldProblem, check_fields, disk_errors, read_text, writing_folder
from horsesense.errors import UserError, unknown
from horsesense.stats.raters.qualification import Threshold

SETTINGS, ITEMS, GOLD, ATTENTION = "study.toml", "items.jsonl", "gold.jsonl", "attention.jsonl"
OWN_INSTRUMENT, PICTURES, DATABASE = "instrument.toml", "pictures.jsonl", "study.sqlite"
DATABASE_VARIABLE, STUDY_VARIABLE = "HORSESENSE_DATABASE", "HORSESENSE_STUDY"


@dataclass(frozen=True, slots=True)
class Attention:
    """Items with a known answer among the others: whoever misses them is not reading."""

    every: int = 10
    """One in so many tasks is such an item."""
    accuracy: float = 0.7
    """Least share answered as the gold; below it a person is stopped."""
    after: int = 3
    """So many must have been answered before anybody is stopped."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a platform needs."""

    code: str = ""
    """The completion code that the platform gave; empty: each person gets one of their own."""
    link: str = ""
    """Where people go when they are done, such as Prolific's completion link."""
    keys: str = ""
    """File of the platform's public keys (JWKS): who enters must then bring its signed token."""
    audience: str = ""
    """What the signed token must be made for: the address of this server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The rules of a study, as its file gives them."""

    judgements: int = 3
    """People who judge each item."""
    more: int = 0
    """So many more where these do not all agree; 0: none."""
    limit: int = 0
    """Most items that one person judges; 0: no limit."""
    lease_minutes: float = 30.0
    """How long an item is kept for the person who was shown it."""
    queue: str = ""
    """A facet or group of the items: people can be invited to one of its values."""
    agreement: float = 2 / 3
    """Krippendorff's alpha that the study aims at: from two thirds on he allows tentative conclusions; 0: none."""
    quick_seconds: float = 1.0
    """An answer that took less time is too quick to have been read; 0: none is."""
    seed: int = 0
    address: str = "http://127.0.0.1:8000"
    """Where people reach the server; links begin with it."""
    database: str = ""
    """Address of a PostgreSQL database; empty: a SQLite file in the folder."""
    qualification: Threshold | None = None
    attention: Attention | None = None
    crowd: Crowd = field(default_factory=Crowd)


@dataclass(frozen=True, slots=True)
class Study(Settings):
    """One study. What is not set is as the instrument says."""

    folder: Path
    instrument: Instrument

    @property
    def url(self) -> str:
        """Address of the database, as SQLAlchemy wants it."""
        address = os.environ.get(DATABASE_VARIABLE) or self.database
        if not address:
            return f"sqlite:///{(self.folder / DATABASE).resolve()}"
        return address.replace("postgres://", "postgresql://", 1).replace("postgresql://", "postgresql+psycopg://", 1)


def is_study(path: Path) -> bool:
    """Whether a path is the folder of a study.

    >>> is_study(Path("tasks.csv"))
    False
    """
    return path.is_dir() and (path / SETTINGS).is_file()


def read_study(folder: Path) -> Study:
    """Read and check a study's settings."""
    if not is_study(folder):
        raise UserError(
            "this is not a study",
            file=folder,
            fix="make one: horsesense annotate new PROBE --instrument NAME -o FOLDER",
        )
    file = folder / SETTINGS
    try:
        values = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"this is not TOML: {error}", file=file, fix="repair it") from None
    try:
        return _study(folder, values)
    except UserError as error:
        raise error.at(file) from None


def _study(folder: Path, values: dict[str, Any]) -> Study:
    if not isinstance(values.get("instrument"), str):
        raise UserError("the study names no instrument", fix='write instrument = "choice", or another')
    name = values.pop("instrument")
    instrument = find_instrument(str(folder / name) if name.endswith(".toml") else name)
    if isinstance(values.get("qualification"), dict):
        # A file that names no kappa asks for none.
        values["qualification"].setdefault("kappa", None)
    settings = check_fields(Settings, {"judgements": instrument.judgements} | values, _bad_setting)
    study = Study(folder, instrument, **{each.name: getattr(settings, each.name) for each in fields(Settings)})
    for number, least in (
        ("judgements", 1), ("more", 0), ("limit", 0), ("lease_minutes", 0.05), ("quick_seconds", 0), ("agreement", 0)
    ):  # fmt: skip
        if getattr(study, number) < least:
            raise UserError(f"{number} is {getattr(study, number)}, and must be {least} or more")
    if study.agreement > 1:
        raise UserError(f"agreement is {study.agreement}, and perfect agreement is 1", fix="set it to 0.8 or so")
    if study.more and study.judgements < 2:
        raise UserError("more people are asked where the first do not agree, which takes two", fix="set judgements = 2")
    where = urlsplit(study.address)
    if where.scheme not in ("http", "https") or not where.hostname or where.path.strip("/"):
        raise UserError(
            f"the address {study.address!r} is not one of a server", fix="write https://host or http://host:port"
        )
    if study.attention and study.attention.every < 2:
        raise UserError("every task would be an attention item", fix="set every = 2 or more")
    return study


_SECTIONS: Mapping[str, type] = {"qualification": Threshold, "attention": Attention, "crowd": Crowd}


def _bad_setting(problem: FieldProblem) -> UserError:
    section = problem.field if len(problem.path) > 1 else "study"
    name = str(problem.path[-1])
    if problem.kind == "unknown":
        known = [field.name for field in fields(_SECTIONS.get(section, Settings))]
        return unknown(f"setting of a {section}", name, known)
    if name in _SECTIONS:
        return UserError(f"{name} is no table", fix=f"write [{name}] and its settings below")
    if problem.allowed and isinstance(problem.value, str):
        return unknown(f"{name} of a {section}", problem.value, problem.allowed)
    return UserError(f"the setting {name!r} has the wrong kind of value")


def study_text(study: Study, instrument: str) -> str:
    """The settings as a file that people can read and change; ``instrument`` is its name, or its file."""
    lines = [f"instrument = {_toml(instrument)}"]
    defaults = Study(Path(), study.instrument)
    names = (each.name for each in fields(Settings) if each.name not in _SECTIONS)
    for name in names:
        if name == "judgements" or getattr(study, name) != getattr(defaults, name):
            lines.append(f"{name} = {_toml(getattr(study, name))}")
    for section in ("qualification", "attention", "crowd"):
        part = getattr(study, section)
        if part is not None and part != Crowd():
            set_values = ((each.name, getattr(part, each.name)) for each in fields(part))
            rows = [f"{name} = {_toml(value)}" for name, value in set_values if value is not None and value != ""]
            lines += ["", f"[{section}]", *rows]
    return "\n".join(lines) + "\n"


def _toml(value: str | int | float) -> str:
    if not isinstance(value, str):
        return repr(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True)
class NewTasks(Document):
    """Tasks for people: in files, or in the folder of a study."""

    out: Path
    """The task file, or the folder."""
    files: tuple[Path, ...]
    """All files that were written."""
    instrument: str
    """What people judge with."""
    items: int
    """Items to be judged."""
    tasks: int
    """Judgements that are asked for."""
    people: int
    """People who are named; 0 where tasks name nobody."""


def make_study(
    folder: Path,
    probe: Probe,
    instrument: str,
    study: Study,
    limit: int | None = None,
    gold: tuple[Probe, int] | None = None,
    attention: Probe | None = None,
) -> int:
    """Write the folder of a study; how many tasks it has.

    ``gold`` are a probe with answers and how many items of each label are taken; 0 takes all.
    """
    if folder.exists():
        raise UserError("there is something of that name already", file=folder, fix="choose another name")
    asked = find_instrument(instrument)
    names = [task.item for task in tasks_of(probe, asked)]
    if limit is not None and limit < len(names):
        chosen = set(random.Random(study.seed).sample(names, limit))
        probe = _only(probe, chosen, study)
        names = [name for name in names if name in chosen]
    parts = {ITEMS: probe}
    if gold is not None:
        parts[GOLD] = _only(gold[0], spread_gold(gold[0], asked, gold[1], study.seed), study)
        # Where labels have no order, kappa says little of a handful of items.
        study = replace(study, qualification=study.qualification or Threshold(kappa=0.7 if asked.ordered else None))
    if attention is not None:
        parts[ATTENTION] = _only(attention, spread_gold(attention, asked, 0), study)
        study = replace(study, attention=study.attention or Attention())
    _apart(parts, asked.unit == "family")
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with writing_folder(folder) as made:
            made.chmod(0o700)
            for file, items in parts.items():
                write_probe(made / file, items)
            has_file = instrument.endswith(".toml")
            if has_file:
                (made / OWN_INSTRUMENT).write_text(read_text(instrument), encoding="utf-8")
            settings = study_text(study, OWN_INSTRUMENT if has_file else asked.name)
            (made / SETTINGS).write_text(settings, encoding="utf-8")
    return len(names)


def _only(probe: Probe, names: Iterable[str], study: Study) -> Probe:
    wanted = set(names)
    by_family = study.instrument.unit == "family"
    return Probe.of([item for item in probe.items if (item.family if by_family else item.id) in wanted], probe.card)


def _apart(parts: dict[str, Probe], by_family: bool) -> None:
    """Nobody may be tested on an item and then be asked about it."""
    seen: dict[str, str] = {}
    for file, probe in parts.items():
        for name in dict.fromkeys(_content(item) if not by_family else (item.family,) for item in probe.items):
            if seen.setdefault(repr(name), file) != file:
                raise UserError(
                    f"an item is both in {seen[repr(name)]} and in {file} ({name[-1]})",
                    fix="keep items with a known answer out of those to be judged",
                )


def _content(item: Item) -> tuple[str, ...]:
    """What is asked, without the answer: a judged item has another id than before."""
    return (item.form, item.premise, *item.options, item.text)
