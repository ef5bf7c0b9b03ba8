"""``python -m tests.fuzz --seconds 600 --seed 1``: the table for docs/reliability.md, and each defect once."""

from __future__ import annotations

import argparse
import logging
import resource
import sys
import tempfile
import warnings
from pathlib import Path

from tests.fuzz.harness import Fuzz

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--inputs", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))  # what eats memory must not eat the machine's
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    fuzz = Fuzz(chosen.seed, Path(tempfile.mkdtemp(prefix="fuzz-")))
    fuzz.run(chosen.seconds, chosen.inputs)
    print(fuzz.table())
    for defect in fuzz.defects.values():
        print(f"\n{defect.kind}\n  {defect.target}: {defect.call[:400]}")
    print(f"\nseed {chosen.seed}; what led to defects is kept in {fuzz.place}/defects" if fuzz.defects else "")
    sys.exit(1 if fuzz.defects else 0)
