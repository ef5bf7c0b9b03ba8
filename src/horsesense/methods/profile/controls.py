"""Two models that are none, asked like any other: a guesser, and one that reads cues.

They stand for the ends of what a page can say: nothing is known, and nothing but the surface is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from horsesense.analysis.cues.control import ChosenCue
from horsesense.methods.profile.conditions import RETEST_OF, Condition, Role
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.runs.ask import content_of
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.results import Answered

GUESSER, CUE_READER = "guesser", "cue-reader"
CONTROLS = {
    GUESSER: "chooses at random, with a seed",
    CUE_READER: "picks what the best cue picks, and guesses where there is none",
}
"""By name, what they do; the names are taken."""
SEED = 0
"""Of the guesses. It was not chosen by what it gives: one page of twenty may be wrong somewhere, this one too."""


def referring(
    name: str, conditions: Iterable[Condition], cues: Mapping[str, ChosenCue], seed: int = SEED
) -> dict[str, dict[tuple[Role, str], Answered]]:
    """By ability, what a reference model answers; it has no likelihoods, so no other way than the first."""
    found: dict[str, dict[tuple[Role, str], Answered]] = {}
    for condition in conditions:
        if condition.role in ("main", "twin", "retest"):
            scores = _guess(seed) if name == GUESSER else _read(cues[condition.ability], _guess(seed))
            answers = [Answer(item=i.id, view=i.form, scores=scores(i)) for i in condition.probe.items]
            part = _part(name, condition, answers)
            answered = Answered(part, condition.probe, ScoringSpec(), answers)
            found.setdefault(condition.ability, {})[condition.role, "options"] = answered
    return found


def _guess(seed: int) -> Callable[[Item], tuple[float, ...]]:
    def guess(item: Item) -> tuple[float, ...]:
        chance = Random(f"{seed} {item.id}")
        return tuple(chance.random() for _ in item.options)

    return guess


def _read(cue: ChosenCue, otherwise: Callable[[Item], tuple[float, ...]]) -> Callable[[Item], tuple[float, ...]]:
    picked = {answer.item: answer.scores for answer in cue.answers}

    def read(item: Item) -> tuple[float, ...]:
        shares = picked.get(str(item.facets.get(RETEST_OF, item.id)))
        return otherwise(item) if shares is None else shares

    return read


def _part(name: str, condition: Condition, answers: Sequence[Answer]) -> Part:
    content = hashlib.sha256(repr([(answer.item, answer.scores) for answer in answers]).encode()).hexdigest()
    return Part(
        model=ModelRecord(
            name=name, family="control", architecture="none", direction="none", parameters=0, window=0,
            weights=content, revision="", dtype="float64", frame=CONTROLS[name], kind="control",
        ),
        probe=ProbeRecord(
            name=condition.name, items=len(condition.probe.items), of=len(condition.probe.items),
            content=content_of(condition.probe.items),
        ),
        shards=1,
    )  # fmt: skip
