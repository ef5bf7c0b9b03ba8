"""Which tokens decided, read from kept answers: no model is asked again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from horsesense.analysis.deciding import Deciding, Decision, Place, deciding, decision
from horsesense.errors import UserError
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.records.document import Document
from horsesense.runs.results import Answered
from horsesense.scoring.evidence import Evidence, evidence
from horsesense.scoring.prompts import item_prompts
from horsesense.scoring.texts import ScoredText, ScoredToken


@dataclass(frozen=True, slots=True)
class EvidenceKept:
    """What decided the pairs of one probe for one model."""

    model: str
    probe: str
    all: Deciding
    """Of all pairs."""
    right: Deciding | None
    """Of the pairs it gets right; None where there is none."""
    wrong: Deciding | None
    """Of those it gets wrong."""
    same_length: int
    """Pairs with as many tokens in both sentences, as the paper looks at; others are aligned."""
    left_out: int
    """Items that are no judged pair."""


@dataclass(frozen=True, slots=True)
class EvidenceOfRuns(Document):
    """What decided, for every model and every probe of pairs of some runs."""

    evidence: tuple[EvidenceKept, ...]
    """One entry a model and probe."""


def evidence_of_runs(answered: Iterable[Answered]) -> EvidenceOfRuns:
    """What the tokens of every probe of judged pairs say; other probes are left out."""
    return EvidenceOfRuns(
        tuple(
            evidence_kept(each)
            for each in answered
            if any(len(item.options) == 2 and item.answer is not None for item in each.items)
        )
    )


def evidence_kept(answered: Answered) -> EvidenceKept:
    """Put together what the tokens of every pair say."""
    decisions: list[Decision] = []
    units: list[str] = []
    same = 0
    by_mean = (answered.primary() or "mean") == "mean"
    for item, answer in zip(answered.items, answered.answers, strict=True):
        if item.answer is None or len(item.options) != 2 or not answer.logprobs:
            continue
        places = pair_evidence(item, answer, answered.spec, by_mean)
        decisions.append(decision([Place(place.q, place.edited) for place in places]))
        units.append(item.unit(answered.probe.card.group))
        same += len(answer.logprobs[0]) == len(answer.logprobs[1])
    if not decisions:
        raise UserError(
            f"{answered.part.probe.name} has no judged item with two options and scored tokens",
            fix="use a probe of pairs and a language model",
        )
    return EvidenceKept(
        model=answered.part.model.name,
        probe=answered.part.probe.name,
        all=deciding(decisions, units),
        right=_some(decisions, units, right=True),
        wrong=_some(decisions, units, right=False),
        same_length=same,
        left_out=len(answered.items) - len(decisions),
    )


def _some(decisions: list[Decision], units: list[str], *, right: bool) -> Deciding | None:
    chosen = [place for place, each in enumerate(decisions) if each.right == right]
    return deciding([decisions[place] for place in chosen], [units[place] for place in chosen]) if chosen else None


def pair_evidence(item: Item, answer: Answer, spec: ScoringSpec, by_mean: bool = True) -> list[Evidence]:
    """What each token says for the right sentence of a pair and against the wrong one.

    The paper takes sentences of the same length, where a sum decides as a mean does. With other lengths the mean
    is what scores, so each token counts as its part of the mean, and the places add up to the difference of scores.
    """
    assert item.answer is not None  # the caller has looked
    prompts = item_prompts(item, spec, asks_what_follows=True).prompts
    sides = (item.answer, 1 - item.answer)
    right, wrong = (_scored(prompts[place].text, answer, place, by_mean) for place in sides)
    return evidence(right, wrong)


def _scored(text: str, answer: Answer, place: int, by_mean: bool) -> ScoredText:
    count = len(answer.logprobs[place]) if by_mean else 1
    kept = zip(answer.starts[place], answer.ends[place], answer.logprobs[place], strict=True)
    return ScoredText(
        text, tuple(ScoredToken(text[start:end], start, end, value / count) for start, end, value in kept)
    )
