"""Cutting a run into shards: each is computed whole or not at all. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.scoring.options import Prepared

SHARD_TOKENS = 16_384
"""Tokens a shard, about: half a minute of a small model on a laptop, which is what a kill can cost."""


def cost(prepared: Prepared, one_row_a_token: bool) -> int:
    """Tokens computed for an item."""
    return sum(len(q.question.ids) * (len(q.question.asked) if one_row_a_token else 1) for q in prepared.questions)


def cut(prepared: Sequence[Prepared], size: int, one_row_a_token: bool) -> list[list[Prepared]]:
    """Shards of about ``size`` tokens, of items of like length, in an order that the file's does not change."""
    shards: list[list[Prepared]] = []
    room = 0
    for one in sorted(prepared, key=lambda p: (p.longest, p.item.id)):
        if room <= 0:
            shards.append([])
            room = size
        shards[-1].append(one)
        room -= cost(one, one_row_a_token)
    return shards
