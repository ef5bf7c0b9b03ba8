"""Record which suite a run folder belongs to, so that a report can print its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from horsesense.data import read_text, writing
from horsesense.errors import UserError
from horsesense.methods.suites import find_paper_suite
from horsesense.methods.suites.frame import PaperTable
from horsesense.runs.manifest import manifest_path
from horsesense.runs.results import Answered, read_run

FILE, CONTROLS = "suite.json", "controls"


def keep_suite(folder: Path, name: str, others: Mapping[str, Path]) -> None:
    """Write the suite of a run and the paths of its other files into its folder."""
    values = {"suite": name, "others": {key: str(path.resolve()) for key, path in others.items()}}
    with writing(folder / FILE) as temporary:
        temporary.write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2))


def kept_tables(folder: Path, answered: Sequence[Answered] | None = None) -> tuple[PaperTable, ...]:
    """Return the tables of the suite of a run folder; empty for a plain run."""
    file = folder / FILE
    if not file.is_file():
        return ()
    try:
        values = orjson.loads(read_text(file))
        name, others = values["suite"], {key: Path(path) for key, path in values["others"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError("the suite of this run cannot be read", file=file, fix="run the suite again") from None
    runs = read_run(folder, unfinished=True)[1] if answered is None else answered
    return suite_tables(name, runs, folder, {key: path for key, path in others.items() if path.is_file()})


def suite_tables(
    name: str, answered: Sequence[Answered], folder: Path | None, others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """Return the tables of a suite, with the controls in the run folder."""
    controls = [run for path in _controls(folder) for run in read_run(path)[1]]
    return find_paper_suite(name).tables(answered, controls, others)


def _controls(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    return sorted(path for path in (folder / CONTROLS).glob("*") if manifest_path(path).is_file())
