"""The data of the item browser: all items by column, packed so that 50,000 of them are a few megabytes.

Tokens and evidence are there for chosen items: errors, disagreements, a sample; of any other by ``horsesense show``.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import orjson

from horsesense.core import Item
from horsesense.report import run_text
from horsesense.report.collection import Collection
from horsesense.report.item_answers import right_and_other
from horsesense.report.run_text import value_text
from horsesense.report.summary import Summary
from horsesense.scoring.texts import ScoredText, evidence, stored_texts
from horsesense.stats.mistakes import confident_errors, disagreements
from horsesense.stats.slices import MOST_TO_SLICE_BY

MOST_FILTERS = 12
"""Facets that get a filter; more would bury the list."""
MOST_ITEMS = 2_000
MOST_BROWSED = 100_000
"""Items of a probe that are packed at all: more do not fit, and of a million none but these is made an object."""
MOST_UNPACKED = 50_000_000
"""Characters of those items, about: they are packed to a tenth or less of it."""
MOST_TOKENS = 500_000
"""Tokens of one probe over all models; fewer where the page would grow too large."""
MOST_BYTES = 3_600_000
"""Of items and tokens, packed: with them a page stays under 4 MB."""
MOST_FIRST = 2_600_000
"""Of these the items, which are unpacked before the page can be used: within a second."""
SAMPLE = 200


def packed(document: Any) -> str:
    """JSON, compressed, as text that holds nothing a page could mistake for markup."""
    # mtime: the same report gives the same bytes.
    return base64.b64encode(gzip.compress(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), 6, mtime=0)).decode(
        "ascii"
    )


def fitting_data(collected: Collection, most: int = MOST_BYTES) -> tuple[str, str]:
    """The items and their tokens, packed into so many bytes together: first tokens are left out, then items.

    The page unpacks the items at once and the tokens when it can be used already. Errors,
    disagreements and a sample are left out last.
    """
    share, data, first = 0.95, packed(browser_data(collected)), min(most, MOST_FIRST)
    while len(data) > first:
        data = packed(browser_data(collected, share := share * first / len(data)))
    for tokens in (MOST_TOKENS, MOST_TOKENS // 5):
        beside = packed(token_data(collected, tokens))
        if len(data) + len(beside) <= most:
            return data, beside
    return data, packed([{} for _ in collected.probes])


def browser_data(collected: Collection, share: float = 1.0) -> dict[str, Any]:
    """What the browser's script reads (templates/unpack.js): one entry a probe, each with columns over its items."""
    return {"probes": [_probe(name, summaries, share) for name, summaries in collected.probes.items()]}


def token_data(collected: Collection, tokens: int = MOST_TOKENS) -> list[dict[str, list[Any]]]:
    """Tokens and evidence of the chosen items, one entry a probe."""
    return [details(summaries, tokens) for summaries in collected.probes.values()]


def _asked(summaries: Sequence[Summary]) -> Sequence[str]:
    """The ids of all items that models were asked, each once."""
    first, *others = (summary.answered.columns.ids for summary in summaries)
    unlike = [ids for ids in others if ids is not first and ids != first]
    return list(dict.fromkeys(chain(first, *unlike))) if unlike else first


def _places(summary: Summary, ids: set[str]) -> dict[str, int]:
    """Index some items among those that a model was asked."""
    return {identity: place for place, identity in enumerate(summary.answered.columns.ids) if identity in ids}


def _items(summaries: Sequence[Summary], ids: set[str]) -> dict[str, Item]:
    """Some of the items that models were asked, by id."""
    items: dict[str, Item] = {}
    for summary in summaries:
        left = ids - items.keys() if items else ids
        if left:
            items |= {each: summary.answered.items[place] for each, place in _places(summary, left).items()}
    return items


def _most(summaries: Sequence[Summary]) -> int:
    """How many items are tried: as many as would fit if they were packed well."""
    items = summaries[0].answered.items
    sample = [items[place] for place in range(0, len(items), max(1, len(items) // SAMPLE))]
    size = sum(len(item.text) + len(item.premise) + sum(map(len, item.options)) + 50 for item in sample) / len(sample)
    return min(MOST_BROWSED, int(MOST_UNPACKED / size))


def _probe(name: str, summaries: Sequence[Summary], share: float) -> dict[str, Any]:
    asked = _asked(summaries)
    most = max(1, int(share * min(len(asked), _most(summaries))))
    chosen = set(chosen_items(summaries, asked, most) if most < len(asked) else asked)
    items = _items(summaries, chosen)
    ids = [identity for identity in asked if identity in chosen]
    all_items = [items[identity] for identity in ids]
    prefix = f"{all_items[0].probe}-"
    families: dict[str, int] = {}
    return {
        "name": name,
        "left": len(asked) - len(ids),
        "prefix": prefix,
        "ids": [identity.removeprefix(prefix) for identity in ids],
        "premises": [item.premise for item in all_items],
        "texts": [item.text for item in all_items],
        "options": [item.options for item in all_items],
        "answers": [item.answer for item in all_items],
        "families": [families.setdefault(item.family, len(families)) if item.family else -1 for item in all_items],
        "familyNames": list(families),
        "members": [item.member for item in all_items],
        "facets": _facets(all_items),
        "models": [_model(summary, ids) for summary in summaries],
    }


def _facets(items: Sequence[Item]) -> list[dict[str, Any]]:
    filters = []
    for name in sorted({name for item in items for name in item.facets}):
        values = [value_text(item.facets[name]) if name in item.facets else None for item in items]
        known = sorted({value for value in values if value is not None})
        if 1 < len(known) <= MOST_TO_SLICE_BY * 2:
            place: dict[str | None, int] = {value: number for number, value in enumerate(known)} | {None: -1}
            filters.append({"name": name, "values": known, "codes": [place[value] for value in values]})
    return filters[:MOST_FILTERS]


def _model(summary: Summary, ids: Sequence[str]) -> dict[str, Any]:
    """What a model chose, in the order of ``ids``: -1 where it was not asked; and by what margin, in thousandths."""
    places = _places(summary, {*ids})
    earned = summary.earned
    order = [places.get(identity, -1) for identity in ids]
    thousandths = np.round(np.nan_to_num(earned.margins[order]) * 1000).clip(-(10**6), 10**6).astype(int).tolist()
    return {
        "label": summary.label,
        "unit": run_text.unit(summary.result.normalise),
        "chosen": [-1 if place < 0 else _choice(earned.predicted[place]) for place in order],
        "unanswered": {
            number: summary.answered.outcome_at(place)
            for number, place in enumerate(order)
            if place >= 0 and summary.answered.unanswered[place]
        },
        "margins": [0 if place < 0 else margin for place, margin in zip(order, thousandths, strict=True)],
    }


def _choice(predicted: tuple[int, ...]) -> int | list[int]:
    return predicted[0] if len(predicted) == 1 else list(predicted)


def details(summaries: Sequence[Summary], most_tokens: int = MOST_TOKENS) -> dict[str, list[Any]]:
    """By item id, one entry a model: scores, tokens and the evidence between the right and the best other option."""
    chosen = chosen_items(summaries, _asked(summaries))
    items, places = _items(summaries, {*chosen}), [_places(summary, {*chosen}) for summary in summaries]
    entries: dict[str, list[Any]] = {}
    tokens = 0
    for identity in chosen:
        entry = [
            _entry(summary, items[identity], place[identity]) if identity in place else None
            for summary, place in zip(summaries, places, strict=True)
        ]
        tokens += sum(len(option["logprobs"]) for by_model in entry if by_model for option in by_model["options"])
        tokens += sum(len(text) // 4 for by_model in entry if by_model for each in by_model["replies"] for text in each)
        if tokens > most_tokens:
            break
        entries[identity] = entry
    return entries


def chosen_items(summaries: Sequence[Summary], ids: Sequence[str], most: int = MOST_ITEMS) -> list[str]:
    """Ids of the items that are shown with their tokens: a sample, then errors and disagreements by turns."""
    rng = np.random.default_rng(0)
    sample = [ids[place] for place in sorted(rng.permutation(len(ids))[: min(SAMPLE, most)].tolist())]
    queues = [[s.answered.columns.ids[place] for place in confident_errors(s.earned.margins, most)] for s in summaries]
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
    texts = stored_texts(answer, item, summary.answered.spec)
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
    replies = [
        [f"{reply.outcome} ({reply.why})", reply.prompt, reply.reasoning, reply.text]
        for reply in summary.answered.replies_to(item.id)
    ]
    return {"options": options, "evidence": _evidence(item, texts, scores), "replies": replies}


def _evidence(item: Item, texts: Sequence[ScoredText | None], scores: Sequence[float]) -> dict[str, Any] | None:
    """Which tokens speak for the right option and which for the best other one (Zhou et al. 2020, q_k)."""
    compared = right_and_other(item, texts, scores)
    if compared is None:
        return None
    right, against, other = compared
    return {
        "other": other,
        "places": [[place.token or "", place.against or "", round(place.q, 2)] for place in evidence(right, against)],
    }
