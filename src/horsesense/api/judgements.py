"""What people said: filled files or a served study, read and checked, counted, and held against one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike, load_probe
from horsesense.errors import UserError, argument, translate_errors

if TYPE_CHECKING:
    from horsesense.annotate.judgement_files import Collected, WrittenJudgements
    from horsesense.annotate.performance import Performance, Qualifications
    from horsesense.annotate.status import Status
    from horsesense.annotate.study_figures import Agreement


@translate_errors()
def judgements_of(
    *files: PathLike,
    probe: PathLike | None = None,
    instrument: str = "",
    annotator: str = "",
    round: int | None = None,
    last: bool = False,
) -> Collected:
    """The judgements of filled task files, or of a served study, checked.

    Args:
        files: Filled task files or judgements: .csv, .tsv, .jsonl; Label Studio's .json; or the folder of a study.
        probe: The probe that was judged; each item is checked.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        round: Only the judgements of this round.
        last: A person's later answer to the same item counts.

    Returns:
        The judgements, and the tasks that are open.
    """
    from horsesense.annotate.judgement_files import collect
    from horsesense.annotate.study import is_study

    paths = [Path(file) for file in files]
    if any(is_study(path) for path in paths):
        if len(paths) > 1:
            raise UserError("a served study is read alone", file=paths[0], fix="collect it into a file first")
        if probe or instrument or annotator or last:
            raise UserError("a served study has its items, instrument and people", fix="leave other options out")
        from horsesense.annotate.server.judgement_log import collected_from

        return collected_from(paths[0]).only(round)
    return collect(paths, instrument, None if probe is None else load_probe(probe), annotator, last).only(round)


def status(
    *files: PathLike, probe: PathLike | None = None, instrument: str = "", annotator: str = "", last: bool = False
) -> Status:
    """Judgements and open tasks, by person, and how many items have how many judgements.

    Args:
        files: What `judgements_of` takes.
        probe: The probe that was judged; each item is checked.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        last: A person's later answer to the same item counts.

    Returns:
        What is done and what is open.
    """
    from horsesense.annotate.status import status_of

    return status_of(judgements_of(*files, probe=probe, instrument=instrument, annotator=annotator, last=last))


def collect(
    *files: PathLike,
    out: PathLike,
    probe: PathLike | None = None,
    instrument: str = "",
    annotator: str = "",
    last: bool = False,
    release: str = "",
    items: PathLike | None = None,
) -> WrittenJudgements:
    """Put filled task files, exports of platforms or released votes into one file of judgements.

    Args:
        files: What `judgements_of` takes, or files of released votes.
        out: The judgements: .jsonl, .csv or .tsv.
        probe: The probe that was judged; each item is checked.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        last: A person's later answer to the same item counts.
        release: Released votes: partwhole, winoventi-schemas or winoventi-answers.
        items: With ``release``: also write the judged items, a probe.

    Returns:
        How many judgements were written, by how many people.
    """
    from horsesense.annotate.judgement_files import write_collected
    from horsesense.core import write_probe

    paths = [Path(file) for file in files]
    apart(Path(out), paths, "the judgements would overwrite a file that they are read from")
    if release:
        from horsesense.methods.published.votes import read_votes

        if probe or instrument or annotator or last:
            raise UserError(
                "released votes bring their own items, instrument and people", fix="leave other options out"
            )
        votes = read_votes(release, paths)
        judgements, unanswered, notes = votes.judgements, 0, dict(votes.probe.card.notes)
        if items is not None:
            write_probe(items, votes.probe)
    else:
        if items is not None:
            fix = "use the probe that the tasks were made from"
            raise UserError(f"{argument('items')} is for released votes", fix=fix)
        found = judgements_of(*paths, probe=probe, instrument=instrument, annotator=annotator, last=last)
        judgements, unanswered, notes = found.judgements, len(found.open), dict(found.notes)
    if not judgements:
        raise UserError("no task is filled in yet", file=paths[0])
    return write_collected(Path(out), judgements, unanswered, notes)


def agreement(
    *files: PathLike,
    probe: PathLike | None = None,
    instrument: str = "",
    annotator: str = "",
    round: int | None = None,
    last: bool = False,
    disputed: int = 5,
) -> Agreement:
    """Agreement by round with intervals over items, each person beside the others, and items in dispute.

    Args:
        files: What `judgements_of` takes.
        probe: The probe that was judged; each item is checked.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        round: Only the judgements of this round.
        last: A person's later answer to the same item counts.
        disputed: How many items in dispute to list.

    Returns:
        The figures of each round, people and disputes.
    """
    from horsesense.annotate.study_figures import agreement_of

    found = judgements_of(*files, probe=probe, instrument=instrument, annotator=annotator, round=round, last=last)
    return agreement_of(found, disputed)


def performance(
    *files: PathLike,
    probe: PathLike | None = None,
    labels: PathLike | None = None,
    by: str = "",
    instrument: str = "",
    annotator: str = "",
    round: int | None = None,
    last: bool = False,
    to_card: bool = False,
) -> Performance:
    """Human performance: one person and the majority, against the probe's answers; or against one another.

    Args:
        files: What `judgements_of` takes.
        probe: The probe that was judged.
        labels: Hold votes against labels that they are part of.
        by: A facet of the probe: one figure a value.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        round: Only the judgements of this round.
        last: A person's later answer to the same item counts.
        to_card: Keep the figures in the probe's card: reports show them.

    Returns:
        How often people are right, with n, an interval and the kind of each figure.
    """
    from horsesense.annotate.performance import performance_of
    from horsesense.core import read_labels

    found = judgements_of(*files, probe=probe, instrument=instrument, annotator=annotator, round=round, last=last)
    settled = [label for _, label in read_labels(Path(labels))] if labels is not None else []
    figures = performance_of(found, settled, by)
    if to_card:
        _keep(probe, figures, [Path(file) for file in files])
    return figures


def _keep(probe: PathLike | None, performance: Performance, files: Sequence[Path]) -> None:
    """Put the figures into the card beside the probe; those of the same files take the place of earlier ones."""
    from horsesense.core import HumanFigure, add_human_figures

    if probe is None:
        raise UserError(
            f"{argument('to_card')} needs the probe whose card it is", fix=f"give it with {argument('probe')}"
        )
    source = f"judgements in {', '.join(file.name for file in files)}"
    figures = [
        HumanFigure(
            score.estimate.value,
            score.name,
            source,
            f"{performance.by}={score.slice}" if score.slice else "",
            score.estimate.n,
            score.people or None,
        )
        for score in performance.human
    ]
    add_human_figures(Path(probe), figures)


def qualify(
    *files: PathLike,
    gold: PathLike,
    instrument: str = "",
    annotator: str = "",
    last: bool = False,
    kappa: float = 0.7,
    accuracy: float = 0.0,
    items: int = 0,
) -> Qualifications:
    """Hold each person's answers to gold items against thresholds.

    Args:
        files: What `judgements_of` takes.
        gold: A probe of the gold items, with their answers.
        instrument: Its name, or a .toml file; by default as the files say.
        annotator: Who filled in rows that do not say so.
        last: A person's later answer to the same item counts.
        kappa: Least quadratic-weighted kappa with the gold.
        accuracy: Least share answered as the gold.
        items: Least gold items answered; 0: all.

    Returns:
        Who passes, and why others do not.
    """
    from horsesense.annotate.performance import gold_of, qualifications
    from horsesense.stats.raters.qualification import Threshold

    found = judgements_of(*files, probe=gold, instrument=instrument, annotator=annotator, last=last)
    if found.instrument.kind != "labels" or not found.instrument.ordered:
        raise UserError(
            f"the instrument {found.instrument.name} has no scale, so that no weighted kappa can be told",
            fix="qualify people with an instrument whose labels are a scale",
        )
    answers = gold_of(found)
    if not answers:
        raise UserError("the gold items have no answers", file=gold, fix="give a probe with answers")
    return qualifications(found, answers, Threshold(kappa=kappa, accuracy=accuracy, items=items))


def apart(out: Path, sources: Sequence[PathLike], problem: str) -> None:
    """Refuse to write over what is read."""
    if any(Path(source).resolve() == out.resolve() for source in sources):
        raise UserError(problem, file=out, fix="choose another name")
