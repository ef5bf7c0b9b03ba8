"""CPU seconds that a command takes to start, beyond bare Python: ``--help``, ``show``, and a run of 20 items.

Run: OMP_NUM_THREADS=1 python bench/start.py
Targets: --help 0.15 s, show 0.30 s beyond bare Python; the run 1.5 times loading the model and scoring.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from horsesense.core import write_probe
from horsesense.methods.starter.probe import starter_probe

CALLS = 5
SCORING = """
from horsesense import ScoringSpec, load_model, load_probe
from horsesense.scoring.option_scores import answer_items
list(answer_items(load_model("smollm2"), load_probe("starter").items[:20], ScoringSpec()))
"""


def seconds(arguments: list[str], environment: dict[str, str], folder: Path) -> float:
    """Return the median CPU seconds of calls of Python; one before them writes the byte code, as an installation has
    it, and stores the self-tests."""
    times = []
    for _ in range(CALLS + 1):
        shutil.rmtree(folder / "run", ignore_errors=True)
        start = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment, cwd=folder)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
    return statistics.median(times[1:])


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_probe(folder / "small.jsonl", starter_probe())
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        bare = seconds(["-c", "pass"], environment, folder)
        print(f"{bare:.3f} s  bare Python")
        for words in ("--help", "show small.jsonl", "show small.jsonl --json", "run --help"):
            used = seconds(["-m", "horsesense", *words.split()], environment, folder)
            print(f"{used - bare:.3f} s  beyond it: horsesense {words}")
        scoring = seconds(["-c", SCORING], environment, folder)
        words = "run -m smollm2 -p starter --limit 20 --no-cache --out run"
        used = seconds(["-m", "horsesense", *words.split()], environment, folder)
        print(f"{scoring:.2f} s  loading SmolLM2 and scoring 20 items")
        print(f"{used:.2f} s  horsesense {words}: {used / scoring:.2f} times as much")


if __name__ == "__main__":
    main()
