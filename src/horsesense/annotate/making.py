"""A study made from a probe and an instrument: a folder that can be read, changed, and served."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.analysis.qualification import Threshold
from horsesense.annotate.gold import spread_gold
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.study import ATTENTION, GOLD, ITEMS, OWN_INSTRUMENT, SETTINGS, Attention, Study, study_text
from horsesense.annotate.task import tasks_of
from horsesense.errors import UserError
from horsesense.files import disk_errors, read_text, writing_folder
from horsesense.records import Item, Probe, write_probe
from horsesense.records.document import Document


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
            own = instrument.endswith(".toml")
            if own:
                (made / OWN_INSTRUMENT).write_text(read_text(instrument), encoding="utf-8")
            settings = study_text(study, OWN_INSTRUMENT if own else asked.name)
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
