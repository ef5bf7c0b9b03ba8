"""Consistency of the figures of a paper: rules that need neither data nor a model, and which apply to which paper.

Printed figures are rounded, so each stands for a small interval; a rule reports a problem only if no figures within
their intervals would fit. Figures may also be truncated instead of rounded, which is not a problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from horsesense.methods.ledger import BETWEEN, Figure, by_name, read_ledger

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


def counts_of(shares: Sequence[Printed], n: int) -> int:
    """Count the printed shares that are whole numbers of n items.

    >>> counts_of([(0.787, 0.001), (0.83, 0.001)], 189)
    1
    """
    return sum(is_count(share, n) for share in shares)


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
_Checked = Iterator[tuple[int, Inconsistency | None]]
"""Number of figures checked, and the inconsistency found."""


@dataclass(frozen=True, slots=True)
class ConsistencyCheck:
    """The consistency of the figures of a paper."""

    checked: int
    """Number of figures checked."""
    inconsistencies: tuple[Inconsistency, ...]


def check_consistency(paper: str) -> ConsistencyCheck:
    """Check the figures of a paper against each other."""
    results = [result for check in _CHECKS[paper] for result in check()]
    inconsistencies = tuple(problem for _, problem in results if problem is not None)
    return ConsistencyCheck(sum(count for count, _ in results), inconsistencies)


def _at(paper: str, *name: str) -> Printed:
    figure = by_name(paper)[BETWEEN.join(name)]
    return figure.number, figure.step


def _rows(paper: str, place: str) -> Mapping[str, Mapping[str, Figure]]:
    table: dict[str, dict[str, Figure]] = {}
    for figure in read_ledger(paper):
        if figure.place == place:
            table.setdefault(figure.row, {})[figure.column] = figure
    return table


def _pairs(figures: Sequence[Figure]) -> list[Printed]:
    return [(figure.number, figure.step) for figure in figures]


# CATs.


def _cats_averages() -> _Checked:
    for row, cells in _rows("cats", "table 3").items():
        average = cells["Average"]
        others = [figure for column, figure in cells.items() if column != "Average"]
        fits = average_follows(_pairs(others), (average.number, average.step))
        mean = sum(figure.number for figure in others) / len(others)
        problem = f"the average of {row} is printed as {average.value}; its eight figures give {mean:.3f}"
        yield 1, None if fits else Inconsistency("cats", "average", "table 3", problem)


def _cats_counts() -> _Checked:
    """The scripts give a tie to the first option, so every accuracy is a whole count."""
    table = _rows("cats", "table 3")
    for column, (reported, published) in CATS_SIZES.items():
        cells = {name: row[column] for name, row in table.items() if name not in ("RANDOM", "HUMAN")}
        sizes = [(reported, "in the text")] if reported else []
        for size, whose in (*sizes, (published, "that were published")):
            odd = [
                f"{name} {cell.value}" for name, cell in cells.items() if not is_count((cell.number, cell.step), size)
            ]
            sentence = f"{column}: no whole number of the {size} instances {whose} gives {', '.join(odd)}"
            yield len(cells), Inconsistency("cats", "whole counts", "table 3", sentence) if odd else None


def _cats_models() -> _Checked:
    models = {
        place: _at("cats", place, row, column)[0]
        for place, row, column in (
            ("introduction", "models", "contextualized embedding models"),
            ("section Pre-trained Models", "models", "contextualized representation models"),
        )
    }
    apart = contradictions(models)
    sentence = f"the introduction mentions {models['introduction']:.0f} models, the section on them six"
    yield (
        len(models),
        Inconsistency("cats", "reported twice", "section Pre-trained Models", sentence) if apart else None,
    )


# RICA.


def _rica_joint() -> _Checked:
    for model, cells in _rows("rica", "appendix, last tables").items():
        for column, joint in cells.items():
            setting, _, which = column.partition(" / ")
            if which != "joint":
                continue
            ends = _pairs([cells[f"{setting} / easy"], cells[f"{setting} / hard"]])
            fits = lies_between((joint.number, joint.step), ends)
            problem = (
                f"{model}, {setting}: {joint.value} on both sets together does not lie between "
                f"{ends[0][0]:g} and {ends[1][0]:g} on each"
            )
            yield 1, None if fits else Inconsistency("rica", "between", "appendix, last tables", problem)


def _rica_strategies() -> _Checked:
    counts = [figure for figure in read_ledger("rica") if figure.place == "table 4" and figure.column == "axioms"]
    total = _at("rica", "section 1", "raw set", "axioms captured")
    fits = sum_follows(_pairs(counts), total)
    problem = f"the axioms of the strategies add up to {sum(f.number for f in counts):,.0f}, not {total[0]:,.0f}"
    yield len(counts), None if fits else Inconsistency("rica", "sum", "table 4", problem)


# WinoVenti.


def _winoventi_counts() -> _Checked:
    for model, cells in _rows("winoventi", "table 6").items():
        for subset in ("all", "individual", "intersection"):
            shares = [cells[f"{subset} {test}"] for test in ("generic", "exception") if f"{subset} {test}" in cells]
            if not shares or model == "Human performance":
                continue
            n = {"all": 2176, "individual": int(cells["individual N"].number), "intersection": _INTERSECTIONS[0]}[
                subset
            ]
            fractions = [(figure.number / 100, figure.step / 100) for figure in shares]
            fits = all(is_count(each, n) for each in fractions)
            other = (
                " (both are of 229)" if subset == "intersection" and all(is_count(e, 229) for e in fractions) else ""
            )
            problem = (
                f"{model}, {subset}: {' and '.join(figure.value for figure in shares)} per cent are not both whole "
                f"counts of {n}{other}"
            )
            yield len(shares), None if fits else Inconsistency("winoventi", "whole counts", "table 6", problem)


def _winoventi_sums() -> _Checked:
    pairs = "entity-bias pairs presented to workers"
    parts = [_at("winoventi", "section 2.3", pairs, f"{k}-associative biases") for k in (1, 3, 5, 8)]
    total = _at("winoventi", "section 2.3", "entity-association pairs", "left after perplexity selection")
    problem = Inconsistency("winoventi", "sum", "section 2.3", "the pairs by k do not add up to all pairs")
    yield len(parts), None if sum_follows(parts, total) else problem
    posted = _at("winoventi", "section 2.6", "validation", "prompt pairs posted")
    collected = _at("winoventi", "section 2.5", "premises", "premise pairs collected")
    text = f"{collected[0]:.0f} premise pairs were collected and {posted[0]:.0f} posted; the text does not say why"
    yield 2, None if posted == collected else Inconsistency("winoventi", "reported twice", "section 2.6", text)


def _winoventi_jaccard() -> _Checked:
    table = _rows("winoventi", "table 4")
    mean = _at("winoventi", "section 2.2", "BERT-base and BERT-large", "mean Jaccard of generic associations")
    cells = _pairs(list(table["BERT-base"].values()))
    values = ", ".join(figure.value for figure in table["BERT-base"].values())
    problem = f"a mean of {mean[0]} is reported; the row has {values}"
    fits = average_follows(cells, mean)
    yield 1, None if fits else Inconsistency("winoventi", "average", "section 2.2", problem)
    others = {row: cells["k=1"].number for row, cells in table.items() if row not in ("BERT-base", "BERT-large")}
    higher = [row for row, value in others.items() if value > table["BERT-base"]["k=1"].number]
    problem = f"BERT-base is called most like BERT-large; at k = 1 {' and '.join(higher)} are more alike"
    yield len(others), Inconsistency("winoventi", "reported twice", "section 2.2", problem) if higher else None


# Part-whole.


def _partwhole_sums() -> _Checked:
    labels = _pairs([cells["Percentage"] for cells in _rows("partwhole", "table 2").values()])
    problem = Inconsistency("partwhole", "sum", "table 2", "the labels do not add up to 100 per cent")
    yield len(labels), None if sum_follows(labels, (100.0, 0.0)) else problem
    invalid = _at("partwhole", "section 4.3", "triples", "filtered out as invalid")
    share = _at("partwhole", "section 4.3", "triples", "filtered out as invalid, share")
    total = _at("partwhole", "section 4.3", "triples", "annotated in total")
    fits = (
        is_count((share[0] / 100, share[1] / 100), int(total[0])) and abs(invalid[0] / total[0] * 100 - share[0]) < 0.1
    )
    problem = Inconsistency(
        "partwhole", "share", "section 4.3", f"{invalid[0]:.0f} of {total[0]:.0f} is not {share[0]} per cent"
    )
    yield 1, None if fits else problem


# WordNetQA.


def _wordnetqa_differences() -> _Checked:
    strict, table = _rows("wordnetqa", "table 8"), _rows("wordnetqa", "table 7")
    for row, accuracy_row in STRICT_ROWS.items():
        for column, figure in strict[row].items():
            name, _, which = column.partition(" / ")
            if which != "difference":
                continue
            ends = _pairs([strict[row][f"{name} / strict"], table[accuracy_row[name]][f"{name} / dev"]])
            fits = difference_follows(ends[0], ends[1], (figure.number, figure.step))
            problem = (
                f"{row}, {name}: {ends[0][0]} strict and {ends[1][0]} in table 7 are {ends[0][0] - ends[1][0]:.1f} "
                f"apart, not {figure.value}"
            )
            yield 1, None if fits else Inconsistency("wordnetqa", "difference", "table 8", problem)


def _best_choice_only() -> dict[str, str]:
    """Return, for each set, the choice-only model that table 8 must mean: the best on the development set."""
    table = _rows("wordnetqa", "table 7")
    rows = [row for row in table if row.startswith("group 1 / Choice-Only")]
    sets = ("definitions", "synonymy", "hypernymy", "hyponymy")
    differences = _rows("wordnetqa", "table 8")["Choice-Only"]

    def off(name: str, row: str) -> float:
        printed = differences[f"{name} / strict"].number - differences[f"{name} / difference"].number
        return abs(table[row][f"{name} / dev"].number - printed)

    return {name: min(rows, key=partial(off, name)) for name in sets}


def _same_row(row: str) -> dict[str, str]:
    return dict.fromkeys(("definitions", "synonymy", "hypernymy", "hyponymy"), row)


STRICT_ROWS = {
    "Choice-Only": _best_choice_only(),
    "ESIM": _same_row("group 4 / ESIM-GloVe"),
    "BERT": _same_row("group 4 / BERT"),
    "RoBERTa": _same_row("group 4 / RoBERTa"),
}
"""Rows of table 8, and by set the row of table 7 that they are compared with."""


def _wordnetqa_sums() -> _Checked:
    rows = [(name, cells) for name, cells in _rows("wordnetqa", "table 6").items()]
    counts = {name: next(f for column, f in cells.items() if column != "N") for name, cells in rows}
    total = next(figure for name, figure in counts.items() if name.startswith("Science Collection"))
    parts = [figure for name, figure in counts.items() if not name.startswith("Science Collection")]
    fits = sum_follows(_pairs(parts), (total.number, total.step))
    problem = Inconsistency("wordnetqa", "sum", "table 6", "the science sets do not add up to their total")
    yield len(parts), None if fits else problem


def _wordnetqa_names() -> _Checked:
    """The text mentions a row that the table does not have."""
    table = _rows("wordnetqa", "table 7")
    missing = [f"Choice-to-Choice-{model}" for model in ("BERT", "RoBERTa")]
    there = any(row.endswith(name) for row in table for name in missing)
    problem = (
        "section 5.1 reports Choice-to-Choice-BERT and -RoBERTa over 60; the table has such figures of Choice-Only"
    )
    yield 1, None if there else Inconsistency("wordnetqa", "name", "section 5.1", problem)


_CHECKS: Mapping[str, Sequence[Callable[[], _Checked]]] = {
    "cats": (_cats_averages, _cats_counts, _cats_models),
    "rica": (_rica_joint, _rica_strategies),
    "winoventi": (_winoventi_counts, _winoventi_sums, _winoventi_jaccard),
    "partwhole": (_partwhole_sums,),
    "wordnetqa": (_wordnetqa_differences, _wordnetqa_sums, _wordnetqa_names),
}
