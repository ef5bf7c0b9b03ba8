"""Replies in Parquet beside the answers that were made of them, one file a shard; and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from horsesense.errors import UserError
from horsesense.files import disk_errors
from horsesense.files.checksums import check_sum
from horsesense.records import Item, Reply
from horsesense.records.document import Document
from horsesense.runs.folder import replies_path, write_table
from horsesense.runs.manifest import Part

MADE_OUT = {
    "best letter",
    "boxed",
    "letter alone",
    "stated",
    "leading letter",
    "option as it stands",
    "begins with the option",
    "letter named",
    "option named",
}
"""Rules that make an option out (`horsesense.scoring.ways.parsing`)."""


def _schema() -> Any:
    import pyarrow as pa

    kinds = {"int": pa.int32(), "str": pa.string(), "int | None": pa.int32()}
    lists = {"tuple[float, ...]": pa.list_(pa.float64()), "tuple[bool, ...]": pa.list_(pa.bool_())}
    return pa.schema([(each.name, (kinds | lists)[str(each.type)]) for each in fields(Reply)])


def table_of_replies(replies: Sequence[Reply]) -> Any:
    """Replies as the table that is kept of them."""
    import pyarrow as pa

    columns = {each.name: [getattr(reply, each.name) for reply in replies] for each in fields(Reply)}
    return pa.table(columns, schema=_schema())


def write_replies(path: Path, replies: Sequence[Reply]) -> None:
    """Write one shard, whole or not at all."""
    write_table(path, table_of_replies(replies))


def read_replies(folder: Path, part: Part) -> list[Reply]:
    """What a model said in one part; none where the way of asking leaves none."""
    import pyarrow as pa
    from pyarrow import parquet

    replies: list[Reply] = []
    for number in range(part.shards):
        path = replies_path(folder, part.model.name, part.probe.name, number, part.way)
        if not path.is_file():
            continue
        try:
            check_sum(folder, path, "ask again in another folder")
            with disk_errors(path):
                table = parquet.read_table(path, schema=_schema())
        except (pa.ArrowException, OSError, ValueError) as error:
            raise UserError("the file of replies is damaged", file=path, fix="ask again in another folder") from error
        replies += replies_in(table)
    return replies


def replies_in(table: Any) -> Iterator[Reply]:
    """The replies of a table."""
    for row in table.to_pylist():
        row["logprobs"], row["bounded"] = tuple(row["logprobs"]), tuple(row["bounded"])
        yield Reply(**row)


@dataclass(frozen=True, slots=True)
class RepliesDocument(Document):
    """What was said and made out."""

    n: int
    """Replies: items, times orders, times samples."""
    parsed: int
    """Replies of which an option could be made out; the others earn nothing."""
    why: Mapping[str, int]
    """The rule that made an option out, or why none did, with how often."""
    bounded: int
    """Letters that the server did not tell, of which only the most they can be is known."""
    positions: tuple[float, ...]
    """How often the option shown first, second … was chosen, as shares of what was made out."""
    by_chance: tuple[float, ...]
    """The same shares if the place an option is shown at did not matter."""
    bias: float
    """Half the sum of what the two differ by: 0 is none, 1 - 1/n always the same of n places."""
    stable: float | None
    """Share of the items whose choice is the same in every order; null where one order was shown."""


def replies_document(items: Sequence[Item], replies: Sequence[Reply]) -> RepliesDocument:
    """Count what was said. A place has the chance of the options that stood there: their share over all orders."""
    counts = {item.id: len(item.options) for item in items}
    most = max(counts.values())
    chosen, chance = [0.0] * most, [0.0] * most
    by_item: dict[str, list[Reply]] = {}
    for reply in replies:
        by_item.setdefault(reply.item, []).append(reply)
    for item, said in by_item.items():
        made_out = [reply for reply in said if reply.parsed is not None]
        votes = Counter(reply.parsed for reply in made_out)
        for reply in made_out:
            assert reply.parsed is not None
            chosen[(reply.parsed - reply.rotation) % counts[item]] += 1
            for option, share in votes.items():
                assert option is not None
                chance[(option - reply.rotation) % counts[item]] += share / len(made_out)
    turned = [said for said in by_item.values() if len({reply.rotation for reply in said}) > 1]
    same = [len({reply.parsed for reply in said}) == 1 and said[0].parsed is not None for said in turned]
    whole = sum(chosen) or 1.0
    positions, expected = tuple(x / whole for x in chosen), tuple(x / whole for x in chance)
    return RepliesDocument(
        n=len(replies),
        parsed=sum(reply.parsed is not None for reply in replies),
        why=dict(Counter(reply.why for reply in replies).most_common()),
        bounded=sum(sum(reply.bounded) for reply in replies),
        positions=positions,
        by_chance=expected,
        bias=sum(abs(a - b) for a, b in zip(positions, expected, strict=True)) / 2,
        stable=sum(same) / len(same) if same else None,
    )


def in_words(replies: RepliesDocument) -> str:
    """The same in one remark."""
    parts = [f"{replies.parsed:,} of {replies.n:,} replies made out ({replies.parsed / max(1, replies.n):.1%})"]
    if replies.parsed < replies.n:
        lost = {why: count for why, count in replies.why.items() if why not in MADE_OUT}
        parts.append("not made out: " + ", ".join(f"{why} {count:,}" for why, count in lost.items()))
    if replies.bounded:
        parts.append(f"{replies.bounded:,} letters only bounded")
    if replies.stable is not None:
        shares = "/".join(f"{share:.2f}" for share in replies.positions)
        parts.append(
            f"chosen by place {shares}, bias {replies.bias:.2f}, same choice in all orders {replies.stable:.2f}"
        )
    return "; ".join(parts)
