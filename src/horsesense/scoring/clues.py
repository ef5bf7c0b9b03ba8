"""What a prediction rests on whatever the things are called: saliency over several draws of names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.analysis.clues import Clue, Clues, clue_words
from horsesense.errors import UserError
from horsesense.language.novel import novel_names
from horsesense.language.words import words
from horsesense.models.language_model import LanguageModel
from horsesense.records import ScoringSpec
from horsesense.records.document import Document
from horsesense.scoring.saliency import Method, Saliency, SaliencyDocument, saliency

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
        """The names that are to be drawn, in the order of the text."""
        return tuple(dict.fromkeys(_SLOT.findall(self.before + self.target + self.after)))

    def named(self, names: Mapping[str, str]) -> Marked:
        """The same with the slots filled."""
        return Marked(
            *(_SLOT.sub(lambda slot: names[slot[1]], part) for part in (self.before, self.target, self.after))
        )

    def explained(
        self, model: LanguageModel, spec: ScoringSpec, method: Method = "integrated", steps: int = 50, seed: int = 0
    ) -> Saliency:
        """What the stretch rests on."""
        start = len(self.before)
        text = self.before + self.target + self.after
        return saliency(model, text, start, start + len(self.target), spec, method, steps, seed)


@dataclass(frozen=True, slots=True)
class ExplanationOverNames(Document):
    """What a model's prediction rests on whatever the things are called."""

    model: str
    """Who was asked."""
    spec: Mapping[str, str | int | bool]
    """What a score means."""
    seed: int
    """Seed of the noise and of the names."""
    drawn: tuple[SaliencyDocument, ...]
    """Each draw of names."""
    clues: tuple[Clue, ...]
    """Words that are strong in most draws: most votes first, then the strongest."""
    draws: int
    """How many draws there are."""
    stability: float
    """Mean overlap of the strongest words of two draws."""
    arguments: float | None
    """Share of the clues that are arguments; null where there is no clue."""


def parse_marked(text: str) -> Marked:
    """Read a text with one stretch in brackets.

    >>> parse_marked("{A} is ice, so {A} is [cold].").slots
    ('A',)
    """
    found = _BRACKETED.fullmatch(text)
    if found is None:
        raise UserError("the text needs one stretch in brackets", fix="write for example 'Ice is [cold].'")
    return Marked(*found.groups())


def draw_names(slots: Sequence[str], draws: int, seed: int = 0) -> list[dict[str, str]]:
    """Names that nobody has heard of for each slot, other ones in each draw."""
    names = novel_names(len(slots) * draws, seed)
    return [dict(zip(slots, names[n * len(slots) :], strict=False)) for n in range(draws)]


def clues(found: Sequence[Saliency], names: Sequence[Mapping[str, str]], arguments: str = "") -> Clues:
    """Clue words by vote over the draws; ``arguments`` are the axiom's own words, in any form of text.

    A name is told by its slot, since it is another one in each draw.
    """
    draws = []
    for each, drawn in zip(found, names, strict=True):
        slots = {name: f"{{{slot}}}" for slot, name in drawn.items()}
        draws.append([(slots.get(word.word, word.word), word.value) for word in each.words])
    return clue_words(draws, words(arguments))
