"""The near sets that ship with the package: size, hops, distance, relatedness, the best cue, and repeated options.

python bench/near_sets.py [hypernymy hyponymy definitions synonymy dictionary]
python bench/near_sets.py --trees [hypernymy ...]    which cues a tree uses: number cues alone, and learnt cues alone
Relatedness is the accuracy of the option nearest to the question, by each encoder and by the sum of both. The best cue
is that of the highest accuracy among the number cues of the battery, by their maximum or minimum, chosen on all items.
The last two columns are for a reader who knows the keys of other questions: the accuracy of a guess among the options
that are not the key of a question in the other half of the concepts, and of any other question.
Needs WordNet, GCIDE, GloVe and MiniLM (horsesense fetch wordnet gcide glove minilm).
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from random import Random

import numpy as np
from sklearn.tree import DecisionTreeClassifier

import horsesense as hs
from horsesense.core import Item, Probe
from horsesense.cues.battery import Number, battery, in_item_rank
from horsesense.cues.relatedness import encoders
from horsesense.cues.search import DEPTH, prepare, tree_credit
from horsesense.cues.table import table_of
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.methods.wordnetqa.plan import RELATIONS
from horsesense.methods.wordnetqa.trimming import number_cues, relatedness_cues

HALVINGS = 10
SETS = ("hypernymy", "hyponymy", "definitions", "synonymy", "dictionary")


def built(name: str) -> Probe:
    if name == "dictionary":
        return hs.wordnetqa.build_dictionaryqa(distractors="near")
    return hs.wordnetqa.build(relation=next(each for each in RELATIONS if each == name), distractors="near")


def guess(pairs: Sequence[tuple[Item, Counter[str]]]) -> float:
    """Return the accuracy of a guess among the options that are not a key elsewhere, or among all if there is none."""
    credit = 0.0
    for item, keys in pairs:
        new = [i for i, concept in enumerate(item.concepts) if not keys[concept]] or range(len(item.concepts))
        credit += (item.answer in new) / len(new)
    return credit / len(pairs)


def from_other_half(items: Sequence[Item], seed: int) -> float:
    """Return this accuracy where the keys of the other half of the asked concepts are known."""
    asked = sorted({item.groups["asked"] for item in items})
    half = set(Random(seed).sample(asked, len(asked) // 2))
    keys: defaultdict[bool, Counter[str]] = defaultdict(Counter)
    for item in items:
        keys[item.groups["asked"] in half][key(item)] += 1
    return guess([(item, keys[item.groups["asked"] not in half]) for item in items])


def from_all_others(items: Sequence[Item]) -> float:
    """Return this accuracy where the keys of all other questions are known."""
    keys = Counter(map(key, items))
    return guess([(item, keys - Counter([key(item)])) for item in items])


def key(item: Item) -> str:
    assert item.answer is not None
    return item.concepts[item.answer]


def row(name: str, taxonomy: Graph) -> str:
    probe = built(name)
    items, group = probe.items, probe.card.group
    hops = sorted({int(item.facets["hops"]) for item in items})
    distances = [float(item.facets["distractor_hops"]) for item in items if "distractor_hops" in item.facets]
    distance = f"{sum(distances) / len(distances):.1f}" if distances else "–"
    near = relatedness_cues(items, encoders())
    table = table_of(items, group, taxonomy)
    related = prepare(table, near).directed.mean(axis=0)[::2]
    found = prepare(table, number_cues())
    means = found.directed.mean(axis=0)
    best = int(means.argmax())
    cue = found.cues[best // 2]
    rule = (cue.most, cue.least)[best % 2] if hasattr(cue, "least") else cue.name
    concepts = len({item.groups["asked"] for item in items})
    values = " | ".join(f"{value:.3f}" for value in related)
    span = f"{hops[0]} to {hops[-1]}" if hops[-1] else "–"
    half = sum(from_other_half(items, seed) for seed in range(HALVINGS)) / HALVINGS
    repeated = f"{half:.3f} | {from_all_others(items):.3f}"
    size = f"{len(items):,} | {concepts:,} | {span} | {distance}"
    return f"| {name} | {size} | {values} | {means[best]:.3f} ({rule}) | {repeated} |"


def trees(name: str, taxonomy: Graph) -> str:
    """Return the accuracy of trees over the number cues and over the learnt cues, and the cues that the former uses."""
    probe = built(name)
    table = table_of(probe.items, probe.card.group, taxonomy)
    numbers = prepare(table, number_cues())
    learnt = prepare(table, [cue for cue in battery() if not isinstance(cue, Number)])
    ranks = np.stack([in_item_rank(table, scores) for scores in numbers.scores], axis=1)
    right = np.zeros(len(table.text_of), dtype=bool)
    right[table.gold] = True
    tree = DecisionTreeClassifier(max_depth=DEPTH, min_samples_leaf=len(right) // 100, random_state=0).fit(ranks, right)
    weights = tree.feature_importances_
    used = ", ".join(f"{numbers.cues[i].name} {weights[i]:.2f}" for i in np.argsort(-weights)[:4])
    return f"| {name} | {tree_credit(numbers)[0].mean():.3f} | {tree_credit(learnt)[0].mean():.3f} | {used} |"


def main() -> None:
    taxonomy = open_graph("wordnet")
    if sys.argv[1:2] == ["--trees"]:
        print("| set | number cues alone | learnt cues alone | importance |", flush=True)
        for name in sys.argv[2:] or SETS:
            print(trees(name, taxonomy), flush=True)
        return
    print(
        "| set | questions | concepts | hops | distance | GloVe | MiniLM | both | best cue "
        "| not a key in the other half | not a key of any other question |",
        flush=True,
    )
    for name in sys.argv[1:] or SETS:
        print(row(name, taxonomy), flush=True)


if __name__ == "__main__":
    main()
