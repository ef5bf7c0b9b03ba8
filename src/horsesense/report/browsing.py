"""The data of the item browser: all items by column, packed so that 50,000 of them are a few megabytes."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any

import numpy as np
import orjson

from horsesense.analysis.slices import MOST_TO_SLICE_BY
from horsesense.records import Item
from horsesense.report.collecting import Collected
from horsesense.report.details import details
from horsesense.report.summary import Summary
from horsesense.report.wording import value_text

MOST_FILTERS = 12
"""Facets that get a filter; more would bury the list."""


def packed(document: Any) -> str:
    """JSON, compressed, as text that holds nothing a page could mistake for markup."""
    # mtime: the same report gives the same bytes.
    return base64.b64encode(gzip.compress(orjson.dumps(document), 6, mtime=0)).decode("ascii")


def browser_data(collected: Collected) -> dict[str, Any]:
    """What the browser's script reads (templates/unpack.js): one entry a probe, each with columns over its items."""
    return {"probes": [_probe(name, summaries) for name, summaries in collected.probes.items()]}


def _probe(name: str, summaries: Sequence[Summary]) -> dict[str, Any]:
    items: dict[str, Item] = {}
    for summary in summaries:
        for item in summary.answered.items:
            items.setdefault(item.id, item)
    all_items = list(items.values())
    prefix = f"{all_items[0].probe}-"
    families: dict[str, int] = {}
    return {
        "name": name,
        "prefix": prefix,
        "ids": [identity.removeprefix(prefix) for identity in items],
        "premises": [item.premise for item in all_items],
        "texts": [item.text for item in all_items],
        "options": [item.options for item in all_items],
        "answers": [item.answer for item in all_items],
        "families": [families.setdefault(item.family, len(families)) if item.family else -1 for item in all_items],
        "familyNames": list(families),
        "members": [item.member for item in all_items],
        "facets": _facets(all_items),
        "models": [_model(summary, list(items)) for summary in summaries],
        "details": details(summaries, items),
    }


def _facets(items: Sequence[Item]) -> list[dict[str, Any]]:
    found = []
    for name in sorted({name for item in items for name in item.facets}):
        values = [value_text(item.facets[name]) if name in item.facets else None for item in items]
        known = sorted({value for value in values if value is not None})
        if 1 < len(known) <= MOST_TO_SLICE_BY * 2:
            place: dict[str | None, int] = {value: number for number, value in enumerate(known)} | {None: -1}
            found.append({"name": name, "values": known, "codes": [place[value] for value in values]})
    return found[:MOST_FILTERS]


def _model(summary: Summary, ids: Sequence[str]) -> dict[str, Any]:
    """What a model chose, in the order of ``ids``: -1 where it was not asked; and by what margin, in thousandths."""
    places = {item.id: place for place, item in enumerate(summary.answered.items)}
    earned = summary.earned
    margins = np.round(np.nan_to_num(earned.margins) * 1000).clip(-(10**6), 10**6).astype(int).tolist()
    order = [places.get(identity, -1) for identity in ids]
    return {
        "label": summary.label,
        "chosen": [-1 if place < 0 else _choice(earned.predicted[place]) for place in order],
        "margins": [0 if place < 0 else margins[place] for place in order],
    }


def _choice(predicted: tuple[int, ...]) -> int | list[int]:
    return predicted[0] if len(predicted) == 1 else list(predicted)
