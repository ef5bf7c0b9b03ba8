"""Elicitation people, by files: tasks to fill in, what came back, how far people agree, labels, and back into a probe.

What ``horsesense annotate`` does on the command line. A study that is served is in `horsesense.studies`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from horsesense.api.judgements import agreement, apart, collect, judgements_of, performance, qualify, status
from horsesense.api.probes import PathLike, load_probe
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.annotate.adjudicate import SettledLabels
    from horsesense.annotate.apply_labels import AppliedLabels
    from horsesense.annotate.judgement_files import Collected
    from horsesense.annotate.study import NewTasks
    from horsesense.annotate.study_figures import Figure
    from horsesense.core import Label

__all__ = ["agreement", "apply", "collect", "export", "judgements_of", "new", "performance", "qualify", "status"]


@translate_errors()
def new(
    probe: PathLike,
    instrument: str,
    out: PathLike,
    *,
    annotators: Sequence[str] = (),
    each: int | None = None,
    round: int = 1,
    limit: int | None = None,
    seed: int = 0,
    format: str = "table",
) -> NewTasks:
    """Write a task file, one row a question, to be filled in.

    Args:
        probe: The file of the probe to be judged.
        instrument: What is asked: choice, partwhole, statements …, or a .toml file.
        out: The task file: .csv, .tsv or .jsonl.
        annotators: Codes of the people; without them rows name nobody.
        each: People an item; by default as the instrument says.
        round: Which round this is.
        limit: Only so many items, drawn by ``seed``.
        seed: For drawing, for who gets what, and for the order.
        format: table, label-studio (.json), potato (.jsonl) or mturk (.csv).

    Returns:
        The files that were written, and how many tasks are in them.
    """
    from horsesense.annotate.instrument import find_instrument
    from horsesense.annotate.study import NewTasks
    from horsesense.annotate.task import assign, tasks_of
    from horsesense.annotate.task_files import write_tasks

    path = Path(out)
    apart(path, [probe], "the tasks would overwrite the probe")
    asked = find_instrument(instrument)
    tasks = tasks_of(load_probe(probe), asked)
    if limit is not None and limit < len(tasks):
        drawn = Random(seed).sample(range(len(tasks)), limit)
        tasks = [tasks[place] for place in sorted(drawn)]
    people = list(annotators)
    assignments = assign(tasks, people, min(asked.judgements, len(people)) if each is None else each, seed)
    written = write_tasks(path, asked, assignments, round, format)
    return NewTasks(path, tuple(written), asked.name, len(tasks), len(assignments), len(people))


@translate_errors()
def export(
    *files: PathLike,
    out: PathLike,
    rule: str = "",
    probe: PathLike | None = None,
    instrument: str = "",
    annotator: str = "",
    round: int | None = None,
    fewest: int | None = None,
    last: bool = False,
    progress: Progress = NO_PROGRESS,
) -> SettledLabels:
    """Settle each item's judgements: one label, or the reason why it is dropped.

    Args:
        files: What `judgements_of` takes.
        out: The labels: .jsonl, or .csv to look at.
        rule: majority, median, partwhole, winoventi, rica or dawid-skene; by default the instrument's.
        probe: The probe that was judged; each item is checked.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        round: Only the judgements of this round.
        fewest: Votes an item needs; by default the rule's, or a study's own where less.
        last: A person's later answer to the same item counts.
        progress: Told where there is no agreement to report.

    Returns:
        How many items get which label, why others get none, and how far people agree.
    """
    from horsesense.annotate.adjudicate import settled_labels
    from horsesense.annotate.study_figures import agreement_figures, kept_figures
    from horsesense.core import write_labels

    paths = [Path(file) for file in files]
    apart(Path(out), paths, "the labels would overwrite a file that they are made from")
    found = judgements_of(*paths, probe=probe, instrument=instrument, annotator=annotator, round=round, last=last)
    chosen = rule or found.instrument.rule
    labels = _adjudicated(found, chosen, fewest, paths[0])
    kept = [label.item for label in labels if label.value is not None]
    figures: list[Figure] = agreement_figures(found)
    if not figures:
        progress.log("no item was judged twice in a round, so there is no agreement to report")
    if len(kept) < len(labels):
        figures += kept_figures(found, kept)
    write_labels(Path(out), labels)
    return settled_labels(found, chosen, labels, figures, Path(out))


def _adjudicated(found: Collected, rule: str, fewest: int | None, file: Path) -> Sequence[Label]:
    """The labels by a rule; where no item gets one, that is an error."""
    from horsesense.annotate.instrument import WRITTEN
    from horsesense.stats.raters.adjudication import adjudicate, reasons

    if found.instrument.kind == "each":
        raise UserError(
            "options that are judged one by one are not settled by a rule", fix="use annotate soundness apply"
        )
    if found.instrument.kind in WRITTEN:
        raise UserError("words that people write are not settled by a rule", fix="collect them instead")
    if not found.judgements:
        raise UserError("no task is filled in yet", file=file)
    found.check_scales()
    try:
        labels = adjudicate(found.judgements, rule, found.scale_of(), fewest, found.targets)
    except UserError as error:
        raise error.at(file) from None
    if all(label.value is None for label in labels):
        most = next(iter(reasons(labels)))
        fewer = f"let fewer votes do with {argument('fewest', '1')}"
        fix = fewer if most.startswith("fewer than") else "look at annotate agreement"
        raise UserError(f"no item gets a label: {most}", file=file, fix=fix)
    return labels


@translate_errors()
def apply(
    probe: PathLike,
    labels: PathLike,
    out: PathLike,
    *,
    instrument: str = "",
    gold_filter: bool = False,
    keep_unjudged: bool = False,
) -> AppliedLabels:
    """Set labels in a probe and drop what failed, each for a reason that is counted (in items).

    Args:
        probe: The probe that was judged.
        labels: The labels that `export` wrote (.jsonl).
        out: The probe to write: .jsonl, .jsonl.gz or .parquet.
        instrument: Its name, or a .toml file; by default as the labels say.
        gold_filter: Keep the answers, drop items whose label is another one.
        keep_unjudged: Keep items that nobody judged.

    Returns:
        What is left, what went and why, and how many answers people changed.
    """
    from horsesense.annotate.apply_labels import apply_labels, write_applied
    from horsesense.annotate.instrument import find_instrument
    from horsesense.core import read_labels

    apart(Path(out), [probe, labels], "the probe would overwrite what it is made from")
    given = read_labels(Path(labels))
    asked = find_instrument(instrument or given[0][1].instrument)
    applied = apply_labels(load_probe(probe), given, asked, Path(labels), gold_filter, keep_unjudged)
    return write_applied(Path(out), applied)
