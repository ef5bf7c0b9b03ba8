"""Terminal output of annotation and of audits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from horsesense.terminal import console, line, print_table, say, table

if TYPE_CHECKING:
    from horsesense.annotate.audit.steps import ModelJudgements, NewAudit, SecondStage
    from horsesense.annotate.human_performance import Performance, Qualifications
    from horsesense.annotate.judgements import Status, WrittenJudgements
    from horsesense.annotate.labels import AdjudicatedLabels, AppliedLabels
    from horsesense.annotate.rater_agreement import Agreement, AgreementFigure
    from horsesense.annotate.task_files import NewTasks
    from horsesense.annotation_server.administration import (
        Completions,
        InvitationLinks,
        ParticipantChange,
        ServedAddress,
        StagedServing,
    )
    from horsesense.core.audit import LabelQuality, Share
    from horsesense.stats.intervals import Estimate


def new_tasks(tasks: NewTasks) -> None:
    """Print the number of tasks and the files."""
    line(f"{tasks.tasks:,} tasks on {tasks.items:,} items  {'  '.join(map(str, tasks.files))}")


def serving(served: ServedAddress) -> None:
    """Print nothing: the address is a progress line."""


def stages(served: StagedServing) -> None:
    """Print the links."""
    for link in served.links:
        line(f"{link.name}  {link.link}")


def links(invitations: InvitationLinks) -> None:
    """Print the links, or the file that they were written to."""
    if invitations.out is not None:
        line(f"{len(invitations.people):,} links  {invitations.out}")
        return
    for link in invitations.people:
        line(f"{link.name}  {link.link}")


def completions(codes: Completions) -> None:
    """Print a table of completion codes."""
    columns = ("name", "code", "state", "completion", "answered")
    print_table(columns, [tuple(str(getattr(each, name)) for name in columns) for each in codes.people], left=4)
    if not codes.people:
        line("nobody is invited yet")


def participants(change: ParticipantChange) -> None:
    """Print who was changed, and how."""
    names = ", ".join(change.people) or "the study"
    more = f", {change.judgements:,} judgements" if change.judgements is not None else ""
    line(f"{names}: {change.state}{more}")


def status(state: Status) -> None:
    """Print the progress overall, by number of judgements and by person."""
    line(f"{state.instrument}: {state.done:,} of {state.items:,} items have all their judgements")
    more = f", more for {state.disputed:,} disputed items" if state.disputed else ""
    line(f"target: {state.target} judgements per item{more}")
    line(f"{state.judgements:,} judgements, {state.missing:,} missing, {state.unanswered:,} tasks assigned")
    counts = ", ".join(f"{count:,} with {votes}" for votes, count in state.by_votes.items())
    line(f"items by number of judgements: {counts}")
    cells = [
        (each.annotator or "(nobody named)", f"{each.judgements:,}", f"{each.unanswered:,}") for each in state.people
    ]
    print_table(("annotator", "judgements", "unanswered"), cells)


def collected(written: WrittenJudgements) -> None:
    """Print how many judgements were written, and irregularities."""
    who = f"by {written.people:,} people" if written.people else "by people not named"
    line(f"{written.judgements:,} judgements of {written.items:,} items {who}  {written.out}")
    if written.unanswered:
        line(f"{written.unanswered:,} tasks without an answer")
    for note, count in written.notes.items():
        line(f"  {note}: {count:,}")


def agreement(result: Agreement) -> None:
    """Print agreement by round, annotators and disputed items."""
    _figures(result.figures)
    cells = []
    for person in result.annotators:
        value, interval = ("–", "–") if person.kappa is None else _value_and_interval(person.kappa)
        agrees = "–" if person.agrees is None else f"{person.agrees:.3f}"
        favourite = f"{person.favourite} {person.favourite_share:.0%}"
        cells.append((person.annotator, favourite, f"{person.votes:,}", f"{person.shared:,}", agrees, value, interval))
    print_table(("annotator", "favourite", "votes", "shared", "agrees", "kappa", "95% interval"), cells, left=2)
    for dispute in result.disputed:
        votes = "  ".join(f"{name} {count}" for name, count in dispute.votes.items())
        line(f"disputed  {dispute.item}  {votes}")


def _figures(figures: Sequence[AgreementFigure]) -> None:
    """Print one table per round."""
    for round in sorted({figure.round for figure in figures}):
        of_round = [figure for figure in figures if figure.round == round]
        votes, persons = max(f.votes for f in of_round), max(f.people for f in of_round)
        who = f"{persons:,} people" if persons else "people not named"
        line(f"agreement in round {round}: {votes:,} votes by {who}")
        cells = [
            (
                f.name if f.about == "labels" else f"{f.about}: {f.name}",
                *_value_and_interval(f.estimate),
                f"{f.estimate.n:,}",
            )
            for f in of_round
        ]
        print_table(("", "value", "95% interval", "items"), cells)
    for note in dict.fromkeys(figure.estimate.note for figure in figures if figure.estimate.note):
        line(note)


def _value_and_interval(estimate: Estimate) -> tuple[str, str]:
    if math.isnan(estimate.value):
        return "–", "–"
    return f"{estimate:v.3f}", f"{estimate:i.3f}" or "too few"


def performance(result: Performance) -> None:
    """Print human accuracy."""
    cells = []
    for score in result.human:
        persons = f"{score.people:,}" if score.people else "?"
        kind = f"{score.slice}: {score.name}" if score.slice else score.name
        cells.append((kind, *_value_and_interval(score.estimate), f"{score.votes:,}", persons))
    print_table(("human accuracy", "value", "95% interval", "votes", "people"), cells)


def qualifications(qualified: Qualifications) -> None:
    """Print who qualifies, and why others do not."""
    cells = [
        (
            result.annotator,
            "qualified" if result.passed else result.reason,
            "–" if result.kappa is None else f"{result.kappa:z.3f}",
            f"{result.accuracy:.3f}",
            f"{result.items:,}",
        )
        for result in qualified.people
    ]
    print_table(("annotator", "", "kappa", "accuracy", "items"), cells, left=2)


def adjudicated(labels: AdjudicatedLabels) -> None:
    """Print how many items have a label, why others do not, and agreement."""
    line(f"{labels.labels:,} of {labels.items:,} items have a label by the rule {labels.rule}  {labels.out}")
    line(f"{labels.unanimous:,} unanimous, {labels.ties:,} ties")
    print_table(("no label because", "items"), [(reason, f"{count:,}") for reason, count in labels.dropped.items()])
    print_table(("label", "items"), [(name, f"{count:,}") for name, count in labels.counts.items()])
    _figures(labels.figures)


def applied(written: AppliedLabels) -> None:
    """Print how many items are left, and why others were dropped."""
    line(f"{written.items:,} items in {written.families:,} families  {written.out}")
    print_table(("dropped because", "items"), [(reason, f"{count:,}") for reason, count in written.dropped.items()])
    if written.changed:
        line(f"{written.changed:,} answers changed")


def new_audit(audit: NewAudit) -> None:
    """Print the number of items of each kind, and which files the auditor gets."""
    errors = ", ".join(f"{count} {kind}" for kind, count in audit.seeded.items())
    line(f"{audit.sample:,} items in the sample  {audit.out}")
    line(f"{sum(audit.seeded.values()):,} seeded errors ({errors}), {audit.known:,} known good items")
    for note in audit.notes:
        say(note)
    say(f"give the auditor the files in {audit.files[0].parent}, and nothing else of {audit.out}")


def model_judgements(judged: ModelJudgements) -> None:
    """Print how many items the model judged."""
    line(f"{judged.items:,} items judged by {judged.model}, {judged.nonsense:,} nonsense  {judged.out}")


def second_stage(stage: SecondStage) -> None:
    """Print the number of items of the second stage."""
    line(f"{stage.bad:,} items that were judged bad and {stage.others:,} others  {stage.out}")


def label_quality(quality: LabelQuality) -> None:
    """Print the estimates before and after the key was shown, and who took part."""
    stages = {"before": quality.before} | ({"after the key was shown": quality.after} if quality.after else {})
    frame = table("", *stages, "n")
    shares: dict[str, list[Share | None]] = {
        "judged bad": [stage.bad for stage in stages.values()],
        "seeded errors found": [stage.sensitivity for stage in stages.values()],
    }
    for kind in quality.seeded:
        shares[f"  {kind}"] = [stage.by_error.get(kind) for stage in stages.values()]
    shares["false alarms"] = [stage.false_alarms for stage in stages.values()]
    shares["bad, corrected"] = [stage.corrected for stage in stages.values()]
    shares["ceiling"] = [stage.ceiling for stage in stages.values()]
    for name, values in shares.items():
        n = next((f"{share.n:,}" for share in values if share), "0")
        frame.add_row(name, *map(_share, values), n)
    console().print(frame)
    for role, party in (("auditor", quality.auditor), ("author", quality.writer), ("judge", quality.judge)):
        line(f"{role}: {party.in_words()}")
    for note in quality.notes:
        say(note)


def _share(share: Share | None) -> str:
    return "not known" if share is None else f"{share:.3f}"
