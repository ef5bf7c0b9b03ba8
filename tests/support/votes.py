"""Votes of judgements, as a table of votes takes them."""

from __future__ import annotations

from collections.abc import Iterable

from horsesense.core import Judgement


def triples(judgements: Iterable[Judgement]) -> list[tuple[str, str, str]]:
    """Return item, annotator and value of each judgement."""
    return [(each.item, each.annotator, each.value) for each in judgements]
