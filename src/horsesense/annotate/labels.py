"""Labels: adjudicate judgements, and apply labels to a probe (set answers, drop items, count the reasons)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.annotate.instrument import WRITTEN, Instrument, find_instrument
from horsesense.annotate.judgements import CollectedJudgements, JudgementOptions, read_judgements
from horsesense.annotate.rater_agreement import AgreementFigure, agreement_figures, figures_of_labelled
from horsesense.annotate.task import Task, tasks_of
from horsesense.annotate.task_files import check_not_overwritten
from horsesense.core import Item, Label, Probe, read_labels, write_labels, write_probe
from horsesense.core.document import Document
from horsesense.core.probe import is_proposed
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import NamesOf
from horsesense.stats.raters.adjudication import adjudicate, reasons

NOT_JUDGED = "not judged"
MISSED = "people miss the gold"
CHANGED = "answers changed by people"
FILTERED = "human score is filtered: items that people miss were dropped"
BROKEN = "families with a member dropped"
OTHER_HALF = "another member of the family was dropped"


_MAX_COUNTED = 20
"""With more distinct labels than this, labels are not counted: they are texts."""


@dataclass(frozen=True, slots=True)
class AdjudicatedLabels(Document):
    """Labels from judgements, by an adjudication rule."""

    out: Path
    """The file."""
    instrument: str
    """Name of the instrument."""
    rule: str
    """The adjudication rule."""
    judgements: int
    """Number of judgements."""
    people: int
    """Number of people; 0 if they are not named."""
    items: int
    """Number of judged items."""
    labels: int
    """Items with a label."""
    ties: int
    """Items with tied votes."""
    unanimous: int
    """Items with a unanimous label."""
    dropped: Mapping[str, int]
    """Items without a label by reason, most frequent first."""
    counts: Mapping[str, int]
    """Items per label; empty if there are many labels."""
    figures: tuple[AgreementFigure, ...]
    """Agreement on all items and on those with a label."""
    notes: Mapping[str, int]
    """Irregularities, counted."""


@translate_errors()
def export(
    *files: str | Path,
    out: str | Path,
    rule: Annotated[str, NamesOf("rules")] = "",
    probe: Probe | str | Path | None = None,
    options: JudgementOptions | None = None,
    min_votes: Annotated[int, Ge(1)] | None = None,
    progress: Progress = NO_PROGRESS,
) -> AdjudicatedLabels:
    """Adjudicate the judgements of each item: one label, or the reason why it has none.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        out: File for the labels: .jsonl, or .csv to look at.
        rule: Adjudication rule: majority, median, dawid-skene, or that of a paper. By default, the instrument's.
        probe: Probe that was judged; each item is checked.
        options: How judgements are read.
        min_votes: Minimum number of votes per item. By default, the minimum of the rule, or the number of annotators
            per item of the study if that is lower.
        progress: Progress callback.

    Returns:
        The number of items per label, why others have none, and agreement.
    """
    paths = [Path(file) for file in files]
    check_not_overwritten(Path(out), paths, "the labels would overwrite a file that they are made from")
    collected = read_judgements(*paths, probe=probe, options=options)
    rule = rule or collected.instrument.rule
    labels = _adjudicate(collected, rule, min_votes, paths[0])
    labelled = [label.item for label in labels if label.value is not None]
    figures = agreement_figures(collected)
    if not figures:
        progress.log("no item was judged twice in a round, so there is no agreement to report")
    if len(labelled) < len(labels):
        figures += figures_of_labelled(collected, labelled)
    write_labels(Path(out), labels)
    return _summary(collected, rule, labels, figures, Path(out))


def _adjudicate(collected: CollectedJudgements, rule: str, min_votes: int | None, file: Path) -> Sequence[Label]:
    """Return the labels by a rule, or raise an error if no item has one."""
    if collected.instrument.kind == "each":
        raise UserError("options that are judged one by one are not adjudicated by a rule", fix="use audit apply")
    if collected.instrument.kind in WRITTEN:
        raise UserError("written words are not adjudicated by a rule", fix="collect them instead")
    if not collected.judgements:
        raise UserError("no task is filled in yet", file=file)
    collected.check_scales()
    try:
        labels = adjudicate(collected.judgements, rule, collected.scale_of(), min_votes, collected.targets)
    except UserError as error:
        raise error.at(file) from None
    if all(label.value is None for label in labels):
        most = next(iter(reasons(labels)))
        fewer = f"accept fewer votes with {argument('min_votes', '1')}"
        fix = fewer if most.startswith("fewer than") else "look at annotate agreement"
        raise UserError(f"no item gets a label: {most}", file=file, fix=fix)
    return labels


@translate_errors()
def apply(
    probe: Probe | str | Path,
    labels: str | Path,
    *,
    out: str | Path,
    instrument: str = "",
    gold_filter: bool = False,
    keep_unjudged: bool = False,
) -> AppliedLabels:
    """Apply labels to a probe: set answers and drop items, with a count of each reason.

    Args:
        probe: Probe that was judged: name or file. In Python, also a `Probe`.
        labels: Labels that ``annotate export`` wrote (.jsonl).
        out: File for the probe: .jsonl, .jsonl.gz or .parquet.
        instrument: Name of an instrument, or its .toml file. By default, the one that the labels name.
        gold_filter: Do not change answers; drop items whose label differs from the answer.
        keep_unjudged: Keep items that nobody judged.

    Returns:
        The number of items, the dropped items by reason, and the number of changed answers.
    """
    from horsesense.core.catalogue import as_probe

    check_not_overwritten(Path(out), [probe, labels], "the probe would overwrite what it is made from")
    lines = read_labels(Path(labels))
    asked = find_instrument(instrument or lines[0][1].instrument)
    return _write(Path(out), apply_labels(as_probe(probe), lines, asked, Path(labels), gold_filter, keep_unjudged))


def _summary(
    collected: CollectedJudgements, rule: str, labels: Sequence[Label], figures: Sequence[AgreementFigure], out: Path
) -> AdjudicatedLabels:
    labelled = [label for label in labels if label.value is not None]
    counts = Counter(str(label.value) for label in labelled)
    return AdjudicatedLabels(
        out=out,
        instrument=collected.instrument.name,
        rule=rule,
        judgements=len(collected.judgements),
        people=collected.number_of_people,
        items=len(labels),
        labels=len(labelled),
        ties=sum(label.tie for label in labels),
        unanimous=sum(len(label.votes) == 1 for label in labelled),
        dropped=reasons(labels),
        counts=dict(counts.most_common()) if len(counts) <= _MAX_COUNTED else {},
        figures=tuple(figures),
        notes=dict(collected.notes),
    )


@dataclass(frozen=True, slots=True)
class JudgedProbe:
    """A probe with the labels of people applied."""

    probe: Probe
    dropped: Mapping[str, int]
    """Dropped items by reason, most frequent first."""
    changed: int
    """Answers that the labels changed."""


@dataclass(frozen=True, slots=True)
class AppliedLabels(Document):
    """A probe with labels applied, written to a file."""

    out: Path
    """The file of its items."""
    items: int
    """Number of items."""
    families: int
    """Number of families."""
    dropped: Mapping[str, int]
    """Dropped items by reason, most frequent first."""
    changed: int
    """Answers that the labels changed."""
    notes: Mapping[str, int]
    """Counts on the card of the probe."""


def _write(out: Path, applied: JudgedProbe) -> AppliedLabels:
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
) -> JudgedProbe:
    """Apply labels to a probe; each comes with its line in ``file``, for error messages.

    With ``gold_filter`` the probe keeps its answers, and items with a different label are dropped.
    """
    if instrument.effect == "none":
        raise UserError(f"what people write with {instrument.name} is not a label", fix="use the judgements themselves")
    if gold_filter and instrument.effect != "answer" and not instrument.by_key:
        raise UserError(f"the instrument {instrument.name} sets no answer, so there is no gold to filter by")
    gold_filter = gold_filter or instrument.by_key
    tasks = {task.item: task for task in tasks_of(probe, instrument)}
    label_of = {label.item: label for label in _checked(labels, tasks, instrument, file)}
    judged_items: list[Item] = []
    dropped: Counter[str] = Counter()
    changed = 0
    for item in probe.items:
        name = item.id if instrument.unit == "item" else item.family
        label = label_of.get(name)
        if label is None and keep_unjudged:
            judged_items.append(item)
            continue
        reason = _why_dropped(item, label, tasks[name], instrument, gold_filter)
        if reason or label is None:
            dropped[reason] += 1
            continue
        judged = _confirmed(item) if gold_filter else _with_label(item, label, tasks[name], instrument)
        changed += item.answer is not None and judged.answer != item.answer
        judged_items.append(judged)
    if instrument.by_key:
        judged_items = _whole_families(probe, judged_items, dropped)
    if not judged_items:
        most = dropped.most_common(1)[0][0]
        raise UserError(f"every item would be dropped, most of them as: {most}", file=file)
    return JudgedProbe(
        _probe(probe, judged_items, dropped, changed, label_of, instrument, gold_filter),
        dict(dropped.most_common()),
        changed,
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
                f"the label {label.value!r} is not one of the answers",
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
        return "" if _index(item, label, task, instrument) == item.answer else MISSED
    if label.value is None:
        return label.reason or "no label"
    if instrument.effect == "filter" and instrument.accepted and label.value not in instrument.accepted:
        return f"judged {label.value}"
    return ""


def _confirmed(item: Item) -> Item:
    """Mark an item whose key people chose without seeing it: it is no longer only proposed."""
    return replace(item, facets={**item.facets, "status": "asserted"}) if is_proposed(item) else item


def _whole_families(probe: Probe, judged: Sequence[Item], dropped: Counter[str]) -> list[Item]:
    """Return the families whose members are all kept: half of a pair says nothing about consistency."""
    before, after = (Counter(item.family for item in items if item.family) for items in (probe.items, judged))
    whole = [item for item in judged if after[item.family] == before[item.family]]
    if len(whole) < len(judged):
        dropped[OTHER_HALF] += len(judged) - len(whole)
    return whole


def _index(item: Item, label: Label, task: Task, instrument: Instrument) -> int | None:
    """Return the index of the option that the label names."""
    if label.value is None:
        return None
    return (task.choices if instrument.kind == "options" else item.options).index(label.value)


def _with_label(item: Item, label: Label, task: Task, instrument: Instrument) -> Item:
    if instrument.effect == "facet":
        return replace(item, facets={**item.facets, instrument.name: label.value or ""})
    if instrument.effect == "filter":
        return item
    # The id is a hash of the content, answer included: a relabelled item has a new id, and its source the old one.
    source = replace(item.source, id=item.source.id or item.id)
    return replace(item, answer=_index(item, label, task, instrument), source=source)


def _probe(
    probe: Probe,
    judged: Sequence[Item],
    dropped: Mapping[str, int],
    changed: int,
    label_of: Mapping[str, Label],
    instrument: Instrument,
    gold_filter: bool,
) -> Probe:
    before, after = (Counter(item.family for item in items if item.family) for items in (probe.items, judged))
    broken = sum(0 < after[name] < count for name, count in before.items())
    notes = {f"dropped: {reason}": count for reason, count in dropped.items()}
    notes |= {name: count for name, count in ((CHANGED, changed), (BROKEN, broken)) if count}
    if gold_filter:
        notes[FILTERED] = dropped.get(MISSED, 0)
    rules = sorted({label.rule for label in label_of.values()})
    votes = sorted({label.people for label in label_of.values() if label.value is not None})
    number = f"{votes[0]}" if len(votes) == 1 else f"{votes[0]} to {votes[-1]}" if votes else "no"
    what = "Kept where people agree with the gold" if gold_filter else "Judged by people"
    description = (
        f"{probe.card.made} {what}: instrument {instrument.name}, {number} votes per item, rule {', '.join(rules)}."
    )
    return Probe.of(judged, replace(probe.card, made=description.strip()), notes)
