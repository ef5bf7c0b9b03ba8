"""How long the import, the five sets in both ways and `check` take, and how large they get."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

from horsesense.lexicons.gcide import find_gcide
from horsesense.lexicons.wordnet import find_wordnet

CHECKED = 100_000
"""Items of the four sets as the paper builds them, as many of each."""


def main() -> None:
    wordnet, gcide = find_wordnet(), find_gcide()
    if wordnet is None or gcide is None:
        print("needs WordNet and GCIDE: horsesense fetch wordnet gcide")
        return
    os.environ |= {"WNHOME": str(wordnet), "GCIDE": str(gcide)}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HORSESENSE_CACHE"] = folder
        _run(Path(folder))


def _run(folder: Path) -> None:
    from horsesense.core import Item, Probe, write_probe
    from horsesense.lexicons.graph import source_path
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa import check, dictionaryqa
    from horsesense.methods.wordnetqa.builder import build_wordnetqa
    from horsesense.methods.wordnetqa.plan import RELATIONS, WordNetPlan

    start = _now()
    words, dictionary = open_graph("wordnet"), open_graph("gcide")
    size = sum(source_path(each).stat().st_size for each in ("wordnet", "gcide"))
    print(f"import of both  {_since(start)}  {size / 1e6:.0f} MB on disk (bounds: 60 s, 200 MB)")
    start, total = _now(), 0
    asked: list[Item] = []
    for relation in RELATIONS:
        probe = build_wordnetqa(words, WordNetPlan(relation, as_paper=True))
        write_probe(folder / "set.jsonl", probe)
        total += len(probe.items)
        asked += probe.items[: CHECKED // len(RELATIONS)]
    probe = dictionaryqa.dictionaryqa_probe(dictionary, dictionaryqa.DictionaryPlan(as_paper=True))
    write_probe(folder / "set.jsonl", probe)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"all five sets   {_since(start)}  {total:,} + {len(probe.items):,} questions, {memory:.2f} GB"
        " (bounds: 120 s, 2 GB)"
    )
    start, total = _now(), 0
    for relation in RELATIONS:
        probe = build_wordnetqa(words, WordNetPlan(relation))
        write_probe(folder / "set.jsonl", probe)
        total += len(probe.items)
    probe = dictionaryqa.dictionaryqa_probe(dictionary, dictionaryqa.DictionaryPlan(), words)
    write_probe(folder / "set.jsonl", probe)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"five default    {_since(start)}  {total:,} + {len(probe.items):,} questions, {memory:.2f} GB"
        " (bounds: 150 s, 2 GB)"
    )
    start = _now()
    found = check(Probe.of(asked, probe.card))
    print(f"check           {_since(start)}  {found.n:,} items, {sum(found.rules.values()):,} faults (bound: 30 s)")
    for limit in (1_000, 4_000, 16_000):
        start = _now()
        count = len(build_wordnetqa(words, WordNetPlan("hypernymy", as_paper=True, limit=limit)).items)
        print(f"{count:>6,} items    {_since(start)}")


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(start: tuple[float, float]) -> str:
    now = _now()
    return f"{now[0] - start[0]:6.1f} s ({now[1] - start[1]:.1f} s of processor)"


if __name__ == "__main__":
    main()
