"""The suite of WordNetQA and DictionaryQA: tables 7 and 8 and figure 3 with a user's models.

Models are asked the five sets, published or built here: the test file of a published set, or the only one; the test
split of a probe. Controls are trained on the training part of the same set, if there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from horsesense.core import Probe, read_probe
from horsesense.data import shipped_toml
from horsesense.errors import UserError
from horsesense.methods.ledger import printed_table
from horsesense.methods.suites.frame import (
    HOPS,
    Kind,
    OpenedData,
    PaperControl,
    PaperRow,
    PaperSuite,
    PaperTable,
    by_model,
    data_folder,
    restrict,
    with_published,
)
from horsesense.methods.wordnetqa.analysis import HopsCell, hops_cells
from horsesense.methods.wordnetqa.dataset import read_mcqa
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate, accuracy, chance

SETS = ("definitions", "synonymy", "hypernymy", "hyponymy", "dictionary")
_NAMES = {"dictionary": ("dictionary", "dictionary_qa", "dictionaryqa")}
_PARTS = ("test", "dev", "train")
"""File of a published set that is asked: the first of these that exists."""
_ENDINGS = (".jsonl.gz", ".jsonl", ".parquet")
_CONTROLS = (
    PaperControl("random"),
    PaperControl("vector-similarity"),
    PaperControl("choice-only-linear"),
)
"""Of group 1 of table 7 what is quick; ``horsesense baseline`` has the networks, and a run of theirs in the folder
``controls`` joins."""
Cell = Estimate | float | None


# The five sets on disk.


def _open(folder: Path | None, skip_bad: bool) -> OpenedData:
    folder = data_folder(folder, "mcqa", "wordnetqa")
    probes: dict[str, Probe] = {}
    found: dict[str, Path] = {}
    training: dict[str, Probe] = {}
    for name in SETS:
        if own := _own_file(folder, name):
            found[name] = own
            probes[name], taught = _own_parts(read_probe(own), name)
        else:
            parts = _released_files(folder, name)
            asked = next((part for part in _PARTS if part in parts), None)
            if asked is None:
                continue
            found[name] = parts[asked]
            probes[name] = read_mcqa([parts[asked]], skip_bad=skip_bad)
            taught = read_mcqa([parts["train"]], skip_bad=skip_bad) if asked != "train" and "train" in parts else None
        if taught is not None:
            training[name] = taught
    if not found:
        fix = "give a folder with definitions/test.jsonl.gz … as released, or hypernymy.jsonl … as built"
        raise UserError(f"none of the sets {', '.join(SETS)} is here", file=folder, fix=fix)
    missing = tuple(name for name in SETS if name not in found)
    return OpenedData(probes, found, missing, training=training)


def _own_file(folder: Path, name: str) -> Path | None:
    """Find a probe file with the name of the set."""
    named = (folder / f"{each}{ending}" for each in _NAMES.get(name, (name,)) for ending in _ENDINGS)
    return next((path for path in named if path.is_file()), None)


def _released_files(folder: Path, name: str) -> dict[str, Path]:
    """Find the files of a published set by part: ``hypernymy/test.jsonl.gz``."""
    parts: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.jsonl*")):
        part = path.name.partition(".")[0]
        if path.parent.name in _NAMES.get(name, (name,)) and part in _PARTS and path.name.endswith(_ENDINGS):
            parts.setdefault(part, path)
    return parts


def _own_parts(probe: Probe, name: str) -> tuple[Probe, Probe | None]:
    """Return the test split and the training data of controls; a probe without splits is asked in full."""
    split = {part: [item for item in probe.items if item.facets.get("split") == part] for part in _PARTS}
    if not split["test"]:
        return probe, None
    asked = Probe.of(split["test"], probe.card)
    return asked, Probe.of(split["train"], probe.card) if split["train"] else None


# The paper's tables.


def _tables(
    answered: Sequence[ProbeAnswers], controls: Sequence[ProbeAnswers], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    models = by_model(answered, SETS)
    asked = {run.part.probe.name: {item.id for item in run.items} for run in answered}
    fitted = by_model(
        [restrict(run, asked[run.part.probe.name]) for run in controls if run.part.probe.name in asked], SETS
    )
    same = all(len(asked.get(name, ())) == count for name, count in _published()["released"].items())
    ours = _rows(models, "ours", "models", _accuracies) + _rows(fitted, "control", "controls", _accuracies)
    if people := _people(answered):
        ours.append(people)
    source = _published()["source"]
    plain = (
        "Intervals are over the asked concepts. Where the folder has no test file of a set, its development or "
        "training questions are asked; the paper's figures are of its test questions and are then no comparison."
    )
    made = with_published("WordNetQA, table 7: accuracy", SETS, ours, _printed_accuracy(), same, source, about=(plain,))
    strict = _rows(models, "ours", "models", _strict) + _rows(fitted, "control", "controls", _strict)
    columns = [column for name in SETS[:4] for column in (name, f"Δ {name[:5]}")]
    sizes = (
        "Concepts have more questions in one set than in another, so columns cannot be compared with one another; "
        "`horsesense wordnetqa analyse` reports strict accuracy at fixed sizes."
    )
    title = "WordNetQA, table 8: all questions of a concept right"
    made += with_published(title, columns, strict, _printed_strict(), False, source, about=(sizes,))
    return (*made, *_figures(models))


def _rows(models: Mapping[str, Mapping[str, ProbeAnswers]], kind: Kind, group: str, cells: Any) -> list[PaperRow]:
    return [PaperRow(name, kind, tuple(cells(runs)), group) for name, runs in models.items()]


def _accuracies(runs: Mapping[str, ProbeAnswers]) -> list[Cell]:
    return [runs[name].estimate(runs[name].credits(runs[name].primary())) if name in runs else None for name in SETS]


def _strict(runs: Mapping[str, ProbeAnswers]) -> list[Cell]:
    """Strict accuracy and its difference to the accuracy, in turn."""
    cells: list[Cell] = []
    for name in SETS[:4]:
        strict = gap = None
        if run := runs.get(name):
            earned = run.credits(run.primary())
            strict, plain = run.strict(earned), run.estimate(earned)
            gap = strict.value - plain.value if strict and plain else None
        cells += [strict, gap]
    return cells


def _people(answered: Sequence[ProbeAnswers]) -> PaperRow | None:
    """Return one person's answer to each item, where it is published."""
    cells: list[Cell] = []
    for name in SETS:
        run = next((run for run in answered if run.part.probe.name == name), None)
        judged = [] if run is None else [item for item in run.items if "people_right" in item.facets]
        right = [float(bool(item.facets["people_right"])) for item in judged]
        guess = chance([len(item.options) for item in judged]) if judged else None
        cells.append(accuracy(right, [item.unit("asked") for item in judged], guess) if judged else None)
    if not any(cells):
        return None
    return PaperRow("people: one answer per item, as published", "people", tuple(cells), "people")


def _published() -> dict[str, Any]:
    return shipped_toml(Path(__file__).with_name("published.toml"))


def _printed_accuracy() -> list[PaperRow]:
    """Table 7 as the paper has it: the test columns, as shares."""
    known, rows = _published(), []
    for name, cells in printed_table("wordnetqa", "table 7").items():
        group, _, model = name.partition(" / ")
        if group in known["groups"]:
            shares = tuple(cells[f"{each} / test"] / 100 for each in SETS)
            rows.append(PaperRow(model or known["people"]["name"], "published", shares, known["groups"][group]))
    return rows


def _printed_strict() -> list[PaperRow]:
    """Table 8 as the paper has it: strict accuracy and its difference to the accuracy in turn, as shares."""
    group = _published()["groups"]["table 8"]
    rows = []
    for name, cells in printed_table("wordnetqa", "table 8").items():
        shares = tuple(cells[f"{each} / {which}"] / 100 for each in SETS[:4] for which in ("strict", "difference"))
        rows.append(PaperRow(name, "published", shares, group))
    return rows


# Figure 3.


def _figures(models: Mapping[str, Mapping[str, ProbeAnswers]]) -> tuple[PaperTable, ...]:
    """Return one table per model: hops of the question in rows, distractors and their distance in columns."""
    made = []
    for model, runs in models.items():
        cells = {name: _cells(runs[name]) for name in SETS[:4] if name in runs}
        columns = sorted({_column(cell) for each in cells.values() for cell in each}, key=_order)
        rows = []
        for name, found in cells.items():
            for hops in sorted({cell.hops for cell in found}):
                across = {_column(cell): cell.accuracy for cell in found if cell.hops == hops}
                shown = f"{name}{HOPS}{hops}" if hops else name
                rows.append(PaperRow(shown, "ours", tuple(across.get(column) for column in columns), name))
        if rows and len(columns) > 1:
            note = (
                "k: links between question and answer. k′: distance of the distractors. Cells of a few items are empty."
            )
            made.append(PaperTable(f"WordNetQA, figure 3: {model}", tuple(columns), tuple(rows), (note,)))
    return tuple(made)


def _cells(run: ProbeAnswers) -> list[HopsCell]:
    values = run.credits(run.primary()).values.tolist()
    return hops_cells(run.items, values, run.units.tolist(), all_hops=True)


def _column(cell: HopsCell) -> str:
    return f"{cell.kind} k′={cell.distance}" if cell.distance else cell.kind


def _order(column: str) -> tuple[bool, str]:
    return column != "random", column


WORDNETQA = PaperSuite("wordnetqa", _published()["source"], "default", _open, _tables, _CONTROLS)
