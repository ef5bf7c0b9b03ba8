"""Inference steps of CATs: the rule beside two readers who counted without it, 100 items a set (docs/results/cats.md).

Run: python bench/steps.py                          agreement, from docs/results/readings/cats-steps.tsv
     python bench/steps.py draw RELEASE OUT         draws the items: OUT/for-reader/SET.txt, and OUT/key.tsv
     python bench/steps.py keep OUT READER READER   the readers' counts beside the rule's, into docs/results/readings
A reader's folder has files of lines `id<TAB>count`. What is kept has our ids and counts; texts stay with the release.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Sequence
from pathlib import Path

from horsesense.methods.cats.step_accuracy import steps_of
from horsesense.methods.published import read_files
from horsesense.stats import Estimate, accuracy
from horsesense.stats.ordinal import quadratic_kappa

SETS = ("sm", "swag", "hella_swag", "wsc", "ca", "smr", "arct_1", "arct_2")
EACH, SEED = 100, 20261116
KEPT = Path(__file__).parent.parent / "docs" / "results" / "readings" / "cats-steps.tsv"
COLUMNS = ("number", "set", "item", "rule", "reader1", "reader2")

TOLD = """\
# Count the logical operations
Each text below is a sentence, or a few. Write it for yourself as a logic chain: the statements that it makes, joined by
operations (and, or, if … then, therefore, not). Then count the operations that the chain needs to be followed from
beginning to end. That is the number of inference steps. A text that makes one statement only takes one step.

Example: "The shop was shut and its owner had gone home, but since we still had a key, we could get in."
    (the shop was shut AND its owner had gone home) AND we had a key THEREFORE we could get in
    Three operations: 3.

Count what the text says, not what somebody would have to know beside it. Count each text by itself; do not look for
rules that would give the counts. Some texts were joined by a program: take rough English as it is meant.
Answer with one line a text, the id, a tab and a whole number from 1: s001<TAB>3
"""


def draw(release: Path, out: Path) -> None:
    """A hundred items of each set by seed, for readers; the key has our ids and no counts."""
    (out / "for-reader").mkdir(parents=True, exist_ok=True)
    key, number = [], 0
    for name in SETS:
        found = sorted(release.rglob(f"{name}.txt*"))
        if not found:
            sys.exit(f"{name}.txt is not in {release}: give the folder of the release")
        items = sorted(read_files("cats", found[:1]).items, key=lambda item: item.id)
        lines = []
        for item in random.Random(f"{SEED} {name}").sample(items, EACH):
            assert item.answer is not None
            number += 1
            lines.append(f"s{number:03}\t{item.options[item.answer]}")
            key.append((f"s{number:03}", name, item.id, f"{steps_of(item):g}"))
        (out / "for-reader" / f"{name}.txt").write_text(TOLD + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    _write(out / "key.tsv", COLUMNS[:4], key)


def keep(out: Path, readers: Sequence[Path]) -> None:
    """The counts of two readers beside the rule's."""
    counts = [_counts(folder) for folder in readers]
    with (out / "key.tsv").open(encoding="utf-8") as file:
        rows = [
            (*row.values(), *(str(each[row["number"]]) for each in counts))
            for row in csv.DictReader(file, delimiter="\t")
        ]
    _write(KEPT, COLUMNS, rows)


def _counts(folder: Path) -> dict[str, int]:
    lines = (line for file in sorted(folder.iterdir()) for line in file.read_text(encoding="utf-8").splitlines())
    return {line.split("\t")[0]: int(line.split("\t")[1]) for line in lines if line.startswith("s") and "\t" in line}


def _write(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in (columns, *rows)), encoding="utf-8")


def agreement() -> str:
    """A row a set and one for all: means, and how far readers agree with each other and with the rule."""
    if not KEPT.exists():
        return f"{KEPT.name} is not there: draw, have two people count, then keep"
    with KEPT.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    lines = [
        "| set | n | mean: rule, readers | readers equal | kappa | rule equal to a reader | kappa |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in (*SETS, "all"):
        of = [row for row in rows if name in (row["set"], "all")]
        rule, one, other = ([int(row[column]) for row in of] for column in COLUMNS[3:])
        means = ", ".join(f"{sum(counts) / len(of):.2f}" for counts in (rule, one, other))
        # Each item stands twice beside the rule, once a reader, and is one unit.
        cells = (*_agree(one, other, 1), *_agree(rule * 2, one + other, 2))
        lines.append(f"| `{name}` | {len(of)} | {means} | {' | '.join(cells)} |".replace("`all`", "all"))
    return "\n".join(lines)


def _agree(gold: Sequence[int], said: Sequence[int], times: int) -> tuple[str, str]:
    units = [str(place) for place in range(len(gold) // times)] * times
    equal = accuracy([float(a == b) for a, b in zip(gold, said, strict=True)], units)
    most = max(*gold, *said)
    return _told(equal), _told(quadratic_kappa([g - 1 for g in gold], [(s - 1,) for s in said], most, units))


def _told(e: Estimate) -> str:
    return f"{e.value:.2f} ({e.low:.2f} to {e.high:.2f})" if e.value == e.value else "none: no spread"


def main(words: Sequence[str]) -> None:
    match words:
        case []:
            print(agreement())
        case ["draw", release, out]:
            draw(Path(release), Path(out))
        case ["keep", out, one, other]:
            keep(Path(out), (Path(one), Path(other)))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
