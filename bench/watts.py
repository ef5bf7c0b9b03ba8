"""Where models and people find different statements hard (docs/results/items.md, "Where models differ from people").

    python bench/watts.py all_models.csv.gz

Statements with the same majority of people are compared, so that models that mostly say yes, or no, do not decide.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from horsesense.core import Item
from horsesense.methods.published.datasets.watts import watts_answers
from horsesense.methods.published.reading import Reading
from horsesense.stats import accuracy
from horsesense.stats.paired import holm
from horsesense.stats.resampling import cluster_covariance, codes_of

Floats = npt.NDArray[np.float64]
FEATURES = ("behavior", "everyday", "figure_of_speech", "judgment", "opinion", "reasoning")


def answered(path: Path, question: str) -> tuple[list[Item], Floats]:
    """The items of a question, and the mean agreement of the models with people on each."""
    own = [each for each in watts_answers(Reading(), [path]) if each[2] == question]
    items = [each[3] for each in own]
    right = [
        [float(chosen == item.answer) for chosen in each[4].values()] for each, item in zip(own, items, strict=True)
    ]
    return items, np.array(right)


def difference(
    values: Floats, group: npt.NDArray[np.bool_], key: npt.NDArray[np.int64], clusters: npt.NDArray[np.str_]
) -> tuple[float, float]:
    """Mean of a group minus that of the other statements with the same key, weighted by the group's keys."""
    residuals, total = np.zeros(len(values)), 0.0
    for side in (key == 0, key == 1):
        inside, outside = group & side, ~group & side
        weight = inside.sum() / group.sum()
        if not inside.any() or not outside.any():
            continue
        for part, sign in ((inside, 1), (outside, -1)):
            total += sign * weight * values[part].mean()
            residuals[part] += sign * weight * (values[part] - values[part].mean()) / part.sum()
    return total, float(cluster_covariance(residuals, [codes_of(clusters)])) ** 0.5


def main(path: Path) -> None:
    for question in ("agree", "others"):
        items, right = answered(path, question)
        mean = right.mean(1)
        key = np.array([item.answer for item in items])
        clusters = np.array([item.unit("similar") for item in items])
        source = np.array([str(item.facets["source"]) for item in items])
        print(f"\n{question}\n\n| source | statements | agreement | people agree | people disagree |")
        print("|---|---|---|---|---|")
        for name in sorted(set(source), key=lambda each: mean[source == each].mean()):
            own = source == name
            found = accuracy(mean[own], clusters[own])
            sides = " | ".join(f"{mean[own & (key == side)].mean():.3f}" for side in (0, 1))
            print(f"| {name} | {own.sum()} | {found.value:.3f} [{found.low:.3f}, {found.high:.3f}] | {sides} |")
        groups = {f"source: {name}": source == name for name in sorted(set(source))}
        for name in FEATURES:
            groups[name.replace("_", " ")] = np.array([item.facets[name] is True for item in items])
        rows = {name: difference(mean, group, key, clusters) for name, group in groups.items()}
        adjusted = holm([float(2 * norm.sf(abs(value / error))) for value, error in rows.values()])
        print("\n| statements | n | models agree with people | 95% interval | p (Holm) |\n|---|---|---|---|---|")
        for (name, (value, error)), p in sorted(zip(rows.items(), adjusted, strict=True), key=lambda row: row[0][1][0]):
            ends = f"[{value - 1.96 * error:+.3f}, {value + 1.96 * error:+.3f}]"
            print(
                f"| {name} | {groups[name].sum()} | {value:+.3f} | {ends} | {'< 0.001' if p < 0.001 else f'{p:.3f}'} |"
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
