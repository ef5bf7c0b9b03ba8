"""How long 100,000 statements take to build, and how much memory; and what the shipped set gives away.

    python bench/rica.py [CONCEPTNET ATOMIC…]
    python bench/rica.py --cues
    python bench/rica.py --leaks RELEASE [CONCEPTNET ATOMIC…]

Statements are built of the shipped tables with no cap on axioms about one property, each about two pairs of names,
and, where files of ConceptNet and ATOMIC are named, of these too. With ``--cues`` every cue is tried on the set that
`build rica` makes by itself; with ``--leaks`` what the release's test and curated set have in common with what is
built: the tables of docs/results/rica.md.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

from horsesense.core import Probe, write_probe
from horsesense.cues import measure_cues
from horsesense.lexicons.triples import read_atomic, read_conceptnet
from horsesense.methods.published import read_files
from horsesense.methods.rica.builder import CAP, RicaPlan, build_rica
from horsesense.methods.rica.controls import is_at_chance, shape_scores
from horsesense.methods.rica.english_statements import entities_of
from horsesense.methods.rica.lexicon import shipped_lexicon
from horsesense.methods.rica.strategies import AxiomSources, strategies_of
from horsesense.training.leaks import find_leaks, without_leaks

STATEMENTS = 102_000


def build(sources: AxiomSources, pairs: int | None, cap: int | None, limit: int | None) -> Probe:
    entities = entities_of("novel", pairs, 0)
    return build_rica(RicaPlan(strategies_of(sources), sources, shipped_lexicon(), entities, cap=cap, limit=limit))


def sources(files: list[Path]) -> AxiomSources:
    return AxiomSources(
        facts={"conceptnet": read_conceptnet(files[:1]), "atomic": read_atomic(files[1:])} if files else {}
    )


def measure(name: str, files: list[Path]) -> None:
    wall, worked = time.perf_counter(), time.process_time()
    probe = build(sources(files), 2, None, STATEMENTS)
    wall, worked = time.perf_counter() - wall, time.process_time() - worked
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with tempfile.TemporaryDirectory() as scratch:
        start = time.process_time()
        write_probe(Path(scratch) / "rica.jsonl", probe)
        written = time.process_time() - start
    print(f"{name}: {len(probe.items):,} statements of {probe.card.families:,} axioms")
    print(f"  {wall:.1f} s ({worked:.1f} s of processor, bound 30 s), {memory:,.0f} MB; writing {written:.1f} s")


def cues() -> None:
    probe = build(AxiomSources(), None, CAP, None)
    found = measure_cues(probe.items, probe.card.group, extra={"structure only": shape_scores(probe)})
    print(f"{found.n:,} statements, {found.units} properties, {len(found.cues)} of {found.tried} cues apply")
    print("| cue | accuracy | speaks about | at chance |\n|---|---|---|---|")
    for cue in sorted(found.cues, key=lambda cue: -abs(cue.accuracy.value - found.chance)):
        told = f"{cue.accuracy.value:.3f} ({cue.accuracy.low:.3f} to {cue.accuracy.high:.3f})"
        print(f"| {cue.name} | {told} | {cue.coverage:.2f} | {'yes' if is_at_chance(cue.accuracy) else 'no'} |")
    for name, estimate in (("whatever is best on the other half", found.searched), ("tree", found.tree)):
        told = f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
        print(f"| {name} | {told} | 1.00 | {'yes' if is_at_chance(estimate) else 'no'} |")


def leaks(release: Path, files: list[Path]) -> None:
    built = {"shipped set": build(AxiomSources(), None, CAP, None)}
    if files:
        built["all tables and knowledge bases"] = build(sources(files), None, None, None)
    for name, part in (("10k", "test"), ("human_curated_set", "eval")):
        parts = (f"{part}_sentences.txt", f"{part}_sentences_m.txt", "config.txt")
        tests = read_files("rica", [release / name / each for each in parts]).items
        for told, probe in built.items():
            counts = dict(find_leaks(probe.items, tests).by)
            left = len(probe.items) - len(without_leaks(probe.items, tests))
            print(f"{name}, {len(tests):,}; {told}, {len(probe.items):,}: {counts}, left out of training {left:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="a file of ConceptNet, then files of ATOMIC")
    parser.add_argument("--cues", action="store_true")
    parser.add_argument("--leaks", type=Path, metavar="RELEASE")
    arguments = parser.parse_args()
    if arguments.cues:
        return cues()
    if arguments.leaks:
        return leaks(arguments.leaks, arguments.files)
    measure("shipped tables", [])
    if arguments.files:
        measure("shipped tables, ConceptNet and ATOMIC", arguments.files)


if __name__ == "__main__":
    main()
