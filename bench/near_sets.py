"""The near sets that ship with the package: size, hops, distance, relatedness, and the best cue of the battery.

python bench/near_sets.py [hypernymy hyponymy definitions synonymy dictionary]
Relatedness is the accuracy of the option nearest to the question, by each encoder and by the sum of both. The best cue
is that of the highest accuracy among the number cues of the battery, by their maximum or minimum, chosen on all items.
Needs WordNet, GCIDE, GloVe and MiniLM (horsesense fetch wordnet gcide glove minilm).
"""

from __future__ import annotations

import sys

import horsesense as hs
from horsesense.core import Probe
from horsesense.cues.relatedness import encoders
from horsesense.cues.search import prepare
from horsesense.cues.table import table_of
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import open_graph
from horsesense.methods.wordnetqa.plan import RELATIONS
from horsesense.methods.wordnetqa.trimming import number_cues, relatedness_cues

SETS = ("hypernymy", "hyponymy", "definitions", "synonymy", "dictionary")


def built(name: str) -> Probe:
    if name == "dictionary":
        return hs.wordnetqa.build_dictionaryqa(distractors="near")
    return hs.wordnetqa.build(relation=next(each for each in RELATIONS if each == name), distractors="near")


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
    return f"| {name} | {len(items):,} | {concepts:,} | {span} | {distance} | {values} | {means[best]:.3f} ({rule}) |"


def main() -> None:
    taxonomy = open_graph("wordnet")
    print("| set | questions | concepts | hops | distance | GloVe | MiniLM | both | best cue |", flush=True)
    for name in sys.argv[1:] or SETS:
        print(row(name, taxonomy), flush=True)


if __name__ == "__main__":
    main()
