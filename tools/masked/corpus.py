"""From what the model wrote to rows of tokens: tidy, cut into pieces of several lengths, packed.

A piece is framed by the separator on both sides, as the finished model's texts are; so the number of separators before
a token tells its piece, and rows need nothing beside their tokens.
"""

from __future__ import annotations

import lzma
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from decontaminate import sentences, words
from tokenizers import Tokenizer

SEPARATOR = 0
HELD_OUT = 100
"""One text in so many is never trained on."""
REPEATED = 5
"""So many words in a row that came before: the model has begun to turn in circles."""

Rows = npt.NDArray[np.uint16]
_MARKS = re.compile(r"\*\*|__|`+|^#+ *|^\s*(?:\d+[.)]|[-*•])\s+", re.MULTILINE)
_QUOTES = str.maketrans("’‘“”", "''\"\"")
_ABOUT_ITSELF = re.compile(
    r"language model|\bAI\b|smollm|hugging face|\bprompt\b|\bclauses?\b|the (?:text|sentence|paragraph|phrase)\b", re.I
)


def tidy(text: str) -> list[str]:
    """The sentences of a text up to where it repeats itself or breaks off; none where it talks about itself.

    >>> tidy("**Ann** has a cup. It is red and it is small and round. It is red and it is small. It br")
    ['Ann has a cup.', 'It is red and it is small and round.']
    """
    text = _MARKS.sub("", text.translate(_QUOTES))
    if _ABOUT_ITSELF.search(text):
        return []
    seen: set[tuple[str, ...]] = set()
    kept = []
    for sentence in sentences(text):
        found = words(sentence)
        runs = {tuple(found[n : n + REPEATED]) for n in range(max(1, len(found) - REPEATED + 1))}
        if runs & seen or not re.search(r"[.!?][\"')]*$", sentence.strip()):
            break
        seen |= runs
        kept.append(" ".join(sentence.split()))
    return kept


def tidy_all(texts: Sequence[str]) -> list[str]:
    """The texts of which something is left, one sentence a line."""
    return ["\n".join(kept) for kept in map(tidy, texts) if kept]


def read_texts(path: Path) -> list[str]:
    """The texts of a shard."""
    return lzma.decompress(path.read_bytes()).decode().split("\n\n")


def pieces(text: str, rng: random.Random) -> Iterator[str]:
    """A text whole, and once more in runs of one to four sentences: what is scored later is short."""
    kept = text.split("\n")
    size = rng.choice((1, 1, 2, 3, 4))
    parts = {" ".join(kept[start : start + size]) for start in range(0, len(kept), size)}
    yield from sorted({" ".join(kept), *parts})


def pack(encoded: Iterable[Sequence[int]], length: int) -> Rows:
    """Rows of framed pieces; what is left of a row is filled with separators."""
    rows: list[list[int]] = [[]]
    for ids in encoded:
        framed = [SEPARATOR, *ids[: length - 2], SEPARATOR]
        if len(rows[-1]) + len(framed) > length:
            rows.append([])
        rows[-1] += framed
    packed = np.full((len(rows), length), SEPARATOR, dtype=np.uint16)
    for row, ids in zip(packed, rows, strict=True):
        row[: len(ids)] = ids
    return packed


def _read(seed: int, path: Path) -> tuple[list[str], list[str]]:
    rng = random.Random(f"{seed} {path.name}")
    train: list[str] = []
    held_out: list[str] = []
    for number, text in enumerate(read_texts(path)):
        (held_out if number % HELD_OUT == 0 else train).extend(pieces(text, rng))
    return train, held_out


def read_corpus(paths: Sequence[Path], tokenizer: Tokenizer, length: int, seed: int) -> tuple[Rows, Rows]:
    """Rows to train on, and rows that are held out; each distinct piece once."""
    with ProcessPoolExecutor() as pool:
        parts = list(pool.map(partial(_read, seed), sorted(paths)))
    train = dict.fromkeys(piece for part, _ in parts for piece in part)
    held_out = [piece for piece in dict.fromkeys(piece for _, part in parts for piece in part) if piece not in train]
    both = []
    for texts in (list(train), held_out):
        random.Random(seed).shuffle(texts)
        both.append(pack((one.ids for one in tokenizer.encode_batch(texts)), length))
    return both[0], both[1]
