"""Two sentences that differ in one place, and what an edit makes of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from horsesense.lexicons.words import word_spans

Method = Literal["add", "delete", "substitute", "swap"]
Status = Literal["proved", "asserted", "proposed"]
Ground = Literal["order", "isa", "names", "keys", "guess"]
PROVING: frozenset[Ground] = frozenset({"order", "isa"})
"""Grounds from which a key follows by logic; that names can be exchanged is a judgement about names."""


@dataclass(frozen=True, slots=True)
class Dual:
    """A pair after one edit."""

    options: tuple[str, str]
    method: Method
    """What the paper calls the edit: adding, deleting, replacing, swapping words."""
    edit: str
    """The edit, with the words it worked on."""
    flips: bool
    """Whether the other sentence is the sensible one now."""
    ground: Ground = "guess"
    """What its key rests on: a total order (also of numbers), WordNet's isa, names that seem to carry no knowledge; a
    guess where nothing proves it."""

    @property
    def status(self) -> Status:
        """Whether the key follows by logic, or is proposed and has to be judged."""
        return "proved" if self.ground in PROVING else "proposed"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences as words; the words before ``first`` and those after the edits are the same in both."""

    texts: tuple[str, str]
    words: tuple[tuple[str, ...], tuple[str, ...]]
    first: int
    """How many words they share at the beginning."""
    last: int
    """How many words they share at the end."""

    @property
    def before(self) -> tuple[str, ...]:
        return self.words[0][: self.first]

    @property
    def after(self) -> tuple[str, ...]:
        return self.words[0][len(self.words[0]) - self.last :]

    @property
    def middles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words in which they differ."""
        one, other = (words[self.first : len(words) - self.last] for words in self.words)
        return one, other

    def shared(self) -> list[tuple[int, str]]:
        """Words outside the edit, in lower case, each with its place: from the start, or from the end below 0."""
        ahead = [(place, word.lower()) for place, word in enumerate(self.before)]
        return ahead + [(place - self.last, word.lower()) for place, word in enumerate(self.after)]

    def edited(self, place: int, count: int, words: tuple[str, ...]) -> tuple[str, str]:
        """Both sentences with ``count`` words from ``place`` on replaced by others; spaces and marks stay."""
        first_text, second_text = (_edited(text, place, count, words) for text in self.texts)
        return first_text, second_text


def pair_of(texts: tuple[str, str]) -> Pair | None:
    """The pair, or None where the sentences share no word: then they are not one sentence with an edit."""
    words = tuple(tuple(text[start:end] for start, end in word_spans(text)) for text in texts)
    first_words, second_words = words
    fewest = min(len(first_words), len(second_words))
    first = next((n for n in range(fewest) if first_words[n] != second_words[n]), fewest)
    rest = fewest - first
    last = next((n for n in range(rest) if first_words[-1 - n] != second_words[-1 - n]), rest)
    if first + last == 0 or texts[0] == texts[1]:
        return None
    return Pair(texts, (first_words, second_words), first, last)


def _edited(text: str, place: int, count: int, words: tuple[str, ...]) -> str:
    spans = word_spans(text)
    at = place if place >= 0 else len(spans) + place
    begin = spans[at][0] if at < len(spans) else len(text)
    end = spans[at + count - 1][1] if count else begin
    new = " ".join(words)
    if new and text[begin:end][:1].isupper():
        new = new[:1].upper() + new[1:]
    if not count:
        return f"{text[:begin].rstrip()} {new} {text[end:].lstrip()}".strip()
    left, right = text[:begin], text[end:]
    if not new:
        left, right = left.rstrip(), right.lstrip()
        gap = " " if left and right and re.match(r"[\w“(‘\"]", right) else ""
        return left + gap + right
    return left + new + right
