"""A blind audit: a sample, seeded errors and known good items, shuffled and without keys; and its folder.

The files for the auditor are in a folder of their own, without keys: nothing in it identifies a seeded error.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

import orjson

from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.task import Assignment, lettered, tasks_of
from horsesense.annotate.task_files import instructions_of, write_tasks
from horsesense.core import Card, Item, Judgement, Probe, read_probe, write_probe
from horsesense.core.audit import content_of
from horsesense.data import disk_errors, numbered_lines, read_text, writing_folder
from horsesense.data.store import read_record
from horsesense.data.tables import write_rows
from horsesense.errors import UserError, argument
from horsesense.registry import load, provided
from horsesense.stats.raters.adjudication import PASS

RECORD, KEYS, FOR_AUDITOR = "audit.json", "key.jsonl", "for-auditor"
ITEMS, TASKS, PARTS = "items.jsonl", "tasks.jsonl", "part-{:02d}.txt"
BLIND, WITH_KEY = "audit", "audit-key"
"""The instruments of the two stages."""
SAMPLE, KNOWN = "sample", "known to be good"
AGREED, VOTES = 0.8, 2
"""A known good item has at least this many votes, and this share of them for its key."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One item of an audit, with what the auditor does not see."""

    number: str
    """Its number in the auditor's lines, such as ``q001``."""
    item: str
    """Id of the item as shown, without a key."""
    kind: str
    """``sample``, the kind of a seeded error, or ``known to be good``."""
    source: str
    """Id of the item that it was made from."""
    key: int
    """Index of the key among the options as shown; for a seeded error, the alleged key."""
    options: int
    """Number of options."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """The probe and the settings of an audit."""

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
    seeded: Mapping[str, int]
    """Number of seeded errors by kind."""
    known: int
    """Number of known good items."""
    known_from: str = ""
    """Name of their file."""


@dataclass(frozen=True, slots=True)
class BlindAudit:
    """An audit: the items for the auditor and their keys."""

    record: AuditRecord
    shown: Sequence[Item]
    """The items as the auditor sees them, in order."""
    items: Sequence[AuditItem]
    """The same with their keys."""


def known_good(probe: Probe, judgements: Iterable[Judgement]) -> list[Item]:
    """Return items whose key most people chose without seeing it, or in which most found no error; one per family."""
    votes: defaultdict[str, list[str]] = defaultdict(list)
    for judgement in judgements:
        votes[judgement.item].append(judgement.value)
    good: dict[str, Item] = {}
    for item in probe.items:
        cast = votes.get(item.id) or votes.get(item.family, [])
        if item.answer is not None and len(cast) >= VOTES:
            for_it = sum(value in (PASS, item.options[item.answer]) for value in cast)
            if for_it >= AGREED * len(cast):
                good.setdefault(item.unit(), item)
    return list(good.values())


def draw(
    probe: Probe,
    file: str,
    sample: int,
    seeded: int,
    seed: int,
    second: SecondAnswer | None = None,
    known: Sequence[Item] = (),
    known_from: str = "",
) -> BlindAudit:
    """Draw the sample uniformly from all items with a key, and make seeded errors from the others."""
    judged = [item for item in probe.items if item.answer is not None and len(item.options) > 1]
    if len(judged) < sample + seeded:
        raise UserError(
            f"the probe has {len(judged)} items with a key, but {sample + seeded} are needed: {sample} for the sample, "
            f"{seeded} for seeded errors",
            fix=f"lower {argument('limit')} or {argument('seeded')}",
        )
    drawn = set(Random(f"{seed} sample").sample(range(len(judged)), sample))
    chosen = [judged[i] for i in sorted(drawn)]
    errors = seed_errors([item for i, item in enumerate(judged) if i not in drawn], seeded, seed, second)
    good = Random(f"{seed} known").sample(list(known), min(len(known), max(seeded, 100)))
    parts = [(item, SAMPLE, item.id) for item in chosen]
    parts += [(error.item, error.kind, error.source) for error in errors]
    parts += [(item, KNOWN, item.id) for item in good]
    items, items_without_key = _shuffle(parts, seed)
    counts = Counter(each.kind for each in items)
    record = AuditRecord(
        probe=file,
        name=probe.card.name,
        items=len(probe.items),
        content=content_of(probe.items),
        seed=seed,
        sample=counts.pop(SAMPLE, 0),
        known=counts.pop(KNOWN, 0),
        seeded=dict(sorted(counts.items())),
        known_from=known_from,
    )
    return BlindAudit(record, items_without_key, items)


def _shuffle(parts: Sequence[tuple[Item, str, str]], seed: int) -> tuple[list[AuditItem], list[Item]]:
    """Number the items in random order; the same question with another key is not shown twice."""
    hidden: dict[str, tuple[Item, int, str, str]] = {}
    for item, kind, source in parts:
        item_without_key, key = _hide_key(item, seed)
        hidden.setdefault(item_without_key.id, (item_without_key, key, kind, source))
    order = list(hidden.values())
    Random(f"{seed} order").shuffle(order)
    digits = max(3, len(str(len(order))))
    items = [
        AuditItem(f"q{number:0{digits}d}", item_without_key.id, kind, source, key, len(item_without_key.options))
        for number, (item_without_key, key, kind, source) in enumerate(order, start=1)
    ]
    return items, [item_without_key for item_without_key, *_ in order]


def _hide_key(item: Item, seed: int) -> tuple[Item, int]:
    """Return the item without its key and with shuffled options, and the new index of the key."""
    order = list(range(len(item.options)))
    if not item.ordered:
        Random(f"{seed} options {item.premise} {item.text} {sorted(item.options)}").shuffle(order)
    options = tuple(item.options[i] for i in order)
    hidden = Item(
        probe="audit", form=item.form, premise=item.premise, text=item.text, options=options, ordered=item.ordered
    )
    assert item.answer is not None
    return hidden, order.index(item.answer)


def write_audit(folder: Path, audit: BlindAudit, chunk: int) -> list[Path]:
    """Write the folder of an audit, and return the files for the auditor."""
    if folder.exists():
        raise UserError("the folder already exists", file=folder, fix="choose another name")
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with writing_folder(folder) as part:
            (part / RECORD).write_bytes(orjson.dumps(asdict(audit.record), option=orjson.OPT_INDENT_2))
            write_rows(part / KEYS, map(asdict, audit.items), ())
            numbers = [each.number for each in audit.items]
            _write_for_auditor(part / FOR_AUDITOR, audit.shown, numbers, BLIND, chunk)
    return sorted((folder / FOR_AUDITOR).iterdir())


def write_second(folder: Path, name: str, audit: BlindAudit, asked: Sequence[AuditItem], chunk: int) -> list[Path]:
    """Write the items of the second stage, with their keys, and return the files for the auditor."""
    target = folder / name
    if target.exists():
        raise UserError("the second stage already exists", file=target, fix="judge it, or remove it to draw again")
    items = {item.id: item for item in audit.shown}
    items_with_key = [replace(items[each.item], facets={"key": items[each.item].options[each.key]}) for each in asked]
    with disk_errors(target), writing_folder(target) as part:
        _write_for_auditor(part, items_with_key, [each.number for each in asked], WITH_KEY, chunk)
    return sorted(target.iterdir())


def _write_for_auditor(
    folder: Path, items: Sequence[Item], numbers: Sequence[str], instrument: str, chunk: int
) -> None:
    folder.mkdir(exist_ok=True)
    asked = find_instrument(instrument)
    probe = Probe.of(items, Card(name="audit", made="Items to be judged, without keys."))
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


_HOW = """Write one line per item, separated by tabs: its number, the letters (or N alone if it is not English or
makes no sense), and a comment if you have one. For example, for an item with five options of which the second is true:

q000	FTFFF	the fourth is close"""


def read_audit(folder: Path) -> BlindAudit:
    """Read the folder of an audit."""
    if not (folder / KEYS).is_file():
        raise UserError(
            "this is not the folder of an audit", file=folder, fix="make one: horsesense audit new PROBE -o FOLDER"
        )
    path, keys, fix = folder / RECORD, folder / KEYS, "make a new audit"
    record = read_record(path, read_text(path), AuditRecord, fix)
    items = []
    for line, text in numbered_lines(keys):
        item = read_record(keys, text, AuditItem, fix, line)
        if not 0 <= item.key < item.options:
            raise UserError(f"the key {item.key} is not one of {item.options} options", file=keys, line=line, fix=fix)
        items.append(item)
    return BlindAudit(record, list(read_probe(folder / FOR_AUDITOR / ITEMS).items), items)


EXCHANGED_KEY, TWO_TRUE, NONSENSE = "key exchanged", "second true option", "nonsense"
NO_SECOND = "items with two correct options could not be seeded, so the sensitivity to these is unknown"
ERRORS = (EXCHANGED_KEY, TWO_TRUE, NONSENSE)

SecondAnswer = Callable[[Item, Random], tuple[str, ...] | None]
"""Returns the options of an item with a second true one, the key in its place; None if none is known."""

_SHORT = 4
"""A text with fewer words may mean the same in another order."""


@dataclass(frozen=True, slots=True)
class SeededError:
    """An item that was changed to be bad."""

    item: Item
    """The item as shown; its answer is the alleged key."""
    kind: str
    """One of `ERRORS`."""
    source: str
    """Id of the original item."""


def second_answers_of(method: str) -> SecondAnswer | None:
    """Return the function of a method for second true options; None if it has none."""
    reference = provided("second_answers").get(method)
    return None if reference is None else load(reference)()


def seed_errors(items: Sequence[Item], number: int, seed: int, second: SecondAnswer | None = None) -> list[SeededError]:
    """Make seeded errors, equally many of each kind; exchanged keys replace those that another kind cannot make.

    There are fewer if items run out. The same seed changes the same items.
    """
    usable = [item for item in items if item.answer is not None and len(item.options) > 1]
    waiting = dict.fromkeys(Random(f"{seed} faults").sample(range(len(usable)), len(usable)))
    # The kind that fewest items allow comes first.
    kinds = [kind for kind in (TWO_TRUE, NONSENSE, EXCHANGED_KEY) if kind != TWO_TRUE or second is not None]
    errors: list[SeededError] = []
    for i, kind in enumerate(kinds):
        missing = (number - len(errors)) // (len(kinds) - i)
        for candidate in list(waiting):
            if not missing:
                break
            item = usable[candidate]
            changed = _change(item, kind, usable, second, Random(f"{seed} {kind} {item.id}"))
            if changed is not None:
                errors.append(SeededError(changed, kind, item.id))
                del waiting[candidate]
                missing -= 1
    return errors


def _change(item: Item, kind: str, items: Sequence[Item], second: SecondAnswer | None, rng: Random) -> Item | None:
    if kind == EXCHANGED_KEY:
        wrong = [i for i in range(len(item.options)) if i != item.answer]
        return replace(item, answer=rng.choice(wrong))
    if kind == TWO_TRUE:
        options = second(item, rng) if second is not None else None
        if options is None or len(set(options)) < len(options):
            return None
        return replace(item, options=options, concepts=())
    return _scramble(item, rng) if rng.random() < 0.5 else _unrelated_options(item, items, rng)


def _scramble(item: Item, rng: Random) -> Item | None:
    """Shuffle the words of the text, blank included."""
    name = "text" if item.text else "premise"
    words = getattr(item, name).split()
    if len(words) < _SHORT:
        return None
    mixed = list(words)
    for _ in range(10):
        rng.shuffle(mixed)
        if sum(a != b for a, b in zip(words, mixed, strict=True)) > len(words) // 2:
            break
    return replace(item, text=" ".join(mixed)) if name == "text" else replace(item, premise=" ".join(mixed))


def _unrelated_options(item: Item, items: Sequence[Item], rng: Random) -> Item | None:
    """Replace the options by options of other questions; None if all items have the same labels."""
    options: list[str] = []
    for _ in range(50 * len(item.options)):
        other = rng.choice(items)
        option = rng.choice(other.options)
        if other.unit() != item.unit() and option not in item.options and option not in options:
            options.append(option)
        if len(options) == len(item.options):
            return replace(item, options=tuple(options), concepts=())
    return None
