"""The steps of a blind audit: draw the items, ask a model, show the key of some items, estimate the label quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.annotate.audit.auditor_files import LINES, AuditorJudgements, read_auditor_files
from horsesense.annotate.audit.blind_audit import (
    FIRST,
    FOR_AUDITOR,
    SECOND,
    BlindAudit,
    draw,
    known_good,
    read_audit,
    write_audit,
    write_second,
)
from horsesense.annotate.audit.estimates import (
    ENOUGH,
    check_complete,
    draw_second,
    is_bad,
    notes_on,
    stage_of,
    too_few,
)
from horsesense.annotate.audit.seeded_errors import NO_SECOND, second_answers_of
from horsesense.core import Judgement, Probe, ScoringSpec, iter_judgements
from horsesense.core.audit import LabelQuality, content_of, parse_party
from horsesense.core.card import add_label_quality
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel

SECOND_STAGE = f"{FOR_AUDITOR}-second"


@dataclass(frozen=True, slots=True)
class NewAudit(Document):
    """A new audit."""

    out: Path
    """Its folder; ``key.jsonl`` in it is not for the auditor."""
    files: tuple[Path, ...]
    """The files for the auditor."""
    sample: int
    """Size of the sample."""
    seeded: Mapping[str, int]
    """Number of seeded errors by kind."""
    known: int
    """Number of known good items, by the votes of people."""
    notes: tuple[str, ...]
    """Remarks."""


@dataclass(frozen=True, slots=True)
class SecondStage(Document):
    """The items of an audit that are shown again with their key."""

    out: Path
    """Their folder."""
    files: tuple[Path, ...]
    """The files for the auditor."""
    bad: int
    """Items that the auditor judged bad."""
    others: int
    """Other items, drawn by seed: an equal number, or all if there are fewer."""


@dataclass(frozen=True, slots=True)
class ModelJudgements(Document):
    """The judgements of a model as the auditor."""

    out: Path
    """The file of its lines."""
    model: str
    """The model."""
    items: int
    """Number of items judged."""
    nonsense: int
    """Items that it judged nonsense."""


@translate_errors()
def new(
    probe: Probe | str | Path,
    *,
    out: str | Path,
    limit: Annotated[int, Ge(1)] = 300,
    seeded: Annotated[int, Ge(1)] = ENOUGH,
    seed: int = 0,
    known: Probe | str | Path | None = None,
    votes: str | Path | None = None,
    chunk: Annotated[int, Ge(1)] = 130,
) -> NewAudit:
    """Draw a sample, add seeded errors, and write files without keys for the auditor.

    Args:
        probe: Probe to audit: name or file. In Python, also a `Probe`.
        out: Folder to make.
        limit: Size of the sample.
        seeded: Number of seeded errors, of as many kinds as the probe allows.
        seed: Random seed of the sample, the errors and the order.
        known: Probe that people have answered; items whose key most of them chose are known to be good.
        votes: Judgements of these people.
        chunk: Items per text file.

    Returns:
        The files for the auditor, and the number of items of each kind.
    """
    from horsesense.core.catalogue import as_probe, name_in_run

    if (known is None) != (votes is None):
        raise UserError(
            "items and votes belong together", fix=f"give both {argument('known')} and {argument('votes')}, or neither"
        )
    asked = as_probe(probe)
    name = name_in_run(probe) if isinstance(probe, Probe) else Path(probe).name
    good, good_name = [], ""
    if known is not None and votes is not None:
        good = known_good(as_probe(known), _votes(Path(votes)))
        good_name = name_in_run(known) if isinstance(known, Probe) else Path(known).name
    second = second_answers_of(asked.card.method)
    try:
        audit = draw(asked, name, limit, seeded, seed, second, good, good_name)
    except UserError as error:
        raise (error if isinstance(probe, Probe) else error.at(probe)) from None
    files = write_audit(Path(out), audit, chunk)
    record = audit.record
    notes = [] if second else [NO_SECOND]
    notes += too_few(record.seeded, record.known)
    return NewAudit(Path(out), tuple(files), record.sample, record.seeded, record.known, tuple(notes))


def _votes(path: Path) -> Iterator[Judgement]:
    return (placed.judgement for placed in iter_judgements(path))


@translate_errors()
def second(audit: str | Path, /, *judgements: str | Path, chunk: Annotated[int, Ge(1)] = 130) -> SecondStage:
    """Write the second stage: the key of all items that were judged bad, and of an equal number of others.

    Args:
        audit: Folder of an audit.
        judgements: Judgements of the auditor: lines (.txt), filled task files, a platform's export or a served study.
        chunk: Items per text file.

    Returns:
        The files for the auditor, and the number of items of each kind.
    """
    folder = Path(audit)
    drawn = read_audit(folder)
    first = _read(drawn, judgements)
    asked = draw_second(drawn.items, first.codes, drawn.record.seed)
    bad = sum(is_bad(first.codes, each) for each in asked)
    if not asked:
        raise UserError("the auditor judged no item bad, so there is nothing to show", file=folder)
    files = write_second(folder, SECOND_STAGE, drawn, asked, chunk)
    return SecondStage(folder / SECOND_STAGE, tuple(files), bad, len(asked) - bad)


@translate_errors()
def apply(
    audit: str | Path,
    /,
    *judgements: str | Path,
    auditor: str,
    probe: str | Path | None = None,
    second: Sequence[str | Path] = (),
    writer: str = "horsesense:program",
    judge: str = "horsesense:program",
) -> LabelQuality:
    """Estimate the label quality from an audit, and write it to the probe's card if a probe is given.

    Args:
        audit: Folder of an audit.
        judgements: Judgements of the auditor before the key was shown.
        auditor: Auditor, as ``NAME:LINEAGE``: ann:people, script:program, or a model with the name that related models
            share (gpt-4o:gpt).
        probe: File of the audited probe; its card gets the result.
        second: Judgements of the auditor after the key was shown.
        writer: Author of the tables and templates behind the items, as ``NAME:LINEAGE``.
        judge: Who decided what a judgement means for an item, as ``NAME:LINEAGE``.

    Returns:
        The share of bad items, the auditor's errors and the corrected share.
    """
    from horsesense.core.catalogue import as_probe

    folder = Path(audit)
    drawn = read_audit(folder)
    who = {name: parse_party(text) for name, text in (("auditor", auditor), ("writer", writer), ("judge", judge))}
    path = None if probe is None else Path(probe)
    if path is not None and content_of(as_probe(path).items) != drawn.record.content:
        raise UserError(
            "this is not the probe that was audited: its items differ",
            file=path,
            fix="give the probe that the audit was made from, or make a new audit",
        )
    first = _read(drawn, judgements)
    after = None
    if second:
        asked = draw_second(drawn.items, first.codes, drawn.record.seed)
        with_key = read_auditor_files([Path(each) for each in second], drawn.items, SECOND)
        check_complete(with_key.codes, asked)
        after = stage_of(drawn.items, first.codes, with_key.codes, drawn.record.seed)
    before = stage_of(drawn.items, first.codes, None, drawn.record.seed)
    record = drawn.record
    quality = LabelQuality(
        date=datetime.now(UTC).date().isoformat(),
        n=record.sample,
        items=record.items,
        content=record.content,
        seed=record.seed,
        seeded=record.seeded,
        known=record.known,
        before=before,
        after=after,
        auditor=who["auditor"],
        writer=who["writer"],
        judge=who["judge"],
        notes=tuple(notes_on(record, after or before, first.auditors, who["auditor"])),
        files={
            "probe": record.probe,
            "audit": folder.name,
            "judgements": ", ".join(Path(each).name for each in judgements),
            **({"second": ", ".join(Path(each).name for each in second)} if second else {}),
            **({"known": record.known_from} if record.known_from else {}),
        },
    )
    return quality if path is None else add_label_quality(path, quality)


def _read(audit: BlindAudit, judgements: Sequence[str | Path]) -> AuditorJudgements:
    judged = read_auditor_files([Path(each) for each in judgements], audit.items, FIRST)
    check_complete(judged.codes, audit.items)
    return judged


@translate_errors()
def ask(
    audit: str | Path,
    *,
    model: str | Path | LanguageModel,
    out: str | Path,
    margin: Annotated[float, Ge(0)] = 0.0,
    device: str = "auto",
    spec: str | ScoringSpec = "default",
    progress: Progress = NO_PROGRESS,
) -> ModelJudgements:
    """Let a model audit: each option on its own, true or not, by the more likely answer.

    Args:
        audit: Folder of an audit.
        model: Model that audits. In Python, also what `load_model` returned.
        out: File of lines to write (.txt).
        margin: Log-probability margin within which an option is unclear.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        spec: Scoring spec.
        progress: Progress callback.

    Returns:
        The file, and the number of items judged.
    """
    from horsesense.annotate.audit.model_auditor import codes_of_model, questions_to_model, write_lines
    from horsesense.runs.ask import ask as ask_model
    from horsesense.runs.engine import ComputeSettings

    path = Path(out)
    if path.suffix not in LINES:
        raise UserError("the lines of an auditor end in .txt", file=path, fix="choose such a name")
    drawn = read_audit(Path(audit))
    run = ask_model(
        model, questions_to_model(drawn), compute=ComputeSettings(device=device), spec=spec, progress=progress
    )
    (answered,) = run.answered
    codes = codes_of_model(answered.items, answered.scores("sum"), margin)
    nonsense = write_lines(path, codes)
    return ModelJudgements(path, answered.part.model.name, len(codes), nonsense)
