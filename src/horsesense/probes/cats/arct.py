"""Argument reasoning: a reason, one of two warrants, a claim; and its negated augmentation.

Habernal and others 2018; Niven and Kao 2019; CATs, section "Argument Reasoning Comprehension Task (ARCT)".
Tab-separated: ``#id warrant0 warrant1 correctLabelW0orW1 reason claim debateTitle debateInfo``. The augmentation
has one column more, which says whether a row's claim is negated, so that the other warrant is right; it is known
by that column (adversarial, negated …) or by its file's name (test-adv-negated).

The released join says "and since" before the first warrant and "but since" before the second. A model that
likes one of the two words better is then right or wrong by place; the neutral join has no such cue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from horsesense.probes.cats.joining import joined, spaced
from horsesense.probes.cats.reframed import Reframing
from horsesense.probes.cats.rows import Row, given, rows_of
from horsesense.probes.released.reading import Reading, whole_number
from horsesense.records import Facet, Probe

_COLUMNS = ("#id", "warrant0", "warrant1", "correctLabelW0orW1", "reason", "claim")
_TRUE = ("true", "1", "yes")
_AUGMENTED = re.compile(r"adv|negat", re.IGNORECASE)


def _flag(row: Row) -> str:
    """The column that says whether the claim is negated; empty where there is none."""
    return next((name for name in row if _AUGMENTED.search(name)), "")


def _read(paths: Sequence[Path], skip_bad: bool, wording: str) -> Probe:
    reading = Reading(skip_bad)
    rows = [(path, line, row) for path in paths for line, row in rows_of(reading, path, _COLUMNS, tabs=True)]
    negated = any(_flag(row) or _AUGMENTED.search(path.name) for path, _, row in rows)
    reframing = Reframing(reading, "arct_2" if negated else "arct_1", licence="Apache-2.0")
    for path, line, row in rows:
        with reading.line(path, line):
            _add(reframing, row, path, line, wording)
    return reframing.probe(paths, f"reason, warrant and claim are joined ({wording} wording)")


def _add(reframing: Reframing, row: Row, path: Path, line: int, wording: str) -> None:
    reason, claim = (spaced(given(row, name)).rstrip(" .") for name in ("reason", "claim"))
    warrants = [spaced(given(row, name)).rstrip(" .") for name in ("warrant0", "warrant1")]
    gold = whole_number(given(row, "correctLabelW0orW1"), "label", 1)
    options = [
        joined("arct", place, wording, reason=reason, warrant=warrant, claim=claim)
        for place, warrant in enumerate(warrants)
    ]
    facets: dict[str, Facet] = {"join": wording}
    if flag := _flag(row):
        facets["negated"] = row[flag].strip().lower() in _TRUE
    identity = given(row, "#id")
    reframing.add(options, gold, path, line, facets=facets, identity=identity)


read_arct = partial(_read, wording="released")
"""As the paper joins them."""

read_arct_neutral = partial(_read, wording="neutral")
"""The same words before both warrants."""
