"""How many questions an adaptive profile asks, and how often its verdicts are those after all questions.

    python bench/adaptive.py full --draws 8      simulated models of known truth, at the sizes of the full edition
    python bench/adaptive.py quick --draws 8     the same at the sizes of the quick edition
    python bench/adaptive.py random --draws 200  models whose knowledge, cue and share of cues are drawn at random
    python bench/adaptive.py oracle --draws 16   the least that the same verdicts take, for the same random models

``--first 31`` leaves out the first 31 random models. The verdict after stopping is compared with that after all
questions of the same simulated page. The seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).parent.parent))
from horsesense.profiling.adaptive import LOOKS, asked_clusters, decided, page_verdicts
from horsesense.profiling.item_scores import ItemScores
from tests.support.simulated_profiles import CHANCE, FULL, MODELS, QUICK, READS, Material, Model, simulated_page


@dataclass
class Total:
    """What happened to the pages of one model."""

    name: str
    findings: int = 0
    same: int = 0
    share: list[float] = field(default_factory=list)
    false: Counter[str] = field(default_factory=Counter)
    """False claims, stopped and whole."""
    instead: Counter[str] = field(default_factory=Counter)


def first_part(scores: ItemScores, share: float) -> ItemScores:
    halves = [np.ones(len(scores), bool)] if scores.twin is None else [~scores.twin, scores.twin]
    inside = set().union(*(asked_clusters(scores.clusters[half].tolist(), share) for half in halves))
    return scores.take(np.array([name in inside for name in scores.clusters.tolist()]))


def questions(scores: ItemScores) -> int:
    """Number of questions, with those that are asked again in the retest and by letters."""
    assert scores.retest is not None
    again = (scores.retest, scores.formats["last format"])
    return len(scores) + sum(int((~np.isnan(column)).sum()) for column in again)


def stopped(whole: Sequence[ItemScores]) -> list[ItemScores]:
    """Ask a page in looks."""
    shares = {each.ability: LOOKS[0] for each in whole}
    for share in LOOKS:
        part = [first_part(each, shares[each.ability]) for each in whole]
        if share == 1:
            return part
        done = decided(part, shares)
        following = LOOKS[LOOKS.index(share) + 1]
        shares = {n: s if n in done or s < share else following for n, s in shares.items()}
    return part


def count(place: int, draws: Iterable[int], model: Model, materials: Sequence[Material]) -> Total:
    total = Total(model.name)
    for draw in draws:
        rng = np.random.default_rng([900, place, draw])
        whole = simulated_page(rng, model, tuple(materials))
        part = stopped(whole)
        early, late = page_verdicts(part), page_verdicts(whole)
        total.findings += len(late)
        for material in materials:
            one, other = early[material.name], late[material.name]
            total.same += one == other
            if one != other:
                total.instead[f"{one}, not {other}"] += 1
            if model.name != "random":
                total.false["stopped"] += not model.allows(material, one)
                total.false["whole"] += not model.allows(material, other)
        total.share.append(sum(map(questions, part)) / sum(map(questions, whole)))
    return total


def least(place: int, model: Model) -> tuple[float, Counter[float]]:
    """Return the share of the questions up to the look from which every verdict stays, and the equal ones by look."""
    whole = simulated_page(np.random.default_rng([900, place, 0]), model, FULL)
    said = {share: page_verdicts([first_part(each, share) for each in whole]) for share in LOOKS}
    needed, equal = 0, Counter[float]()
    for each in whole:
        same = [said[share][each.ability] == said[1.0][each.ability] for share in LOOKS]
        equal.update({share: int(one) for share, one in zip(LOOKS, same, strict=True)})
        stays = max((i + 1 for i, one in enumerate(same) if not one), default=0)
        needed += questions(first_part(each, LOOKS[stays]))
    return needed / sum(map(questions, whole)), equal


def random_model(rng: np.random.Generator) -> Model:
    cue = str(rng.choice(["best", "length", "first", "prior", "words", "sentences"]))
    reads = float(rng.random()) if rng.random() < 0.5 else 0.0
    return Model("random", READS if reads else CHANCE, None, float(rng.random()), reads, cue, prior=0.3)


def table(totals: Sequence[Total]) -> str:
    rows = ["| model | same verdict | questions asked | false claims, stopped (all asked) | most common difference |"]
    rows.append("|---|---:|---:|---:|---|")
    every = Total("**all**")
    for each in totals:
        rows.append(_row(each))
        every.findings += each.findings
        every.same += each.same
        every.share += each.share
        every.false.update(each.false)
    return "\n".join([*rows, _row(every)])


def _row(each: Total) -> str:
    false = f"{each.false['stopped'] / each.findings:.1%} ({each.false['whole'] / each.findings:.1%})"
    differ = ", ".join(f"{what} {n / each.findings:.1%}" for what, n in each.instead.most_common(1))
    return f"| {each.name} | {each.same / each.findings:.1%} | {np.mean(each.share):.0%} | {false} | {differ or '–'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("full", "quick", "random", "oracle"))
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    materials = QUICK if arguments.part == "quick" else FULL
    if arguments.part in ("random", "oracle"):
        rng = np.random.default_rng(77)
        several = [(1000 + i, random_model(rng)) for i in range(arguments.first + arguments.draws)][arguments.first :]
        if arguments.part == "oracle":
            needed, equal = zip(*(least(*each) for each in several), strict=True)
            print(f"least: {np.mean(needed):.3f}; pages {len(needed)}")
            print({share: round(sum(each[share] for each in equal) / (10 * len(equal)), 3) for share in LOOKS})
            return
        tasks = [(place, range(1), model, materials) for place, model in several]
    else:
        tasks = [(i, range(arguments.draws), model, materials) for i, model in enumerate(MODELS)]
    totals: list[Total] = Parallel(n_jobs=arguments.workers, verbose=0)(delayed(count)(*task) for task in tasks)
    if arguments.part == "random":
        joined = Total("random")
        for each in totals:
            joined.findings, joined.same = joined.findings + each.findings, joined.same + each.same
            joined.share += each.share
            joined.instead.update(each.instead)
        print(f"models with every verdict the same: {np.mean([each.same == each.findings for each in totals]):.1%}")
        totals = [joined]
    print(table(totals), flush=True)


if __name__ == "__main__":
    main()
