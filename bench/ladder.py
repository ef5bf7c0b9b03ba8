"""Precision of ladder thresholds in simulation: all families, or two stages; and how often a standing is wrong.

Families are drawn from a known psychometric function: eight levels, two items per family (chance 0.25), lapse 0.02.

    python bench/ladder.py --trials 150
    python bench/ladder.py --structure                         # a control that sees the structure of the items only
    python bench/ladder.py --picture docs/images/ladder.svg    # three simulated models
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import vl_convert
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline

from horsesense.core import Item
from horsesense.drawing import style_chart
from horsesense.lexicons.words import FUNCTION_WORDS
from horsesense.methods.ladders.thresholds import (
    AROUND,
    FIRST,
    LadderName,
    LadderThreshold,
    LevelAccuracy,
    build_ladder,
    levels_to_ask,
)
from horsesense.report.ladder_page import ladder_chart
from horsesense.stats import accuracy
from horsesense.stats.psychometric import _share, fit_psychometric

LEVELS = np.arange(8.0)
CHANCE, LAPSE = 0.25, 0.02
FAMILIES = 40


def ask(shares: NDArray[np.float64], rng: np.random.Generator, full: bool) -> tuple[list[float], list[bool]]:
    """Return the level and the outcome of each family asked."""
    outcomes = rng.random((len(LEVELS), FAMILIES)) < shares[:, None]
    if full:
        asked = dict.fromkeys(range(len(LEVELS)), FAMILIES)
    else:
        around = levels_to_ask({level: outcomes[level, :FIRST].tolist() for level in range(len(LEVELS))}, CHANCE)
        asked = {level: FAMILIES if level in around else FIRST for level in range(len(LEVELS))}
    pairs = [(float(level), bool(right)) for level, n in asked.items() for right in outcomes[level, :n]]
    return [level for level, _ in pairs], [right for _, right in pairs]


def measure(threshold: float, slope: float, full: bool, trials: int) -> tuple[float, float, float, float, float]:
    """Return standard error, bias, coverage, share on the ladder, and families asked."""
    rng = np.random.default_rng([int(100 * threshold), int(10 * slope), full])
    shares = _share(LEVELS, threshold, slope, CHANCE, LAPSE)
    found, covered, asked = [], [], 0
    for trial in range(trials):
        levels, outcomes = ask(shares, rng, full)
        fit = fit_psychometric(levels, outcomes, CHANCE, resamples=300, seed=trial)
        asked += len(levels)
        low, high = fit.ci
        covered.append((low is None or low <= threshold) and (high is None or threshold <= high))
        if fit.threshold is not None:
            found.append(fit.threshold)
    spread = float(np.std(found)) if found else float("nan")
    bias = float(np.mean(found)) - threshold if found else float("nan")
    return spread, bias, float(np.mean(covered)), len(found) / trials, asked / trials


def standings(trials: int) -> None:
    """Print how often a guesser, a constant answerer and a model without errors get a threshold."""
    rng = np.random.default_rng(9)
    for name, shares in (("guesser", 0.25), ("same answer", 0.0), ("lapses only", 0.98), ("perfect", 1.0)):
        for full in (True, False):
            counts: dict[str, int] = {}
            for trial in range(trials):
                levels, outcomes = ask(np.full(len(LEVELS), shares), rng, full)
                standing = fit_psychometric(levels, outcomes, CHANCE, resamples=20, seed=trial).standing
                counts[standing] = counts.get(standing, 0) + 1
            told = ", ".join(f"{standing} {n / trials:.1%}" for standing, n in sorted(counts.items()))
            print(f"{name:12} {'all' if full else 'two stages':10} {told}")


def simulated(name: str, threshold: float, seed: int) -> LadderThreshold:
    """Return the result of a simulated model."""
    levels, outcomes = ask(_share(LEVELS, threshold, 2.0, CHANCE, LAPSE), np.random.default_rng(seed), full=False)
    fit = fit_psychometric(levels, outcomes, CHANCE)
    by_level = {
        level: [right for at, right in zip(levels, outcomes, strict=True) if at == level] for level in LEVELS.tolist()
    }
    points = tuple(
        LevelAccuracy(int(level), str(int(level)), accuracy(own, [str(i) for i in range(len(own))], chance=CHANCE))
        for level, own in by_level.items()
    )
    return LadderThreshold(name, "steps", "loglikelihood", points, fit, len(levels), 320, 1.0, "")


def structure(items: Sequence[Item]) -> tuple[float, float]:
    """Return the accuracy of a linear model of the structure alone, and its standard error over families.

    Names, kinds and scales become placeholders in the order of their first mention; the model sees runs of one to four
    words, and is tested on families that it was not fitted to.
    """
    texts, keys = [], []
    for item in items:
        places = {option.lower(): f"option{i}" for i, option in enumerate(item.options)}
        content: dict[str, str] = {}
        words = []
        for word in re.findall(r"[a-z_]+", f"{item.premise} {item.text}".lower()):
            frequent = word in FUNCTION_WORDS or word in ("if", "one", "also", "every", "two", "than", "___")
            other = content.setdefault(word, f"word{len(content)}") if not frequent else word
            words.append(places.get(word, other))
        texts.append(" ".join(words))
        keys.append(item.answer)
    families, right = [item.family for item in items], np.zeros(len(items))
    for train, test in GroupKFold(5).split(texts, keys, families):
        model = make_pipeline(TfidfVectorizer(ngram_range=(1, 4), token_pattern=r"\S+"), LogisticRegression(C=10.0))
        model.fit([texts[i] for i in train], [keys[i] for i in train])
        right[test] = model.predict([texts[i] for i in test]) == np.array(keys)[test]
    mean = accuracy(right, families, chance=0.5)
    return mean.value, (mean.high - mean.low) / 3.92


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=150)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--structure", action="store_true")
    chosen = parser.parse_args()
    if chosen.picture:
        models = [simulated("small", 1.2, 1), simulated("medium", 3.4, 2), simulated("large", 5.3, 3)]
        drawing = style_chart(ladder_chart(models), 460, 280) | {"background": "#ffffff"}
        chosen.picture.write_text(vl_convert.vegalite_to_svg(drawing), encoding="utf-8")
        return
    if chosen.structure:
        sizes: dict[LadderName, int] = {"steps": 100, "polarity": 40}
        for name, families in sizes.items():
            probe = build_ladder(name, families=families)
            value, error = structure(probe.items)
            print(f"{name:8} {len(probe):,} items: {value:.3f} ± {error:.3f}")
        return
    trials = chosen.trials
    print(f"{FAMILIES} families per level; two stages: {FIRST} on each level, then the others on {AROUND} levels")
    print("threshold slope asked      families standard error   bias coverage on the ladder")
    for slope in (1.5, 2.0, 3.0):
        for threshold in (1.5, 3.5, 5.5):
            for full in (True, False):
                spread, bias, covered, on, asked = measure(threshold, slope, full, trials)
                stage = "all" if full else "two stages"
                print(
                    f"{threshold:9.1f} {slope:5.1f} {stage:10} {asked:8.0f} {spread:14.3f} {bias:+6.3f} "
                    f"{covered:8.3f} {on:8.3f}"
                )
    standings(trials)


if __name__ == "__main__":
    main()
