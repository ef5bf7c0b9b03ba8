"""Options scored without their question: what a language model would pick blindfold."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

from horsesense.models.language_model import LanguageModel
from horsesense.records import Item, ScoringSpec
from horsesense.scoring.texts import score_texts


def blind_scores(model: LanguageModel, items: Sequence[Item], spec: ScoringSpec) -> list[list[float]]:
    """The mean log-probability per token of each option on its own.

    Sentences without a premise are the question themselves: there is nothing to leave out, and the
    cue abstains.
    """
    asked = [item for item in items if item.form != "sentences" or item.premise]
    distinct = list(dict.fromkeys(option for item in asked for option in item.options))
    means = dict(zip(distinct, (text.mean for text in score_texts(model, distinct, spec)), strict=True))
    seen = {item.id for item in asked}
    return [[means[option] if item.id in seen else nan for option in item.options] for item in items]
