"""Keep the training text apart from every probe: what shares words with one is dropped, and counted.

    python decontaminate.py index PROBE.jsonl… [--pairs FILE.tsv…] -o index.npz
    python decontaminate.py drop index.npz TEXT.xz… -o FOLDER

A text is dropped when it has, in common with a probe, eight words in a row, a whole sentence of three to seven words,
or a noun and an adjective joined by *is* (are, was, were). Words are compared in lower case and without punctuation.
`index` reads probes as `horsesense import` writes them; `drop` needs numpy only.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from dev import read_dev

N = 8
SHORTEST = 3
"""Words of the shortest sentence that is compared: two words may stand anywhere."""
KINDS = ("eight words", "whole sentence", "noun is adjective")

Hashes = npt.NDArray[np.uint64]
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[.!?][\"'”’)])\s+|\n+")
_IS = re.compile(r"([^\W\d_]+),? (?:is|are|was|were|isn['’]t|wasn['’]t|aren['’]t|weren['’]t) ([^.!?\n]{2,60})")
_SAYS_NOTHING = """
a all also already always an and as at be become been being both but by even ever extremely far for from getting going
had half has her his in is it its just kept less made more most much my never no not now of often on one only or our
pretty quite rather really slightly so some sometimes still that the their these this those to too truly usually very
what where which who with you your
"""
_EMPTY = frozenset(_SAYS_NOTHING.split())
_PRONOUNS = """
all any anybody anyone anything both each either everybody everyone everything he here him how i it many most mine
neither nobody none nothing one other she some somebody someone something such that them there these they this those
time we what when where which who why you
"""
_NO_NOUN = _EMPTY | frozenset(_PRONOUNS.split())
_MULTIPLIERS = np.random.default_rng(8).integers(1, 2**63, N, dtype=np.uint64) | np.uint64(1)


def words(text: str) -> list[str]:
    """The words of a text, as they are compared.

    >>> words("The cup, Ann's, isn't FULL.")
    ['the', 'cup', "ann's", "isn't", 'full']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


@lru_cache(maxsize=1_000_000)
def _number(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "little")


def runs_of_eight(found: Sequence[str]) -> Hashes:
    """A hash for every eight words in a row."""
    if len(found) < N:
        return np.zeros(0, dtype=np.uint64)
    numbers = np.array([_number(word) for word in found], dtype=np.uint64)
    windows = np.lib.stride_tricks.sliding_window_view(numbers, N)
    hashes: Hashes = (windows * _MULTIPLIERS).sum(axis=1, dtype=np.uint64)
    return hashes


def sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def short_sentences(text: str) -> Hashes:
    """A hash for every whole sentence that is too short to hold eight words."""
    found = [words(sentence) for sentence in sentences(text)]
    return _hashes(" ".join(one) for one in found if SHORTEST <= len(one) < N)


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """(noun, adjective) where one *is* the other: the word before it, and the first two after it that say something.

    >>> sorted(pairs("The old knives are very sharp and bright."))
    [('knive', 'bright'), ('knive', 'sharp')]
    """
    for noun, rest in _IS.findall(text.lower()):
        if noun in _NO_NOUN:
            continue
        told = [word for word in words(rest) if word not in _EMPTY]
        for adjective in told[:2]:
            yield singular(noun), adjective


def singular(noun: str) -> str:
    """A rough stem, the same for one and for many."""
    return noun.removesuffix("s")


def pair_hashes(found: Iterator[tuple[str, str]]) -> Hashes:
    return _hashes(f"{noun} is {adjective}" for noun, adjective in found)


def _hashes(texts: Iterator[str]) -> Hashes:
    return np.array([_number(text) for text in texts], dtype=np.uint64)


def index(texts: Sequence[str], more_pairs: Sequence[tuple[str, str]] = ()) -> dict[str, Hashes]:
    """What may not occur, by kind."""
    made = {
        KINDS[0]: [runs_of_eight(words(text)) for text in texts],
        KINDS[1]: [short_sentences(text) for text in texts],
        KINDS[2]: [pair_hashes(pairs(text)) for text in texts] + [pair_hashes(iter(more_pairs))],
    }
    return {kind: np.unique(np.concatenate(parts)) for kind, parts in made.items()}


def shared_kinds(text: str, known: dict[str, Hashes]) -> list[str]:
    """Which kinds of overlap a text has with the probes."""
    found = (runs_of_eight(words(text)), short_sentences(text), pair_hashes(pairs(text)))
    return [kind for kind, hashes in zip(KINDS, found, strict=True) if _any_known(hashes, known[kind])]


def _any_known(hashes: Hashes, known: Hashes) -> bool:
    places = np.searchsorted(known, hashes).clip(max=len(known) - 1)
    return bool((known[places] == hashes).any())


def probe_texts(path: Path) -> Iterator[str]:
    """All that an item of a probe says: its premise and text, with every option in its place."""
    if path.suffix == ".txt":  # the development set
        yield from (sentence for pair in read_dev(path) for sentence in pair)
        return
    from horsesense.core import BLANK, read_probe

    for item in read_probe(path).items:
        if item.form == "cloze":
            yield from (f"{item.premise} {item.text.replace(BLANK, option)}" for option in item.options)
        elif item.form == "pair":
            yield from (item.premise, item.text)
        else:
            yield from (item.premise, item.text, *(f"{item.text} {option}" for option in item.options), *item.options)


def pairs_in_table(path: Path) -> Iterator[tuple[str, str]]:
    """(noun, adjective) of a table with the columns Word, Associative Bias and Alternative."""
    import csv

    with path.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            noun = singular(row["Word"].lower().split()[-1])
            yield from ((noun, row[name].strip().lower()) for name in ("Associative Bias", "Alternative"))


def _sieved(out: Path, known: dict[str, Hashes], path: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    kept = []
    for text in lzma.decompress(path.read_bytes()).decode().split("\n\n"):
        overlaps = shared_kinds(text, known)
        counts.update(overlaps)
        counts["texts"] += 1
        counts["dropped"] += bool(overlaps)
        if not overlaps:
            kept.append(text)
    (out / path.name).write_bytes(lzma.compress("\n\n".join(kept).encode()))
    return counts


def drop(known: dict[str, Hashes], paths: Sequence[Path], out: Path) -> Counter[str]:
    """Write what is left of each shard; how many texts there were, and how many went for which reason."""
    out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor() as pool:
        return sum(pool.map(partial(_sieved, out, known), paths), Counter())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=("index", "drop"))
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pairs", type=Path, nargs="*", default=[])
    parser.add_argument("-o", "--out", type=Path, required=True)
    options = parser.parse_args()
    if options.command == "index":
        texts = [text for path in options.files for text in probe_texts(path) if text]
        made = index(texts, [pair for path in options.pairs for pair in pairs_in_table(path)])
        np.savez_compressed(options.out, allow_pickle=False, **made)
        json.dump({kind: len(hashes) for kind, hashes in made.items()}, sys.stdout)
    else:
        with np.load(options.files[0]) as known:
            counts = drop(dict(known), options.files[1:], options.out)
        json.dump(counts, sys.stdout)


if __name__ == "__main__":
    main()
