"""A test before and after training: means over seeds, by facet, and intervals over units."""

from __future__ import annotations

from statistics import fmean

from horsesense.training.settings import TrainingPlan
from horsesense.training.training_results import result_of_test
from tests.support.made_tasks import statements


def test_a_slice_has_the_mean_of_its_items_and_an_interval_over_their_units() -> None:
    probe = statements(360, 3)  # three an axiom
    items = probe.items
    plans = [TrainingPlan("full", (), (), {"test": items})] * 2
    # One model knows two axioms in three, whatever is said of them; the other knows all.
    right = {item.id: float(int(item.groups["axiom"].split()[-1]) % 3 > 0) for item in items}
    runs = {("", "test"): dict.fromkeys(right, 0.0), ("one", "test"): right, ("two", "test"): dict.fromkeys(right, 1.0)}
    found = result_of_test("test", plans, ["one", "two"], runs, probe, ["comparative"])
    assert found.by_seed == (fmean(right.values()), 1.0)
    cut = found.slices["comparative"]
    assert sorted(cut) == ["less", "more"]
    for word, change in cut.items():
        mine = [item for item in items if item.facets["comparative"] == word]
        axioms = {item.groups["axiom"] for item in mine}
        assert (change.after.n, change.after.clusters) == (len(mine), len(axioms))
        assert len(axioms) < len(mine), "or the interval could be over items"
        assert abs(change.after.value - fmean((right[item.id] + 1) / 2 for item in mine)) < 1e-12
        assert change.before is not None
        assert (change.before.value, change.before.n) == (0.0, len(mine))
        # Half of the answers are the same everywhere: the standard error is that of a third of axioms, halved.
        error = (2 / 9 / len(axioms)) ** 0.5 / 2
        assert 0.8 * 3.92 * error < change.after.high - change.after.low < 1.5 * 3.92 * error
