"""Read the answers of 35 models in the table of Nguyen, Watts and Whiting (2026): one probe per question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.exchange.log_reader import LogReader, Sample
from horsesense.methods.published.datasets.watts import OPTIONS, watts_answers
from horsesense.methods.published.reading import Reading


def read_watts_log(paths: Sequence[Path], reader: LogReader) -> None:
    """Add one sample per statement, question and model."""
    reading = Reading(reader.skip_bad)
    described: set[tuple[str, Path]] = set()
    for path, line, question, item, chosen in watts_answers(reading, paths):
        for model, option in chosen.items():
            if (model, path) not in described:
                described.add((model, path))
                reader.describe(model, path, {"tool": "the table of Nguyen, Watts and Whiting"})
            with reader.at(path, line):
                reply, why = ("", "no answer") if option is None else (OPTIONS[option], "as the table has it")
                reader.add(
                    Sample(f"watts-{question}", model, item, parsed=option, reply=reply, why=why, group="similar")
                )
    reader.skipped += reading.skipped
    if reading.skipped:
        reader.notes["bad samples skipped"] += len(reading.skipped)
