"""Models that were asked as a paper asks, or trained as it trains: which of its rows they are, and what they got.

A model answers for a row of the paper where it is called as the paper's model is on the hub, has about as many
parameters, and has been trained. Everything else stands in rows of its own, without a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from horsesense.data import read_table
from horsesense.errors import UserError, unknown
from horsesense.methods.ledger import BETWEEN, Figure, read_ledger
from horsesense.methods.suites.frame import PaperTable
from horsesense.replication.verdicts import Computed, one_more
from horsesense.runs.manifest import ModelRecord
from horsesense.runs.results import Answered
from horsesense.stats import Estimate

ASKED = "asked"
"""The way of a figure that a model has to be asked for."""
SUITES = {"cats": ("cats", "cats-robust"), "rica": ("rica",), "winoventi": ("winoventi",)}
"""The suites of a paper whose models were asked as they are; the others trained theirs first."""
_TITLES = {
    "cats": "CATs, table 3",
    "cats-robust": "CATs, table 6",
    "rica": "RICA, figure 4",
    "winoventi": "WinoVenti, table 6",
}
_CONSISTENT = ": consistent (both right or both wrong)"
_COLUMNS = {
    "HellaSwag": "hella_swag",
    "ARCT1": "arct_1",
    "ARCT2": "arct_2",
    "human-verified": "verified",
    "human-curated": "curated",
    "both": "joint",
}
"""Columns of a suite's table whose key in the ledger is not the same in lower case."""
_MOVED = ("google-bert", "FacebookAI", "openai-community", "distilbert", "albert", "xlnet")
"""Groups of the hub that models without a group were moved to."""
_SLACK = 0.1
"""Share by which the parameters of a model may differ from the paper's: heads are counted or not."""
_NORM = ("norm", "ln_", "layer_norm", "ln1", "ln2")


@dataclass(frozen=True, slots=True)
class PaperModel:
    """A model of a paper."""

    paper: str
    row: str
    """What the paper calls it."""
    hub: str
    """What the hub calls it."""
    millions: int
    """Its parameters."""


@cache
def paper_models() -> tuple[PaperModel, ...]:
    """The models of all papers that can be asked."""
    path = Path(str(files("horsesense.methods").joinpath("ledger", "models.tsv")))
    columns = ("paper", "row", "hub", "millions")
    rows = [row for _, row in read_table(path, columns)]
    return tuple(PaperModel(row["paper"], row["row"], row["hub"], int(row["millions"])) for row in rows)


def hub_name(paper: str, row: str) -> str:
    """What the hub calls a model of a paper; empty where it has none."""
    return next((each.hub for each in paper_models() if (each.paper, each.row) == (paper, row)), "")


def hub_called(name: str) -> str:
    """A model's first name on the hub: without its revision, and without the group that old names were moved to.

    >>> hub_called("FacebookAI/roberta-large@main"), hub_called("google/mobilebert-uncased")
    ('roberta-large', 'google/mobilebert-uncased')
    """
    group, _, alone = name.partition("@")[0].rpartition("/")
    return alone if group in _MOVED else name.partition("@")[0]


@dataclass(frozen=True, slots=True)
class AskedCell:
    """What a model got, where the paper has a figure or would have one."""

    model: str
    suite: str
    column: str
    """The key of the column in the ledger."""
    estimate: Estimate


def cells_of(suite: str, tables: Iterable[PaperTable]) -> Iterator[AskedCell]:
    """What the models that were asked got, from a suite's tables."""
    for table in tables:
        if not table.title.startswith(_TITLES[suite]):
            continue
        for row in table.rows:
            if row.kind != "ours" or (suite == "cats-robust" and not row.name.endswith(_CONSISTENT)):
                continue
            for column, cell in zip(table.columns, row.cells, strict=True):
                if isinstance(cell, Estimate):
                    key = _COLUMNS.get(column, column.lower())
                    yield AskedCell(row.name.removesuffix(_CONSISTENT), suite, key, cell)


def why_no_verdict(paper: str, model: ModelRecord, random: bool) -> str:
    """Why a model does not answer for a row of the paper; empty where it does."""
    wanted = [each for each in paper_models() if each.paper == paper and each.hub == hub_called(model.name)]
    if random:
        return "its weights are random"
    if not wanted:
        return "it is not a model of the paper"
    if model.kind != "weights":
        return "it is not known by its weights"
    millions = model.parameters / 1e6
    if abs(millions - wanted[0].millions) > _SLACK * wanted[0].millions:
        return f"it has {millions:,.1f} million parameters, and the paper's {wanted[0].millions:,}"
    return ""


def is_random(model: ModelRecord) -> bool:
    """Whether a model has never been trained: every weight of its normalisations is 1, as it is when it is made."""
    from horsesense.models.folders import weight_files
    from horsesense.models.locate import locate

    if model.kind != "weights":
        return False
    try:
        folder = locate(model.found_by or model.name, allow_pickle=True, download=False).folder
        paths = weight_files(folder, allow_pickle=True)
    except UserError:
        return False
    return all_ones(path for path in paths if path.suffix == ".safetensors")


def all_ones(paths: Iterable[Path]) -> bool:
    """Whether the weights of all normalisations in some files are 1; False where there are none."""
    from safetensors import safe_open

    found = False
    for path in paths:
        with safe_open(path, framework="pt") as tensors:
            for name in list(tensors.keys()):
                module, _, kind = name.rpartition(".")
                if kind == "weight" and any(part in module.rpartition(".")[2].lower() for part in _NORM):
                    found = True
                    if not bool((tensors.get_tensor(name) == 1).all()):
                        return False
    return found


def computed_of(paper: str, cells: Sequence[AskedCell], verdicts: Mapping[str, str], part: bool) -> dict[str, Computed]:
    """What models that answer for a row of the paper got, by the key of the ledger, as shares."""
    rows = {each.hub: each.row for each in paper_models() if each.paper == paper}
    found = {}
    for cell in cells:
        if verdicts.get(cell.model, "unknown"):
            continue
        key = BETWEEN.join((cell.suite, rows[hub_called(cell.model)], cell.column))
        found[key] = Computed(cell.estimate.value, "asked here", cell.estimate.n, part=part)
    return found


# Models that were trained here.

_SIZES = {
    ("partwhole", "table 3", "Accuracy"): 2733,
    ("rica", "appendix, last tables", "easy"): 1005,
    ("rica", "appendix, last tables", "hard"): 1600,
    ("rica", "appendix, last tables", "joint"): 2605,
    ("wordnetqa", "table 7", "hypernymy / test"): 2254,
    ("wordnetqa", "table 7", "hyponymy / test"): 2020,
    ("wordnetqa", "table 7", "dictionary / test"): 1114,
}
"""Items behind a figure of a trained model: by paper, place and the end of the column."""


def trained_figure(paper: str, name: str) -> Figure:
    """The figure that trainings are to stand for, by its name; an error where it is none of a trained model."""
    figures = {each.name: each for each in read_ledger(paper) if each.kind == "trained"}
    if name not in figures:
        raise unknown("figure of a trained model", name, get_close_matches(name, figures, 5, 0.1))
    return figures[name]


def computed_by_training(figure: Figure, runs: Sequence[Answered]) -> Computed:
    """The mean over trainings that differ in their seed, with what one more of them may give, as a share."""
    shares = [float(np.nanmean(run.credits(run.primary()).values)) for run in runs]
    n = len(runs[0].items)
    place = (figure.paper, figure.place)
    wanted = {size for (*where, end), size in _SIZES.items() if (*where,) == place and figure.column.endswith(end)}
    part = bool(wanted) and n not in wanted
    low, high = one_more(shares) or (None, None)
    told = f"{len(shares)} trainings: {', '.join(f'{share:.3f}' for share in shares)}"
    return Computed(sum(shares) / len(shares), "trained here", n, low, high, part, reason=told)


def in_unit(figure: Figure, computed: Computed) -> Computed:
    """A share in the unit of the paper's figure."""
    if figure.unit != "percent":
        return computed
    low, high = (None if end is None else end * 100 for end in (computed.low, computed.high))
    return replace(computed, value=computed.value * 100, low=low, high=high)
