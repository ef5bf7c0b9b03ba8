"""Write and read 300,000 items as JSONL and as Parquet: seconds, and the most memory held, each in its own process.

Run: python bench/records.py [ITEMS]
Wanted: under 20 s for writing and reading together, and under 1 GB, for each format.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from horsesense.core import Card, Item, Probe, Source, read_probe, write_probe

ITEMS = 300_000
FORMATS = ("jsonl", "jsonl.gz", "parquet")


def made(number: int) -> Item:
    """A five-way question of the length and with the facets of a generated one."""
    noun = f"noun{number % 4000}"
    return Item(
        probe="bench",
        form="choice",
        text=f"In 'the {noun} was seen by {number} people', the word '{noun}' is best defined as a kind of",
        options=tuple(f"thing {number + place} (or object), defined as 'a tangible entity'" for place in range(5)),
        answer=number % 5,
        concepts=tuple(f"thing.n.{place}" for place in range(5)),
        family=f"{noun}.n.01",
        member="hypernymy",
        groups={"noun": noun, "answer": f"thing.n.{number % 5}"},
        facets={"task": "hypernymy", "split": "train", "hops": number % 4, "pos": "n"},
        source=Source(file="train.jsonl", line=number + 1, id=f"q{number}", triples=(("isa", noun, "thing"),)),
    )


def measure(ending: str, action: str, folder: Path, count: int) -> None:
    """One action in this process; prints seconds, seconds of work, and the process's peak memory in MB."""
    path = folder / f"bench.{ending}"
    if action == "write":
        probe = Probe.of([made(number) for number in range(count)], Card(name="bench"))
        start, worked = time.perf_counter(), time.process_time()
        write_probe(path, probe)
    else:
        start, worked = time.perf_counter(), time.process_time()
        probe = read_probe(path)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    assert len(probe.items) == count
    print(f"{seconds:.1f} {worked:.1f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")


def main() -> None:
    if len(sys.argv) == 5:
        measure(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS
    with tempfile.TemporaryDirectory() as folder:
        for ending in FORMATS:
            told = []
            for action in ("write", "read"):
                command = [sys.executable, __file__, ending, action, folder, str(count)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                seconds, worked, megabytes = done.stdout.split()
                told.append(f"{action} {seconds} s ({worked} s of work), peak {megabytes} MB")
            size = (Path(folder) / f"bench.{ending}").stat().st_size / 1e6
            print(f"{ending:9} {count:,} items  {'  '.join(told)}  file {size:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
