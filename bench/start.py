"""How long a command takes to start: the median of seven calls of ``--help`` and of ``show`` on a small probe.

Run: python bench/start.py
Wanted: under 0.3 s each.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from horsesense.core import write_probe
from horsesense.methods.starter.probe import starter_probe

CALLS = 7


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """The median over calls; one before them writes the byte code, as an installed package has it."""
    times = []
    for _ in range(CALLS + 1):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "small.jsonl"
        write_probe(small, starter_probe())
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder) / "bytecode")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for words in (["--help"], ["show", str(small)], ["show", str(small), "--json"]):
            told = " ".join(words).replace(str(small), "SMALL.jsonl")
            print(f"{seconds([sys.executable, '-m', 'horsesense', *words], environment):.2f} s  horsesense {told}")


if __name__ == "__main__":
    main()
