"""What the reader said: lines of codes, filled task files, exports of platforms or a served study."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.annotate.answer_checks import checked_value
from horsesense.annotate.audit.blind_audit import Blind
from horsesense.annotate.audit.verdicts import majority
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgement_files import collect
from horsesense.annotate.study import is_study
from horsesense.core import Judgement
from horsesense.data import numbered_lines
from horsesense.errors import UserError

LINES = (".txt", ".lines")
"""Endings of files of lines: number, codes, remark."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What was said of the items."""

    codes: Mapping[str, str]
    """Number of an item → letters of its options, or ``nonsense``; of several readers, what most say."""
    readers: int
    """How many judged."""
    remarks: Mapping[str, str]
    """Number of an item → what was remarked on it."""


def read_judged(paths: Sequence[Path], blind: Sequence[Blind], instrument: str) -> Judged:
    """Judgements from files; an item that is not of the reading, or judged twice by one reader, is an error."""
    given: defaultdict[str, dict[str, str]] = defaultdict(dict)
    remarks: dict[str, str] = {}
    of_item = {each.item: each for each in blind}
    tables = [path for path in paths if path.suffix not in LINES]
    for path in paths:
        if path.suffix in LINES:
            _read_lines(path, {each.number: each for each in blind}, instrument, given, remarks)
    for judgement in _collected(tables, instrument):
        if judgement.item not in of_item:
            raise UserError(
                f"the item {judgement.item!r} is not of this reading", file=tables[0], fix="give its own files"
            )
        number = of_item[judgement.item].number
        given[number][judgement.annotator] = judgement.value
        if judgement.reason:
            remarks[number] = judgement.reason
    readers = {name for judged in given.values() for name in judged}
    return Judged({number: majority(list(judged.values())) for number, judged in given.items()}, len(readers), remarks)


def _collected(paths: Sequence[Path], instrument: str) -> Sequence[Judgement]:
    if not paths:
        return ()
    if is_study(paths[0]):
        from horsesense.annotate.server.judgement_log import collected_from

        return [each for path in paths for each in collected_from(path).judgements]
    return collect(paths, instrument, annotator="reader").judgements


def _read_lines(
    path: Path,
    blind: Mapping[str, Blind],
    instrument: str,
    given: Mapping[str, dict[str, str]],
    remarks: dict[str, str],
) -> None:
    """Lines of ``number<TAB>codes<TAB>remark``; all lines files together are one reader's."""
    asked = find_instrument(instrument)
    for line, text in numbered_lines(path):
        if not text.strip() or text.startswith("#"):
            continue
        number, *rest = (cell.strip() for cell in text.split("\t", 2))
        if number not in blind:
            raise UserError(
                f"{number!r} is no item of this reading", file=path, line=line, fix="write number, tab, letters"
            )
        if not rest or not rest[0]:
            raise UserError(f"{number} is not judged", file=path, line=line, fix="write number, tab, letters")
        try:
            codes = checked_value(asked, rest[0], [""] * blind[number].options)
        except UserError as error:
            raise error.at(path, line) from None
        if given[number].setdefault("reader", codes) != codes:
            raise UserError(f"{number} was judged already, and otherwise", file=path, line=line, fix="remove one")
        if len(rest) > 1 and rest[1]:
            remarks[number] = rest[1]
