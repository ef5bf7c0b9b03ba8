"""Replies in columns: the same replies, and what they come to as a loop over them counts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import Item, Reply
from horsesense.core.answer_columns import StoredReplies, table_of_replies
from horsesense.core.arrow import Shards
from horsesense.data.store import Store
from horsesense.errors import UserError
from horsesense.runs.item_columns import item_columns
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.replies import reply_statistics
from horsesense.runs.shard_files import read_replies, replies_path, write_table
from tests.support.made_items import made_reply

ITEMS = [
    Item(probe="made", form="choice", text=f"What is {n}?", options=("a", "b", "c", "d")[: 2 + n % 3], answer=0)
    for n in range(5)
]
WHY = ("best letter", "boxed", "empty", "several letters")


@st.composite
def said(draw: st.DrawFn) -> Reply:
    """A reply to one of the items, made out or not."""
    item = draw(st.sampled_from(ITEMS))
    letters = draw(st.booleans())
    count = len(item.options)
    return Reply(
        item=item.id,
        format="letters" if letters else "generate",
        order=tuple(draw(st.permutations(range(count)))),
        sample=draw(st.integers(0, 2)),
        request=draw(st.sampled_from(("", "ab12"))),
        prompt="What is it?",
        sent=draw(st.sampled_from(("", "{}"))),
        reasoning="",
        outcome=draw(st.sampled_from(("answered", "refused", "cut off"))),
        text=draw(st.sampled_from(("", "The answer is A.", "\n\u00e9"))),
        logprobs=tuple(draw(st.lists(st.floats(-9, 0), min_size=count, max_size=count))) if letters else (),
        bounded=tuple(draw(st.lists(st.booleans(), min_size=count, max_size=count))) if letters else (),
        parsed=draw(st.one_of(st.none(), st.integers(0, count - 1))),
        why=draw(st.sampled_from(WHY)),
        finish=draw(st.sampled_from(("stop", "length"))),
        prompt_tokens=draw(st.integers(0, 9)),
        tokens=draw(st.integers(0, 9)),
    )


def counted(items: Sequence[Item], replies: Sequence[Reply]) -> dict[str, Any]:
    """The same reply by reply."""
    counts = {item.id: len(item.options) for item in items}
    by_item: dict[str, list[Reply]] = {}
    for reply in replies:
        by_item.setdefault(reply.item, []).append(reply)
    shares: list[list[float]] = []
    for item, heard in by_item.items():
        places = [reply.order.index(reply.parsed) for reply in heard if reply.parsed is not None]
        if places:
            shares.append([places.count(n) / len(places) for n in range(counts[item])])
    turned = [heard for heard in by_item.values() if len({reply.order[0] for reply in heard}) > 1]
    same = [len({reply.parsed for reply in heard}) == 1 and heard[0].parsed is not None for heard in turned]
    most = max(map(len, shares), default=0)
    return {
        "n": len(replies),
        "parsed": sum(reply.parsed is not None for reply in replies),
        "outcomes": dict(Counter(reply.outcome for reply in replies)),
        "why": dict(Counter(reply.why for reply in replies)),
        "bounded": sum(sum(reply.bounded) for reply in replies),
        "tokens": sum(reply.tokens for reply in replies),
        "positions": [sum(each[n] for each in shares if n < len(each)) / len(shares) for n in range(most)],
        "chance": [sum(1 / len(each) for each in shares if n < len(each)) / len(shares) for n in range(most)],
        "stable": sum(same) / len(same) if same else None,
    }


def in_two(replies: list[Reply]) -> StoredReplies:
    half = len(replies) // 3
    return StoredReplies(Shards.of_tables(map(table_of_replies, (replies[:half], replies[half:]))))


@given(st.lists(said(), max_size=12))
def test_replies_in_columns_are_the_replies(replies: list[Reply]) -> None:
    stored = in_two(replies)
    assert stored == replies
    assert [stored[place] for place in range(-len(replies), len(replies))] == replies + replies
    assert [stored[1:], stored[:-1], stored[::-1]] == [replies[1:], replies[:-1], replies[::-1]]
    with pytest.raises(IndexError):
        stored[len(replies)]


@given(st.lists(said(), max_size=20))
def test_they_come_to_what_a_loop_counts(replies: list[Reply]) -> None:
    """Of the items that were asked; a shard may hold others."""
    items = ITEMS[:-1]
    asked = {item.id for item in items}
    found = reply_statistics(item_columns(items, "family"), in_two(replies))
    wanted = counted(items, [reply for reply in replies if reply.item in asked])
    for name in ("n", "parsed", "outcomes", "why", "bounded", "tokens", "stable"):
        assert getattr(found, name) == wanted[name], name
    shares = found.position.shares if found.position else ()
    assert [each.value for each in shares] == pytest.approx(wanted["positions"])
    assert [each.chance for each in shares] == pytest.approx(wanted["chance"])


def _part() -> Part:
    model = ModelRecord(name="m", family="causal", architecture="", direction="", parameters=0, window=0, weights="",
                        revision="", dtype="float32", frame="")  # fmt: skip
    return Part(model=model, probe=ProbeRecord(name="made", items=5, of=5, content=""), shards=2, format="generate")


def test_of_many_a_file_is_read_when_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening counts replies and reads none; what results are made of leaves texts where they lie."""
    from pyarrow import parquet

    replies = [made_reply(ITEMS[0].id, parsed=n % 2, order=(0, 1), sample=n, text="x" * n) for n in range(5)]
    for number, some in enumerate((replies[:2], replies[2:])):
        path = replies_path(tmp_path, "m", "made", number, "generate")
        path.parent.mkdir(exist_ok=True)
        write_table(path, table_of_replies(some))
    asked: list[Any] = []
    read = parquet.read_table

    def watched(path: Path, columns: list[str], **more: Any) -> Any:
        asked.append((Path(path).name, columns))
        return read(path, columns=columns, **more)

    monkeypatch.setattr(parquet, "read_table", watched)
    monkeypatch.setattr("horsesense.runs.shard_files.MANY", 5)
    kept = read_replies(tmp_path, _part())
    assert (len(kept), asked) == (5, [])
    reply_statistics(item_columns(ITEMS, "family"), kept)
    assert len(asked) == 2
    assert not any("text" in columns for _, columns in asked)
    asked.clear()
    assert kept[4] == replies[4]
    assert len(asked) == 1, "one file for one reply"


def test_a_file_with_a_gap_is_damaged(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = replies_path(tmp_path, "m", "made", 0, "generate")
    path.parent.mkdir()
    whole = table_of_replies([made_reply(ITEMS[0].id, parsed=None, order=(0, 1))])
    parquet.write_table(whole.set_column(3, whole.schema.field(3), [pa.array([None], pa.int32())]), path)
    Store(tmp_path).record(path)
    with pytest.raises(UserError, match="the file of replies is damaged"):
        list(read_replies(tmp_path, _part()))


def test_an_option_that_an_item_does_not_have_is_told() -> None:
    strange = made_reply(ITEMS[0].id, parsed=9, order=(0, 1))
    with pytest.raises(UserError, match=rf"option .* {ITEMS[0].id} does not have"):
        reply_statistics(item_columns(ITEMS, "family"), StoredReplies.of([strange]))
