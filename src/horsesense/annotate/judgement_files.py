"""Judgements in: filled task files, exports of platforms and files of judgements, checked and put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from horsesense.annotate.answer_checks import checked_reason, checked_value, choice_at, folded_criteria, folded_each
from horsesense.annotate.instrument import Instrument, find_instrument
from horsesense.annotate.label_studio import iter_label_studio
from horsesense.annotate.mturk import from_mturk, is_mturk
from horsesense.annotate.potato import from_potato, is_potato
from horsesense.annotate.task import Task, tasks_of
from horsesense.annotate.task_files import choices_of
from horsesense.core import Judgement, Placed, Probe, write_judgements
from horsesense.core.document import Document
from horsesense.core.judgements import check_columns, judgement_from_dict
from horsesense.data.tables import iter_rows
from horsesense.errors import UserError, argument
from horsesense.stats.raters.votes import Scale, ScaleOf


@dataclass(frozen=True, slots=True)
class Collected:
    """What came back."""

    instrument: Instrument
    judgements: tuple[Judgement, ...]
    open: tuple[tuple[str, str], ...]
    """Tasks without an answer yet: item and annotator."""
    scales: Mapping[str, Scale]
    """The answers that could be given, by item."""
    notes: Mapping[str, int]
    """What was found odd, counted."""
    probe: Probe | None = None
    targets: Mapping[str, int] = field(default_factory=dict)
    """How many people should judge an item, where that is not as the instrument says."""
    people: tuple[str, ...] = ()
    """Who was invited to judge, whether they have or not; files do not tell."""

    @property
    def number_of_people(self) -> int:
        """People who judged and are named."""
        return len({each.annotator for each in self.judgements if not each.anonymous})

    def scale_of(self) -> ScaleOf:
        """The answers of an item; an item that was never judged has those of the instrument."""
        scales, other = self.scales, self.instrument.scale()
        return lambda item: scales.get(item, other)

    def check_scales(self) -> None:
        """Where answers are the items' own options, they must be known."""
        if self.instrument.kind == "options" and any(not self.scale_of()(each.item).labels for each in self.judgements):
            raise UserError(
                f"the instrument {self.instrument.name} takes its answers from the items", fix="give the probe with -p"
            )

    def only(self, round: int | None) -> Collected:
        """The judgements of one round; all where none is named, or where there are none at all."""
        if round is None or not self.judgements:
            return self
        rounds = sorted({judgement.round for judgement in self.judgements})
        if round not in rounds:
            raise UserError(
                f"there is no judgement of round {round}", fix=f"there are rounds {', '.join(map(str, rounds))}"
            )
        return replace(self, judgements=tuple(each for each in self.judgements if each.round == round))


@dataclass(frozen=True, slots=True)
class WrittenJudgements(Document):
    """Judgements in one file."""

    out: Path
    """Their file."""
    judgements: int
    """How many there are."""
    items: int
    """Items that were judged."""
    people: int
    """How many people judged; 0 where they are not named."""
    open: int
    """Tasks without an answer yet."""
    notes: Mapping[str, int]
    """What was found odd, counted."""


def write_collected(
    out: Path, judgements: Sequence[Judgement], unanswered: int, notes: Mapping[str, int]
) -> WrittenJudgements:
    """Write the judgements, and say how many there are."""
    write_judgements(out, judgements)
    items = {each.item for each in judgements}
    people = {each.annotator for each in judgements if not each.anonymous}
    return WrittenJudgements(out, len(judgements), len(items), len(people), unanswered, notes)


def collect(
    paths: Sequence[Path],
    instrument: str = "",
    probe: Probe | None = None,
    annotator: str = "",
    last: bool = False,
) -> Collected:
    """Read filled files. All are of one instrument, by name or by its own file.

    An item must be in the probe where one is given. A person judges an item once a round: the same answer
    again is dropped and counted, another answer is an error unless ``last`` lets the later one count.
    """
    wanted = find_instrument(instrument) if instrument else None
    placed: list[Placed] = []
    shown: dict[str, tuple[str, ...]] = {}
    open_tasks: list[tuple[str, str]] = []
    tasks: Mapping[str, Task] | None = None
    for path in paths:
        for line, row, by_letter in _rows(path):
            try:
                if wanted is None:
                    wanted = find_instrument(_text(row, "instrument"))
                if tasks is None and probe is not None:
                    tasks = {task.item: task for task in tasks_of(probe, wanted)}
                judgement = _judgement(row, wanted, tasks, annotator, by_letter)
            except UserError as error:
                raise error.at(path, line) from None
            if judgement is None:
                open_tasks.append((row["item"], str(row.get("annotator") or annotator)))
                continue
            shown.setdefault(judgement.item, choices_of(row))
            placed.append(Placed(judgement, path, line))
    if wanted is None or not (placed or open_tasks):
        raise UserError("there is no judgement", file=paths[0] if paths else None, fix="give files with at least one")
    judgements, repeated = one_each(placed, last)
    if tasks is not None:
        scales = {item: task.scale for item, task in tasks.items()}
    else:
        scales = {item: wanted.scale(choices) for item, choices in shown.items()}
    return Collected(wanted, judgements, tuple(open_tasks), scales, repeated, probe)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any], bool]]:
    """Rows of judgements with their lines, and whether options are told by letter alone."""
    if path.suffix == ".json":
        yield from ((line, row, False) for line, row in iter_label_studio(path))
        return
    for line, row in iter_rows(path):
        try:
            if is_potato(row):
                yield line, from_potato(row), True
            elif is_mturk(row):
                yield line, from_mturk(row), True
            else:
                yield line, row, False
        except UserError as error:
            raise error.at(path, line) from None


def _judgement(
    row: dict[str, Any],
    instrument: Instrument,
    tasks: Mapping[str, Task] | None,
    annotator: str,
    by_letter: bool,
) -> Judgement | None:
    """The judgement of a row, checked; None where a task has no answer yet."""
    values = dict(row)
    if annotator and not values.get("annotator"):
        values["annotator"] = annotator
    if instrument.criteria and not values.get("value"):
        values["value"] = folded_criteria(instrument, values)
    if instrument.kind == "each" and not values.get("value"):
        values["value"] = folded_each(instrument, values)
    check_columns(values)
    if values["instrument"] != instrument.name:
        raise UserError(
            f"the judgement is of the instrument {values['instrument']!r}, and others are of {instrument.name!r}",
            fix="give files of one instrument",
        )
    item = _text(values, "item")
    if tasks is not None and item not in tasks:
        raise UserError(f"the item {item!r} is not in the probe", fix="give the probe that the tasks were made from")
    if values["value"] in ("", None) and "question" in values:
        return None
    if values["annotator"] == "":
        raise UserError("the annotator is empty", fix=f"fill it in, or name the person with {argument('annotator')}")
    judgement = judgement_from_dict(values)
    choices = tasks[item].choices if tasks is not None else choices_of(row)
    instrument.check_options(item, choices)
    read = choice_at if by_letter and instrument.kind == "options" else checked_value
    value = read(instrument, judgement.value, choices)
    return replace(judgement, value=value, reason=checked_reason(instrument, value, judgement.reason))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise UserError(f"the column {name!r} is missing or empty", fix=f"say which {name} it is")
    return value


def one_each(placed: Sequence[Placed], last: bool = False) -> tuple[tuple[Judgement, ...], dict[str, int]]:
    """One judgement an annotator, item and round, and what was dropped for that, counted."""
    kept: dict[tuple[str, str, int], Placed] = {}
    notes: Counter[str] = Counter()
    for new in placed:
        judgement = new.judgement
        key = judgement.item, judgement.annotator, judgement.round
        old = kept.get(key)
        if old is None:
            kept[key] = new
        elif old.judgement.value == judgement.value:
            notes["repeated judgements"] += 1
        elif last:
            kept[key] = new
            notes["changed judgements, the last counts"] += 1
        else:
            raise new.error(
                f"{judgement.annotator} judged {judgement.item} already, as {old.judgement.value!r} "
                f"({old.file.name}:{old.line}), and now as {judgement.value!r}",
                fix=f"remove one of the two, or let the later one count with {argument('last')}",
            )
    return tuple(each.judgement for each in kept.values()), dict(notes)
