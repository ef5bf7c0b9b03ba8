"""A reading: sample, planted faults and items known to be good, shuffled and blind; and the folder that keeps it.

What a reader gets lies in a folder of its own, without keys: nothing in it tells a planted item from another.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import orjson

from horsesense.annotate.audit.seeded_errors import SecondAnswer, plant
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.task import Assignment, lettered, tasks_of
from horsesense.annotate.task_files import instructions_of, write_tasks
from horsesense.core import Card, Item, Judgement, Probe, read_probe, write_probe
from horsesense.data import FieldProblem, check_fields, check_json, disk_errors, read_text, writing_folder
from horsesense.data.tables import iter_rows, write_rows
from horsesense.errors import UserError, argument
from horsesense.stats.raters.adjudication_rules import PASS

ABOUT, KEYS, READER = "reading.json", "key.jsonl", "for-reader"
ITEMS, TASKS, PARTS = "items.jsonl", "tasks.jsonl", "part-{:02d}.txt"
FIRST, SECOND = "soundness", "soundness-key"
"""The instruments of the two stages."""
SAMPLE, KNOWN = "sample", "known to be good"
AGREED, VOTES = 0.8, 2
"""An item is known to be good where at least so many voted, and so large a share of them for it."""


@dataclass(frozen=True, slots=True)
class Blind:
    """One item of a reading, with what the reader is not told."""

    number: str
    """What it is called in the reader's lines, such as ``q001``."""
    item: str
    """Id of the item as it is shown, without a key."""
    kind: str
    """``sample``, the kind of a planted fault, or ``known to be good``."""
    source: str
    """Id of the item that it was made from."""
    key: int
    """Place of the key among the options as they are shown; of a planted fault, the key that it pretends to have."""
    options: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class About:
    """What a reading is about."""

    probe: str
    """Name of the probe's file."""
    name: str
    """Name on its card."""
    items: int
    """Items of the probe."""
    content: str
    """SHA-256 over their ids, 16 digits."""
    seed: int
    sample: int
    planted: Mapping[str, int]
    """Planted faults by kind."""
    known: int
    """Items known to be good."""
    known_from: str = ""
    """Name of their file."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading that was drawn."""

    about: About
    shown: Sequence[Item]
    """The items as the reader sees them, in the reader's order."""
    blind: Sequence[Blind]
    """The same with their keys."""


def content_of(items: Iterable[Item]) -> str:
    """Which items these are, in whatever order."""
    return hashlib.sha256("\n".join(sorted(item.id for item in items)).encode()).hexdigest()[:16]


def known_good(probe: Probe, judgements: Iterable[Judgement]) -> list[Item]:
    """Items whose key most people chose by themselves, or with which most found no fault; of a family one item."""
    votes: defaultdict[str, list[str]] = defaultdict(list)
    for judgement in judgements:
        votes[judgement.item].append(judgement.value)
    good: dict[str, Item] = {}
    for item in probe.items:
        given = votes.get(item.id) or votes.get(item.family, [])
        if item.answer is not None and len(given) >= VOTES:
            for_it = sum(value in (PASS, item.options[item.answer]) for value in given)
            if for_it >= AGREED * len(given):
                good.setdefault(item.unit(), item)
    return list(good.values())


def draw(
    probe: Probe,
    file: str,
    sample: int,
    planted: int,
    seed: int,
    second: SecondAnswer | None = None,
    known: Sequence[Item] = (),
    known_from: str = "",
) -> Reading:
    """Draw the sample from all items with a key, each as likely as any other; spoil items that were not drawn."""
    judged = [item for item in probe.items if item.answer is not None and len(item.options) > 1]
    if len(judged) < sample + planted:
        raise UserError(
            f"the probe has {len(judged)} items with a key, and {sample + planted} are needed: {sample} to be read, "
            f"{planted} to be spoilt",
            fix=f"lower {argument('limit')} or {argument('planted')}",
        )
    drawn = set(Random(f"{seed} sample").sample(range(len(judged)), sample))
    chosen = [judged[place] for place in sorted(drawn)]
    faults = plant([item for place, item in enumerate(judged) if place not in drawn], planted, seed, second)
    good = Random(f"{seed} known").sample(list(known), min(len(known), max(planted, 100)))
    parts = [(item, SAMPLE, item.id) for item in chosen]
    parts += [(fault.item, fault.kind, fault.source) for fault in faults]
    parts += [(item, KNOWN, item.id) for item in good]
    blind, shown = _shuffled(parts, seed)
    counts = Counter(each.kind for each in blind)
    about = About(
        probe=file,
        name=probe.card.name,
        items=len(probe.items),
        content=content_of(probe.items),
        seed=seed,
        sample=counts.pop(SAMPLE, 0),
        known=counts.pop(KNOWN, 0),
        planted=dict(sorted(counts.items())),
        known_from=known_from,
    )
    return Reading(about, shown, blind)


def _shuffled(parts: Sequence[tuple[Item, str, str]], seed: int) -> tuple[list[Blind], list[Item]]:
    """The items numbered in an order that tells nothing; the same question with another key is not read twice."""
    hidden: dict[str, tuple[Item, int, str, str]] = {}
    for item, kind, source in parts:
        shown, key = _hidden(item, seed)
        hidden.setdefault(shown.id, (shown, key, kind, source))
    order = list(hidden.values())
    Random(f"{seed} order").shuffle(order)
    digits = max(3, len(str(len(order))))
    blind = [
        Blind(f"q{place:0{digits}d}", shown.id, kind, source, key, len(shown.options))
        for place, (shown, key, kind, source) in enumerate(order, start=1)
    ]
    return blind, [shown for shown, *_ in order]


def _hidden(item: Item, seed: int) -> tuple[Item, int]:
    """The item without anything that tells its key, options in another order, and where its key is now."""
    places = list(range(len(item.options)))
    if not item.ordered:
        Random(f"{seed} options {item.premise} {item.text} {sorted(item.options)}").shuffle(places)
    options = tuple(item.options[place] for place in places)
    hidden = Item(
        probe="reading", form=item.form, premise=item.premise, text=item.text, options=options, ordered=item.ordered
    )
    assert item.answer is not None
    return hidden, places.index(item.answer)


def write_reading(folder: Path, reading: Reading, chunk: int) -> list[Path]:
    """Write the folder of a reading; the files for the reader."""
    if folder.exists():
        raise UserError("there is something of that name already", file=folder, fix="choose another name")
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with writing_folder(folder) as made:
            (made / ABOUT).write_bytes(orjson.dumps(asdict(reading.about), option=orjson.OPT_INDENT_2))
            write_rows(made / KEYS, map(asdict, reading.blind), ())
            _write_for_reader(made / READER, reading.shown, [each.number for each in reading.blind], FIRST, chunk)
    return sorted((folder / READER).iterdir())


def write_second(folder: Path, name: str, reading: Reading, asked: Sequence[Blind], chunk: int) -> list[Path]:
    """Write the items of the second stage, with their keys, beside the first; the files for the reader."""
    place = folder / name
    if place.exists():
        raise UserError("the second stage was drawn already", file=place, fix="read it, or remove it to draw again")
    items = {item.id: item for item in reading.shown}
    shown = [replace(items[each.item], facets={"key": items[each.item].options[each.key]}) for each in asked]
    with disk_errors(place), writing_folder(place) as made:
        _write_for_reader(made, shown, [each.number for each in asked], SECOND, chunk)
    return sorted(place.iterdir())


def _write_for_reader(folder: Path, shown: Sequence[Item], numbers: Sequence[str], instrument: str, chunk: int) -> None:
    folder.mkdir(exist_ok=True)
    asked = find_instrument(instrument)
    probe = Probe.of(shown, Card(name="reading", made="Items to be read, without keys."))
    write_probe(folder / ITEMS, probe)
    tasks = tasks_of(probe, asked)
    write_tasks(folder / TASKS, asked, [Assignment(task) for task in tasks])
    for first in range(0, len(tasks), chunk):
        lines = [instructions_of(asked), _HOW]
        for number, task in list(zip(numbers, tasks, strict=True))[first : first + chunk]:
            options = (f"  {name}  {' '.join(text.split())}" for name, text in lettered(task.choices).items())
            question = "\n      ".join(" ".join(line.split()) for line in task.question.split("\n"))
            lines.append("\n".join([f"{number}  {question}", *options]))
        name = PARTS.format(first // chunk + 1)
        (folder / name).write_text("\n".join(f"{line}\n" for line in lines), encoding="utf-8")


_HOW = """Write one line an item, tabs between: its number, the letters (or N alone where it is no English or makes no
sense), and a remark where you have one. For example, of an item with five options of which the second is true:

q000	FTFFF	the fourth is close"""


def read_reading(folder: Path) -> Reading:
    """Read the folder of a reading."""
    if not (folder / KEYS).is_file():
        raise UserError(
            "this is not the folder of a reading", file=folder, fix="make one: horsesense annotate soundness new PROBE"
        )
    about = check_json(About, read_text(folder / ABOUT), _bad_about(folder / ABOUT))
    blind = []
    for line, row in iter_rows(folder / KEYS):
        found = check_fields(Blind, row, _bad_key(folder / KEYS, line))
        if not 0 <= found.key < found.options:
            raise _bad_key(folder / KEYS, line)(FieldProblem("wrong", ("key",), "out of range", found.key))
        blind.append(found)
    return Reading(about, list(read_probe(folder / READER / ITEMS).items), blind)


def _bad_key(path: Path, line: int) -> Callable[[FieldProblem], UserError]:
    return lambda problem: UserError(
        f"the line is not one of a reading's keys: its {problem.where or 'fields'} is {problem.kind}",
        file=path,
        line=line,
        fix="draw the reading again",
    )


def _bad_about(path: Path) -> Callable[[FieldProblem], UserError]:
    def told(problem: FieldProblem) -> UserError:
        return UserError(f"the field {problem.where!r} is {problem.kind}", file=path, fix="draw the reading again")

    return told
