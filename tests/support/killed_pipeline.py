"""Run by the test as a process of its own: starts the same pipeline again and again and kills it, at random points.

It imports everything once and forks, so that many kills do not cost many imports.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import transformers

from horsesense.methods.winoventi import pipeline
from horsesense.methods.winoventi.pipeline import run_pipeline
from horsesense.methods.winoventi.plan import PipelinePlan
from tests.support.made_plan import make_plan, no_wordnet, people_have_answered

# transformers loads its modules when they are first named; each child would do so anew.
PRELOADED = (transformers.AutoTokenizer, transformers.AutoModelForCausalLM, transformers.AutoModelForMaskedLM)


def main(masked: str, causal: str, folder: str, kills: int, seed: int) -> None:
    no_wordnet()
    pipeline._NOUNS_AT_ONCE = 3  # several parts, so that a kill can fall between two
    for name, number in (("whole", 0), ("killed", kills)):
        (Path(folder) / name).mkdir()
        killed = with_kills(make_plan(Path(masked), Path(causal)), Path(folder) / name / "out", number, seed)
    print(killed)


def with_kills(plan: PipelinePlan, out: Path, kills: int, seed: int) -> int:
    """Kill the pipeline so often before people have answered, and as often after; then let it end."""
    chance, killed = random.Random(seed), 0
    for answered in (False, True):
        if answered:
            plan = people_have_answered(plan, out.parent, out)
        for attempt in range(kills + 1):
            child = os.fork()
            if child == 0:
                run_pipeline(plan, out)
                os._exit(0)
            if attempt == kills:
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
                continue
            time.sleep((attempt + chance.random()) * 0.6)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            killed += 1
    return killed


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
