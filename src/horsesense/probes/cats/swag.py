"""SWAG and HellaSwag: what happens next, the context joined with each ending.

Zellers and others 2018, 2019; CATs, sections "SWAG" and "HellaSwag". Of HellaSwag only what comes from ActivityNet
is taken, as in the paper; what WikiHow leaves in brackets is cleaned wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.probes.cats.joining import joined, without_brackets
from horsesense.probes.cats.reframed import Reframing
from horsesense.probes.cats.rows import given, rows_of
from horsesense.probes.released.reading import Reading, json_of, text_field, whole_number
from horsesense.records import Probe

_ENDINGS = ("ending0", "ending1", "ending2", "ending3")
_NOT_TAKEN = "items of WikiHow left out"
_HOW = "the context is joined with each ending"


def read_swag(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """SWAG's csv: ``sent1`` is the context, ``sent2`` how the next sentence begins."""
    reframing = Reframing(Reading(skip_bad), "swag")
    for path in paths:
        for line, row in rows_of(reframing.reading, path, ("sent1", "sent2", *_ENDINGS, "label")):
            with reframing.reading.line(path, line):
                endings = [given(row, name) for name in _ENDINGS]
                gold = whole_number(given(row, "label"), "label", len(endings) - 1)
                options = _options("swag", given(row, "sent1"), row["sent2"], endings)
                reframing.add(options, gold, path, line, identity=row.get("video-id", "").strip())
    return reframing.probe(paths, _HOW)


def read_hellaswag(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """HellaSwag's JSON lines: ``ctx_a`` is the context, ``ctx_b`` how the next sentence begins."""
    reframing = Reframing(Reading(skip_bad), "hella_swag")
    for path in paths:
        for line, raw in reframing.reading.lines(path):
            with reframing.reading.line(path, line):
                values = json_of(raw)
                if not str(values.get("source_id", "")).startswith("activitynet"):
                    reframing.reading.notes[_NOT_TAKEN] += 1
                    continue
                _add(reframing, values, path, line)
    return reframing.probe(paths, f"{_HOW}; ActivityNet only")


def _add(reframing: Reframing, values: dict[str, Any], path: Path, line: int) -> None:
    endings = values.get("endings")
    if not isinstance(endings, list) or len(endings) < 2 or not all(isinstance(each, str) for each in endings):
        raise UserError("the field 'endings' is not a list of texts", fix="check that it is a file of HellaSwag")
    if "label" not in values or values["label"] in ("", None):
        raise UserError("the line has no label", fix="the test split of HellaSwag has none; use train or val")
    begins = values.get("ctx_b", "")
    start = begins[:1].upper() + begins[1:] if isinstance(begins, str) else ""
    gold = whole_number(values["label"], "label", len(endings) - 1)
    options = _options("hella_swag", text_field(values, "ctx_a"), start, endings)
    facets = {"activity": values["activity_label"]} if isinstance(values.get("activity_label"), str) else {}
    reframing.add(options, gold, path, line, facets={**facets}, identity=str(values.get("ind", "")))


def _options(task: str, context: str, start: str, endings: Sequence[str]) -> list[str]:
    parts = {"context": without_brackets(context), "start": without_brackets(start)}
    cleaned = [without_brackets(ending) for ending in endings]
    if not all(cleaned):
        raise UserError("an ending is empty", fix="fill it in, or leave the instance out")
    return [joined(task, place, ending=ending, **parts) for place, ending in enumerate(cleaned)]
