"""Consistency of the figures of a paper: rules that need neither data nor a model, and which apply to which paper.

Printed figures are rounded, so each stands for a small interval; a rule reports a problem only if no figures within
their intervals would fit. Figures may also be truncated instead of rounded, which is not a problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from horsesense.methods.ledger import BETWEEN, Figure, by_name, figures_at

Printed = tuple[float, float]
"""A figure and one unit of its last digit."""
_ROUND = 1e-9


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """Figures of a paper that contradict each other."""

    paper: str
    """The paper."""
    check: str
    """The rule."""
    place: str
    """Table or section."""
    problem: str
    """The contradiction."""


def mean_range(cells: Sequence[Printed]) -> tuple[float, float]:
    """Return the range of the mean of printed figures, which may be rounded or truncated.

    >>> [round(end, 4) for end in mean_range([(0.5, 0.001), (0.7, 0.001)])]
    [0.5995, 0.601]
    """
    low = math.fsum(value - step / 2 for value, step in cells) / len(cells)
    high = math.fsum(value + step for value, step in cells) / len(cells)
    return low, high


def follows(low: float, high: float, printed: Printed) -> bool:
    """Whether a printed figure is consistent with a range, rounded or truncated.

    >>> follows(0.5995, 0.601, (0.6, 0.001)), follows(0.5995, 0.601, (0.605, 0.001))
    (True, False)
    """
    value, step = printed
    return low - step - _ROUND <= value <= high + step / 2 + _ROUND


def average_follows(cells: Sequence[Printed], average: Printed) -> bool:
    """Whether a printed average is consistent with its row.

    >>> average_follows([(0.5, 0.1), (0.6, 0.1)], (0.55, 0.01)), average_follows([(0.5, 0.01)] * 2, (0.53, 0.01))
    (True, False)
    """
    return follows(*mean_range(cells), average)


def sum_follows(parts: Sequence[Printed], total: Printed) -> bool:
    """Whether printed parts add up to their printed total.

    >>> sum_follows([(331, 1), (780, 1), (825, 1), (54, 1)], (1990, 1))
    True
    >>> sum_follows([(54.5, 0.1), (28.4, 0.1), (16.9, 0.1)], (100, 0)), sum_follows([(50, 0.1), (40, 0.1)], (100, 0))
    (True, False)
    """
    whole = all(float(value).is_integer() and step == 1 for value, step in parts)
    low = math.fsum(value if whole else value - step / 2 for value, step in parts)
    high = math.fsum(value if whole else value + step for value, step in parts)
    return follows(low, high, total)


def difference_follows(one: Printed, other: Printed, difference: Printed) -> bool:
    """Whether a printed difference is consistent with its two figures.

    >>> difference_follows((14.7, 0.1), (26.8, 0.1), (-12.0, 0.1))
    True
    >>> difference_follows((34.0, 0.1), (79.8, 0.1), (-45.4, 0.1))
    False
    """
    exact = one[0] - other[0]
    slack = (one[1] + other[1] + difference[1]) / 2
    return abs(exact - difference[0]) <= slack + _ROUND


def is_count(share: Printed, n: int) -> bool:
    """Whether some number of n items gives a printed share, rounded or truncated.

    Only for shares of single items: ties that count in part and means over seeds are not whole numbers.

    >>> is_count((0.787, 0.001), 183), is_count((0.787, 0.001), 189)
    (True, False)
    """
    value, step = share
    nearest = range(max(0, math.floor((value - step) * n)), min(n, math.ceil((value + step) * n)) + 1)
    return any(-step / 2 - _ROUND <= right / n - value < step - _ROUND for right in nearest)


def lies_between(value: Printed, ends: Sequence[Printed]) -> bool:
    """Return whether a figure for several sets together is between those of each set.

    >>> lies_between((49.56, 0.01), [(49.32, 0.01), (49.7, 0.01)]), lies_between((55.3, 0.1), [(53.6, 0.1), (49, 0.1)])
    (True, False)
    """
    low = min(number - step / 2 for number, step in ends)
    high = max(number + step for number, step in ends)
    return follows(low, high, value)


def weighted_range(cells: Sequence[Printed], sizes: Sequence[int]) -> tuple[float, float]:
    """Return the range of a figure for several sets together, from those of each set and their sizes.

    >>> [round(end, 2) for end in weighted_range([(49.32, 0.01), (49.7, 0.01)], [1005, 1600])]
    [49.55, 49.56]
    """
    total = sum(sizes)
    low = math.fsum((value - step / 2) * size for (value, step), size in zip(cells, sizes, strict=True)) / total
    high = math.fsum((value + step / 2) * size for (value, step), size in zip(cells, sizes, strict=True)) / total
    return low, high


def exchanged(printed: Mapping[str, float], computed: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    """Return pairs of names whose printed figures are exchanged.

    >>> exchanged({"parts": 728, "wholes": 873, "adjectives": 553}, {"parts": 873, "wholes": 728, "adjectives": 553})
    (('parts', 'wholes'),)
    """
    both = [name for name in printed if name in computed]
    return tuple(
        (one, other)
        for one, other in combinations(both, 2)
        if printed[one] != printed[other] and (printed[one], printed[other]) == (computed[other], computed[one])
    )


def contradictions(numbers: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    """Return pairs of places with different numbers for one thing.

    >>> contradictions({"introduction": 5, "section 3": 6, "conclusion": 5})
    (('introduction', 'section 3'), ('section 3', 'conclusion'))
    """
    return tuple((one, other) for one, other in combinations(numbers, 2) if numbers[one] != numbers[other])


# The rules of each paper.

CATS_SIZES: Mapping[str, tuple[int | None, int]] = {"CA": (189, 183), "WSC": (273, 283), "ARCT1": (None, 444)}
"""Instances in the paper's text, and lines of the published files; larger sets allow nearly every figure."""
_INTERSECTIONS = (94, 229)
_Checked = Iterator[tuple[int, str]]
"""Number of figures checked, and what is inconsistent; empty if nothing is."""
_Check = Callable[[], _Checked]
_CHECKS: list[tuple[str, str, str, _Check]] = []
"""Paper, rule, place and function of each check."""


def _checks(paper: str, rule: str, place: str) -> Callable[[_Check], _Check]:
    """Register a check of a paper's figures."""

    def register(check: _Check) -> _Check:
        _CHECKS.append((paper, rule, place, check))
        return check

    return register


def check_consistency(paper: str) -> tuple[int, tuple[Inconsistency, ...]]:
    """Check the figures of a paper against each other; return the number checked, and what is inconsistent."""
    checked, problems = 0, []
    for own, rule, place, check in _CHECKS:
        for count, problem in check() if own == paper else ():
            checked += count
            problems += [Inconsistency(paper, rule, place, problem)] if problem else []
    return checked, tuple(problems)


def _at(paper: str, *name: str) -> Printed:
    return by_name(paper)[BETWEEN.join(name)].cell


def _cells(figures: Iterable[Figure]) -> list[Printed]:
    return [figure.cell for figure in figures]


# CATs.


@_checks("cats", "average", "table 3")
def _cats_averages() -> _Checked:
    for row, cells in figures_at("cats", "table 3").items():
        average = cells["Average"]
        others = [figure for column, figure in cells.items() if column != "Average"]
        mean = sum(figure.number for figure in others) / len(others)
        problem = f"the average of {row} is printed as {average.value}; its eight figures give {mean:.3f}"
        yield 1, "" if average_follows(_cells(others), average.cell) else problem


@_checks("cats", "whole counts", "table 3")
def _cats_counts() -> _Checked:
    """The scripts give a tie to the first option, so every accuracy is a whole count."""
    table = figures_at("cats", "table 3")
    for column, (reported, published) in CATS_SIZES.items():
        cells = {name: row[column] for name, row in table.items() if name not in ("RANDOM", "HUMAN")}
        for size, whose in ((reported, "in the text"), (published, "that were published")):
            if size:
                odd = [f"{name} {cell.value}" for name, cell in cells.items() if not is_count(cell.cell, size)]
                problem = f"{column}: no whole number of the {size} instances {whose} gives {', '.join(odd)}"
                yield len(cells), problem if odd else ""


@_checks("cats", "reported twice", "section Pre-trained Models")
def _cats_models() -> _Checked:
    models = {
        place: _at("cats", place, "models", column)[0]
        for place, column in (
            ("introduction", "contextualized embedding models"),
            ("section Pre-trained Models", "contextualized representation models"),
        )
    }
    problem = f"the introduction mentions {models['introduction']:.0f} models, the section on them six"
    yield len(models), problem if contradictions(models) else ""


# RICA.


@_checks("rica", "between", "appendix, last tables")
def _rica_joint() -> _Checked:
    for model, cells in figures_at("rica", "appendix, last tables").items():
        for column, joint in cells.items():
            setting, _, which = column.partition(" / ")
            if which == "joint":
                ends = _cells([cells[f"{setting} / easy"], cells[f"{setting} / hard"]])
                problem = (
                    f"{model}, {setting}: {joint.value} on both sets together does not lie between "
                    f"{ends[0][0]:g} and {ends[1][0]:g} on each"
                )
                yield 1, "" if lies_between(joint.cell, ends) else problem


@_checks("rica", "sum", "table 4")
def _rica_strategies() -> _Checked:
    counts = [cells["axioms"].cell for cells in figures_at("rica", "table 4").values() if "axioms" in cells]
    total = _at("rica", "section 1", "raw set", "axioms captured")
    problem = f"the axioms of the strategies add up to {sum(n for n, _ in counts):,.0f}, not {total[0]:,.0f}"
    yield len(counts), "" if sum_follows(counts, total) else problem


# WinoVenti.


@_checks("winoventi", "whole counts", "table 6")
def _winoventi_counts() -> _Checked:
    for model, cells in figures_at("winoventi", "table 6").items():
        for subset in ("all", "individual", "intersection"):
            shares = [cells[f"{subset} {test}"] for test in ("generic", "exception") if f"{subset} {test}" in cells]
            if not shares or model == "Human performance":
                continue
            sizes = {"all": 2176, "individual": int(cells["individual N"].number), "intersection": _INTERSECTIONS[0]}
            n, fractions = sizes[subset], [(figure.number / 100, figure.step / 100) for figure in shares]
            all_of_other = subset == "intersection" and all(is_count(each, 229) for each in fractions)
            problem = (
                f"{model}, {subset}: {' and '.join(figure.value for figure in shares)} per cent are not both whole "
                f"counts of {n}{' (both are of 229)' if all_of_other else ''}"
            )
            yield len(shares), "" if all(is_count(each, n) for each in fractions) else problem


@_checks("winoventi", "sum", "section 2.3")
def _winoventi_sums() -> _Checked:
    pairs = "entity-bias pairs presented to workers"
    parts = [_at("winoventi", "section 2.3", pairs, f"{k}-associative biases") for k in (1, 3, 5, 8)]
    total = _at("winoventi", "section 2.3", "entity-association pairs", "left after perplexity selection")
    yield len(parts), "" if sum_follows(parts, total) else "the pairs by k do not add up to all pairs"


@_checks("winoventi", "reported twice", "section 2.6")
def _winoventi_premises() -> _Checked:
    posted = _at("winoventi", "section 2.6", "validation", "prompt pairs posted")
    collected = _at("winoventi", "section 2.5", "premises", "premise pairs collected")
    problem = f"{collected[0]:.0f} premise pairs were collected and {posted[0]:.0f} posted; the text does not say why"
    yield 2, "" if posted == collected else problem


@_checks("winoventi", "average", "section 2.2")
def _winoventi_jaccard() -> _Checked:
    cells = figures_at("winoventi", "table 4")["BERT-base"].values()
    mean = _at("winoventi", "section 2.2", "BERT-base and BERT-large", "mean Jaccard of generic associations")
    problem = f"a mean of {mean[0]} is reported; the row has {', '.join(figure.value for figure in cells)}"
    yield 1, "" if average_follows(_cells(cells), mean) else problem


@_checks("winoventi", "reported twice", "section 2.2")
def _winoventi_nearest() -> _Checked:
    table = figures_at("winoventi", "table 4")
    others = {row: cells["k=1"].number for row, cells in table.items() if row not in ("BERT-base", "BERT-large")}
    higher = [row for row, value in others.items() if value > table["BERT-base"]["k=1"].number]
    problem = f"BERT-base is called most like BERT-large; at k = 1 {' and '.join(higher)} are more alike"
    yield len(others), problem if higher else ""


# Part-whole.


@_checks("partwhole", "sum", "table 2")
def _partwhole_labels() -> _Checked:
    labels = [cells["Percentage"].cell for cells in figures_at("partwhole", "table 2").values()]
    yield len(labels), "" if sum_follows(labels, (100.0, 0.0)) else "the labels do not add up to 100 per cent"


@_checks("partwhole", "share", "section 4.3")
def _partwhole_invalid() -> _Checked:
    columns = ("filtered out as invalid", "filtered out as invalid, share", "annotated in total")
    invalid, share, total = (_at("partwhole", "section 4.3", "triples", column) for column in columns)
    whole = is_count((share[0] / 100, share[1] / 100), int(total[0]))
    fits = whole and abs(invalid[0] / total[0] * 100 - share[0]) < 0.1
    yield 1, "" if fits else f"{invalid[0]:.0f} of {total[0]:.0f} is not {share[0]} per cent"


# WordNetQA.


@_checks("wordnetqa", "difference", "table 8")
def _wordnetqa_differences() -> _Checked:
    strict, table = figures_at("wordnetqa", "table 8"), figures_at("wordnetqa", "table 7")
    for row, accuracy_row in STRICT_ROWS.items():
        for column, figure in strict[row].items():
            name, _, which = column.partition(" / ")
            if which == "difference":
                one, other = strict[row][f"{name} / strict"].cell, table[accuracy_row[name]][f"{name} / dev"].cell
                problem = (
                    f"{row}, {name}: {one[0]} strict and {other[0]} in table 7 are {one[0] - other[0]:.1f} "
                    f"apart, not {figure.value}"
                )
                yield 1, "" if difference_follows(one, other, figure.cell) else problem


_SETS = ("definitions", "synonymy", "hypernymy", "hyponymy")


def _best_choice_only() -> dict[str, str]:
    """Return, for each set, the choice-only model that table 8 must mean: the best on the development set."""
    table = figures_at("wordnetqa", "table 7")
    rows = [row for row in table if row.startswith("group 1 / Choice-Only")]
    differences = figures_at("wordnetqa", "table 8")["Choice-Only"]

    def off(name: str, row: str) -> float:
        printed = differences[f"{name} / strict"].number - differences[f"{name} / difference"].number
        return abs(table[row][f"{name} / dev"].number - printed)

    return {name: min(rows, key=partial(off, name)) for name in _SETS}


STRICT_ROWS = {
    "Choice-Only": _best_choice_only(),
    "ESIM": dict.fromkeys(_SETS, "group 4 / ESIM-GloVe"),
    "BERT": dict.fromkeys(_SETS, "group 4 / BERT"),
    "RoBERTa": dict.fromkeys(_SETS, "group 4 / RoBERTa"),
}
"""Rows of table 8, and by set the row of table 7 that they are compared with."""


@_checks("wordnetqa", "sum", "table 6")
def _wordnetqa_sums() -> _Checked:
    rows = figures_at("wordnetqa", "table 6")
    counts = {name: next(f for column, f in cells.items() if column != "N") for name, cells in rows.items()}
    total = next(figure for name, figure in counts.items() if name.startswith("Science Collection"))
    parts = [figure.cell for figure in counts.values() if figure is not total]
    yield len(parts), "" if sum_follows(parts, total.cell) else "the science sets do not add up to their total"


@_checks("wordnetqa", "name", "section 5.1")
def _wordnetqa_names() -> _Checked:
    """The text mentions a row that the table does not have."""
    missing = ("Choice-to-Choice-BERT", "Choice-to-Choice-RoBERTa")
    there = any(row.endswith(missing) for row in figures_at("wordnetqa", "table 7"))
    problem = (
        "section 5.1 reports Choice-to-Choice-BERT and -RoBERTa over 60; the table has such figures of Choice-Only"
    )
    yield 1, "" if there else problem
