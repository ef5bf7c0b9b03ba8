"""``python -m tests.faults``: every fault point of every command that keeps something; the table for docs/results/reliability.md."""

from __future__ import annotations

import argparse
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.faults.harness import Chosen, Injector, Outcome, build_shim, table, together
from tests.support.reliability import put, quick_place, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=10**6, help="Points of a kind and command at most, evenly chosen.")
    parser.add_argument("--kills", type=int, default=60, help="Kills of a command at most, likewise.")
    parser.add_argument("--seconds", type=float, default=10**6, help="For a command.")
    parser.add_argument("--only", action="append", help="A command; all, where none is named.")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="Processes that share the points.")
    parser.add_argument("--write", action="store_true", help="Put the table into docs/results/reliability.md.")
    parser.add_argument("--place", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.number is not None:
        _work(chosen)
        return
    place = Path(tempfile.mkdtemp(prefix="faults-", dir=quick_place()))
    quiet = {"LD_PRELOAD": str(build_shim(place)), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    words = [sys.executable, "-m", "tests.faults", *sys.argv[1:], "--place", str(place)]
    words += ["--workers", str(chosen.workers)]
    started = [
        subprocess.Popen([*words, "--number", str(number)], env=os.environ | quiet) for number in range(chosen.workers)
    ]
    fallen = [worker for worker in started if worker.wait()]
    found = [pickle.loads((place / f"found-{number}").read_bytes()) for number in range(chosen.workers)]
    shutil.rmtree(place, ignore_errors=True)
    outcomes = {name: together(each[name] for each in found) for name in found[0]}
    print(table(outcomes))
    if chosen.write:
        put("faults", table(outcomes, rows("faults")))
    for name, outcome in outcomes.items():
        for defect in outcome.defects[:10]:
            print(f"\n{name}: {defect}")
    sys.exit(1 if fallen or any(outcome.defects for outcome in outcomes.values()) else 0)


def _work(chosen: argparse.Namespace) -> None:
    import logging
    import warnings

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    from tests.faults.cases import cases

    scratch: Path = chosen.place / str(chosen.number)
    inputs = scratch / "inputs"
    inputs.mkdir(parents=True)
    injector, outcomes = Injector(scratch), dict[str, Outcome]()
    which = Chosen(chosen.most, chosen.kills, chosen.seconds, (chosen.number, chosen.workers))
    with cases(inputs, chosen.only) as found:
        for case in found:
            warm = Path(tempfile.mkdtemp(dir=scratch))
            case.prepare(warm)
            before = Path.cwd()
            os.chdir(warm)
            with suppress(SystemExit):  # here, and not in a child, so that the children find all libraries loaded
                (case.warm or case.run)(warm)
            os.chdir(before)
            outcomes[case.name] = injector.faults(case, which)
            (chosen.place / f"found-{chosen.number}").write_bytes(pickle.dumps(outcomes))


if __name__ == "__main__":
    main()
