"""The plan is pure: it merges, it keeps to its budget, it loses nothing."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from horsesense.models.hf.batch_plan import Plan, make_plan
from horsesense.models.hf.rows import ModelInput, Row

ids = st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple)


@st.composite
def rows(draw: st.DrawFn, decoders: Sequence[tuple[int, ...]] = ((), (1,), (1, 2))) -> Row:
    given_ids = draw(ids)
    reads = draw(st.lists(st.integers(0, len(given_ids) - 1), min_size=1, max_size=3))
    return Row(ModelInput(given_ids, decoder=draw(st.sampled_from(list(decoders)))), tuple(reads), (5,) * len(reads))


def numbers_of(plan: Plan) -> list[tuple[tuple[int, ...], int, int]]:
    """What stands in the list of all numbers: the tokens up to the place read, that place, the target."""
    found = []
    for row in plan.inputs:
        for read, target in zip(row.reads, row.targets, strict=True):
            path = [read]
            while row.given.parents and path[-1] >= 0:
                path.append(row.given.parents[path[-1]])
            seen = [p for p in reversed(path) if p >= 0] if row.given.parents else range(read + 1)
            found.append((tuple(row.given.ids[p] for p in seen), len(seen) - 1, target))
    return found


def wanted_of(asked: list[Row]) -> list[tuple[tuple[int, ...], int, int]]:
    pairs = [(row, pair) for row in asked for pair in zip(row.reads, row.targets, strict=True)]
    return [(row.given.ids[: read + 1], read, target) for row, (read, target) in pairs]


@given(st.lists(rows(), max_size=30), st.integers(1, 40))
def test_every_read_is_planned_once_and_found_again(asked: list[Row], budget: int) -> None:
    plan = make_plan(asked, budget)
    assert sorted(number for batch in plan.batches for number in batch) == list(range(len(plan.inputs)))
    assert {row.given for row in plan.inputs} == {row.given for row in asked}
    assert len({row.given for row in plan.inputs}) == len(plan.inputs)
    for batch in plan.batches:
        shapes = {plan.inputs[number].given.shape for number in batch}
        assert len(shapes) == 1
        assert len(batch) == 1 or sum(sum(plan.inputs[number].given.shape) for number in batch) <= budget
    numbers = numbers_of(plan)
    assert [numbers[slot] for slot in plan.slots] == wanted_of(asked)
    assert len(numbers) == len(plan.slots)
    assert plan.begins.tolist() == [sum(len(r.reads) for r in plan.inputs[:n]) for n in range(len(plan.inputs))]


@given(st.lists(rows(decoders=[()]), max_size=30), st.integers(1, 60))
def test_trees_hold_every_text(asked: list[Row], budget: int) -> None:
    """Each read sees, in its tree, just the tokens that it saw in its text."""
    plan = make_plan(asked, budget, share=True)
    numbers = numbers_of(plan)
    assert [numbers[slot] for slot in plan.slots] == wanted_of(asked)
    assert sorted(number for batch in plan.batches for number in batch) == list(range(len(plan.inputs)))
    for batch in plan.batches:
        sizes = [len(plan.inputs[number].given.ids) for number in batch]
        assert len(batch) == 1 or max(sizes) * len(batch) <= budget
        assert max(sizes) * len(batch) * 7 <= sum(sizes) * 8
    assert plan.tokens <= make_plan(asked, budget).tokens


def test_the_order_of_the_rows_does_not_change_the_trees() -> None:
    texts = [(1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 9), (7, 8), (1, 2, 3, 4, 5)]
    asked = [Row(ModelInput(ids), (len(ids) - 1,), (0,)) for ids in texts]
    shapes = {
        tuple(row.given for row in make_plan(list(order), 100, share=True).inputs)
        for order in itertools.permutations(asked)
    }
    assert len(shapes) == 1


def test_the_plan_loads_no_torch() -> None:
    import subprocess

    code = "import sys, horsesense.models.hf.batch_plan, horsesense.scoring.prompts; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
