"""Which suite a run's folder belongs to, so that a report can print its tables again."""

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
    """Write beside the answers which suite they are of, and where its other files lie."""
    values = {"suite": name, "others": {key: str(path.resolve()) for key, path in others.items()}}
    with writing(folder / FILE) as temporary:
        temporary.write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2))


def kept_tables(folder: Path, answered: Sequence[Answered] | None = None) -> tuple[PaperTable, ...]:
    """The tables of the suite that a run's folder is of; none where it is a plain run."""
    file = folder / FILE
    if not file.is_file():
        return ()
    try:
        values = orjson.loads(read_text(file))
        name, others = values["suite"], {key: Path(path) for key, path in values["others"].items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UserError("this does not say which suite the run is of", file=file, fix="run the suite again") from None
    runs = read_run(folder, unfinished=True)[1] if answered is None else answered
    return suite_tables(name, runs, folder, {key: path for key, path in others.items() if path.is_file()})


def suite_tables(
    name: str, answered: Sequence[Answered], folder: Path | None, others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """A suite's tables, with the controls that lie in the run's folder."""
    controls = [run for path in _controls(folder) for run in read_run(path)[1]]
    return find_paper_suite(name).tables(answered, controls, others)


def _controls(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    return sorted(path for path in (folder / CONTROLS).glob("*") if manifest_path(path).is_file())
