"""CATs: what its files alone give (sets, options, pairs), and averages that follow from the rows of table 3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from horsesense.core import Item
from horsesense.methods.cats.dataset import read_cats, read_cats_robust
from horsesense.methods.cats.suite import SETS
from horsesense.methods.ledger import Figure, figures_at, read_ledger
from horsesense.replication.computing import PublishedFiles, Results, computes
from horsesense.replication.consistency import CATS_SIZES, follows, is_count, mean_range
from horsesense.replication.verdicts import Computed, is_cut, is_rounded
from horsesense.stats import chance

_ABILITY, _ROBUST = "commonsense_ability_test", "Robust_commonsense_test"
_AVERAGE = "Average"


@computes("cats", "sets")
def sets(files: PublishedFiles) -> Results:
    """Instances of each dataset, their options, and chance."""
    figures: dict[str, Computed] = {}
    for name in SETS["cats"]:
        items = read_cats([files.path(f"{_ABILITY}/{name}.txt")]).items
        n = len(items)
        figures[name] = Computed(n, "data", n, reason=_sizes(name, n))
        figures[f"guessing {name}"] = Computed(chance([len(item.options) for item in items]), "data", n)
        (options,) = {len(item.options) for item in items}
        figures[f"options {name}"] = Computed(options, "data", n)
        figures[f"right options {name}"] = Computed(1, "data", n)
        figures[f"wrong options {name}"] = Computed(options - 1, "data", n)
        if name == "sm":
            figures["words that differ sm"] = _differing(items)
    return figures


def _sizes(name: str, released: int) -> str:
    """Which of two sizes the printed accuracies are whole counts of."""
    column = {"ca": "CA", "wsc": "WSC"}.get(name)
    reason = None if column is None else CATS_SIZES[column][0]
    if column is None or reason is None:
        return ""
    cells = [f for f in read_ledger("cats") if (f.place, f.column, f.kind) == ("table 3", column, "asked")]
    counts = {n: sum(is_count(cell.cell, n) for cell in cells) for n in (reason, released)}
    fit = f"are whole counts of {released}, {counts[reason]} of {reason}"
    return f"{counts[released]} of the {len(cells)} accuracies in table 3 {fit}"


def _differing(items: Sequence[Item]) -> Computed:
    """In how many words the two statements of an instance usually differ."""
    counts = Counter(_words_apart(*item.options) for item in items)
    usual, often = counts.most_common(1)[0]
    return Computed(usual, "data", len(items), reason=f"so in {often:,} of {len(items):,} instances")


def _words_apart(one: str, other: str) -> int:
    """Words in which two statements differ; the larger number where one has more of them."""
    a, b = Counter(one.lower().split()), Counter(other.lower().split())
    return max((a - b).total(), (b - a).total())


@computes("cats", "pairs")
def pairs(files: PublishedFiles) -> Results:
    """Pairs of each robust set, and how often guessing is consistent."""
    figures: dict[str, Computed] = {}
    counts = {}
    for name in SETS["cats-robust"]:
        items = read_cats_robust([files.path(f"{_ROBUST}/{name}.txt")]).items
        counts[name] = len({item.family for item in items})
        guess = chance([len(item.options) for item in items])
        figures[f"guessing {name}"] = Computed(guess**2 + (1 - guess) ** 2, "data", counts[name])
    reason = ", ".join(f"{name} {count}" for name, count in counts.items())
    reason = f"the published files have {reason}"
    figures["a method"] = Computed(max(counts.values()), "data", sum(counts.values()), reason=reason)
    return figures


@computes("cats", "averages")
def averages(files: PublishedFiles) -> Results:
    """The mean of each row of table 3; where it is not the printed one, whether the mean without one set is."""
    computed = {}
    for row, table in figures_at("cats", "table 3").items():
        figures = {column: figure for column, figure in table.items() if column != _AVERAGE}
        average, cells = table[_AVERAGE], [figure.cell for figure in figures.values()]
        low, high = mean_range(cells)
        mean = sum(value for value, _ in cells) / len(cells)
        reason = f"the mean of its {len(cells)} printed figures"
        if not follows(low, high, average.cell):
            reason += _without_one(figures, average)
        computed[row] = Computed(mean, "the paper's own rows", len(cells), low, high, reason=reason)
    return computed


def _without_one(figures: Mapping[str, Figure], average: Figure) -> str:
    """The sets without which the mean would be the printed one."""
    means = {
        left_out: sum(each.number for name, each in figures.items() if name != left_out) / (len(figures) - 1)
        for left_out in figures
    }
    fitting = [name for name, mean in means.items() if is_rounded(*average.cell, mean) or is_cut(*average.cell, mean)]
    return f"; without {' or '.join(fitting)} it would be {means[fitting[0]]:.4f}" if fitting else ""


@computes("cats", "range")
def ranges(files: PublishedFiles) -> Results:
    """The lowest and the highest accuracy of a model on WSC."""
    table = figures_at("cats", "table 3")
    values = [cells["WSC"].number for row, cells in table.items() if row not in ("RANDOM", "HUMAN")]
    return {
        "lowest WSC": Computed(min(values), "the paper's own rows", len(values)),
        "highest WSC": Computed(max(values), "the paper's own rows", len(values)),
    }
