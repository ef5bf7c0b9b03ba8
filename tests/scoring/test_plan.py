"""The plan is pure: it merges, it keeps to its budget, it loses nothing."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from horsesense.models.rows import Given, Row
from horsesense.scoring.plan import make_plan

ids = st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    given_ids = draw(ids)
    reads = draw(st.lists(st.integers(0, len(given_ids) - 1), min_size=1, max_size=3))
    return Row(Given(given_ids, decoder=draw(st.sampled_from([(), (1,), (1, 2)]))), tuple(reads), (5,) * len(reads))


@given(st.lists(rows(), max_size=30), st.integers(1, 40))
def test_every_read_is_planned_once_and_found_again(asked: list[Row], budget: int) -> None:
    plan = make_plan(asked, budget)
    assert sorted(number for batch in plan.batches for number in batch) == list(range(len(plan.inputs)))
    assert len({row.given for row in plan.inputs}) == len(plan.inputs)
    for batch in plan.batches:
        shapes = {plan.inputs[number].given.shape for number in batch}
        assert len(shapes) == 1
        assert len(batch) == 1 or sum(sum(plan.inputs[number].given.shape) for number in batch) <= budget
    for row, slots in zip(asked, plan.slots, strict=True):
        found = [(plan.inputs[n].reads[k], plan.inputs[n].targets[k]) for n, k in slots]
        assert found == list(zip(row.reads, row.targets, strict=True))
        assert all(plan.inputs[n].given == row.given for n, _ in slots)


def test_the_plan_loads_no_torch() -> None:
    import subprocess

    code = "import sys, horsesense.scoring.plan, horsesense.scoring.prompts; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
