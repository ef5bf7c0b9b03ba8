"""``python -m tests.faults.limits --write``: a device in place of every input; the table for docs/results/reliability.md.

Each command is a process of its own; beside it the same command on a file that is not there, which is what starting takes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from horsesense.core import write_probe
from tests.data.test_limits import PROGRAM
from tests.support.made_tasks import clozes
from tests.support.reliability import put
from tests.support.tiny import save_tiny

SECONDS, MEGABYTES = 2.0, 500
COMMANDS = [
    "show FILE",
    "import winograd FILE -o o.jsonl",
    "import table FILE --map question=q,options=a+b,answer=c -o o.jsonl",
    "build winoventi FILE -o o.jsonl",
    "knowledge add mine FILE",
    "cues FILE",
    "harden FILE -o h.jsonl",
    "annotate new FILE --instrument choice -o n.csv --people ann",
    "run -m MODEL -p FILE --out r",
    "score -m FOLDER text",
    "run -m FOLDER -p PROBE --out r",
    "train -m FOLDER --train PROBE --test PROBE --allow-overlap --out t",
    "profile -m FOLDER --ability parts --limit 2 --out p",
]
"""FOLDER is a model's whose weights are the file."""


def measured(words: list[str], folder: Path) -> tuple[float, float, int, int]:
    """Seconds by the clock and of the processor, megabytes at most, and how it ended."""
    began, before = time.monotonic(), os.times()
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    clock, after = time.monotonic() - began, os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return clock, work, int(done.stdout.split()[-2]) // 1024, done.returncode


def main() -> None:
    place = Path(tempfile.mkdtemp(prefix="limits-"))
    os.environ |= {"HORSESENSE_CACHE": str(place / "cache"), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    model = save_tiny("gpt2", place / "model")
    write_probe(place / "probe.jsonl", clozes(4, 1))
    kinds = {"`/dev/full`": Path("/dev/full")}
    lines = [
        "| input | commands | seconds more than to start, at most | of the processor, at most | MB at most | not refused |"
    ]
    lines.append("|---" * 6 + "|")
    bad = False
    for kind, path in kinds.items():
        rows = []
        for command in COMMANDS:
            folder = Path(tempfile.mkdtemp(dir=place))
            weights = Path(tempfile.mkdtemp(dir=place))
            for file in model.iterdir():
                (weights / file.name).symlink_to(path if file.suffix == ".safetensors" else file)
            given = {
                "FILE": str(path),
                "MODEL": str(model),
                "FOLDER": str(weights),
                "PROBE": str(place / "probe.jsonl"),
            }
            call = [sys.executable, "-c", PROGRAM]
            words = [*call, *(given.get(word, word) for word in command.split())]
            nothing = given | {"FILE": str(place / "not here"), "FOLDER": str(place / "not here")}
            start = measured([*call, *(nothing.get(word, word) for word in command.split())], folder)
            found = measured(words, folder)
            rows.append((found[0] - start[0], found[1] - start[1], found[2], found[3]))
            print(
                f"{kind}: {command}: {found[0]:.1f} s, {found[1]:.1f} s of the processor, {found[2]} MB",
                file=sys.stderr,
            )
        more, work, memory = (max(0.0, *(row[n] for row in rows)) for n in range(3))
        wrong = sum(row[3] != 2 for row in rows)
        bad = bad or bool(wrong) or memory > MEGABYTES or work > SECONDS
        lines.append(f"| {kind} | {len(rows)} | {more:.1f} | {work:.1f} | {memory:.0f} | {wrong} |")
    print("\n".join(lines))
    if "--write" in sys.argv:
        put("limits", "\n".join(lines))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
