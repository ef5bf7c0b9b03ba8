"""Two models that are none, asked like any other: a guesser, and one that reads cues.

They stand for the ends of what a page can say: nothing is known, and nothing but the surface is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random

from horsesense.core import Answer, Item, ScoringSpec
from horsesense.cues.artefact_control import ChosenCue
from horsesense.profiling.plan import AGAIN_OF, Asking, Role
from horsesense.runs.ask import content_of
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.results import Answered

GUESSER, CUE_READER = "guesser", "cue-reader"
REFERENCES = {
    GUESSER: "chooses at random, with a seed",
    CUE_READER: "picks what the best cue picks, and guesses where there is none",
}
"""By name, what they do; the names are taken."""
SEED = 0
"""Of the guesses. It was not chosen by what it gives: one page of twenty may be wrong somewhere, this one too."""


def referring(
    name: str, askings: Iterable[Asking], cues: Mapping[str, ChosenCue], seed: int = SEED
) -> dict[str, dict[tuple[Role, str], Answered]]:
    """By ability, what a reference model answers; it has no likelihoods, so no other way than the first."""
    found: dict[str, dict[tuple[Role, str], Answered]] = {}
    for asking in askings:
        if asking.role in ("main", "twin", "again"):
            scores = _guess(seed) if name == GUESSER else _read(cues[asking.ability], _guess(seed))
            answers = [Answer(item=i.id, view=i.form, scores=scores(i)) for i in asking.probe.items]
            part = _part(name, asking, answers)
            answered = Answered(part, asking.probe, ScoringSpec(), answers)
            found.setdefault(asking.ability, {})[asking.role, "loglikelihood"] = answered
    return found


def _guess(seed: int) -> Callable[[Item], tuple[float, ...]]:
    def guess(item: Item) -> tuple[float, ...]:
        chance = Random(f"{seed} {item.id}")
        return tuple(chance.random() for _ in item.options)

    return guess


def _read(cue: ChosenCue, otherwise: Callable[[Item], tuple[float, ...]]) -> Callable[[Item], tuple[float, ...]]:
    picked = {answer.item: answer.scores for answer in cue.answers}

    def read(item: Item) -> tuple[float, ...]:
        shares = picked.get(str(item.facets.get(AGAIN_OF, item.id)))
        return otherwise(item) if shares is None else shares

    return read


def _part(name: str, asking: Asking, answers: Sequence[Answer]) -> Part:
    content = hashlib.sha256(repr([(answer.item, answer.scores) for answer in answers]).encode()).hexdigest()
    return Part(
        model=ModelRecord(
            name=name, family="control", architecture="none", direction="none", parameters=0, window=0,
            weights=content, revision="", dtype="float64", frame=REFERENCES[name], kind="control",
        ),
        probe=ProbeRecord(
            name=asking.name, items=len(asking.probe.items), of=len(asking.probe.items),
            content=content_of(asking.probe.items),
        ),
        shards=1,
    )  # fmt: skip
