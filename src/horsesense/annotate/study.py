"""Studies: a folder with the items, the instrument and the settings of a served annotation."""

from __future__ import annotations

import os
import random
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from annotated_types import Ge, Interval

from horsesense.annotate.gold_items import sample_gold
from horsesense.annotate.instrument import Instrument, find_instrument
from horsesense.annotate.task import tasks_of
from horsesense.annotate.task_files import NewTasks, check_not_overwritten
from horsesense.core import Item, Probe, write_probe
from horsesense.data import FieldProblem, check_fields, disk_errors, read_text, writing_folder
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.stats.raters.qualification import Threshold

SETTINGS, ITEMS, GOLD, ATTENTION = "study.toml", "items.jsonl", "gold.jsonl", "attention.jsonl"
OWN_INSTRUMENT, PICTURES, DATABASE = "instrument.toml", "pictures.jsonl", "study.sqlite"
DATABASE_VARIABLE, STUDY_VARIABLE = "HORSESENSE_DATABASE", "HORSESENSE_STUDY"


@dataclass(frozen=True, slots=True)
class AttentionChecks:
    """Items with a known answer among the others, to find people who do not read."""

    every: int = 10
    """One in this many tasks is an attention check."""
    accuracy: float = 0.7
    """Minimum accuracy; a person below it is stopped."""
    after: int = 3
    """Minimum number of attention checks before a person is stopped."""


@dataclass(frozen=True, slots=True)
class CrowdPlatform:
    """Settings of a crowd platform."""

    code: str = ""
    """Completion code of the platform; empty: each person gets one of their own."""
    link: str = ""
    """Completion link of the platform."""
    keys: str = ""
    """File of the platform's public keys (JWKS); people must then present its signed token."""
    audience: str = ""
    """Audience of the signed token: the address of this server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """The settings of a study, as in its file."""

    judgements: int = 3
    """Number of people per item."""
    more: int = 0
    """Number of further people if these do not all agree; 0: none."""
    limit: int = 0
    """Maximum number of items per person; 0: no limit."""
    lease_minutes: float = 30.0
    """How long an item is reserved for the person who was shown it."""
    queue: str = ""
    """A facet or group of the items; people can be invited to one of its values."""
    agreement: float = 2 / 3
    """Target of Krippendorff's alpha; he allows tentative conclusions from two thirds on. 0: no target."""
    quick_seconds: float = 1.0
    """A faster answer cannot have been read; 0: no minimum."""
    seed: int = 0
    address: str = "http://127.0.0.1:8000"
    """Public address of the server; links begin with it."""
    database: str = ""
    """Address of a PostgreSQL database; empty: a SQLite file in the folder."""
    qualification: Threshold | None = None
    attention: AttentionChecks | None = None
    crowd: CrowdPlatform = field(default_factory=CrowdPlatform)


@dataclass(frozen=True, slots=True)
class Study(StudySettings):
    """A study; settings that are not given are the instrument's."""

    folder: Path
    instrument: Instrument

    @property
    def url(self) -> str:
        """Address of the database for SQLAlchemy."""
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
            fix="make one: horsesense annotate study PROBE --instrument NAME -o FOLDER",
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
        raise UserError("the study has no instrument", fix='write instrument = "choice", or another')
    name = values.pop("instrument")
    instrument = find_instrument(str(folder / name) if name.endswith(".toml") else name)
    if isinstance(values.get("qualification"), dict):
        # A file without kappa has no threshold of it.
        values["qualification"].setdefault("kappa", None)
    settings = check_fields(StudySettings, {"judgements": instrument.judgements} | values, _bad_setting)
    study = Study(folder, instrument, **{each.name: getattr(settings, each.name) for each in fields(StudySettings)})
    for number, least in (
        ("judgements", 1), ("more", 0), ("limit", 0), ("lease_minutes", 0.05), ("quick_seconds", 0), ("agreement", 0)
    ):  # fmt: skip
        if getattr(study, number) < least:
            raise UserError(f"{number} is {getattr(study, number)}, but must be {least} or more")
    if study.agreement > 1:
        raise UserError(f"agreement is {study.agreement}, but perfect agreement is 1", fix="set it to 0.8 or so")
    if study.more and study.judgements < 2:
        raise UserError(
            "more people are asked if the first do not agree, which takes at least two", fix="set judgements = 2"
        )
    where = urlsplit(study.address)
    if where.scheme not in ("http", "https") or not where.hostname or where.path.strip("/"):
        raise UserError(
            f"the address {study.address!r} is not the address of a server",
            fix="write https://host or http://host:port",
        )
    if study.attention and study.attention.every < 2:
        raise UserError("every task would be an attention check", fix="set every = 2 or more")
    return study


_SECTIONS: Mapping[str, type] = {"qualification": Threshold, "attention": AttentionChecks, "crowd": CrowdPlatform}


def _bad_setting(problem: FieldProblem) -> UserError:
    section = problem.field if len(problem.path) > 1 else "study"
    name = str(problem.path[-1])
    if problem.kind == "unknown":
        known = [field.name for field in fields(_SECTIONS.get(section, StudySettings))]
        return unknown(f"setting of a {section}", name, known)
    if name in _SECTIONS:
        return UserError(f"{name} is not a table", fix=f"write [{name}] and its settings below")
    if problem.allowed and isinstance(problem.value, str):
        return unknown(f"{name} of a {section}", problem.value, problem.allowed)
    return UserError(f"the setting {name!r} has the wrong kind of value")


def study_text(study: Study, instrument: str) -> str:
    """Return the settings as TOML; ``instrument`` is its name or file."""
    lines = [f"instrument = {_toml(instrument)}"]
    defaults = Study(Path(), study.instrument)
    names = (each.name for each in fields(StudySettings) if each.name not in _SECTIONS)
    for name in names:
        if name == "judgements" or getattr(study, name) != getattr(defaults, name):
            lines.append(f"{name} = {_toml(getattr(study, name))}")
    for section in ("qualification", "attention", "crowd"):
        part = getattr(study, section)
        if part is not None and part != CrowdPlatform():
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
class StudyOptions:
    """Study."""

    per_item: Annotated[int, Ge(1)] | None = None
    """Annotators per item. By default, as many as the instrument says."""
    extra: Annotated[int, Ge(0)] = 0
    """Further annotators for items on which the first do not all agree."""
    max_items: Annotated[int, Ge(0)] = 0
    """Maximum number of items per annotator; 0 for no limit."""
    gold_per_label: Annotated[int, Ge(0)] = 2
    """Gold items per label for the qualification; 0 takes all."""
    kappa: Annotated[float, Interval(ge=-1, le=1)] | None = None
    """Minimum kappa with the gold. By default, 0.7 if the labels are a scale."""
    accuracy: Annotated[float, Interval(ge=0, le=1)] = 0.0
    """Minimum accuracy on the gold items."""
    queue: str = ""
    """Facet that divides the items into queues; annotate invite --queue gives people the items of one queue only."""
    address: str = "http://127.0.0.1:8000"
    """Public address of the server."""


@translate_errors()
def new_study(
    probe: Probe | str | Path,
    *,
    instrument: str,
    out: str | Path,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: int = 0,
    gold: Probe | str | Path | None = None,
    attention: Probe | str | Path | None = None,
    options: StudyOptions | None = None,
) -> NewTasks:
    """Make the folder of a study, to be served.

    Args:
        probe: Probe to be judged: name or file. In Python, also a `Probe`.
        instrument: Name of an instrument (choice, naturalness …), or its .toml file.
        out: Folder to make.
        limit: Maximum number of items, drawn by seed.
        seed: Random seed of the draw, the assignment and the order.
        gold: Probe with answers, for the qualification.
        attention: Probe with answers, for attention checks among the other items.
        options: Study options.

    Returns:
        The files of the folder, and the number of judgements asked for.
    """
    from horsesense.core.catalogue import as_probe

    options = options or StudyOptions()
    folder = Path(out)
    check_not_overwritten(folder, [probe], "the tasks would overwrite the probe")
    asked = find_instrument(instrument)
    if gold is None and (options.kappa is not None or options.accuracy):
        raise UserError("a qualification needs gold items", fix=f"give them with {argument('gold')}")
    kappa = options.kappa if options.kappa is not None or not asked.ordered else 0.7
    study = Study(
        folder=folder,
        instrument=asked,
        judgements=asked.judgements if options.per_item is None else options.per_item,
        more=options.extra,
        limit=options.max_items,
        queue=options.queue,
        seed=seed,
        address=options.address,
        qualification=None if gold is None else Threshold(kappa=kappa, accuracy=options.accuracy),
    )
    known = None if gold is None else (as_probe(gold), options.gold_per_label)
    checks = None if attention is None else as_probe(attention)
    count = make_study(folder, as_probe(probe), instrument, study, limit, known, checks)
    files = tuple(sorted(folder.iterdir()))
    return NewTasks(folder, files, asked.name, count, count * study.judgements, 0)


def make_study(
    folder: Path,
    probe: Probe,
    instrument: str,
    study: Study,
    limit: int | None = None,
    gold: tuple[Probe, int] | None = None,
    attention: Probe | None = None,
) -> int:
    """Write the folder of a study, and return its number of tasks.

    ``gold`` is a probe with answers and the number of items per label; 0 takes all.
    """
    if folder.exists():
        raise UserError("the folder already exists", file=folder, fix="choose another name")
    asked = find_instrument(instrument)
    names = [task.item for task in tasks_of(probe, asked)]
    if limit is not None and limit < len(names):
        chosen = set(random.Random(study.seed).sample(names, limit))
        probe = _only(probe, chosen, study)
        names = [name for name in names if name in chosen]
    parts = {ITEMS: probe}
    if gold is not None:
        parts[GOLD] = _only(gold[0], sample_gold(gold[0], asked, gold[1], study.seed), study)
        # Without an order of labels, kappa means little for a handful of items.
        study = replace(study, qualification=study.qualification or Threshold(kappa=0.7 if asked.ordered else None))
    if attention is not None:
        parts[ATTENTION] = _only(attention, sample_gold(attention, asked, 0), study)
        study = replace(study, attention=study.attention or AttentionChecks())
    _check_disjoint(parts, asked.unit == "family")
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with writing_folder(folder) as part:
            part.chmod(0o700)
            for file, items in parts.items():
                write_probe(part / file, items)
            has_file = instrument.endswith(".toml")
            if has_file:
                (part / OWN_INSTRUMENT).write_text(read_text(instrument), encoding="utf-8")
            settings = study_text(study, OWN_INSTRUMENT if has_file else asked.name)
            (part / SETTINGS).write_text(settings, encoding="utf-8")
    return len(names)


def _only(probe: Probe, names: Iterable[str], study: Study) -> Probe:
    selected = set(names)
    by_family = study.instrument.unit == "family"
    return Probe.of([item for item in probe.items if (item.family if by_family else item.id) in selected], probe.card)


def _check_disjoint(parts: dict[str, Probe], by_family: bool) -> None:
    """Raise an error if an item is in two parts: nobody may be tested on an item and then judge it."""
    seen: dict[str, str] = {}
    for file, probe in parts.items():
        for name in dict.fromkeys(_content(item) if not by_family else (item.family,) for item in probe.items):
            if seen.setdefault(repr(name), file) != file:
                raise UserError(
                    f"an item is both in {seen[repr(name)]} and in {file} ({name[-1]})",
                    fix="keep items with a known answer out of those to be judged",
                )


def _content(item: Item) -> tuple[str, ...]:
    """Return the question without the answer: the id changes when an item is judged."""
    return (item.form, item.premise, *item.options, item.text)
