"""The words that a model itself puts into a blank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from horsesense.errors import UserError
from horsesense.models.contract import Model
from horsesense.records import Fill, ScoringSpec
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class FillDocument(Document):
    """The words that a model puts into blanks."""

    model: str
    """Who was asked."""
    spec: Mapping[str, str | int | float | bool]
    """What a score means: all fields of the scoring spec, and the tokens around each text in words."""
    fills: tuple[Fill, ...]
    """For each prompt in turn, its words, best first."""


def fill(model: Model, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
    """The k best single tokens for the blank of each prompt, pieces and all, best first.

    A causal model can only be asked where the blank ends the prompt: it does not see what follows.
    """
    if k < 1:
        raise UserError(f"the {k} best words of a blank are asked for", fix="ask for 1 or more")
    return model.best_words(prompts, k, spec)
