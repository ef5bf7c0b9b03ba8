"""The artefact control beside a score: does the model fall where cues mislead?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis import Estimate, accuracy, chance, credits
from horsesense.analysis.cues import WhereCuesFail, cue_answers, cues_right, where_cues_fail
from horsesense.analysis.resampling import Floats
from horsesense.errors import UserError
from horsesense.knowledge.taxonomy import load_taxonomy
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.report.wording import interval, percent
from horsesense.runs.results import Answered


@dataclass(frozen=True, slots=True)
class BestCue:
    """The best cue of a probe, as if it were a model."""

    accuracy: Estimate
    """What it earns, chosen on the half without the item."""
    right: NDArray[np.bool_]
    """Per item, whether it picks the right option and no other with it."""


@dataclass(frozen=True, slots=True)
class Control:
    """A model beside the best cue."""

    cue: Estimate
    model: Estimate
    """What the model gets of all items."""
    where: WhereCuesFail
    """The model's accuracy on items that the cue answers, and on items that it misses."""

    @property
    def cue_works(self) -> bool:
        """Whether there is anything to read off the surface."""
        return self.cue.chance is not None and self.cue.low > self.cue.chance

    @property
    def _unproven(self) -> str:
        """What follows where the cue may be guessing: little, unless it is certain to earn less than the model."""
        if self.cue.high < self.model.low:
            return "such cues do not explain the score."
        if self.model.chance is not None and self.model.low > self.model.chance:
            return f"with n = {self.cue.n:,} it cannot be told whether such cues explain the score."
        return "neither it nor the model has been shown to beat guessing."

    @property
    def sentence(self) -> str:
        """What it means, for a reader who has never heard of cues."""
        guess = f"{percent(self.cue.chance)}" if self.cue.chance is not None else "chance"
        if not self.cue_works:
            return (
                f"The best surface cue, such as length or word overlap, earns {percent(self.cue.value)} here "
                f"({interval(self.cue)}), where guessing earns {guess}: {self._unproven}"
            )
        told = (
            f"Without understanding anything, the best surface cue earns {percent(self.cue.value)} (guessing: {guess})."
        )
        if self.where.missed is None or self.where.answered is None:
            return told
        on, off = self.where.answered, self.where.missed
        return (
            f"{told} The model gets {percent(on.value)} of the items that this cue answers, and {percent(off.value)} "
            f"({percent(off.low)} to {percent(off.high)}, n = {off.n:,}) of those that it misses."
        )


def best_cue(answered: Answered) -> BestCue | str:
    """The best cue of a probe, or why there is none."""
    items = answered.items
    folder = find_wordnet() if any(item.concepts for item in items) else None
    try:
        found = cue_answers(items, answered.probe.card.group, load_taxonomy(folder) if folder else None)
    except UserError as error:
        return error.problem
    golds = [item.answer for item in items]
    earned = credits([answer.scores for answer in found], golds)
    guess = chance([len(item.options) for item in items if item.answer is not None])
    return BestCue(accuracy(earned.values, answered.units, guess), cues_right(found, items))


def control(cue: BestCue, model: Estimate, earned: Floats, answered: Answered) -> Control:
    """One model's accuracy on both sides of the best cue."""
    return Control(cue.accuracy, model, where_cues_fail(earned, cue.right, answered.units, cue.accuracy.chance))
