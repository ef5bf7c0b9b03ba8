"""Check the checker: models whose truth is known, profiled by the real program on the real questions.

python bench/planted_profiles.py                    the quick edition (a minute)
python bench/planted_profiles.py --full             the full edition
python bench/planted_profiles.py --ability kinds    one ability alone
python bench/planted_profiles.py --picture FOLDER   the page and the picture of four of them, in full
Needs WordNet, GCIDE, GloVe and MiniLM (horsesense fetch wordnet gcide glove minilm); no model is asked.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import horsesense as hs
from horsesense.core import Item
from horsesense.cues.relatedness import related
from horsesense.profiling.abilities import chosen
from horsesense.profiling.conditions import original_id as original
from horsesense.profiling.controls import PlantedModel
from horsesense.profiling.from_answers import asked_items
from horsesense.profiling.material import material

Rule = Callable[[Item], Sequence[float]]


@dataclass(frozen=True)
class Planted:
    """Answers by a rule."""

    name: str
    rule: Rule

    def scores(self, item: Item) -> Sequence[float]:
        return self.rule(item)


def family(item: Item) -> str:
    return item.family or original(item)


def key(item: Item) -> tuple[float, ...]:
    return tuple(float(place == item.answer) for place in range(len(item.options)))


def guess(item: Item, seed: str = "") -> tuple[float, ...]:
    rng = Random(f"{seed} {original(item)}")
    return tuple(rng.random() for _ in item.options)


def shortest(item: Item) -> tuple[float, ...]:
    return tuple(-float(len(option)) for option in item.options)


def knower(share: float, otherwise: Rule) -> Rule:
    """Knows a share of the families, and answers the rest by another rule."""
    return lambda item: key(item) if Random(f"known {family(item)}").random() < share else otherwise(item)


def ignoring(item: Item) -> tuple[float, ...]:
    """Knows everything, and gives the two members of a pair with opposite keys the same answer."""
    if len(item.options) != 2:
        return key(item)
    first = Random(f"first {family(item)}").random() < 0.5
    return (1.0, 0.0) if first else (0.0, 1.0)


def planted(edition: Any, abilities: Sequence[str]) -> list[Planted]:
    """The models of the table."""
    materials = [material(ability, edition) for ability in chosen(abilities)]
    frozen = {item.id for each in materials for item in each.frozen.items}
    near: dict[str, dict[str, tuple[float, ...]]] = {}
    for each in materials:
        items = asked_items(each)
        for name, (_, cosines) in related(items).items():
            near.setdefault(name, {}).update(zip((item.id for item in items), cosines, strict=True))

    def nearest(encoder: str) -> Rule:
        def rule(item: Item) -> Sequence[float]:
            cosines = near[encoder].get(original(item))
            return guess(item) if cosines is None else [-2.0 if c != c else c for c in cosines]  # no vector, no word

        return rule

    def memoriser(item: Item) -> Sequence[float]:
        return key(item) if original(item) in frozen else guess(item)

    return [
        Planted("nearest by MiniLM", nearest("minilm")),
        Planted("nearest by GloVe", nearest("glove")),
        Planted("knows 40% of families, else the shortest", knower(0.4, shortest)),
        Planted("knows 70% of families, else guesses", knower(0.7, guess)),
        Planted("memoriser of the frozen questions", memoriser),
        Planted("ignores negation, reversal and context", ignoring),
        Planted("perfect", key),
        Planted("always the first option", lambda item: tuple(-float(p) for p in range(len(item.options)))),
    ]


def draw(folder: str) -> None:
    """Profile the four models of the README's picture, in full."""
    by_name = {model.name: model for model in planted("full", [])}
    shown = {
        "nearest by MiniLM": "topic matcher",
        "memoriser of the frozen questions": "memoriser",
        "knows 70% of families, else guesses": "knows 70%",
    }
    models: list[PlantedModel | str] = [
        "guesser",
        *(replace(by_name[name], name=label) for name, label in shown.items()),
    ]
    hs.profile(models, full=True, out=folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--ability", action="append", default=[])
    parser.add_argument("--picture", metavar="FOLDER", help="write the page and the picture of four of them")
    parser.add_argument("--findings", action="store_true", help="every ability with its reason")
    arguments = parser.parse_args()
    if arguments.picture:
        draw(arguments.picture)
        return
    edition: Any = "full" if arguments.full else "quick"
    models = planted(edition, arguments.ability)
    found = hs.profile(models, full=edition == "full", abilities=arguments.ability)
    print("| planted model | verdicts | word knowledge | overall |\n|---|---|---:|---:|")
    for model in found.models:
        said = Counter(each.verdict for each in model.verdicts.findings)
        verdicts = ", ".join(f"{verdict} {count}" for verdict, count in said.most_common())
        words = next((g.adjusted.value for g in model.verdicts.groups if g.group == "word knowledge"), float("nan"))
        overall = model.verdicts.overall
        print(
            f"| {model.model} | {verdicts} | {words:z.2f} | {overall.value.value if overall else float('nan'):z.2f} |"
        )
    if arguments.findings:
        for model in found.models:
            print(f"\n{model.model}")
            for each in model.verdicts.findings:
                print(f"  {each.ability:11s} {each.verdict:17s} power {each.power:.2f} {each.reasons[0]}")
            print(" ", *model.summary, sep="\n  ")
    better = [d for d in found.differences if d.adjusted < 0.05 and d.ability == "overall score"]
    for d in better:
        print(f"{d.first} - {d.second}: {d.difference.value:+.2f} ({d.half})")


if __name__ == "__main__":
    main()
