"""Labels back into a probe: answers set, items kept or dropped, each for a reason that is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.annotate.instrument import Instrument
from horsesense.annotate.task import Task, tasks_of
from horsesense.core import Item, Label, Probe, write_probe
from horsesense.core.document import Document
from horsesense.core.probe import is_proposed
from horsesense.errors import UserError

NOT_JUDGED = "not judged"
MISSED = "people miss the gold"
CHANGED = "answers changed by people"
FILTERED = "human score is filtered: items that people miss were dropped"
BROKEN = "families with a member dropped"
OTHER_HALF = "another member of the family was dropped"


@dataclass(frozen=True, slots=True)
class Applied:
    """A probe after people have judged it."""

    probe: Probe
    dropped: Mapping[str, int]
    """How many items were dropped for each reason, the commonest first."""
    changed: int
    """Answers that people set otherwise than they were: flipped statements."""


@dataclass(frozen=True, slots=True)
class AppliedLabels(Document):
    """A judged probe that was written."""

    out: Path
    """The file of its items."""
    items: int
    """How many are left."""
    families: int
    """Families that they fall into."""
    dropped: Mapping[str, int]
    """How many items were dropped for each reason, the commonest first."""
    changed: int
    """Answers that people set otherwise than they were."""
    notes: Mapping[str, int]
    """What the card of the probe counts."""


def write_applied(out: Path, applied: Applied) -> AppliedLabels:
    """Write the judged probe, and say what was dropped."""
    write_probe(out, applied.probe)
    card = applied.probe.card
    return AppliedLabels(out, card.items, card.families, dict(applied.dropped), applied.changed, dict(card.notes))


def apply_labels(
    probe: Probe,
    labels: Sequence[tuple[int, Label]],
    instrument: Instrument,
    file: Path,
    gold_filter: bool = False,
    keep_unjudged: bool = False,
) -> Applied:
    """Set the labels in a probe. Each comes with its line in ``file``, so that a wrong one can be pointed at.

    With ``gold_filter`` the probe keeps its answers, and items whose label is another one are dropped.
    """
    if instrument.effect == "none":
        raise UserError(f"what people write with {instrument.name} is no label", fix="use the judgements themselves")
    if gold_filter and instrument.effect != "answer" and not instrument.by_key:
        raise UserError(f"the instrument {instrument.name} sets no answer, so there is no gold to filter by")
    gold_filter = gold_filter or instrument.by_key
    tasks = {task.item: task for task in tasks_of(probe, instrument)}
    label_of = {label.item: label for label in _checked(labels, tasks, instrument, file)}
    kept: list[Item] = []
    dropped: Counter[str] = Counter()
    changed = 0
    for item in probe.items:
        name = item.id if instrument.unit == "item" else item.family
        label = label_of.get(name)
        if label is None and keep_unjudged:
            kept.append(item)
            continue
        reason = _why_dropped(item, label, tasks[name], instrument, gold_filter)
        if reason or label is None:
            dropped[reason] += 1
            continue
        judged = _confirmed(item) if gold_filter else _with_label(item, label, tasks[name], instrument)
        changed += item.answer is not None and judged.answer != item.answer
        kept.append(judged)
    if instrument.by_key:
        kept = _whole_families(probe, kept, dropped)
    if not kept:
        most = dropped.most_common(1)[0][0]
        raise UserError(f"every item would be dropped, most of them as: {most}", file=file)
    return Applied(
        _probe(probe, kept, dropped, changed, label_of, instrument, gold_filter), dict(dropped.most_common()), changed
    )


def _checked(
    labels: Sequence[tuple[int, Label]], tasks: Mapping[str, Task], instrument: Instrument, file: Path
) -> list[Label]:
    checked = []
    for line, label in labels:
        if label.instrument != instrument.name:
            raise UserError(f"the label is of the instrument {label.instrument!r}", file=file, line=line)
        if label.item not in tasks:
            raise UserError(
                f"the item {label.item!r} is not in the probe",
                file=file,
                line=line,
                fix="give the probe that was judged, before its labels were set",
            )
        choices = tasks[label.item].choices
        if label.value is not None and choices and label.value not in choices:
            raise UserError(
                f"the label {label.value!r} is none of the answers",
                file=file,
                line=line,
                fix=f"use {', '.join(choices)}",
            )
        checked.append(label)
    return checked


def _why_dropped(item: Item, label: Label | None, task: Task, instrument: Instrument, gold_filter: bool) -> str:
    if label is None:
        return NOT_JUDGED
    if gold_filter and item.answer is not None:
        return "" if _place(item, label, task, instrument) == item.answer else MISSED
    if label.value is None:
        return label.reason or "no label"
    if instrument.effect == "filter" and instrument.accepted and label.value not in instrument.accepted:
        return f"judged {label.value}"
    return ""


def _confirmed(item: Item) -> Item:
    """An item whose key people gave without seeing it; one that was proposed is so no longer."""
    return replace(item, facets={**item.facets, "status": "asserted"}) if is_proposed(item) else item


def _whole_families(probe: Probe, kept: Sequence[Item], dropped: Counter[str]) -> list[Item]:
    """The families of which every member is kept: of a pair, one half alone tells nothing of consistency."""
    before, after = (Counter(item.family for item in items if item.family) for items in (probe.items, kept))
    whole = [item for item in kept if after[item.family] == before[item.family]]
    if len(whole) < len(kept):
        dropped[OTHER_HALF] += len(kept) - len(whole)
    return whole


def _place(item: Item, label: Label, task: Task, instrument: Instrument) -> int | None:
    """The option that the label stands for."""
    if label.value is None:
        return None
    return (task.choices if instrument.kind == "options" else item.options).index(label.value)


def _with_label(item: Item, label: Label, task: Task, instrument: Instrument) -> Item:
    if instrument.effect == "facet":
        return replace(item, facets={**item.facets, instrument.name: label.value or ""})
    if instrument.effect == "filter":
        return item
    # The id is made from the content, answer included: a judged item is another one, and remembers which it was.
    source = replace(item.source, id=item.source.id or item.id)
    return replace(item, answer=_place(item, label, task, instrument), source=source)


def _probe(
    probe: Probe,
    kept: Sequence[Item],
    dropped: Mapping[str, int],
    changed: int,
    label_of: Mapping[str, Label],
    instrument: Instrument,
    gold_filter: bool,
) -> Probe:
    before, after = (Counter(item.family for item in items if item.family) for items in (probe.items, kept))
    broken = sum(0 < after[name] < count for name, count in before.items())
    notes = {f"dropped: {reason}": count for reason, count in dropped.items()}
    notes |= {name: count for name, count in ((CHANGED, changed), (BROKEN, broken)) if count}
    if gold_filter:
        notes[FILTERED] = dropped.get(MISSED, 0)
    rules = sorted({label.rule for label in label_of.values()})
    votes = sorted({label.people for label in label_of.values() if label.value is not None})
    number = f"{votes[0]}" if len(votes) == 1 else f"{votes[0]} to {votes[-1]}" if votes else "no"
    what = "Kept where people agree with the gold" if gold_filter else "Judged by people"
    made = f"{probe.card.made} {what}: instrument {instrument.name}, {number} votes an item, rule {', '.join(rules)}."
    return Probe.of(kept, replace(probe.card, made=made.strip()), notes)
