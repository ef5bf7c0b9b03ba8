"""The judgements of auditors: lines of codes, filled task files, exports of platforms or a served study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.annotate.answer_checks import check_value
from horsesense.annotate.audit.blind_audit import AuditItem
from horsesense.annotate.audit.estimates import majority
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgements import read_files
from horsesense.annotate.study import is_study
from horsesense.core import Judgement
from horsesense.data import numbered_lines
from horsesense.errors import UserError

_AUDITOR = "auditor"
LINES = (".txt", ".lines")
"""Suffixes of files of lines: number, codes, comment."""


@dataclass(frozen=True, slots=True)
class AuditorJudgements:
    """The judgements of the auditors."""

    codes: Mapping[str, str]
    """Number of an item → letters of its options, or ``nonsense``; the majority of several auditors."""
    auditors: int
    """Number of auditors."""
    comments: Mapping[str, str]
    """Number of an item → comment."""


def read_auditor_files(paths: Sequence[Path], items: Sequence[AuditItem], instrument: str) -> AuditorJudgements:
    """Read judgements; an item of another audit, or judged twice by one auditor, is an error."""
    codes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    comments: dict[str, str] = {}
    of_item = {each.item: each for each in items}
    tables = [path for path in paths if path.suffix not in LINES]
    for path in paths:
        if path.suffix in LINES:
            _read_lines(path, {each.number: each for each in items}, instrument, codes, comments)
    for judgement in _collected(tables, instrument):
        if judgement.item not in of_item:
            raise UserError(
                f"the item {judgement.item!r} is not in this audit", file=tables[0], fix="give the files of this audit"
            )
        number = of_item[judgement.item].number
        codes[number][judgement.annotator] = judgement.value
        if judgement.reason:
            comments[number] = judgement.reason
    auditors = {name for by_auditor in codes.values() for name in by_auditor}
    joined = {number: majority(list(by_auditor.values())) for number, by_auditor in codes.items()}
    return AuditorJudgements(joined, len(auditors), comments)


def _collected(paths: Sequence[Path], instrument: str) -> Sequence[Judgement]:
    if not paths:
        return ()
    if is_study(paths[0]):
        from horsesense.annotate.server.judgement_log import read_study_judgements

        return [each for path in paths for each in read_study_judgements(path).judgements]
    return read_files(paths, instrument, annotator=_AUDITOR).judgements


def _read_lines(
    path: Path,
    items: Mapping[str, AuditItem],
    instrument: str,
    codes_of: Mapping[str, dict[str, str]],
    comments: dict[str, str],
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
        if len(rest) > 1 and rest[1]:
            comments[number] = rest[1]
