"""What a plan costs a row, from 10,000 rows to 1,000,000, and with a tiny model what a whole answer costs.

Run: python bench/plan.py
Wanted: 1,000,000 rows under 10 s and 2 GB; the time a row flat; memory set by the budget.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from horsesense.core import ScoringSpec
from horsesense.models.hf import causal, masked
from horsesense.models.hf.batch_plan import make_plan
from horsesense.models.hf.rows import Question, SpecialIds

SIZES = (10_000, 100_000, 1_000_000)
ANSWERED = (10_000, 100_000)


def questions(rows: int) -> list[Question]:
    """Pairs of sentences that differ in one word, of 10 to 45 tokens, as CATs has them."""
    draw, found, count = random.Random(0), [], 0
    while count < rows:
        length = draw.randint(10, 45)
        ids = [101, *(draw.randint(1000, 30_000) for _ in range(length)), 102]
        asked = tuple(range(1, length + 1))
        for _ in range(2):
            ids[draw.randint(1, length)] = draw.randint(1000, 30_000)
            found.append(Question(tuple(ids), asked, tuple(place // 2 for place in asked)))
            count += length
    return found


def plan(kind: str, size: int) -> None:
    """Rows and plan, from questions that are there."""
    asked = questions(size)
    spec, marks = ScoringSpec(), SpecialIds(mask=103)
    before, wall, used = _memory(), time.perf_counter(), time.process_time()
    if kind == "masked":
        made = make_plan((row for q in asked for row in masked.rows(q, spec, marks)), 4096)
        count = len(made.slots)
    else:
        made = make_plan((row for q in asked for row in causal.rows(q, spec, marks)), 4096, share=True)
        count = len(made.slots)
    wall, used = time.perf_counter() - wall, time.process_time() - used
    print(
        f"{kind:<7} {count:>9,} rows  {wall:6.2f} s ({used:.2f} s of processor)  {1e6 * used / count:5.2f} µs a row  "
        f"{_memory():.2f} GB in all, {_memory() - before:.2f} GB of it the plan; {len(made.batches):,} batches"
    )


def answer(size: int) -> None:
    """A tiny model through the engine, shard after shard as a run does it."""
    import torch
    from peers.material import save_bert, sentences

    from horsesense.models.hf.batches import score_questions
    from horsesense.models.hf.encoding import FramedPrompt
    from horsesense.models.hf.load import load_model

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        model = load_model(str(save_bert(Path(folder), sentences(20), spread=0.02)), device="cpu")
    asked = [FramedPrompt(q, (), (), ()) for q in questions(size)]
    spec, done, start, used = ScoringSpec(), 0, time.perf_counter(), time.process_time()
    for first in range(0, len(asked), 40):
        done += sum(len(values) for values in score_questions(model, asked[first : first + 40], spec))
    wall, used = time.perf_counter() - start, time.process_time() - used
    print(
        f"tiny    {done:>9,} rows  {wall:6.2f} s ({used:.2f} s of processor)  {1e6 * used / done:5.1f} µs a row  "
        f"{_memory():.2f} GB"
    )


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    if len(sys.argv) > 1:
        kind, size = sys.argv[1], int(sys.argv[2])
        answer(size) if kind == "tiny" else plan(kind, size)
        return
    # A process each: the peak of memory is that of the process.
    for kind, sizes in (("masked", SIZES), ("causal", SIZES), ("tiny", ANSWERED)):
        for size in sizes:
            subprocess.run([sys.executable, __file__, kind, str(size)], check=True)


if __name__ == "__main__":
    main()
