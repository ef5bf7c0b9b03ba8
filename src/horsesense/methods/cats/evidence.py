"""Which tokens decide: q_k over many pairs (CATs, section "Robustness Test", figure 3).

It is computed from stored answers, without a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from horsesense.core import Answer, Item, ScoringSpec
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.run import AnyRun, answered_of, folder_of
from horsesense.scoring.prompts import item_prompts
from horsesense.scoring.texts import ScoredText, ScoredToken, TokenEvidence, evidence, scored_text
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Decision:
    """How one pair was decided."""

    right: bool
    by_edit: bool
    """Whether the position with the most evidence for the decision is one where the sentences differ."""
    position: float
    """Relative position, from 0 (first token) to 1 (last)."""
    carried_by_others: bool
    """Whether shared positions carry more evidence for the decision than those that differ."""
    edit_share: float
    """Share of all evidence, for or against, at positions where the sentences differ."""


@dataclass(frozen=True, slots=True)
class Deciding:
    """What decides over many pairs."""

    n: int
    """Pairs."""
    by_edit: Estimate
    """Share of pairs whose deciding token is an edited one."""
    carried_by_others: Estimate
    """Share of decisions carried by tokens other than the edit."""
    edit_share: Estimate
    """Mean share of the evidence in the edit."""
    position_quartiles: tuple[float, float, float]
    """Quartiles of the deciding token's position."""
    position_thirds: tuple[int, int, int]
    """Deciding tokens in the first, middle and last third of the sentence."""


def decision(q: Sequence[float], edited: Sequence[bool]) -> Decision:
    """Decide a pair by the sum of its evidence, for the right sentence and against the wrong one, over its positions.

    A sum of 0 counts as wrong. ``edited`` are the positions at which the sentences differ.

    >>> decision([0.5, -1.0, 2.5], [False, True, False])
    Decision(right=True, by_edit=False, position=1.0, carried_by_others=True, edit_share=0.25)
    """
    if not q:
        raise UserError("a pair has no token to look at")
    right = sum(q) > 0
    toward = [value if right else -value for value in q]
    top = int(np.argmax(toward))
    at_edit = [value for value, differs in zip(toward, edited, strict=True) if differs]
    weight = sum(map(abs, toward))
    return Decision(
        right=right,
        by_edit=edited[top],
        position=top / (len(q) - 1) if len(q) > 1 else 0.0,
        carried_by_others=sum(toward) - sum(at_edit) > sum(at_edit),
        edit_share=sum(map(abs, at_edit)) / weight if weight else 0.0,
    )


def deciding(decisions: Sequence[Decision], units: Sequence[str]) -> Deciding:
    """Aggregate decisions, with clustered intervals."""
    if not decisions:
        raise UserError("there is no pair to look at", fix="use a probe with two options per item")
    positions = np.array([each.position for each in decisions])
    low, middle, high = np.quantile(positions, [0.25, 0.5, 0.75]).tolist()
    borders = [0.0, 1 / 3, 2 / 3, 1.0 + 1e-9]
    first, second, third = (int(((positions >= a) & (positions < b)).sum()) for a, b in pairwise(borders))

    return Deciding(
        n=len(decisions),
        by_edit=accuracy([float(each.by_edit) for each in decisions], units),
        carried_by_others=accuracy([float(each.carried_by_others) for each in decisions], units),
        edit_share=accuracy([min(1.0, each.edit_share) for each in decisions], units),
        position_quartiles=(low, middle, high),
        position_thirds=(first, second, third),
    )


# Evidence in runs.


@dataclass(frozen=True, slots=True)
class EvidenceKept:
    """What decided the pairs of one probe for one model."""

    model: str
    probe: str
    all: Deciding
    """All pairs."""
    right: Deciding | None
    """Pairs that the model gets right; None if there are none."""
    wrong: Deciding | None
    """Pairs that it gets wrong."""
    same_length: int
    """Pairs with equally many tokens in both sentences, as in the paper; others are aligned."""
    left_out: int
    """Items that are not a labelled pair."""


@dataclass(frozen=True, slots=True)
class EvidenceOfRuns(Document):
    """What decided pairs, for each model and probe of some runs."""

    evidence: tuple[EvidenceKept, ...]
    """One entry per model and probe."""


def evidence_kept(answered: ProbeAnswers) -> EvidenceKept:
    """Aggregate the evidence of all pairs of one probe."""
    decisions: list[Decision] = []
    units: list[str] = []
    same = 0
    by_mean = (answered.primary() or "mean") == "mean"
    for item, answer in zip(answered.items, answered.answers, strict=True):
        if item.answer is None or len(item.options) != 2 or not answer.logprobs:
            continue
        places = pair_evidence(item, answer, answered.spec, by_mean)
        decisions.append(decision([place.q for place in places], [place.edited for place in places]))
        units.append(item.unit(answered.probe.card.group))
        same += len(answer.logprobs[0]) == len(answer.logprobs[1])
    if not decisions:
        raise UserError(
            f"{answered.part.probe.name} has no labelled item with two options and scored tokens",
            fix="use a probe of pairs and a language model",
        )
    return EvidenceKept(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        all=deciding(decisions, units),
        right=_deciding_where(decisions, units, right=True),
        wrong=_deciding_where(decisions, units, right=False),
        same_length=same,
        left_out=len(answered.items) - len(decisions),
    )


def _deciding_where(decisions: list[Decision], units: list[str], *, right: bool) -> Deciding | None:
    places = [place for place, each in enumerate(decisions) if each.right == right]
    return deciding([decisions[place] for place in places], [units[place] for place in places]) if places else None


def pair_evidence(item: Item, answer: Answer, spec: ScoringSpec, by_mean: bool = True) -> list[TokenEvidence]:
    """Return the evidence of each token for the right sentence of a pair and against the wrong one.

    The paper takes sentences of the same length, where a sum decides as a mean does. With other lengths the mean
    is the score, so each token counts as its part of the mean, and the positions add up to the difference of scores.
    """
    assert item.answer is not None  # checked by the caller
    prompts = item_prompts(item, spec, scores_to_end=True).prompts
    sides = (item.answer, 1 - item.answer)
    right, wrong = (_scored(prompts[place].text, answer, place, by_mean) for place in sides)
    return evidence(right, wrong)


def _scored(text: str, answer: Answer, place: int, by_mean: bool) -> ScoredText:
    count = len(answer.logprobs[place]) if by_mean else 1
    tokens = zip(answer.starts[place], answer.ends[place], answer.logprobs[place], strict=True)
    return scored_text(text, (ScoredToken(text[start:end], start, end, value / count) for start, end, value in tokens))


@translate_errors()
def token_evidence(*runs: AnyRun) -> EvidenceOfRuns:
    """Report how often the edited tokens decide a pair, where they are, and how much other tokens contribute.

    Args:
        runs: Run folders with probes of sentence pairs. In Python, also a `Run`.

    Returns:
        One entry per model and probe of labelled pairs; other probes are left out.
    """
    kept = [
        evidence_kept(each)
        for each in answered_of(runs)
        if any(len(item.options) == 2 and item.answer is not None for item in each.items)
    ]
    if not kept:
        fix = "give runs on ca, wsc, sm …"
        raise UserError("no probe of these runs has labelled pairs", file=folder_of(runs[0]), fix=fix)
    return EvidenceOfRuns(tuple(kept))
