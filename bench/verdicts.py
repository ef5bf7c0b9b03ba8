"""How often a verdict of the profile is right: simulated models of known truth, and redrawn halves of real answers.

python bench/verdicts.py                      prints all tables (half an hour)
python bench/verdicts.py --write              puts them into docs/results/profile.md
python bench/verdicts.py quick full           only these: quick, full, replies, borders, number, twins
python bench/verdicts.py --draws 50           fewer pages of each model
python bench/verdicts.py --workers 8          as many processes; the tables are the same
The models read cues or relatedness, answer by habit, ignore negation, know whole clusters, reply with noise, have
memorised the frozen half, or know; pairs with opposite keys are among the material. `quick` and `full` have the sizes
of the two editions. Needs WordNet and smollm2 for the twins (horsesense fetch wordnet smollm2). The seeds are fixed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed

sys.path.insert(0, str(Path(__file__).parent.parent))
from horsesense.methods.wordnetqa.plan import Relation
from horsesense.profiling.contamination import contamination, judged_half
from horsesense.profiling.finding import Verdict
from horsesense.profiling.item_scores import ItemScores
from horsesense.profiling.overall import overall_score
from horsesense.profiling.verdict_rules import judge
from horsesense.profiling.verdicts import AdjustedScores, evidence, page_level
from horsesense.stats.intervals import Estimate
from tests.support.simulated_profiles import (
    CHANCE,
    FULL,
    MODELS,
    PAGE,
    QUICK,
    READS,
    REPLYING,
    Material,
    Model,
    model_named,
    simulated_page,
    simulated_scores,
)

DOCS = Path(__file__).parent.parent / "docs" / "results" / "profile.md"
POWER_DRAWS = 100
"""Draws of each simulated power."""
WORKERS = 1
CHUNK = 25
"""Draws that a process takes at a time."""


def spread(work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]) -> list[Any]:
    """What work makes of every task, in their order, by as many processes as are wished for."""
    found: list[Any] = Parallel(n_jobs=WORKERS)(delayed(work)(*task) for task in tasks)
    return found


def chunks(draws: int) -> list[range]:
    return [range(start, min(start + CHUNK, draws)) for start in range(0, draws, CHUNK)]


def page(own: Sequence[ItemScores]) -> list[Verdict]:
    """The verdicts of a page."""
    strict = page_level(len(own))
    seen = contamination(own)
    said: list[Verdict] = []
    for scores in own:
        verdict = judge(evidence(AdjustedScores(judged_half(scores, seen)), strict, POWER_DRAWS)).verdict
        said.append("contaminated" if scores.ability in seen.contaminated else verdict)
    return said


@dataclass
class Counts:
    """What was said of one model."""

    model: Model
    draws: int
    said: dict[str, Counter[Verdict]]
    """By material."""


def count(place: int, draws: range, materials: Sequence[Material], models: Sequence[Model] = MODELS) -> Counts:
    """Pages of one model."""
    model = models[place]
    counts = Counts(model, len(draws), {material.name: Counter() for material in materials})
    for draw in draws:
        said = page(simulated_page(np.random.default_rng([place, draw]), model, tuple(materials)))
        for material, verdict in zip(materials, said, strict=True):
            counts.said[material.name][verdict] += 1
    return counts


def counted(draws: int, materials: Sequence[Material], models: Sequence[Model] = MODELS) -> list[Counts]:
    parts = chunks(draws)
    every = spread(count, [(place, part, materials, models) for place in range(len(models)) for part in parts])
    return [joined(every[start : start + len(parts)]) for start in range(0, len(every), len(parts))]


def quick(draws: int) -> str:
    """Every model at the sizes of the quick edition: right, inconclusive, or false."""
    return kinds_of(counted(draws, QUICK), QUICK, draws)


def full(draws: int) -> str:
    """The same at the sizes of the full edition."""
    return kinds_of(counted(draws, FULL), FULL, draws)


def replies(draws: int) -> str:
    """Models that only reply, at the sizes of both editions."""
    fewer = tuple(replace(material, retested=12) for material in QUICK)
    small, large = (kinds_of(counted(draws, m, REPLYING), m, draws) for m in (fewer, FULL))
    return f"Quick edition: {small}\n\nFull edition: {large}"


def kinds_of(counts: Sequence[Counts], materials: Sequence[Material], draws: int) -> str:
    """The table of right, true, inconclusive and false verdicts by model."""
    rows = []
    total = Counter[str]()
    for each in counts:
        kinds, instead = Counter[str](), Counter[str]()
        for material in materials:
            for verdict, n in each.said[material.name].items():
                truth = each.model.expects(material)
                if truth is None:
                    continue
                kind = "inconclusive" if verdict == "inconclusive" else "right" if verdict == truth else "true"
                if not each.model.allows(material, verdict):
                    kind = "false"
                    instead[f"{verdict}, not {truth} ({material.name})"] += n
                kinds[kind] += n
        total.update(kinds)
        told = ", ".join(f"{what} {_percent(n / each.draws)}" for what, n in instead.most_common(2))
        rows.append(f"| {each.model.name} | {_truth(each.model)} | {_shares(kinds)} | {told or '–'} |")
    head = "| model | should be | right | true as well | inconclusive | false | false, in % of pages |"
    rule = "|---|---|---:|---:|---:|---:|---|"
    return "\n".join(
        [f"{draws:,} pages of each model, in %.", "", head, rule, *rows, f"| all | | {_shares(total)} | |"]
    )


def _shares(kinds: Counter[str]) -> str:
    whole = max(1, kinds.total())
    return " | ".join(_percent(kinds[kind] / whole) for kind in ("right", "true", "inconclusive", "false"))


def joined(parts: Sequence[Counts]) -> Counts:
    """Counts of one model over all draws."""
    said = {name: sum((part.said[name] for part in parts), Counter[Verdict]()) for name in parts[0].said}
    return Counts(parts[0].model, sum(part.draws for part in parts), said)


def _truth(model: Model) -> str:
    special = [f"{v} ({name})" for name, v in model.expected.items() if v is not None]
    if model.opposite:
        special.append(f"{model.opposite} (pairs)")
    return "; ".join([model.says, *special])


def _percent(share: float) -> str:
    return "0" if share == 0 else f"{100 * share:.1f}"


LOUD, RELATED, PAIRS, LADDER, CROSSED, CLEAN = PAGE
BORDERS: tuple[tuple[str, Model, Material], ...] = (
    ("knows exactly two thirds", Model("", "partly", knows=2 / 3), RELATED),
    ("knows exactly two thirds, two options", Model("", "partly", knows=2 / 3), CLEAN),
    ("knows three quarters", Model("", "knows", knows=0.75), RELATED),
    ("knows a tenth", Model("", "partly", knows=0.1), RELATED),
    ("knows a tenth, two options", Model("", "partly", knows=0.1), CLEAN),
    ("nearest by an encoder that nobody has", Model("", READS, reads=1.0, cue="topic", prior=0.0), RELATED),
    ("knows a quarter, else the nearest", Model("", READS, knows=0.25, reads=1.0, cue="sentences"), RELATED),
    ("reads a third of the time", Model("", READS, reads=1 / 3, prior=1 / 3), LADDER),
    ("avoids a weak cue (45%)", Model("", READS, reads=1.0, cue="anti", prior=0.0), replace(RELATED, cue=0.45)),
    ("knows a quarter of the pairs, else a habit", Model("", "partly", knows=0.25, reads=1.0, cue="first"), PAIRS),
    ("knows 15% of the pairs, else a habit", Model("", "same answer", knows=0.15, reads=1.0, cue="first"), PAIRS),
    ("retains exactly two thirds in the retest", Model("", "partly", knows=0.9, retest=2 / 3), RELATED),
    ("half of the replies are noise", Model("", "partly", knows=1.0, noise=0.5), RELATED),
    ("the same, two options", Model("", "partly", knows=1.0, noise=0.5), CLEAN),
    ("knows half of the chains", Model("", "partly", knows=0.5, clustered=True), QUICK[5]),
    ("memoriser where there is no twin", Model("", CHANCE, memorised=0.9), LOUD),
    ("good knower, cue right on 97%", Model("", "knows", knows=0.9), replace(LOUD, cue=0.97, silent=0.0)),
)
"""Truths at or near a border, and what cannot be known."""


def said_of(number: int, draws: int) -> Counter[str]:
    """What is said of a truth at a border."""
    _, model, material = BORDERS[number]
    said, strict = Counter[str](), page_level(len(PAGE))
    for draw in range(draws):
        own = simulated_scores(np.random.default_rng([100, number, draw]), model, material)
        said[judge(evidence(AdjustedScores(own), strict, POWER_DRAWS)).verdict] += 1
    return said


def borders(draws: int) -> str:
    rows = []
    each = spread(said_of, [(number, draws) for number in range(len(BORDERS))])
    for (name, _, _), said in zip(BORDERS, each, strict=True):
        told = ", ".join(f"{verdict} {_percent(count / draws)}" for verdict, count in said.most_common())
        rows.append(f"| {name} | {told} |")
        print(rows[-1], flush=True)
    return "\n".join([f"{draws:,} draws of each.", "", "| truth | what is said, in % |\n|---|---|", *rows])


def numbered(place: int, draws: int) -> list[Estimate]:
    """The overall score of a model, page by page."""
    found = []
    for draw in range(draws):
        one = overall_score(simulated_page(np.random.default_rng([300, place, draw]), MODELS[place]))
        assert one is not None
        found.append(one.value)
    return found


def number(draws: int) -> str:
    """The overall score: its mean, and how often its interval holds it."""
    rows = []
    places = [place for place, model in enumerate(MODELS) if not model.memorised]
    for place, found in zip(places, spread(numbered, [(place, draws) for place in places]), strict=True):
        model = MODELS[place]
        values = np.array([each.value for each in found])
        truth = values.mean()
        held = np.mean([each.low <= truth <= each.high for each in found])
        width = np.mean([each.high - each.low for each in found]) / 2
        rows.append(f"| {model.name} | {truth:z.3f} | {values.std():.3f} | ± {width:.3f} | {_percent(float(held))} |")
        print(rows[-1], flush=True)
    head = "| model | mean | spread over draws | interval | holds the mean, in % |\n|---|---:|---:|---:|---:|"
    return "\n".join([f"{draws:,} pages of each model.", "", head, *rows])


RELATIONS: tuple[Relation, ...] = ("hypernymy", "definitions")
RUN: Path | None = None
"""A run of smollm2 whose answers are halved; without one it is asked."""
DOSES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
REDRAWS = 200


def memorising(dose: float, draws: int) -> int:
    """How often it is found that a partial knower has memorised a share of the frozen half."""
    model = model_named("partial knower")
    with_twin, hits = tuple(material for material in PAGE if material.twin), 0
    for draw in range(draws):
        rng = np.random.default_rng([500, draw])
        hits += contamination(simulated_page(rng, replace(model, memorised=dose), with_twin)).found
    return hits


def twins(draws: int) -> str:
    """False alarms of the frozen halves against their twins on real items, and how small a dose is found."""
    rows = []
    real = _answered(RUN)
    answerers: dict[str, Callable[[np.random.Generator, ItemScores], ItemScores]] = {
        "smollm2's own answers": lambda rng, own: own,
        "a guesser": lambda rng, own: replace(own, right=(rng.random(len(own)) < own.chance).astype(np.float64)),
        "one that knows 60 % of the groups": _by_group,
    }
    for name, answers in answerers.items():
        alarms = 0
        for draw in range(REDRAWS):
            rng = np.random.default_rng([400, draw])
            alarms += contamination([_halved(rng, answers(rng, own)) for own in real]).found
        n = sum(len(own) for own in real)
        rows.append(f"| {name} | {n:,} | {REDRAWS} | {_percent(alarms / REDRAWS)} |")
        print(rows[-1], flush=True)
    found = []
    for dose, hits in zip(DOSES, spread(memorising, [(dose, draws) for dose in DOSES]), strict=True):
        found.append(f"| {_percent(dose)} | {_percent(hits / draws)} |")
        print(found[-1], flush=True)
    first = "| answers to real items | items | halvings | contamination found, in % |\n|---|---:|---:|---:|"
    second = "| share of the frozen half that is memorised, in % | contamination found, in % |\n|---:|---:|"
    note = f"A partial knower with three abilities of 600 items that have a twin, {draws:,} draws of each dose:"
    return "\n".join([first, *rows, "", note, "", second, *found])


def _answered(run: Path | None) -> list[ItemScores]:
    """Answers of smollm2: those of a run that is kept, frozen probes and twins, or to WordNetQA, asked now."""
    from horsesense.methods.wordnetqa import build
    from horsesense.runs.ask import ask, open_run
    from horsesense.runs.run import answered_of

    kept = (
        open_run(run, unfinished=True) if run else ask("smollm2", {r: build(relation=r, limit=200) for r in RELATIONS})
    )
    found: dict[str, ItemScores] = {}
    for each in answered_of([kept]):
        name, card, right = each.part.probe.name, each.probe.card, each.credits(None).values
        items = [item for item, value in zip(each.items, right, strict=True) if not np.isnan(value)]
        if items and not name.endswith(("-retest", "-prior", "-letters")):
            own = ItemScores(
                model="smollm2",
                ability=name,
                method=card.method,
                items=np.array([item.id for item in items]),
                right=right[~np.isnan(right)],
                options=np.array([len(item.options) for item in items]),
                clusters=np.array([item.unit(card.group) for item in items]),
            )
            found.setdefault(name, own)
    return list(found.values())


def _halved(rng: np.random.Generator, own: ItemScores) -> ItemScores:
    names = np.unique(own.clusters)
    return replace(own, twin=np.isin(own.clusters, rng.permutation(names)[: len(names) // 2]))


def _by_group(rng: np.random.Generator, own: ItemScores) -> ItemScores:
    names, codes = np.unique(own.clusters, return_inverse=True)
    known = (rng.random(len(names)) < 0.6)[codes]
    return replace(own, right=np.where(known, 1.0, rng.random(len(own)) < own.chance).astype(np.float64))


PARTS: dict[str, tuple[Callable[[int], str], int]] = {
    "quick": (quick, 400),
    "full": (full, 100),
    "replies": (replies, 200),
    "borders": (borders, 500),
    "number": (number, 200),
    "twins": (twins, 200),
}
"""Every table with its draws."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--draws", type=int)
    parser.add_argument("--run", type=Path, help="answers of smollm2 that are kept, such as those of a profile")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    global RUN, WORKERS
    RUN, WORKERS = arguments.run, arguments.workers
    for name in arguments.parts or PARTS:
        make, draws = PARTS[name]
        print(f"== {name}", flush=True)
        table = make(arguments.draws or draws)
        print(table, flush=True)
        if arguments.write:
            begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
            text = DOCS.read_text(encoding="utf-8")
            before, _, rest = text.partition(begin)
            _, _, after = rest.partition(end)
            DOCS.write_text(f"{before}{begin}{table}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
