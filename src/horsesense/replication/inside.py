"""Which rules are looked at in which paper, and what does not fit there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from horsesense.methods.ledger import BETWEEN, Figure, by_name, read_ledger
from horsesense.replication.checks import (
    Fault,
    Printed,
    average_follows,
    difference_follows,
    is_count,
    lies_between,
    sum_follows,
    told_apart,
)

CATS_SIZES: Mapping[str, tuple[int | None, int]] = {"CA": (189, 183), "WSC": (273, 283), "ARCT1": (None, 444)}
"""Instances that the paper's text tells, and lines of the release; larger sets give nearly every figure."""
_INTERSECTIONS = (94, 229)
_Found = Iterator[tuple[int, Fault | None]]
"""How many figures a rule looked at, and what does not fit."""


@dataclass(frozen=True, slots=True)
class Inside:
    """What was found inside a paper."""

    looked_at: int
    """Figures that a rule could be held against."""
    faults: tuple[Fault, ...]


def look_inside(paper: str) -> Inside:
    """Hold all rules against a paper's figures."""
    looked = [found for check in _CHECKS[paper] for found in check()]
    return Inside(sum(count for count, _ in looked), tuple(fault for _, fault in looked if fault is not None))


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


def _cats_averages() -> _Found:
    for row, cells in _rows("cats", "table 3").items():
        average = cells["Average"]
        others = [figure for column, figure in cells.items() if column != "Average"]
        fits = average_follows(_pairs(others), (average.number, average.step))
        mean = sum(figure.number for figure in others) / len(others)
        told = f"the average of {row} is printed as {average.value}; its eight figures give {mean:.3f}"
        yield 1, None if fits else Fault("cats", "average", "table 3", told)


def _cats_counts() -> _Found:
    """The scripts give a tie to the first option, so that every accuracy is a whole count."""
    table = _rows("cats", "table 3")
    for column, (told, released) in CATS_SIZES.items():
        cells = {name: row[column] for name, row in table.items() if name not in ("RANDOM", "HUMAN")}
        sizes = [(told, "that the text tells")] if told else []
        for size, whose in (*sizes, (released, "that were released")):
            odd = [
                f"{name} {cell.value}" for name, cell in cells.items() if not is_count((cell.number, cell.step), size)
            ]
            sentence = f"{column}: no whole number of the {size} instances {whose} gives {', '.join(odd)}"
            yield len(cells), Fault("cats", "whole counts", "table 3", sentence) if odd else None


def _cats_told() -> _Found:
    models = {
        place: _at("cats", place, row, column)[0]
        for place, row, column in (
            ("introduction", "models", "contextualized embedding models"),
            ("section Pre-trained Models", "models", "contextualized representation models"),
        )
    }
    apart = told_apart(models)
    sentence = f"the introduction tells of {models['introduction']:.0f} models, the section on them of six"
    yield len(models), Fault("cats", "told twice", "section Pre-trained Models", sentence) if apart else None


# RICA.


def _rica_joint() -> _Found:
    for model, cells in _rows("rica", "appendix, last tables").items():
        for column, joint in cells.items():
            setting, _, which = column.partition(" / ")
            if which != "joint":
                continue
            ends = _pairs([cells[f"{setting} / easy"], cells[f"{setting} / hard"]])
            fits = lies_between((joint.number, joint.step), ends)
            told = (
                f"{model}, {setting}: {joint.value} on both sets together does not lie between "
                f"{ends[0][0]:g} and {ends[1][0]:g} on each"
            )
            yield 1, None if fits else Fault("rica", "between", "appendix, last tables", told)


def _rica_strategies() -> _Found:
    counts = [figure for figure in read_ledger("rica") if figure.place == "table 4" and figure.column == "axioms"]
    total = _at("rica", "section 1", "raw set", "axioms captured")
    fits = sum_follows(_pairs(counts), total)
    told = f"the axioms of the strategies add up to {sum(f.number for f in counts):,.0f}, not {total[0]:,.0f}"
    yield len(counts), None if fits else Fault("rica", "sum", "table 4", told)


# WinoVenti.


def _winoventi_counts() -> _Found:
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
            told = (
                f"{model}, {subset}: {' and '.join(figure.value for figure in shares)} per cent are not both whole "
                f"counts of {n}{other}"
            )
            yield len(shares), None if fits else Fault("winoventi", "whole counts", "table 6", told)


def _winoventi_sums() -> _Found:
    pairs = "entity-bias pairs presented to workers"
    parts = [_at("winoventi", "section 2.3", pairs, f"{k}-associative biases") for k in (1, 3, 5, 8)]
    total = _at("winoventi", "section 2.3", "entity-association pairs", "left after perplexity selection")
    fault = Fault("winoventi", "sum", "section 2.3", "the pairs by k do not add up to all pairs")
    yield len(parts), None if sum_follows(parts, total) else fault
    posted = _at("winoventi", "section 2.6", "validation", "prompt pairs posted")
    collected = _at("winoventi", "section 2.5", "premises", "premise pairs collected")
    told = f"{collected[0]:.0f} premise pairs were collected and {posted[0]:.0f} posted; the text does not say why"
    yield 2, None if posted == collected else Fault("winoventi", "told twice", "section 2.6", told)


def _winoventi_jaccard() -> _Found:
    table = _rows("winoventi", "table 4")
    mean = _at("winoventi", "section 2.2", "BERT-base and BERT-large", "mean Jaccard of generic associations")
    cells = _pairs(list(table["BERT-base"].values()))
    told = (
        f"a mean of {mean[0]} is told; the row has {', '.join(figure.value for figure in table['BERT-base'].values())}"
    )
    fits = average_follows(cells, mean)
    yield 1, None if fits else Fault("winoventi", "average", "section 2.2", told)
    others = {row: cells["k=1"].number for row, cells in table.items() if row not in ("BERT-base", "BERT-large")}
    higher = [row for row, value in others.items() if value > table["BERT-base"]["k=1"].number]
    told = f"BERT-base is called most like BERT-large; at k = 1 {' and '.join(higher)} are more alike"
    yield len(others), Fault("winoventi", "told twice", "section 2.2", told) if higher else None


# Part-whole.


def _partwhole_sums() -> _Found:
    labels = _pairs([cells["Percentage"] for cells in _rows("partwhole", "table 2").values()])
    fault = Fault("partwhole", "sum", "table 2", "the labels do not add up to 100 per cent")
    yield len(labels), None if sum_follows(labels, (100.0, 0.0)) else fault
    invalid = _at("partwhole", "section 4.3", "triples", "filtered out as invalid")
    share = _at("partwhole", "section 4.3", "triples", "filtered out as invalid, share")
    total = _at("partwhole", "section 4.3", "triples", "annotated in total")
    fits = (
        is_count((share[0] / 100, share[1] / 100), int(total[0])) and abs(invalid[0] / total[0] * 100 - share[0]) < 0.1
    )
    fault = Fault("partwhole", "share", "section 4.3", f"{invalid[0]:.0f} of {total[0]:.0f} is not {share[0]} per cent")
    yield 1, None if fits else fault


# WordNetQA.


def _wordnetqa_differences() -> _Found:
    strict, table = _rows("wordnetqa", "table 8"), _rows("wordnetqa", "table 7")
    for row, accuracy_row in STRICT_ROWS.items():
        for column, figure in strict[row].items():
            name, _, which = column.partition(" / ")
            if which != "difference":
                continue
            ends = _pairs([strict[row][f"{name} / strict"], table[accuracy_row[name]][f"{name} / dev"]])
            fits = difference_follows(ends[0], ends[1], (figure.number, figure.step))
            told = (
                f"{row}, {name}: {ends[0][0]} strict and {ends[1][0]} in table 7 are {ends[0][0] - ends[1][0]:.1f} "
                f"apart, not {figure.value}"
            )
            yield 1, None if fits else Fault("wordnetqa", "difference", "table 8", told)


def _best_choice_only() -> dict[str, str]:
    """For each set the choice-only model that table 8 must mean: the best on the development set."""
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
"""Rows of table 8, and by set the row of table 7 that they are held against."""


def _wordnetqa_sums() -> _Found:
    rows = [(name, cells) for name, cells in _rows("wordnetqa", "table 6").items()]
    counts = {name: next(f for column, f in cells.items() if column != "N") for name, cells in rows}
    total = next(figure for name, figure in counts.items() if name.startswith("Science Collection"))
    parts = [figure for name, figure in counts.items() if not name.startswith("Science Collection")]
    fits = sum_follows(_pairs(parts), (total.number, total.step))
    fault = Fault("wordnetqa", "sum", "table 6", "the science sets do not add up to their total")
    yield len(parts), None if fits else fault


def _wordnetqa_names() -> _Found:
    """The text speaks of a row that the table does not have."""
    table = _rows("wordnetqa", "table 7")
    missing = [f"Choice-to-Choice-{model}" for model in ("BERT", "RoBERTa")]
    there = any(row.endswith(name) for row in table for name in missing)
    told = "section 5.1 tells of Choice-to-Choice-BERT and -RoBERTa over 60; the table has such figures of Choice-Only"
    yield 1, None if there else Fault("wordnetqa", "name", "section 5.1", told)


_CHECKS: Mapping[str, Sequence[Callable[[], _Found]]] = {
    "cats": (_cats_averages, _cats_counts, _cats_told),
    "rica": (_rica_joint, _rica_strategies),
    "winoventi": (_winoventi_counts, _winoventi_sums, _winoventi_jaccard),
    "partwhole": (_partwhole_sums,),
    "wordnetqa": (_wordnetqa_differences, _wordnetqa_sums, _wordnetqa_names),
}
