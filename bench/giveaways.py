"""What can be had of WordNetQA without the question, ours beside the released files: the table of docs/wordnetqa.md.

python bench/giveaways.py [FOLDER WITH THE RELEASED FILES]

Needs WordNet, GCIDE and GloVe (horsesense fetch wordnet gcide glove).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from horsesense.analysis.cues import find_cues
from horsesense.knowledge.sources import open_graph
from horsesense.knowledge.taxonomy import load_taxonomy
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.learning.baseline import fit_baseline
from horsesense.learning.splits import hold_out
from horsesense.methods.releases import read_release
from horsesense.methods.wordnetqa import RELATIONS, WordNetPlan, build_wordnetqa
from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, build_dictionaryqa
from horsesense.records import Item, Probe

TRAINED = 3000
RELEASED = {"definitions": ("train",), "synonymy": ("train",), "hypernymy": ("train", "test")}


def ours(relation: str) -> tuple[Probe, Probe, Probe]:
    """The whole default set, its training part and its test part."""
    if relation == "dictionary":
        whole = build_dictionaryqa(open_graph("gcide"), DictionaryPlan())
    else:
        whole = build_wordnetqa(open_graph(), WordNetPlan(relation))
    return whole, _part(whole, "train"), _part(whole, "test")


def _part(probe: Probe, split: str) -> Probe:
    return _of(probe, [item for item in probe.items if item.facets["split"] == split])


def _of(probe: Probe, items: Sequence[Item]) -> Probe:
    return Probe.of(list(items), probe.card, {})


def released(folder: Path) -> Iterator[tuple[str, Probe, Probe, Probe]]:
    for relation, splits in RELEASED.items():
        probes = [read_release("mcqa", [folder / relation / f"{split}.jsonl.gz"]) for split in splits]
        if len(probes) == 2:
            yield f"{relation} (test)", probes[1], probes[0], probes[1]
        else:
            kept, held = hold_out(probes[0].items, 1 / 3, 0, "answer")
            yield f"{relation} (train)", probes[0], _of(probes[0], kept), _of(probes[0], held)


def line(name: str, whole: Probe, train: Probe, test: Probe) -> str:
    folder = find_wordnet()
    assert folder is not None
    found = find_cues(whole.items, whole.card.group, load_taxonomy(folder), splits=3)
    worth = {cue.name: cue.accuracy.value for cue in found.cues}
    best = found.cues[0]
    control = fit_baseline("choice-only-linear", _most(train), test, allow_overlap=True)
    glove = control.estimate
    told = [name, f"{found.n:,}", f"{best.accuracy.value:.3f} ({best.name})"]
    told += [f"{worth[cue]:.3f}" if cue in worth else "the same for all" for cue in ("hyponyms", "example")]
    told += [f"{found.tree.value:.3f}", f"{glove.value:.3f} ({glove.low:.3f} to {glove.high:.3f}), {control.train:,}"]
    return f"| {' | '.join(told)} |"


def _most(train: Probe) -> Probe:
    return train if len(train.items) <= TRAINED else _of(train, train.items[:TRAINED])


def main() -> None:
    arguments = sys.argv[1:]
    if arguments:
        for name, *probes in released(Path(arguments[0])):
            print(line(f"released {name}", *probes), flush=True)
    for relation in (*RELATIONS, "dictionary"):
        print(line(f"ours, {relation}", *ours(relation)), flush=True)


if __name__ == "__main__":
    main()
