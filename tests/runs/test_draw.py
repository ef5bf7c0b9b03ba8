"""Drawing whole families by seed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from horsesense.records import Item
from horsesense.runs.shards import draw


def make(sizes: list[int]) -> list[Item]:
    return [
        Item(probe="p", form="choice", text=f"{family} {n}", options=("a", "b"), family=str(family))
        for family, size in enumerate(sizes)
        for n in range(size)
    ]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=20), st.integers(1, 60), st.integers(0, 5))
def test_families_stay_whole_and_the_limit_holds(sizes: list[int], limit: int, seed: int) -> None:
    items = make(sizes)
    drawn = draw(items, limit, seed)
    counts = Counter(item.family for item in drawn)
    assert all(count == sizes[int(family)] for family, count in counts.items())
    assert drawn
    assert len(drawn) <= limit or len(counts) == 1
    # Nothing that would still fit is left out.
    left = [size for family, size in enumerate(sizes) if str(family) not in counts]
    assert not left or min(left) > limit - len(drawn)


def test_the_order_of_the_file_does_not_matter_and_the_seed_does() -> None:
    items = make([2] * 50)
    one = {item.id for item in draw(items, 20, seed=1)}
    assert one == {item.id for item in draw(items[::-1], 20, seed=1)}
    assert one != {item.id for item in draw(items, 20, seed=2)}
