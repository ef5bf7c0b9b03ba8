"""RICA: contents of the published datasets, and figures of both sets together from those of each."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

from horsesense.core import Item, fill_blank
from horsesense.methods.ledger import by_name, figures_at, printed, read_ledger
from horsesense.methods.rica.published_axioms import read_rica_axioms
from horsesense.methods.rica.published_statements import CATEGORIES, entities, read_rica
from horsesense.replication.computing import PublishedFiles, Results, computes
from horsesense.replication.consistency import weighted_range
from horsesense.replication.verdicts import Computed
from horsesense.stats import chance

_VERIFIED, _CURATED = "data/10k", "data/human_curated_set"
_SPLITS = {"training": "train", "validation": "eval", "test": "test"}
_RESULTS = "appendix, last tables"
_NO_NAMES = frozenset(("", "it", "is", "up"))
"""Words in place of a name in a few garbled statements."""
_SINGLE = 1e-6
_FAR = 0.5
"""Points that a figure of both sets may be off before the reason says what it looks like."""
SIZES, _WHOLE = (1005, 1600), (10_216, 1600)
"""Statements of the human-verified test split, or of all three splits, and of the human-curated set."""


@cache
def _read(*paths: Path) -> tuple[Item, ...]:
    return tuple(read_rica(list(paths)).items)


def _split(files: PublishedFiles, name: str) -> tuple[Item, ...]:
    return _read(*(files.path(f"{_VERIFIED}/{name}_sentences{ending}.txt") for ending in ("", "_m")))


def _curated(files: PublishedFiles) -> tuple[Item, ...]:
    names = ("eval_sentences.txt", "eval_sentences_m.txt", "config.txt")
    return _read(*(files.path(f"{_CURATED}/{name}") for name in names))


@computes("rica", "verified")
def verified(files: PublishedFiles) -> Results:
    """The human-verified set by split, and the axioms behind its test split."""
    splits = {name: _split(files, file) for name, file in _SPLITS.items()}
    whole = {"test": "the test split of the human-verified 10k"}
    figures = {
        name: Computed(len(items), "data", len(items), reason=whole.get(name, "")) for name, items in splits.items()
    }
    total = sum(len(items) for items in splits.values())
    training = len(splits["training"])
    axioms = len({item.groups["axiom"] for item in splits["test"]})
    reason = f"{axioms} by their content words; the published files do not number them"
    return figures | {
        "statements": Computed(total, "data", total),
        "training, five entities": Computed(5 * training, "data", training),
        "test axioms": Computed(axioms, "data", len(splits["test"]), reason=reason),
    }


@computes("rica", "axioms")
def axioms(files: PublishedFiles) -> Results:
    """Axioms that are published with their statements."""
    items = read_rica_axioms([files.path("data/RICA_10k_axiom2set.jsonl")]).items
    families = len({item.family for item in items})
    reason = f"RICA_10k_axiom2set.jsonl has {families:,} axioms of six statements each"
    return {"axioms": Computed(families, "data", len(items), reason=reason)}


@computes("rica", "curated")
def curated(files: PublishedFiles) -> Results:
    """The human-curated set: statements, axioms, perturbations, categories."""
    items = _curated(files)
    by_axiom: dict[str, list[Item]] = {}
    for item in items:
        by_axiom.setdefault(item.groups["axiom"], []).append(item)
    sizes = [len(group) for group in by_axiom.values()]
    n = len(items)
    figures = {
        "statements": Computed(n, "data", n),
        "axioms": Computed(len(by_axiom), "data", n),
        "axioms about two": Computed(sum(size == max(sizes) for size in sizes), "data", n),
        "perturbations": Computed(max(sizes), "data", n, reason=f"axioms about one entity have {min(sizes)}"),
        "statements, three times": Computed(3 * n, "data", n),
        "guessing": Computed(chance([len(item.options) for item in items]), "data", n),
        "shown whole": Computed(1, "data", n),
    }
    for category in CATEGORIES:
        share = sum(item.facets.get("category") == category for item in items) / n * 100
        of_axioms = sum(group[0].facets.get("category") == category for group in by_axiom.values())
        reason = f"of the statements; of the {len(by_axiom)} axioms {of_axioms / len(by_axiom):.0%}"
        figures[category] = Computed(share, "data", n, reason=reason)
    return figures


@computes("rica", "joint set")
def joint_set(files: PublishedFiles) -> Results:
    """Both test sets together."""
    n = len(_split(files, "test")) + len(_curated(files))
    return {"statements": Computed(n, "data", n)}


@computes("rica", "entities")
def novel_entities(files: PublishedFiles) -> Results:
    """Lengths of the names in all released statements."""
    items = [item for file in _SPLITS.values() for item in _split(files, file)]
    items += _curated(files)
    names = {name for item in items for name in entities(fill_blank(item.text, item.options[0]))} - _NO_NAMES
    shortest, longest = min(names, key=len), max(names, key=len)
    return {
        "shortest": Computed(len(shortest), "data", len(names), reason=f"such as {shortest}"),
        "longest": Computed(len(longest), "data", len(names), reason=f"such as {longest}"),
    }


# What follows from other rows.


@computes("rica", "joint")
def joint(files: PublishedFiles) -> Results:
    """Accuracy on both sets together, from that on each and the sizes of the sets."""
    figures: dict[str, Computed] = {}
    for model, cells in figures_at("rica", _RESULTS).items():
        for column, figure in cells.items():
            setting, _, which = column.partition(" / ")
            if which != "joint":
                continue
            ends = [cells[f"{setting} / easy"], cells[f"{setting} / hard"]]
            low, high = weighted_range([each.cell for each in ends], SIZES)
            value = sum(each.number * size for each, size in zip(ends, SIZES, strict=True)) / sum(SIZES)
            share = (figure.number - ends[1].number) / (ends[0].number - ends[1].number)
            between = 0 <= share <= 1
            reason = "the mean of both sets, weighted by their sizes"
            if not between:
                reason += "; the printed one does not lie between those of the sets"
                reason += ", which newly made weights for each would explain" if setting == "zero-shot" else ""
            elif setting == "100k":
                other = sum(each.number * size for each, size in zip(ends, _WHOLE, strict=True)) / sum(_WHOLE)
                reason += (
                    f"; with all {_WHOLE[0]:,} human-verified statements instead of the test split it is {other:.2f}"
                )
            elif abs(value - figure.number) > _FAR:
                reason += f"; printed as if {share:.0%} were of the easy set, which has {SIZES[0] / sum(SIZES):.0%}"
            figures[f"{model} | {setting}"] = Computed(
                value, "the paper's own rows", sum(SIZES), low, high, reason=reason
            )
    return figures


@computes("rica", "strategies")
def strategies(files: PublishedFiles) -> Results:
    """Axioms of all crawling strategies (table 4)."""
    counts = [f.number for f in read_ledger("rica") if (f.place, f.column) == ("table 4", "axioms")]
    return {"axioms": Computed(sum(counts), "the paper's own rows", len(counts))}


@computes("rica", "zero-shot")
def zero_shot(files: PublishedFiles) -> Results:
    """What models get without training, on average over models and sets."""
    values = [
        figure.number / 100
        for cells in figures_at("rica", _RESULTS).values()
        for column, figure in cells.items()
        if column in ("zero-shot / easy", "zero-shot / hard")
    ]
    return {"mean": Computed(sum(values) / len(values), "the paper's own rows", len(values))}


@computes("rica", "high-resource")
def high_resource(files: PublishedFiles) -> Results:
    """The best accuracy on the human-verified set with all of the training data."""
    values = [
        figure.number
        for model in ("RoBERTa-base", "RoBERTa-large", "ERNIE")
        for column, figure in figures_at("rica", _RESULTS)[model].items()
        if "entit" in column and column.endswith("easy")
    ]
    return {"best": Computed(max(values), "the paper's own rows", len(values))}


@computes("rica", "trained")
def trained(files: PublishedFiles) -> Results:
    """The mean accuracy on the human-curated set over all models and training settings."""
    values = [
        figure.number
        for cells in figures_at("rica", _RESULTS).values()
        for column, figure in cells.items()
        if column.endswith("hard") and not column.startswith("zero-shot")
    ]
    reason = f"{min(values)} to {max(values)}"
    return {
        "mean on the curated set": Computed(
            sum(values) / len(values), "the paper's own rows", len(values), reason=reason
        )
    }


@computes("rica", "perplexity")
def perplexity(files: PublishedFiles) -> Results:
    """The perplexity is e to the loss."""
    figures = {}
    for model in ("RoBERTa-base", "RoBERTa-large"):
        loss = printed("rica", "appendix B", model, "evaluation loss at best epoch")
        value = math.exp(loss)
        reason = "e to the printed loss; single precision has seven digits"
        figures[model] = Computed(
            value, "the paper's own rows", None, value * (1 - _SINGLE), value * (1 + _SINGLE), reason=reason
        )
    return figures


@computes("rica", "arithmetic")
def arithmetic(files: PublishedFiles) -> Results:
    """Shares and pay that follow from other printed numbers."""
    of = by_name("rica")
    check = "section 3.2 | raw set quality check | "
    issues, checked = (of[check + name].number for name in ("probes with grammar or fluency issues", "probes checked"))
    share, size = (of[check + name].number for name in ("share of 10k set sampled", "size of the set sampled from"))
    pay, seconds = (
        of[f"appendix A.2 | turking | {name}"].number for name in ("pay per instance", "time per instance (around)")
    )
    return {
        "language issues": Computed(issues / checked * 100, "the paper's own rows", int(checked)),
        "five per cent of 10k": Computed(share / 100 * size, "the paper's own rows"),
        "pay an hour": Computed(pay * 3600 / seconds, "the paper's own rows"),
    }
