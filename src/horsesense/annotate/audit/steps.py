"""The steps of a blind audit: draw the items, read or ask an auditor, show the key of some items, estimate quality."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from annotated_types import Ge

from horsesense.annotate.answer_checks import check_value
from horsesense.annotate.audit.blind_audit import (
    BLIND,
    FOR_AUDITOR,
    NO_SECOND,
    WITH_KEY,
    AuditItem,
    BlindAudit,
    draw,
    known_good,
    read_audit,
    second_answers_of,
    write_audit,
    write_second,
)
from horsesense.annotate.audit.estimates import (
    ENOUGH,
    NONSENSE,
    check_complete,
    draw_second,
    is_bad,
    majority,
    notes_on,
    stage_of,
    too_few,
)
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgements import read_files
from horsesense.annotate.study import is_study
from horsesense.annotate.task import lettered
from horsesense.core import Card, Item, Judgement, Probe, ScoringSpec, fill_blank, iter_judgements
from horsesense.core.audit import LabelQuality, content_of, parse_party
from horsesense.core.card import add_label_quality
from horsesense.core.document import Document
from horsesense.data import numbered_lines, writing
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel

SECOND_STAGE = f"{FOR_AUDITOR}-second"
CHUNK = 130
"""Default number of questions per file."""


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
    chunk: Annotated[int, Ge(1)] = CHUNK,
) -> NewAudit:
    """Draw a sample, add seeded errors, and write files without keys for the auditor.

    Args:
        probe: Probe to audit: name or file. In Python, also a `Probe`.
        out: Folder to make.
        limit: Size of the sample.
        seeded: Number of seeded errors (items made wrong on purpose), of as many kinds as the probe allows.
        seed: Random seed of the sample, the errors and the order.
        known: Probe with human answers, to measure false alarms: items whose key the majority chose count as good.
        votes: Judgements of the people who answered --known.
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
def second(audit: str | Path, /, *judgements: str | Path, chunk: Annotated[int, Ge(1)] = CHUNK) -> SecondStage:
    """Write the files of the second stage: the items that were judged bad and as many others, with their keys.

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
        auditor: Auditor, as ``NAME:LINEAGE``. The lineage is people, program, or the family of a model; for example
            ann:people or gpt-4o:gpt.
        probe: File of the audited probe; its card gets the result.
        second: Judgements of the auditor after the key was shown.
        writer: Author of the tables and templates behind the items, as ``NAME:LINEAGE``.
        judge: Author of the rule that decides from the judgements which items are bad, as ``NAME:LINEAGE``.

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
        with_key = read_auditor_files([Path(each) for each in second], drawn.items, WITH_KEY)
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
    judged = read_auditor_files([Path(each) for each in judgements], audit.items, BLIND)
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
    """Let a model audit: it judges each option alone as true or false, by the more probable answer.

    Args:
        audit: Folder of an audit.
        model: Model that audits. In Python, also what `load_model` returned.
        out: File for the judgements, one line per item (.txt).
        margin: Log-probability margin within which an option is unclear.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        spec: Scoring spec.
        progress: Progress callback.

    Returns:
        The file, and the number of items judged.
    """
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


_AUDITOR = "auditor"
LINES = (".txt", ".lines")
"""Suffixes of files of lines: number, codes, comment."""


class AuditorJudgements(NamedTuple):
    """The judgements of the auditors."""

    codes: Mapping[str, str]
    """Number of an item → letters of its options, or ``nonsense``; the majority of several auditors."""
    auditors: int
    """Number of auditors."""


def read_auditor_files(paths: Sequence[Path], items: Sequence[AuditItem], instrument: str) -> AuditorJudgements:
    """Read judgements; an item of another audit, or judged twice by one auditor, is an error."""
    codes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    of_item = {each.item: each for each in items}
    tables = [path for path in paths if path.suffix not in LINES]
    for path in paths:
        if path.suffix in LINES:
            _read_lines(path, {each.number: each for each in items}, instrument, codes)
    for judgement in _collected(tables, instrument):
        if judgement.item not in of_item:
            raise UserError(
                f"the item {judgement.item!r} is not in this audit", file=tables[0], fix="give the files of this audit"
            )
        codes[of_item[judgement.item].number][judgement.annotator] = judgement.value
    auditors = {name for by_auditor in codes.values() for name in by_auditor}
    joined = {number: majority(list(by_auditor.values())) for number, by_auditor in codes.items()}
    return AuditorJudgements(joined, len(auditors))


def _collected(paths: Sequence[Path], instrument: str) -> Sequence[Judgement]:
    if not paths:
        return ()
    if is_study(paths[0]):
        from horsesense.annotate.database.judgement_log import read_study_judgements

        return [each for path in paths for each in read_study_judgements(path).judgements]
    return read_files(paths, instrument, annotator=_AUDITOR).judgements


def _read_lines(
    path: Path, items: Mapping[str, AuditItem], instrument: str, codes_of: Mapping[str, dict[str, str]]
) -> None:
    """Read lines of ``number<TAB>codes<TAB>comment``; all such files are of one auditor."""
    asked = find_instrument(instrument)
    for line, text in numbered_lines(path):
        if not text.strip() or text.startswith("#"):
            continue
        number, *rest = (cell.strip() for cell in text.split("\t", 2))
        if number not in items:
            raise UserError(
                f"{number!r} is not an item of this audit", file=path, line=line, fix="write number, tab, letters"
            )
        if not rest or not rest[0]:
            raise UserError(f"{number} is not judged", file=path, line=line, fix="write number, tab, letters")
        try:
            codes = check_value(asked, rest[0], [""] * items[number].options)
        except UserError as error:
            raise error.at(path, line) from None
        if codes_of[number].setdefault(_AUDITOR, codes) != codes:
            raise UserError(f"{number} was already judged, with other letters", file=path, line=line, fix="remove one")


SENSE = "sense"
_ANSWERS = ("yes", "no")


def questions_to_model(audit: BlindAudit) -> Probe:
    """Make one item per option (is it a true answer?) and one per item (does it make sense?).

    The facets say which: ``item`` is the number in the audit, ``about`` the letter of the option, or ``sense``.
    """
    items: list[Item] = []
    for entry, item in zip(audit.items, audit.shown, strict=True):
        question = " ".join(filter(None, (item.premise, item.text)))
        sense = f"Question: {question or item.options[0]}\nIs this good English that makes sense? Answer yes or no:"
        items.append(_asked(sense, entry.number, SENSE))
        for letter, option in lettered(item.options).items():
            filled = fill_blank(item.text, option) if item.form == "cloze" else option
            head = f"Question: {question}\n" if item.form in ("choice", "pair") else f"{item.premise}\n"
            text = f"{head.lstrip()}Proposed answer: {filled}\nIs the proposed answer true? Answer yes or no:"
            items.append(_asked(text, entry.number, letter))
    return Probe.of(items, Card(name="audit-questions", made="Options of an audit, each a question of its own."))


def _asked(text: str, number: str, about: str) -> Item:
    return Item(
        probe="audit-questions",
        form="choice",
        text=text,
        options=_ANSWERS,
        member=f"{number} {about}",
        facets={"item": number, "about": about},
    )


def codes_of_model(items: Sequence[Item], scores: Sequence[Sequence[float]], margin: float = 0.0) -> Mapping[str, str]:
    """Return the auditor's letters from the scores of yes and no; unclear if they differ by at most ``margin``.

    >>> items = [_asked("?", "q1", about) for about in ("sense", "A", "B")]
    >>> codes_of_model(items, [(0.0, -1.0), (-1.0, 0.0), (0.0, -0.1)], margin=0.5)
    {'q1': 'FU'}
    """
    senseless: set[str] = set()
    letters: dict[str, str] = {}
    for item, (yes, no) in zip(items, scores, strict=True):
        number, about = str(item.facets["item"]), item.facets["about"]
        if about == SENSE:
            if no - yes > margin:
                senseless.add(number)
            continue
        code = "U" if abs(yes - no) <= margin else "T" if yes > no else "F"
        letters[number] = letters.get(number, "") + code
    return {number: NONSENSE if number in senseless else codes for number, codes in letters.items()}


def write_lines(path: Path, codes: Mapping[str, str]) -> int:
    """Write the lines of an auditor, one per item, and return the number of nonsense items."""
    with writing(path) as temporary:
        letters = (f"{number}\t{'N' if each == NONSENSE else each}\n" for number, each in codes.items())
        temporary.write_text("".join(letters), encoding="utf-8")
    return sum(each == NONSENSE for each in codes.values())
