"""``python -m tests.fuzz --inputs 100000 --seed 1 --write``: the table for docs/results/reliability.md, and each defect once."""

from __future__ import annotations

import argparse
import logging
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from tests.fuzz.harness import Fuzz, table
from tests.support.reliability import put, quick_place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--inputs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="Processes that share the targets.")
    parser.add_argument("--only", action="append", help="A target; all, where none is named.")
    parser.add_argument("--write", action="store_true", help="Put the table into docs/results/reliability.md.")
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.number is not None:
        _work(chosen)
        return
    place = Path(tempfile.mkdtemp(prefix="fuzz-", dir=quick_place()))
    # Processes of their own and not forks: a fork inherits locks of threads that it does not have.
    words = [sys.executable, "-m", "tests.fuzz", *sys.argv[1:], "--place", str(place)]
    words += ["--workers", str(chosen.workers)]
    started = [subprocess.Popen([*words, "--number", str(number)]) for number in range(chosen.workers)]
    fallen = [worker for worker in started if worker.wait()]
    found = [pickle.loads(file.read_bytes()) for file in sorted(place.glob("*/found"))]
    tallies = {name: tally for each, _, _ in found for name, tally in each.items()}
    defects = {kind: defect for _, each, _ in found for kind, defect in each.items()}
    print(table(tallies, defects))
    if chosen.write:
        put("fuzz", table(tallies, defects))
    for call in (call for _, _, each in found for call in each):
        print(f"\nended after 20 s: {call}")
    for defect in defects.values():
        print(f"\n{defect.kind}\n  {defect.target}: {defect.call[:400]}")
    print(f"\nseed {chosen.seed}; what led to defects is kept in {place}/*/defects" if defects else "")
    if fallen:
        print(f"{len(fallen)} of {len(started)} processes fell over, which is a defect too")
    sys.exit(1 if defects or fallen else 0)


def _work(chosen: argparse.Namespace) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))  # what eats memory must not eat the machine's
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    own: Path = chosen.place / str(chosen.number)
    own.mkdir()
    fuzz = Fuzz(chosen.seed, own)
    if chosen.only:
        fuzz.targets = {name: fuzz.targets[name] for name in chosen.only}
    fuzz.run(chosen.seconds, chosen.inputs // chosen.workers, (chosen.number, chosen.workers))


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
