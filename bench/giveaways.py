"""What can be had of WordNetQA without the question: the table of docs/results/wordnetqa.md.

python bench/giveaways.py [--released FOLDER] [--draws] [FILE …]

Without a file the five default sets are built at full size, and every single cue is tried on them in both directions.
With ``--draws`` it is told instead how often the option that is offered most often is right where `run --limit` asks a
part. Needs WordNet and GCIDE (horsesense fetch wordnet gcide).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from horsesense.core import Probe, read_probe
from horsesense.cues.battery import battery, phrase
from horsesense.cues.findings import drawn
from horsesense.cues.search import Prepared, Searched, prepare, search, tree_credit
from horsesense.cues.table import table_of
from horsesense.lexicons.sources import open_graph
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.published import read_files
from horsesense.methods.wordnetqa import build, build_dictionaryqa
from horsesense.methods.wordnetqa.plan import RELATIONS
from horsesense.runs.shards import draw

NEW = ("stem", "derivation", "edit distance", "above another", "below another", "near another")
"""Cues that are shown each."""
LEAST = 0.02
"""Share of items that a cue has to speak about."""
MOST_TREE = 6000
RELEASED = ("hypernymy/test", "hyponymy/test", "definitions/train", "synonymy/train", "dictionary_qa/test")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to pick by a cue."""

    cue: str
    pick: str
    """How to tell a person to pick by it: "the option …"."""
    accuracy: float
    """On all items; where the cue is silent, a guess."""
    coverage: float
    """Share of items where the cue tells options apart."""
    speaking: float
    """Accuracy on these; chance where there are none."""


def ways(prepared: Prepared, searched: Searched) -> list[Way]:
    """Each direction of a number cue, and each learnt cue as other items teach it, the most accurate first."""
    chance = float(prepared.table.chance.mean())
    found = []
    for number, cue in enumerate(prepared.cues):
        coverage = float(searched.coverage[number])
        if number < prepared.numbers:
            coverage = float(prepared.coverage[number])
            earned = [(way, float(prepared.directed[:, 2 * number + way].mean(dtype="f8"))) for way in (0, 1)]
        else:
            earned = [(0, float(searched.credit[:, number].mean(dtype="f8")))]
        for way, accuracy in earned:
            speaking = (accuracy - chance * (1 - coverage)) / coverage if coverage else chance
            found.append(Way(cue.name, f"the option {phrase(cue, way)}", accuracy, coverage, speaking))
    return sorted(found, key=lambda way: (-way.accuracy, way.pick))


def line(name: str, probe: Probe) -> str:
    folder = find_wordnet()
    assert folder is not None
    table = table_of(probe.items, probe.card.group, open_graph("wordnet"))
    prepared = prepare(table, battery())
    found = ways(prepared, search(prepared, 3, 0))
    best, loudest = found[0], max((way for way in found if way.coverage >= LEAST), key=lambda way: way.speaking)
    sample = prepared.take(drawn(table, MOST_TREE, 0)) if len(table) > MOST_TREE else prepared
    tree = float(tree_credit(sample)[0].mean())
    told = [name, f"{len(table):,}", f"{best.accuracy:.3f} ({best.cue})", f"{loudest.speaking:.3f} ({loudest.cue})"]
    for cue in NEW:
        mine = [way for way in found if way.cue == cue]
        worst = max(mine, key=lambda way: way.accuracy, default=None)
        told.append(f"{worst.accuracy:.3f}" if worst else "silent")
    return f"| {' | '.join([*told, f'{tree:.3f}'])} |"


def draws(name: str, probe: Probe, seeds: int = 40) -> str:
    """The mean over seeds of what the option offered most often in a draw earns."""
    told = [name, f"{len(probe.items):,}"]
    for limit in (40, 200):
        earned = []
        for seed in range(seeds):
            items = draw(probe.items, limit, seed)
            offered = Counter(option for item in items for option in item.options)
            for item in items:
                most = max(offered[option] for option in item.options)
                best = [place for place, option in enumerate(item.options) if offered[option] == most]
                earned.append((item.answer in best) / len(best))
        told.append(f"{sum(earned) / len(earned):.3f}")
    return f"| {' | '.join(told)} |"


def probes(arguments: argparse.Namespace) -> Iterator[tuple[str, Probe]]:
    for path in arguments.files:
        yield path.name, read_probe(path)
    if arguments.released:
        for name in RELEASED:
            yield f"released {name}", read_files("mcqa", [arguments.released / f"{name}.jsonl.gz"])
    if not arguments.files:
        for relation in RELATIONS:
            yield f"ours, {relation}", build(relation=relation, distractors="random")
        yield "ours, dictionary", build_dictionaryqa(distractors="random")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--released", type=Path)
    parser.add_argument("--draws", action="store_true")
    arguments = parser.parse_args()
    if arguments.draws:
        print("| set | items | draws of 40 | of 200 |\n|---|---|---|---|")
        for name, probe in probes(arguments):
            print(draws(name, probe), flush=True)
        return
    print(f"| set | items | best single cue | best where it speaks | {' | '.join(NEW)} | tree |")
    print("|---" * (5 + len(NEW)) + "|")
    for name, probe in probes(arguments):
        print(line(name, probe), flush=True)


if __name__ == "__main__":
    main()
