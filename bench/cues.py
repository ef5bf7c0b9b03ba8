"""How long the whole battery of cues takes, and how much memory, on a probe of made-up five-way questions.

python bench/cues.py [ITEMS]
"""

from __future__ import annotations

import random
import resource
import sys
import time

from horsesense.core import Item
from horsesense.cues import measure_cues
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.sources import find_wordnet_graph
from horsesense.progress import Progress


def made_up(count: int, taxonomy: Graph | None, seed: int = 0) -> list[Item]:
    """Questions in the shape of WordNetQA: five options, each a word with its definition."""
    rng = random.Random(seed)
    if taxonomy is not None:
        pool = [f"{w[0]}, defined as '{d}'" for w, d in zip(taxonomy.lemmas, taxonomy.definitions, strict=True)]
    else:
        letters = "abcdefghijklmnopqrstuvwxyz"
        vocabulary = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(30_000)]
        pool = [" ".join(rng.choices(vocabulary, k=rng.randint(5, 20))) for _ in range(100_000)]
    return [
        Item(
            probe="bench",
            form="choice",
            text=f"In the sentence '{rng.choice(pool)}', the word {number} is best defined as",
            options=tuple(rng.sample(pool, 5)),
            answer=rng.randrange(5),
            family=str(number // 2),
        )
        for number in range(count)
    ]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 150_000
    taxonomy = find_wordnet_graph()
    items = made_up(count, taxonomy)
    stages: dict[str, float] = {}
    last = [time.perf_counter()]

    class Stages(Progress):
        def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
            now = time.perf_counter()
            stages[stage] = stages.get(stage, 0.0) + now - last[0]
            last[0] = now

    start, worked = time.perf_counter(), time.process_time()
    found = measure_cues(items, taxonomy=taxonomy, progress=Stages())
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    parts = ", ".join(f"{stage} {spent:.1f}" for stage, spent in stages.items())
    print(f"{count} items, {len(found.cues)} cues: {seconds:.1f} s, {worked:.1f} s of work ({parts})")
    print(f"peak memory {peak:.0f} MB, the items included")
    print(found.verdict)


if __name__ == "__main__":
    main()
