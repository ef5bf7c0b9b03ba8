"""Studies: a folder with the items, the instrument and the settings of a served annotation.

Gold items have a known answer, for qualification and attention checks; pictures are shown beside a question.
"""

from __future__ import annotations

import os
import random
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from annotated_types import Ge, Interval

from horsesense.annotate.instrument import Instrument, find_instrument
from horsesense.annotate.task import Task, tasks_of
from horsesense.annotate.task_files import NewTasks, check_not_overwritten
from horsesense.core import Item, Judgement, Probe, write_probe
from horsesense.data import FieldProblem, check_fields, disk_errors, read_text, writing_folder
from horsesense.data.tables import iter_rows
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.stats.raters.qualification import KAPPA, Qualification, Threshold, choose_gold, qualify
from horsesense.stats.raters.votes import letter

SETTINGS, ITEMS, GOLD, ATTENTION = "study.toml", "items.jsonl", "gold.jsonl", "attention.jsonl"
OWN_INSTRUMENT, PICTURES, DATABASE = "instrument.toml", "pictures.jsonl", "study.sqlite"
ADDRESS = "http://127.0.0.1:8000"
"""Default address of the server."""
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

    per_item: int = 3
    """Number of people per item."""
    extra: int = 0
    """Number of further people if these do not all agree; 0: none."""
    max_items: int = 0
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
    address: str = ADDRESS
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
    settings = check_fields(StudySettings, {"per_item": instrument.judgements} | values, _bad_setting)
    study = Study(folder, instrument, **{each.name: getattr(settings, each.name) for each in fields(StudySettings)})
    for number, least in (
        ("per_item", 1), ("extra", 0), ("max_items", 0), ("lease_minutes", 0.05), ("quick_seconds", 0), ("agreement", 0)
    ):  # fmt: skip
        if getattr(study, number) < least:
            raise UserError(f"{number} is {getattr(study, number)}, but must be {least} or more")
    if study.agreement > 1:
        raise UserError(f"agreement is {study.agreement}, but perfect agreement is 1", fix="set it to 0.8 or so")
    if study.extra and study.per_item < 2:
        raise UserError(
            "more people are asked if the first do not agree, which takes at least two", fix="set per_item = 2"
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
        if name == "per_item" or getattr(study, name) != getattr(defaults, name):
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
    address: str = ADDRESS
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
        seed: Random seed for sampling, assignment and order.
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
    kappa = options.kappa if options.kappa is not None or not asked.ordered else KAPPA
    study = Study(
        folder=folder,
        instrument=asked,
        per_item=asked.judgements if options.per_item is None else options.per_item,
        extra=options.extra,
        max_items=options.max_items,
        queue=options.queue,
        seed=seed,
        address=options.address,
        qualification=None if gold is None else Threshold(kappa=kappa, accuracy=options.accuracy),
    )
    known = None if gold is None else (as_probe(gold), options.gold_per_label)
    checks = None if attention is None else as_probe(attention)
    count = make_study(folder, as_probe(probe), instrument, study, limit, known, checks)
    files = tuple(sorted(folder.iterdir()))
    return NewTasks(folder, files, asked.name, count, count * study.per_item, 0)


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


def answers_of(probe: Probe, instrument: Instrument) -> dict[str, str]:
    """Return the answers of a probe, in the words that people could choose.

    For an instrument that sets no answer, the gold is the facet with its name.
    """
    if instrument.effect != "answer":
        named = ((item, str(item.facets.get(instrument.name, ""))) for item in reversed(probe.items))
        return {item.id if instrument.unit == "item" else item.family: value for item, value in named if value}
    choices = {task.item: task.choices for task in tasks_of(probe, instrument)}
    by_option = instrument.kind == "options"
    return {
        item.id: (choices[item.id] if by_option else item.options)[item.answer]
        for item in probe.items
        if item.answer is not None
    }


def _coded(value: str, task: Task, instrument: Instrument) -> str:
    """Replace an item's own option by its letter, so that items can be compared."""
    if instrument.kind == "options" and value in task.choices:
        return letter(task.choices.index(value))
    return value


def _labels(tasks: Mapping[str, Task], instrument: Instrument, gold: Mapping[str, str]) -> tuple[str, ...]:
    if instrument.kind == "options":
        return tuple(letter(i) for i in range(max((len(task.choices) for task in tasks.values()), default=0)))
    if instrument.kind == "labels":
        return (*instrument.labels, *(name for name in instrument.objections if name in gold.values()))
    return tuple(sorted(set(gold.values())))


def sample_gold(probe: Probe, instrument: Instrument, each: int, seed: int = 0) -> list[str]:
    """Draw gold items, ``each`` of every label (of every position, if options are the items' own); 0 takes all.

    Returns their ids.
    """
    answers = answers_of(probe, instrument)
    tasks = {task.item: task for task in tasks_of(probe, instrument)}
    if not answers:
        raise UserError("the gold items have no answers", fix="give a probe with answers")
    if not each:
        return list(answers)
    coded = {item: _coded(value, tasks[item], instrument) for item, value in answers.items()}
    labels = instrument.labels if instrument.kind == "labels" else _labels(tasks, instrument, coded)
    return choose_gold(coded, labels, each, seed)


def compare_with_gold(
    judgements: Sequence[Judgement],
    gold: Mapping[str, str],
    tasks: Mapping[str, Task],
    instrument: Instrument,
    threshold: Threshold,
) -> Qualification:
    """Return the qualification of one person by their answers to gold items."""
    coded = {item: _coded(value, tasks[item], instrument) for item, value in gold.items()}
    answers = [
        Judgement(each.item, each.annotator, each.instrument, _coded(each.value, tasks[each.item], instrument))
        for each in judgements
    ]
    return qualify(answers, coded, _labels(tasks, instrument, coded), threshold)[0]


FOLDER = "pictures"
KINDS: Mapping[str, str] = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Box:
    """A bounding box in pixels."""

    name: str
    """Label of the box, such as the whole or the part."""
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture with its boxes."""

    file: str
    """File name in the folder ``pictures`` of the study."""
    width: int
    height: int
    boxes: tuple[Box, ...] = ()

    @property
    def description(self) -> str:
        """Alternative text."""
        return "A picture with " + " and ".join(f"a {box.name}" for box in self.boxes) if self.boxes else "A picture"


def read_pictures(folder: Path, probes: Mapping[str, Probe]) -> dict[str, tuple[Picture, ...]]:
    """Read the pictures of each item from ``pictures.jsonl``; none if the study has no such file.

    A row has file, width, height, boxes, and either ``item`` or ``where``: facets that an item must have, such as
    whole and part.
    """
    file = folder / PICTURES
    if not file.is_file():
        return {}
    items = [item for probe in probes.values() for item in probe.items]
    pictures: dict[str, list[Picture]] = {}
    for line, row in iter_rows(file):
        try:
            picture, where = _picture(folder, row), _where(row)
        except (KeyError, TypeError, ValueError):
            raise UserError(
                "this is not a picture", file=file, line=line, fix="give file, width, height, boxes, and item or where"
            ) from None
        except UserError as error:
            raise error.at(file, line) from None
        for item in items:
            if where(item):
                pictures.setdefault(item.id, []).append(picture)
    return {item: tuple(of_item) for item, of_item in pictures.items()}


def _picture(folder: Path, row: Mapping[str, Any]) -> Picture:
    name = row["file"]
    if not isinstance(name, str) or not _NAME.fullmatch(name) or Path(name).suffix.lower() not in KINDS:
        raise UserError(
            f"the name {name!r} is not the name of a picture", fix=f"use a plain name with {', '.join(KINDS)}"
        )
    if not (folder / FOLDER / name).is_file():
        raise UserError(f"there is no picture {name!r}", fix=f"put it into the folder {FOLDER}")
    boxes = tuple(
        Box(str(box["name"]), *(float(box[side]) for side in ("x", "y", "width", "height")))
        for box in row.get("boxes", ())
    )
    return Picture(name, int(row["width"]), int(row["height"]), boxes)


def _where(row: Mapping[str, Any]) -> Callable[[Item], bool]:
    """Return a function that selects the items of a picture."""
    if "item" in row:
        return lambda item: bool(row["item"] == item.id)
    facets = dict(row["where"])
    return lambda item: all(str(item.facets.get(name)) == str(value) for name, value in facets.items())
