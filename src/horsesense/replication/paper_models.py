"""Models of the papers: the row that a model replicates, its results, and what is missing for other figures.

A model replicates a row of the paper if it has the name of the paper's model on the Hugging Face Hub, about as many
parameters, and trained weights. Other models are listed in rows of their own, without a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
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
from horsesense.models.lineage import names_with_bases
from horsesense.replication.computing import DATASETS, pinned
from horsesense.replication.verdicts import Computed, one_more
from horsesense.runs.manifest import ModelRecord
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate

ASKED = "asked"
"""The way of a figure that needs a model."""
SUITES = {"cats": ("cats", "cats-robust"), "rica": ("rica",), "winoventi": ("winoventi",)}
"""The suites of papers that evaluate models without training."""
AS_PUBLISHED = {"cats": "cats-raw", "cats-robust": "cats-robust-raw"}
"""Suites that are asked instead, because the published scripts score the texts unchanged."""
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
"""Organisations on the Hugging Face Hub that models without one were moved to."""
_SLACK = 0.1
"""Relative difference allowed in the number of parameters: heads are counted or not."""
_NORM = ("norm", "ln_", "layer_norm", "ln1", "ln2")


@dataclass(frozen=True, slots=True)
class PaperModel:
    """A model of a paper."""

    paper: str
    row: str
    """Its name in the paper."""
    hub: str
    """Its name on the Hugging Face Hub."""
    millions: int
    """Millions of parameters."""


@cache
def paper_models() -> tuple[PaperModel, ...]:
    """Return the models of all papers that are available."""
    path = Path(str(files("horsesense.methods").joinpath("ledger", "models.tsv")))
    columns = ("paper", "row", "hub", "millions")
    rows = [row for _, row in read_table(path, columns)]
    return tuple(PaperModel(row["paper"], row["row"], row["hub"], int(row["millions"])) for row in rows)


def hub_name(paper: str, row: str) -> str:
    """Return the name of a paper's model on the Hugging Face Hub; empty if it is not there."""
    return next((each.hub for each in paper_models() if (each.paper, each.row) == (paper, row)), "")


def hub_called(name: str) -> str:
    """Return the original name of a model on the Hugging Face Hub: without revision, and without a later organisation.

    >>> hub_called("FacebookAI/roberta-large@main"), hub_called("google/mobilebert-uncased")
    ('roberta-large', 'google/mobilebert-uncased')
    """
    group, _, alone = name.partition("@")[0].rpartition("/")
    return alone if group in _MOVED else name.partition("@")[0]


@dataclass(frozen=True, slots=True)
class ModelScore:
    """The score of a model, for a cell of a paper's table."""

    model: str
    """The model."""
    suite: str
    """The suite."""
    column: str
    """The key of the column in the ledger."""
    estimate: Estimate
    """Accuracy or consistency; n counts items, or pairs."""
    whole: bool = True
    """Whether all published items were used."""
    why_no_verdict: str = ""
    """Why it does not replicate a row of the paper; empty if it does."""


def cells_of(suite: str, tables: Iterable[PaperTable]) -> Iterator[ModelScore]:
    """Return the scores of models from the tables of a suite."""
    for table in tables:
        if not table.title.startswith(_TITLES[suite]):
            continue
        for row in table.rows:
            if row.kind != "ours" or (suite == "cats-robust" and not row.name.endswith(_CONSISTENT)):
                continue
            for column, cell in zip(table.columns, row.cells, strict=True):
                if isinstance(cell, Estimate):
                    key = _COLUMNS.get(column, column.lower())
                    yield ModelScore(row.name.removesuffix(_CONSISTENT), suite, key, cell)


def why_no_verdict(paper: str, model: ModelRecord, random: bool) -> str:
    """Return why a model does not replicate a row of the paper; empty if it does."""
    matching = [each for each in paper_models() if each.paper == paper and each.hub == hub_called(model.name)]
    if random:
        return "its weights are random"
    if not matching:
        return "it is not a model of the paper"
    if model.kind != "weights":
        return "it is not known by its weights"
    millions = model.parameters / 1e6
    if abs(millions - matching[0].millions) > _SLACK * matching[0].millions:
        return f"it has {millions:,.1f} million parameters, and the paper's {matching[0].millions:,}"
    return ""


def is_random(model: ModelRecord) -> bool:
    """Whether a model was never trained: all weights of its normalisation layers are 1, their initial value."""
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
    """Whether the weights of all normalisation layers in some files are 1; False if there are none."""
    from safetensors import safe_open

    any_norm = False
    for path in paths:
        with safe_open(path, framework="pt") as tensors:
            for name in list(tensors.keys()):
                module, _, kind = name.rpartition(".")
                if kind == "weight" and any(part in module.rpartition(".")[2].lower() for part in _NORM):
                    any_norm = True
                    if not bool((tensors.get_tensor(name) == 1).all()):
                        return False
    return any_norm


def computed_of(paper: str, cells: Sequence[ModelScore]) -> dict[str, Computed]:
    """Return the scores of models that replicate a row of the paper, by the key of the ledger."""
    rows = {each.hub: each.row for each in paper_models() if each.paper == paper}
    figures = {}
    for cell in cells:
        if cell.why_no_verdict:
            continue
        key = BETWEEN.join((cell.suite, rows[hub_called(cell.model)], cell.column))
        figures[key] = Computed(cell.estimate.value, "asked here", cell.estimate.n, part=not cell.whole)
    return figures


# Trained models.

_SIZES = {
    ("partwhole", "table 3", "Accuracy"): 2733,
    ("rica", "appendix, last tables", "easy"): 1005,
    ("rica", "appendix, last tables", "hard"): 1600,
    ("rica", "appendix, last tables", "joint"): 2605,
    ("wordnetqa", "table 7", "hypernymy / test"): 2254,
    ("wordnetqa", "table 7", "hyponymy / test"): 2020,
    ("wordnetqa", "table 7", "dictionary / test"): 1114,
}
"""Number of items behind a figure of a trained model, by paper, place and the end of the column."""


LEAST_TRAININGS = 5
"""Trainings with different seeds that a verdict needs."""


def trained_figure(paper: str, name: str) -> Figure:
    """Return a figure of a trained model by its name, or raise an error."""
    figures = {each.name: each for each in read_ledger(paper) if each.kind == "trained"}
    if name not in figures:
        raise unknown("figure of a trained model", name, get_close_matches(name, figures, 5, 0.1))
    return figures[name]


def why_other_model(figure: Figure, models: Iterable[ModelRecord]) -> str:
    """Return why trained models do not replicate a row of the paper; empty if they do.

    The command that would train the paper's model names a control or a base model; each training must be of that one.
    """
    words = _training(figure).split()
    target = next((words[i + 1] for i, word in enumerate(words[:-1]) if word in ("baseline", "-m")), "")
    if not target:
        return "the paper's model is not described well enough to identify it"
    for model in models:
        if model.kind == "control":
            known = [model.name.partition(" seed-")[0]]
        else:
            known = [hub_called(name) for name in names_with_bases(model.found_by or model.name)]
        if target not in known:
            return f"these are trainings of {known[-1]}, and the paper's is {target}"
    return ""


def computed_by_training(figure: Figure, runs: Sequence[ProbeAnswers]) -> Computed:
    """Return the mean over trainings with different seeds, with a prediction interval for one more.

    There is no number for another model than the paper's, and for fewer trainings than show their spread.
    """
    if reason := why_other_model(figure, (run.part.model for run in runs)):
        return Computed(math.nan, "trained here", len(runs[0].items), reason=reason)
    if len(runs) < LEAST_TRAININGS:
        reason = f"{len(runs)} trainings do not show their spread; give {LEAST_TRAININGS} or more"
        return Computed(math.nan, "trained here", len(runs[0].items), reason=reason)
    shares = [float(np.nanmean(run.credits(run.primary()).values)) for run in runs]
    n = len(runs[0].items)
    place = (figure.paper, figure.place)
    sizes = {size for (*where, end), size in _SIZES.items() if (*where,) == place and figure.column.endswith(end)}
    part = bool(sizes) and n not in sizes
    low, high = one_more(shares) or (None, None)
    reason = f"{len(shares)} trainings: {', '.join(f'{share:.3f}' for share in shares)}"
    return Computed(sum(shares) / len(shares), "trained here", n, low, high, part, reason=reason)


def in_unit(figure: Figure, computed: Computed) -> Computed:
    """Convert a share to the unit of the paper's figure."""
    if figure.unit != "percent":
        return computed
    low, high = (None if end is None else end * 100 for end in (computed.low, computed.high))
    return replace(computed, value=computed.value * 100, low=low, high=high)


# What is missing.

_SETTINGS = {"100k": "noisy --number 100000", "1 entity": "high-resource --number 1"}
_ANALYSES = {
    ("winoventi", "section 3.4"): "horsesense winoventi evaluate winoventi.jsonl -m {model} --depths "
    "outcome_collection_cleaned.csv --out runs/evaluate",
    ("rica", "appendix C"): "horsesense rica clues rica.jsonl -m {model} --entities names --method smoothgrad",
}
"""Commands for analyses of a model's answers, as in a paper."""
_VOTES = "the answers of people behind it, which were not published"


def what_is_missing(figure: Figure) -> tuple[str, str]:
    """Return what is missing to compute a figure, and a command that would provide it; either may be empty."""
    kind, _, which = figure.missing.partition(": ")
    if kind == "model":
        model = which or hub_name(figure.paper, figure.row)
        if not model:
            return f"the model {figure.row}, which is not on the Hugging Face Hub in that form", ""
        if which:  # an analysis of answers that is not a suite
            return f"the model {which}", _ANALYSES.get((figure.paper, figure.place), "").format(model=which.split()[0])
        return f"the model {model}", f"horsesense replicate {figure.paper} --model {model}"
    if kind == "training":
        return f"a training of {figure.row.rpartition(' / ')[2]}", _training(figure)
    if kind == "release":
        known = which in pinned(DATASETS[figure.paper])
        return f"the published file {which}", f"horsesense fetch {DATASETS[figure.paper]}" if known else ""
    if kind == "votes":
        return _VOTES, ""
    return which or figure.needs, ""


def _training(figure: Figure) -> str:
    if figure.paper == "rica":
        if not hub_name("rica", figure.row) or " / " not in figure.column:
            return ""
        setting, _, _ = figure.column.partition(" / ")
        number = setting.split()[0]
        chosen = _SETTINGS.get(setting) or (
            f"low-resource --number {number}" if setting.endswith("%") else f"high-resource --number {number}"
        )
        model = hub_name("rica", figure.row)
        files = "--train rica-train.jsonl --dev rica-eval.jsonl --test rica-test.jsonl"
        return f"horsesense train -m {model} --setting {chosen} {files} --out runs/rica"
    if figure.paper == "partwhole":
        if figure.row.startswith("GloVe"):
            return "horsesense baseline mlp --seeds 5 --train train.jsonl --test test.jsonl --out runs/mlp"
        model = "bert-base-uncased" if figure.row.startswith("BERT") else "openai-gpt"
        return f"horsesense train -m {model} --train train-pairs.jsonl --test test-pairs.jsonl --out runs/pairs"
    if figure.paper == "wordnetqa" and figure.place in ("table 7", "table 8"):
        return _questions(figure.row.partition(" / ")[2] or figure.row, figure.column.partition(" / ")[0])
    return ""


def _questions(row: str, name: str) -> str:
    """Return the command for a row of WordNetQA's tables 7 and 8, for one of its sets."""
    files = f"--train {name}.jsonl:train --test {name}.jsonl:test"
    if row.startswith("Choice"):
        encoder = row.endswith(("BERT", "RoBERTa"))
        control = "choice-to-choice" if "to-Choice" in row else f"choice-only{'-encoder' * encoder}"
        return f"horsesense baseline {control} {files} --out runs/{control}"
    if row.startswith("Question-to-Choice"):
        return f"horsesense baseline question-to-choice {files} --out runs/question-to-choice"
    original = "--original-dev science.jsonl:dev --original-test science.jsonl:test"
    return f"horsesense inoculate -m SCIENCE {files} --dev {name}.jsonl:dev {original} --out runs/inoculation"
