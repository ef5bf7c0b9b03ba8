"""Asking a network while it learns, in the same way as a run asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from horsesense.analysis import credits
from horsesense.learning.objectives import Objective
from horsesense.models.local.trainable import Opened, as_language_model
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.options import answer_items

_TOKENS = {"cuda": 65_536}
"""Tokens a batch on a GPU; elsewhere the usual number."""


def answers_of(
    opened: Opened, network: Any, objective: Objective, items: Sequence[Item], blind: bool = False
) -> list[Answer]:
    """The answers of a network as it is now."""
    model = as_language_model(opened, network, objective.family)
    spec = ScoringSpec(truncation="left")
    asked = [_blinded(item) for item in items] if blind else items
    found = answer_items(model, asked, spec, *([_TOKENS[model.device.type]] if model.device.type in _TOKENS else []))
    return [replace(answer, item=item.id) for answer, item in zip(found, items, strict=True)]


def _blinded(item: Item) -> Item:
    """Without its premise, and a question without its question."""
    return replace(item, premise="", text=item.text if item.form == "pair" else "")


def credit_of(answers: Sequence[Answer], items: Sequence[Item], how: Any = None) -> Any:
    """What each answer earns, by the primary normalisation or that of the form."""
    spec = ScoringSpec()
    scores = [
        normalised(answer, item, spec, how or BY_FORM[item.form]) for answer, item in zip(answers, items, strict=True)
    ]
    return credits(scores, [item.answer for item in items], [item.id for item in items]).values


def accuracy_of(
    opened: Opened, network: Any, objective: Objective, items: Sequence[Item], blind: bool = False
) -> float:
    return float(np.nanmean(credit_of(answers_of(opened, network, objective, items, blind), items)))
