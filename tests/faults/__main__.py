"""``python -m tests.faults``: every fault point of every command that keeps something; the table for docs/reliability.md."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.faults.harness import Injector, build_shim, table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1000, help="Points of a kind and command at most, evenly chosen.")
    parser.add_argument("--seconds", type=float, default=600.0, help="For a command.")
    parser.add_argument("--only", default="", help="One command.")
    chosen = parser.parse_args()
    if "FAULTS_READY" not in os.environ:
        shim = build_shim(Path(tempfile.mkdtemp(prefix="faults-")))
        more = {"LD_PRELOAD": str(shim), "FAULTS_READY": "1", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        os.execve(sys.executable, [sys.executable, "-m", "tests.faults", *sys.argv[1:]], os.environ | more)
    import logging
    import warnings

    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    from tests.faults.cases import cases

    scratch = Path(tempfile.mkdtemp(prefix="faults-"))
    inputs = scratch / "inputs"
    inputs.mkdir()
    injector, outcomes = Injector(scratch), {}
    for case in cases(inputs):
        if chosen.only in ("", case.name):
            warm = Path(tempfile.mkdtemp(dir=scratch))
            before = Path.cwd()
            os.chdir(warm)
            with suppress(SystemExit):  # here, and not in a child, so that the children find all libraries loaded
                case.run(warm)
            os.chdir(before)
            outcomes[case.name] = injector.faults(case, chosen.most, chosen.seconds, kills=True)
    print(table(outcomes))
    for name, outcome in outcomes.items():
        for defect in outcome.defects[:10]:
            print(f"\n{name}: {defect}")
    sys.exit(1 if any(outcome.defects for outcome in outcomes.values()) else 0)


if __name__ == "__main__":
    main()
