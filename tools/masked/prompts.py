"""Prompts for the model to write from: our own requests and openings, filled with nouns from lists.

Half of the THINGS nouns are left out, so that results can be told for nouns in and out of the prompts.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SEPARATOR = "<|endoftext|>"
TEMPLATES = Path(__file__).with_name("prompts.txt")
_SLOT = re.compile(r"\{(a )?(\w+)\}")


@dataclass(frozen=True)
class Prompt:
    """What the model is given, and how much of it belongs to the text that is kept."""

    text: str
    kept: str
    """The opening where the model goes on from one; empty where it answers a request."""


@cache
def _own_words() -> frozenset[str]:
    words = re.findall(r"[a-z]+", TEMPLATES.read_text(encoding="utf-8").lower())
    return frozenset(form for word in words for form in (word, word.removesuffix("s")))


def left_out(noun: str) -> bool:
    """Whether a THINGS noun is kept out of the prompts: every second, by its hash, unless our own writing has it."""
    noun = noun.strip().lower()
    return hashlib.sha256(noun.encode()).digest()[0] % 2 == 1 and not {*noun.split()} & _own_words()


def things_nouns(path: Path) -> list[str]:
    """The distinct nouns of the THINGS table, as they are written there."""
    with path.open(encoding="utf-8", newline="") as handle:
        return sorted({row["Word"].strip() for row in csv.DictReader(handle, delimiter="\t")})


def listed_nouns(path: Path) -> list[str]:
    """The strings of a JSON word list: an object with one list in it."""
    values = json.loads(path.read_text(encoding="utf-8"))
    lists = [value for value in values.values() if isinstance(value, list)]
    return [word.strip().lower() for words in lists for word in words if isinstance(word, str)]


def prompt_nouns(things: Path, lists: Sequence[Path]) -> list[str]:
    """All nouns that prompts may name; a noun that is left out is left out of every list."""
    every = things_nouns(things)
    banned = {form for noun in every if left_out(noun) for form in (noun.lower(), f"{noun.lower()}s")}
    others = [word for path in lists for word in listed_nouns(path)]
    plain = [noun.lower() for noun in (*every, *others) if re.fullmatch(r"[A-Za-z][A-Za-z' -]*", noun)]
    return sorted({noun for noun in plain if noun not in banned and not {*noun.split()} & banned})


def templates(path: Path = TEMPLATES) -> dict[str, list[str]]:
    """The sections of the template file."""
    sections: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            sections[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            list(sections.values())[-1].append(line)
    return sections


def prompts(nouns: Sequence[str], seed: int) -> Iterator[Prompt]:
    """Prompts without end: three requests to two openings."""
    rng = random.Random(seed)
    parts = templates()
    while True:
        asks = rng.random() < 0.6
        noun, other = rng.sample(nouns, 2)
        name, friend = rng.sample(parts["names"], 2)
        words = {"noun": noun, "other": other, "name": name, "friend": friend}
        words |= {slot: rng.choice(parts[f"{slot}s"]) for slot in ("situation", "opinion")}
        text = _filled(rng.choice(parts["requests" if asks else "openings"]), words)
        if asks:
            yield Prompt(f"<|im_start|>user\n{text}<|im_end|>\n<|im_start|>assistant\n", "")
        else:
            yield Prompt(f"{SEPARATOR}{text}", text)


def _filled(template: str, words: dict[str, str]) -> str:
    """The template with its slots filled, articles fitted, and a capital at its beginning.

    >>> _filled("{name} saw {a noun}.", {"name": "the owl", "noun": "egg"})
    'The owl saw an egg.'
    """

    def fill(found: re.Match[str]) -> str:
        word = words[found[2]]
        return f"{'an' if word[0] in 'aeiou' else 'a'} {word}" if found[1] else word

    text = _SLOT.sub(fill, template)
    return text[0].upper() + text[1:]
