"""Read judgements from filled task files, exports of platforms, files and served studies; count their progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from horsesense.annotate.answer_checks import check_reason, check_value, choice_at, join_criteria, join_each
from horsesense.annotate.instrument import Instrument, find_instrument
from horsesense.annotate.platforms import from_mturk, from_potato, is_mturk, is_potato, iter_label_studio
from horsesense.annotate.task import Task, tasks_of
from horsesense.annotate.task_files import check_not_overwritten, choices_of
from horsesense.core import Judgement, JudgementLine, Probe, write_judgements, write_probe
from horsesense.core.document import Document
from horsesense.core.judgements import check_columns, judgement_from_dict
from horsesense.data.tables import iter_rows
from horsesense.errors import UserError, argument, translate_errors
from horsesense.registry import NamesOf
from horsesense.stats.raters.votes import Scale, ScaleOf


@dataclass(frozen=True, slots=True)
class JudgementOptions:
    """Judgements."""

    instrument: str = ""
    """Name of an instrument, or its .toml file. By default, the one that the files name."""
    annotator: str = ""
    """Annotator of rows that do not name one."""
    round: Annotated[int, Ge(1)] | None = None
    """Only the judgements of this round."""
    last: bool = False
    """Use the later of two answers of a person to the same item."""


@dataclass(frozen=True, slots=True)
class CollectedJudgements:
    """The judgements of files or of a study, checked."""

    instrument: Instrument
    judgements: tuple[Judgement, ...]
    unanswered: tuple[tuple[str, str], ...]
    """Tasks without an answer: item and annotator."""
    scales: Mapping[str, Scale]
    """The possible answers, by item."""
    notes: Mapping[str, int]
    """Irregularities, counted."""
    probe: Probe | None = None
    targets: Mapping[str, int] = field(default_factory=dict)
    """Target number of judgements of an item, if it differs from the instrument's."""
    people: tuple[str, ...] = ()
    """The people who were invited, if they are known."""

    @property
    def number_of_people(self) -> int:
        """Number of people who judged, if they are named."""
        return len({each.annotator for each in self.judgements if not each.anonymous})

    def scale_of(self) -> ScaleOf:
        """Return a function from an item to its possible answers."""
        scales, other = self.scales, self.instrument.scale()
        return lambda item: scales.get(item, other)

    def check_scales(self) -> None:
        """Raise an error if the answers are the items' own options and these are not known."""
        if self.instrument.kind == "options" and any(not self.scale_of()(each.item).labels for each in self.judgements):
            raise UserError(
                f"the instrument {self.instrument.name} takes its answers from the items", fix="give the probe with -p"
            )

    def in_round(self, round: int | None) -> CollectedJudgements:
        """Return the judgements of one round, or all of them."""
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
    """The file."""
    judgements: int
    """Number of judgements."""
    items: int
    """Items that were judged."""
    people: int
    """Number of people; 0 if they are not named."""
    unanswered: int
    """Tasks without an answer."""
    notes: Mapping[str, int]
    """Irregularities, counted."""


def read_files(
    paths: Sequence[Path],
    instrument: str = "",
    probe: Probe | None = None,
    annotator: str = "",
    last: bool = False,
) -> CollectedJudgements:
    """Read filled files of one instrument, by its name or file.

    If a probe is given, every item must be in it. A person judges an item once per round: the same answer again is
    dropped and counted; a different answer is an error unless ``last`` is set.
    """
    asked = find_instrument(instrument) if instrument else None
    placed: list[JudgementLine] = []
    choices_by_item: dict[str, tuple[str, ...]] = {}
    unanswered: list[tuple[str, str]] = []
    tasks: Mapping[str, Task] | None = None
    for path in paths:
        for line, row, by_letter in _rows(path):
            try:
                if asked is None:
                    asked = find_instrument(_text(row, "instrument"))
                if tasks is None and probe is not None:
                    tasks = {task.item: task for task in tasks_of(probe, asked)}
                judgement = _judgement(row, asked, tasks, annotator, by_letter)
            except UserError as error:
                raise error.at(path, line) from None
            if judgement is None:
                unanswered.append((row["item"], str(row.get("annotator") or annotator)))
                continue
            choices_by_item.setdefault(judgement.item, choices_of(row))
            placed.append(JudgementLine(judgement, path, line))
    if asked is None or not (placed or unanswered):
        raise UserError("there is no judgement", file=paths[0] if paths else None, fix="give files with at least one")
    judgements, repeated = deduplicate(placed, last)
    if tasks is not None:
        scales = {item: task.scale for item, task in tasks.items()}
    else:
        scales = {item: asked.scale(choices) for item, choices in choices_by_item.items()}
    return CollectedJudgements(asked, judgements, tuple(unanswered), scales, repeated, probe)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any], bool]]:
    """Iterate over rows with their line numbers, and whether options are named by letter only."""
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
    """Return the judgement of a row, checked; None if the task has no answer."""
    values = dict(row)
    if annotator and not values.get("annotator"):
        values["annotator"] = annotator
    if instrument.criteria and not values.get("value"):
        values["value"] = join_criteria(instrument, values)
    if instrument.kind == "each" and not values.get("value"):
        values["value"] = join_each(instrument, values)
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
    read = choice_at if by_letter and instrument.kind == "options" else check_value
    value = read(instrument, judgement.value, choices)
    return replace(judgement, value=value, reason=check_reason(instrument, value, judgement.reason))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise UserError(f"the column {name!r} is missing or empty", fix=f"say which {name} it is")
    return value


def deduplicate(placed: Sequence[JudgementLine], last: bool = False) -> tuple[tuple[Judgement, ...], dict[str, int]]:
    """Return one judgement per annotator, item and round, and counts of what was dropped."""
    unique: dict[tuple[str, str, int], JudgementLine] = {}
    notes: Counter[str] = Counter()
    for new in placed:
        judgement = new.judgement
        key = judgement.item, judgement.annotator, judgement.round
        old = unique.get(key)
        if old is None:
            unique[key] = new
        elif old.judgement.value == judgement.value:
            notes["repeated judgements"] += 1
        elif last:
            unique[key] = new
            notes["changed judgements, the last counts"] += 1
        else:
            raise new.error(
                f"{judgement.annotator} judged {judgement.item} already, as {old.judgement.value!r} "
                f"({old.file.name}:{old.line}), and now as {judgement.value!r}",
                fix=f"remove one of the two, or let the later one count with {argument('last')}",
            )
    return tuple(each.judgement for each in unique.values()), dict(notes)


@translate_errors()
def read_judgements(
    *files: str | Path,
    probe: Probe | str | Path | None = None,
    options: JudgementOptions | None = None,
) -> CollectedJudgements:
    """Read the judgements of filled task files, or of a served study.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        probe: Probe that was judged; each item is checked.
        options: How judgements are read.

    Returns:
        The judgements, and the tasks without an answer.
    """
    from horsesense.annotate.study import is_study
    from horsesense.core.catalogue import as_probe

    paths, options = [Path(file) for file in files], options or JudgementOptions()
    if any(is_study(path) for path in paths):
        if len(paths) > 1:
            raise UserError("a served study cannot be read with other files", file=paths[0], fix="collect it first")
        if probe or replace(options, round=None) != JudgementOptions():
            raise UserError("a served study has its own items, instrument and people", fix="leave other options out")
        from horsesense.annotate.database.judgement_log import read_study_judgements

        return read_study_judgements(paths[0]).in_round(options.round)
    items = None if probe is None else as_probe(probe)
    collected = read_files(paths, options.instrument, items, options.annotator, options.last)
    return collected.in_round(options.round)


@translate_errors()
def collect(
    *files: str | Path,
    out: str | Path,
    probe: Probe | str | Path | None = None,
    options: JudgementOptions | None = None,
    published: Annotated[str, NamesOf("votes")] = "",
    items: str | Path | None = None,
) -> WrittenJudgements:
    """Collect filled task files, exports of platforms or published votes in one file of judgements.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, the folder of a study, or
            files of published votes.
        out: File for the judgements: .jsonl, .csv or .tsv.
        probe: Probe that was judged; each item is checked.
        options: How judgements are read.
        published: Name of published votes.
        items: File for the judged items of published votes, as a probe.

    Returns:
        Number of judgements, items and people.
    """
    paths = [Path(file) for file in files]
    check_not_overwritten(Path(out), paths, "the judgements would overwrite a file that they are read from")
    if published:
        from horsesense.methods.published.reading import read_votes

        if probe or (options or JudgementOptions()) != JudgementOptions():
            raise UserError(
                "published votes have their own items, instrument and people", fix="leave other options out"
            )
        votes = read_votes(published, paths)
        judgements, unanswered, notes = votes.judgements, 0, dict(votes.probe.card.notes)
        if items is not None:
            write_probe(items, votes.probe)
    else:
        if items is not None:
            fix = "use the probe that the tasks were made from"
            raise UserError(f"{argument('items')} is for published votes", fix=fix)
        collected = read_judgements(*paths, probe=probe, options=options)
        judgements, unanswered, notes = collected.judgements, len(collected.unanswered), dict(collected.notes)
    if not judgements:
        raise UserError("no task is filled in yet", file=paths[0])
    write_judgements(Path(out), judgements)
    judged = len({each.item for each in judgements})
    people = len({each.annotator for each in judgements if not each.anonymous})
    return WrittenJudgements(Path(out), len(judgements), judged, people, unanswered, notes)


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """Counts of tasks and answers of a study."""

    tasks: int
    target: int
    """Target number of answers."""
    answered: int
    people: frozenset[str]
    """Codes of the people who answered."""

    def has(self, share: float) -> bool:
        """Whether this share of the target was answered."""
        return self.answered >= share * self.target


@dataclass(frozen=True, slots=True)
class PersonStatus:
    """Progress of one person."""

    annotator: str
    """Empty if the tasks name nobody."""
    judgements: int
    unanswered: int
    """Tasks without an answer."""


@dataclass(frozen=True, slots=True)
class Status(Document):
    """Progress of a study or of task files."""

    instrument: str
    """Name of the instrument."""
    target: int
    """Target number of judgements per item; a disputed item has more."""
    items: int
    """Number of items."""
    done: int
    """Items with all their judgements."""
    judgements: int
    """Number of judgements."""
    missing: int
    """Judgements that are still missing."""
    disputed: int
    """Items for which more people are asked, because the first did not agree."""
    unanswered: int
    """Assigned tasks without an answer."""
    by_votes: Mapping[str, int]
    """Number of items by number of judgements."""
    people: tuple[PersonStatus, ...]
    """By name, including people who were invited to a study and have not started."""
    notes: Mapping[str, int]
    """Irregularities, counted."""


def status_of(collected: CollectedJudgements) -> Status:
    """Count judgements and unanswered tasks by person, and items by number of judgements."""
    judged = Counter(each.annotator for each in collected.judgements)
    waiting = Counter(annotator for _, annotator in collected.unanswered)
    asked = (
        set(collected.scales)
        | {item for item, _ in collected.unanswered}
        | {each.item for each in collected.judgements}
    )
    votes = Counter(each.item for each in collected.judgements)
    depth = Counter(votes[item] for item in asked)
    target = min(collected.targets.values(), default=collected.instrument.judgements)
    missing = {item: max(0, collected.targets.get(item, target) - votes[item]) for item in asked}
    return Status(
        instrument=collected.instrument.name,
        target=target,
        items=len(asked),
        done=sum(not each for each in missing.values()),
        judgements=len(collected.judgements),
        missing=sum(missing.values()),
        disputed=sum(each > target for each in collected.targets.values()),
        unanswered=len(collected.unanswered),
        by_votes={str(number): depth[number] for number in sorted(depth)},
        people=tuple(
            PersonStatus(name, judged[name], waiting[name]) for name in sorted({*judged, *waiting, *collected.people})
        ),
        notes=dict(collected.notes),
    )


@translate_errors()
def status(
    *files: str | Path,
    probe: Probe | str | Path | None = None,
    options: JudgementOptions | None = None,
) -> Status:
    """Count judgements and unanswered tasks by person, and items by number of judgements.

    Args:
        files: Filled task files or judgements (.csv, .tsv, .jsonl), Label Studio's .json, or the folder of a study.
        probe: Probe that was judged; each item is checked.
        options: How judgements are read.

    Returns:
        What is done and what is missing.
    """
    return status_of(read_judgements(*files, probe=probe, options=options))
