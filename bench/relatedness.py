"""Relatedness beside the best cue: how often the option nearest to the question is the right one, set by set.

python bench/relatedness.py                          the ten abilities of the profile in full, with their twins
python bench/relatedness.py DATASET=FILE ...         published datasets: mcqa=hypernymy/test.jsonl.gz cats=wsc.txt;
                                                     several files of one dataset with a comma between them
python bench/relatedness.py PROBE ...                probes that ship with the package, or files of built ones
--items N                                            the first N items of a seeded shuffle (by default 400)
--ability NAME                                       an ability of the profile only; repeatable
Needs WordNet, GCIDE, GloVe and MiniLM (horsesense fetch wordnet gcide glove minilm).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import numpy as np

import horsesense as hs
from horsesense.core import Item
from horsesense.cues.artefact_control import chosen_cue
from horsesense.cues.relatedness import picked, related
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.profiling.abilities import chosen
from horsesense.profiling.from_answers import asked_items, judged
from horsesense.profiling.material import material

SEED = 0


def sets(files: Sequence[str], items: int, abilities: Sequence[str]) -> Iterator[tuple[str, list[Item], str]]:
    """Yield the name, the items and the grouping of each set."""
    for name in files:
        dataset, _, paths = name.partition("=")
        if paths:
            probe = hs.read_release(dataset, *paths.split(","))
            path = Path(paths.partition(",")[0])
            part = path.parent.name if dataset == "mcqa" else path.name.partition(".")[0]
            title = f"{dataset}, published: {part}"
        else:
            probe, title = hs.load_probe(name), Path(name).stem
        own = judged(probe.items)
        yield title, Random(SEED).sample(own, min(items, len(own))), probe.card.group
    if not files:
        for ability in chosen(abilities):
            asked = material(ability, "full")
            yield f"profile: {ability.title}", asked_items(asked), asked.pool.card.group


def accuracy(items: Sequence[Item], shares: Sequence[Sequence[float]]) -> float:
    return float(np.mean([share[item.answer or 0] for item, share in zip(items, shares, strict=True)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--items", type=int, default=400)
    parser.add_argument("--ability", action="append", default=[])
    arguments = parser.parse_args()
    taxonomy = find_wordnet_graph()
    print("| set | n | chance | GloVe | MiniLM | best cue | its rule |\n|---|---:|---:|---:|---:|---:|---|", flush=True)
    for name, items, group in sets(arguments.files, arguments.items, arguments.ability):
        chance = float(np.mean([1 / len(item.options) for item in items]))
        near = {encoder: accuracy(items, picked(cosines)) for encoder, (_, cosines) in related(items).items()}
        cue = chosen_cue(items, group, taxonomy)
        best = accuracy(items, [answer.scores for answer in cue.answers])
        values = (chance, near.get("glove", float("nan")), near.get("minilm", float("nan")), best)
        rates = " | ".join(f"{value:.2f}" for value in values)
        print(f"| {name} | {len(items):,} | {rates} | {cue.rule} |", flush=True)


if __name__ == "__main__":
    main()
