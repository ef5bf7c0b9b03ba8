"""The part-whole suite: table 3 with a user's models, on the paper's split and on one without shared nouns.

Models are asked the published test split, dev (on which label preferences are fitted), and the test part of a split of
all published triples in which no noun of the test is in training in either role: on the paper's split nearly every
noun is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import Item, Probe
from horsesense.data.downloads import check_fetched
from horsesense.errors import UserError
from horsesense.methods.partwhole.dataset import read_partwhole, read_partwhole_votes
from horsesense.methods.partwhole.recasting import split_items
from horsesense.methods.partwhole.table import Distributions, PartWholeTable, TableRow, partwhole_table
from horsesense.methods.suites.frame import (
    Kind,
    OpenedData,
    PaperControl,
    PaperRow,
    PaperSuite,
    PaperTable,
    data_folder,
    find_file,
    restrict,
    with_published,
)
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate

VOTES = "all_just_results.csv"
_CONTROLS = (
    PaperControl("majority"),
    PaperControl("majority-per", ("part",)),
    PaperControl("majority-per", ("adjective",)),
)
_COLUMNS = ("accuracy", "calibrated", "steps off", "kappa", "off the votes", "surprise")


def _open(folder: Path | None, skip_bad: bool) -> OpenedData:
    folder = data_folder(folder, "partwhole", "partwhole")
    files = {name: find_file(folder, f"{name}.csv") for name in ("train", "dev", "test")}
    missing = [name for name, path in files.items() if path is None]
    if missing:
        fix = "give the folder of the published dataset, or one with train.csv, dev.csv and test.csv"
        raise UserError(f"{', '.join(missing)} of the part-whole triples is not here", file=folder, fix=fix)
    paths = {name: path for name, path in files.items() if path is not None}
    for path in paths.values():
        check_fetched(path)
    parts = {name: read_partwhole([path], skip_bad=skip_bad) for name, path in paths.items()}
    everything = [item for name in ("train", "dev", "test") for item in parts[name].items]
    split = split_items(everything, "nouns", 0)
    votes = find_file(folder, VOTES)
    probes, training = {"test": parts["test"], "dev": parts["dev"]}, {"test": parts["train"]}
    if split["test"] and split["train"]:  # too few triples for this split
        probes["new-nouns"], training["new-nouns"] = (_part(parts["test"], split[name]) for name in ("test", "train"))
    return OpenedData(probes, paths, others={"votes": votes} if votes else {}, training=training)


def _part(like: Probe, items: Sequence[Item]) -> Probe:
    description = "All released triples, split so that no noun of the test is in training (seed 0)."
    return Probe.of(list(items), replace(like.card, made=description, seed=0))


def _tables(
    answered: Sequence[ProbeAnswers], controls: Sequence[ProbeAnswers], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    votes = read_partwhole_votes([others["votes"]]) if "votes" in others else None
    dev = [run for run in answered if run.part.probe.name == "dev"]
    tables: list[PaperTable] = []
    for name, title in (("test", "the released test split"), ("new-nouns", "no noun of the test in training")):
        runs = [run for run in answered if run.part.probe.name == name]
        if not runs:
            continue
        asked = {item.id for item in runs[0].items}
        fitted = [restrict(run, asked) for run in controls if run.part.probe.name == name]
        table = partwhole_table([*runs, *fitted], released=votes, dev=dev)
        tables += _as_paper(f"Part-whole, table 3: {title}", table, name == "test", len(runs))
    return tuple(tables)


def _as_paper(title: str, table: PartWholeTable, papers: bool, models: int) -> tuple[PaperTable, ...]:
    rows = [_row(row, "ours" if row.kind == "model" and ": " not in row.name else None) for row in table.rows]
    if table.votes is not None and table.votes.ceiling is not None:
        cells = (None, None, None, None, *_near(table.votes.ceiling))
        rows.append(PaperRow("people: one vote against the two others", "people", cells, "people"))
    published = [
        PaperRow(row.name, "published", (row.accuracy, None, None, None, None, None), "published")
        for row in table.published.rows
    ]
    note = (
        "Intervals are two-way over wholes and parts. Off the votes: ranked probability score; surprise: smoothed log "
        "score; 0 is best. Calibrated: accuracy after a model's preference for labels, fitted on dev, is removed; "
        "the last two columns are about as well; steps off and kappa are of its plain answers."
    )
    if not papers:
        return (PaperTable(title, _COLUMNS, tuple(rows), (note,)),)
    same, source = table.published.same_triples, table.published.source
    return with_published(title, _COLUMNS, rows, published, same, source, about=(note,))


def _row(row: TableRow, kind: Kind | None) -> PaperRow:
    of: Kind = kind or ("people" if row.kind == "people" else "control")
    mended = None if row.votes is None else row.votes.accuracy
    cells = (row.accuracy, mended, row.mean_absolute_error, row.quadratic_kappa, *_near(row.votes))
    return PaperRow(row.name, of, cells, {"ours": "models", "control": "controls"}.get(of, "people"))


def _near(votes: Distributions | None) -> tuple[Estimate | None, Estimate | None]:
    return (None, None) if votes is None else (votes.ranked_probability, votes.log_score)


PARTWHOLE = PaperSuite("partwhole", "Mullenbach, Gordon, Peng, May (EMNLP 2019)", "default", _open, _tables, _CONTROLS)
