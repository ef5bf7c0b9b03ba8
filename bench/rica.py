"""How long 100,000 statements of 17,000 axioms take to build, and how much memory; a ratio to writing them down.

    python bench/rica.py CONCEPTNET ATOMIC…

needs files of ConceptNet and ATOMIC, since 17,000 axioms are more than ship with the package.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from horsesense.knowledge.atomic import read_atomic
from horsesense.knowledge.conceptnet import read_conceptnet
from horsesense.methods.rica.building import RicaPlan, build_rica
from horsesense.methods.rica.knowledge_tables import TEMPLATES, shipped_lexicon
from horsesense.methods.rica.statements import entities_of
from horsesense.methods.rica.strategies import Sources
from horsesense.records import write_probe

STATEMENTS = 102_000


def main(conceptnet: str, *atomic: str) -> None:
    start = time.perf_counter()
    facts = {"conceptnet": read_conceptnet([Path(conceptnet)]), "atomic": read_atomic([Path(name) for name in atomic])}
    plan = RicaPlan(
        list(TEMPLATES), Sources(facts=facts), shipped_lexicon(), entities_of("novel", 2, 0), cap=None, limit=STATEMENTS
    )
    probe = build_rica(plan)
    built = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as scratch:
        start = time.perf_counter()
        write_probe(Path(scratch) / "rica.jsonl", probe)
        written = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(probe.items):,} statements of {probe.card.families:,} axioms: {built:.1f} s, {memory:,.0f} MB at most")
    print(f"reading, crawling and building took {built / written:.1f} times as long as writing ({written:.1f} s)")
    for note, count in probe.card.notes.items():
        print(f"  {note}: {count:,}")


if __name__ == "__main__":
    main(*sys.argv[1:])
