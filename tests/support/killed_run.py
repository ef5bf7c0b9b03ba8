"""Run by the test as a process of its own: starts the same run again and again and kills it, at random points.

It imports everything once and forks, so that twenty kills do not cost twenty imports.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import transformers

from horsesense.core import read_probe
from horsesense.runs.ask_models import ask_models
from horsesense.runs.tasks import Settings

# transformers loads its modules when they are first named; each child would do so anew.
PRELOADED = (transformers.AutoTokenizer, transformers.AutoModelForCausalLM, transformers.GPT2LMHeadModel)


def main(model: str, probe: str, out: str, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    settings = Settings(shard=400, budget=200, cache=False, device="cpu")
    items = {"probe": read_probe(probe)}
    killed = at_work = 0
    while killed < kills:
        child = os.fork()
        if child == 0:
            ask_models([model], items, Path(out), settings)
            os._exit(0)
        before = len(list(Path(out).glob("answers/*.parquet")))
        # Half of the kills fall into loading and planning, half wait until answers are being written.
        if chance.random() < 0.5:
            while len(list(Path(out).glob("answers/*.parquet"))) == before and os.waitpid(child, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
            at_work += 1
        time.sleep(chance.random() * 0.02)
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        except (ProcessLookupError, ChildProcessError):
            break
        killed += 1
    before = len(list(Path(out).glob("answers/*.parquet")))
    ask_models([model], items, Path(out), settings)
    after = len(list(Path(out).glob("answers/*.parquet")))
    print(killed, at_work, before, after)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
