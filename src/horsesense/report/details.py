"""Tokens and evidence of chosen items: errors, disagreements, a sample; any other by ``horsesense show``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from horsesense.analysis.mistakes import confident_errors, disagreements
from horsesense.records import Answer, Item, ScoringSpec
from horsesense.report.summary import Summary
from horsesense.scoring.evidence import evidence
from horsesense.scoring.prompts import ask
from horsesense.scoring.texts import ScoredText, ScoredToken

MOST_ITEMS = 2_000
MOST_TOKENS = 500_000
"""Tokens of one probe over all models: what keeps the page of long items under 15 MB."""
SAMPLE = 200


def details(summaries: Sequence[Summary], items: Mapping[str, Item]) -> dict[str, list[Any]]:
    """By item id, one entry a model: scores, tokens and the evidence between the right and the best other option."""
    places = [{item.id: place for place, item in enumerate(s.answered.items)} for s in summaries]
    found: dict[str, list[Any]] = {}
    tokens = 0
    for identity in chosen_items(summaries, list(items)):
        entry = [
            _entry(summary, items[identity], place[identity]) if identity in place else None
            for summary, place in zip(summaries, places, strict=True)
        ]
        tokens += sum(len(option["logprobs"]) for one in entry if one for option in one["options"])
        if tokens > MOST_TOKENS:
            break
        found[identity] = entry
    return found


def chosen_items(summaries: Sequence[Summary], ids: Sequence[str], most: int = MOST_ITEMS) -> list[str]:
    """Ids of the items that are shown with their tokens: a sample, then errors and disagreements by turns."""
    rng = np.random.default_rng(0)
    sample = [ids[place] for place in sorted(rng.permutation(len(ids))[: min(SAMPLE, most)].tolist())]
    queues = [[s.answered.items[place].id for place in confident_errors(s.earned.margins, most)] for s in summaries]
    queues.append(disagreements([(s.answered.items, s.earned.values) for s in summaries])[:most])
    chosen = dict.fromkeys(sample)
    for turn in range(max(map(len, queues), default=0)):
        for queue in queues:
            if turn < len(queue) and len(chosen) < most:
                chosen[queue[turn]] = None
    if len(chosen) < most:
        chosen |= dict.fromkeys(identity for identity in ids[: most * 2] if identity not in chosen)
    return list(chosen)[:most]


def _entry(summary: Summary, item: Item, place: int) -> dict[str, Any]:
    answer = summary.answered.answers[place]
    texts = scored_texts(answer, item, summary.answered.spec)
    scores = summary.scores[place]
    options = [
        {
            "score": round(scores[number], 3),
            "text": text.text,
            "starts": [token.start for token in text.tokens],
            "ends": [token.end for token in text.tokens],
            "logprobs": [round(token.logprob, 2) for token in text.tokens],
        }
        if text
        else {"score": round(scores[number], 3), "text": "", "starts": [], "ends": [], "logprobs": []}
        for number, text in enumerate(texts)
    ]
    return {"options": options, "evidence": _evidence(item, texts, scores)}


def scored_texts(answer: Answer, item: Item, spec: ScoringSpec) -> list[ScoredText | None]:
    """Each option as it was asked, token by token, from what is kept; None for a classifier, which has no tokens."""
    if not answer.logprobs:
        return [None] * len(item.options)
    # The stretch that was scored is in the kept offsets, so it does not matter what the family asks of a blank.
    prompts = ask(item, spec, asks_what_follows=True).prompts
    return [
        ScoredText(
            prompt.text,
            tuple(
                ScoredToken(prompt.text[start:end], start, end, value)
                for start, end, value in zip(starts, ends, logprobs, strict=True)
            ),
        )
        for prompt, starts, ends, logprobs in zip(prompts, answer.starts, answer.ends, answer.logprobs, strict=True)
    ]


def _evidence(item: Item, texts: Sequence[ScoredText | None], scores: Sequence[float]) -> dict[str, Any] | None:
    """Which tokens speak for the right option and which for the best other one (cats, q_k)."""
    compared = right_and_other(item, texts, scores)
    if compared is None:
        return None
    right, against, other = compared
    return {
        "other": other,
        "places": [
            [place.token.token if place.token else "", place.against.token if place.against else "", round(place.q, 2)]
            for place in evidence(right, against)
        ],
    }


def right_and_other(
    item: Item, texts: Sequence[ScoredText | None], scores: Sequence[float]
) -> tuple[ScoredText, ScoredText, int] | None:
    """The right option and the best other one, with its number; None where tokens cannot be set against tokens."""
    if item.answer is None or len(texts) < 2 or item.form not in ("sentences", "cloze"):
        return None
    other = max((n for n in range(len(texts)) if n != item.answer), key=lambda n: scores[n])
    right, against = texts[item.answer], texts[other]
    return None if right is None or against is None else (right, against, other)
