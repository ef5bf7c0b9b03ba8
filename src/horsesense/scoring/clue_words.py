"""Clue words: what a prediction depends on whatever the entities are called (Zhou et al. 2021, appendix C).

A single saliency map is noisy. So the same statement is explained with several draws of names; a word is a clue if it
is among the strongest in most draws, and a stability figure says how far the draws agree.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from horsesense.core import ScoringSpec
from horsesense.core.document import Document
from horsesense.errors import UserError, argument
from horsesense.lexicons.novel_names import novel_names
from horsesense.lexicons.words import words
from horsesense.models.hf.language_model import LanguageModel
from horsesense.scoring.saliency import Method, Saliency, saliency

TOP = 5
"""Number of strongest words per draw."""
LEAST = 3
"""Draws of five in which a clue must be among them."""

_SLOT = re.compile(r"\{(\w+)\}")
_BRACKETED = re.compile(r"([^\[\]]*)\[([^\[\]]+)\]([^\[\]]*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with the stretch to explain, which may have slots for names: ``{A} floats, so {A} [sinks].``"""

    before: str
    target: str
    after: str

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots for names, in the order of the text."""
        return tuple(dict.fromkeys(_SLOT.findall(self.before + self.target + self.after)))

    def named(self, names: Mapping[str, str]) -> Marked:
        """Fill the slots."""
        return Marked(
            *(_SLOT.sub(lambda slot: names[slot[1]], part) for part in (self.before, self.target, self.after))
        )

    def explained(self, model: LanguageModel, spec: ScoringSpec, method: Method, steps: int, seed: int) -> Saliency:
        """Attribute the stretch to the other words."""
        start = len(self.before)
        text = self.before + self.target + self.after
        return saliency(model, text, start, start + len(self.target), spec, method, steps, seed)


@dataclass(frozen=True, slots=True)
class ExplanationOverNames(Document):
    """Clue words of a model's prediction over several draws of names."""

    model: str
    """Name of the model."""
    spec: Mapping[str, str | int | float | bool]
    """Scoring spec."""
    seed: int
    """Random seed of the noise and of the names."""
    drawn: tuple[Saliency, ...]
    """Each draw of names."""
    clues: tuple[Clue, ...]
    """Words that are strong in most draws: most votes first, then the strongest."""
    draws: int
    """Number of draws."""
    stability: float
    """Mean overlap of the strongest words of two draws."""
    arguments: float | None
    """Share of the clues that are arguments; null where there is no clue."""


def parse_marked(text: str) -> Marked:
    """Parse a text with one stretch in brackets.

    >>> parse_marked("{A} is ice, so {A} is [cold].").slots
    ('A',)
    """
    parts = _BRACKETED.fullmatch(text)
    if parts is None:
        raise UserError("the text needs one stretch in brackets", fix="write for example 'Ice is [cold].'")
    return Marked(*parts.groups())


def draw_names(slots: Sequence[str], draws: int, seed: int = 0) -> list[dict[str, str]]:
    """Draw novel names for each slot, different ones in each draw."""
    names = novel_names(len(slots) * draws, seed)
    return [dict(zip(slots, names[n * len(slots) :], strict=False)) for n in range(draws)]


@dataclass(frozen=True, slots=True)
class Clue:
    """A word of the statement that is strong in most draws."""

    index: int
    """Index of the word in the statement."""
    word: str
    votes: int
    """Draws in which it is among the strongest."""
    value: float
    """Mean attribution: above 0 it makes the target more probable."""
    argument: bool
    """Whether it is one of the axiom's arguments, not of the template around them."""


@dataclass(frozen=True, slots=True)
class Clues:
    """Agreement of the draws."""

    clues: tuple[Clue, ...]
    """Most votes first, then the strongest."""
    draws: int
    stability: float
    """Mean overlap (Jaccard) of the strongest words of two draws: 1 all the same, 0 none in common."""

    @property
    def arguments(self) -> float | None:
        """The share of the clues that are arguments; None where there is no clue."""
        return sum(clue.argument for clue in self.clues) / len(self.clues) if self.clues else None


def clue_words(draws: Sequence[Sequence[tuple[str, float]]], arguments: Collection[str] = (), top: int = TOP) -> Clues:
    """Return words that are among the ``top`` strongest in at least three fifths of the draws.

    A draw is the words of the statement in order, each with its saliency; names may differ between draws.

    >>> draws = [[("Zop", 0.1), ("floats", 2.0), ("not", -3.0)], [("Wim", 2.5), ("floats", 2.0), ("not", -1.0)]]
    >>> voted = clue_words(draws, arguments=["floats"], top=2)
    >>> [(clue.word, clue.votes, clue.argument) for clue in voted.clues], round(voted.stability, 2)
    ([('floats', 2, True)], 0.33)
    """
    if len(draws) < 2:
        raise UserError("a vote needs at least two draws", fix=f"ask for more with {argument('draws')}")
    if len({len(draw) for draw in draws}) > 1:
        raise UserError("the draws have different numbers of words", fix="use names of one word each")
    least = -(-LEAST * len(draws) // TOP)
    strongest = [_strongest(draw, top) for draw in draws]
    argument_words = {word.casefold() for word in arguments}
    clues = []
    for index, (word, _) in enumerate(draws[0]):
        votes = sum(index in indices for indices in strongest)
        if votes >= least:
            value = sum(draw[index][1] for draw in draws) / len(draws)
            clues.append(Clue(index, word, votes, value, word.casefold() in argument_words))
    overlaps = [len(left & right) / len(left | right) for left, right in combinations(strongest, 2) if left | right]
    ordered = tuple(sorted(clues, key=lambda clue: (-clue.votes, -abs(clue.value), clue.index)))
    return Clues(ordered, len(draws), sum(overlaps) / len(overlaps) if overlaps else 0.0)


def _strongest(draw: Sequence[tuple[str, float]], top: int) -> set[int]:
    """Return the indices of the strongest words, in either direction; the first of equals."""
    order = sorted(range(len(draw)), key=lambda index: (-abs(draw[index][1]), index))
    return {index for index in order[:top] if draw[index][1] != 0}


def clues_of(saliencies: Sequence[Saliency], names: Sequence[Mapping[str, str]], arguments: str = "") -> Clues:
    """Return the clue words by vote over the draws; ``arguments`` are the axiom's own words, as any text.

    A name is identified by its slot, since it differs between draws.
    """
    draws = []
    for each, drawn in zip(saliencies, names, strict=True):
        slots = {name: f"{{{slot}}}" for slot, name in drawn.items()}
        draws.append([(slotted(word.word, slots), word.value) for word in each.words])
    return clue_words(draws, words(arguments))


def slotted(word: str, slots: Mapping[str, str]) -> str:
    """Return a word, or the slot of a name, also in the possessive.

    >>> slotted("Wim's", {"Wim": "{A}"}), slotted("floats", {"Wim": "{A}"})
    ("{A}'s", 'floats')
    """
    name = word.removesuffix("'s")
    return slots[name] + word[len(name) :] if name in slots else word
