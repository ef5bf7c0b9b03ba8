"""Settings: what is trained on, what is tested, and that the two do not meet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.methods.winoventi.training_settings import make_splits
from horsesense.training.fine_tuning import check_plan
from horsesense.training.leaks import find_leaks, names
from horsesense.training.settings import TrainingMaterial, plans
from tests.support.made_tasks import clozes, schemas, statements


def material(**more: object) -> TrainingMaterial:
    values = {"train": statements(90, 1), "dev": statements(12, 2), "tests": {"verified": statements(15, 3)}}
    return TrainingMaterial(**values | more)  # type: ignore[arg-type]  # the fields of TrainingMaterial


def test_low_resource_is_a_part_by_axiom() -> None:
    found = plans("low-resource", material(), (10, 20, 50))
    assert [len(plan.train) for plan in found] == pytest.approx([9, 18, 45], abs=2)
    for plan in found:
        axioms = {item.groups["axiom"] for item in plan.train}
        assert sum(item.groups["axiom"] in axioms for item in material().train.items) == len(plan.train), "whole axioms"
    other = plans("low-resource", material(seed=1), (20,))[0]
    assert {item.id for item in other.train} != {item.id for item in found[1].train}
    with pytest.raises(UserError, match="0 per cent"):
        plans("low-resource", material(), (0,))


def test_high_resource_has_names_of_its_own() -> None:
    (plan,) = plans("high-resource", material(), (5,))
    assert len(plan.train) == 5 * 90
    everybody = [name for item in plan.train for name in names(item)]
    assert len(set(everybody)) == len(everybody), "no name twice"
    for item in plan.train:
        assert all(item.text.count(name) in (1, 2) for name in item.family.split())
    assert check_plan(plan, False).cases == ()
    unseen, name = plan.tests["verified"][0], plan.train[0].family.split()[0]
    text = unseen.text.replace(unseen.family.split()[0], name)
    clash = Probe.of([replace(unseen, text=text, groups={"entities": name})], statements(1, 1).card)
    with pytest.raises(UserError, match="by entity"):
        check_plan(replace(plan, tests={"verified": clash.items}), False)
    with pytest.raises(UserError, match="is not about made-up names"):
        plans("high-resource", material(train=schemas(9)))


def test_high_resource_takes_built_statements() -> None:
    from horsesense.methods.rica.builder import RicaPlan, build_rica
    from horsesense.methods.rica.english_statements import Entities
    from horsesense.methods.rica.lexicon import whole_lexicon
    from horsesense.methods.rica.strategies import AxiomSources

    some = Entities("novel", ("wobbak", "zimmet", "kuffol", "tolrin"), 1, 0)
    built = build_rica(RicaPlan(["temporal", "grade"], AxiomSources(), whole_lexicon(None), some, limit=60))
    (plan,) = plans("high-resource", material(train=built), (3,))
    assert len(plan.train) == 3 * (len(built.items) - len(plan.dev)) or len(plan.train) == 3 * len(built.items)
    # Somebody else in each telling, also where a statement is about one; and the property stays.
    first = [item for item in plan.train if item.facets == plan.train[0].facets and item.source == plan.train[0].source]
    assert len({item.text for item in first}) > 1
    assert {item.groups["property"] for item in first} == {plan.train[0].groups["property"]}


def test_noisy_leaves_out_the_axioms_of_the_tests() -> None:
    tests = statements(15, 3)
    raw = Probe.of(
        [*statements(60, 4).items, *(replace(item, text="once " + item.text) for item in tests.items[:6])], tests.card
    )
    (plan,) = plans("noisy", material(train=raw, tests={"verified": tests}))
    assert plan.counts == {"left out: the axiom of a test": 6, "left out: a fact of a test, or half of one": 0}
    assert check_plan(plan, False).cases == ()
    with pytest.raises(UserError, match="every training item shares its axiom"):
        plans("noisy", material(train=tests, tests={"verified": tests}))


def test_a_size_curve_grows() -> None:
    found = plans("full", material(), (10, 30, 60))
    ids = [{item.id for item in plan.train} for plan in found]
    assert [len(one) for one in ids] == [10, 30, 60]
    assert ids[0] < ids[1] < ids[2]
    (beyond,) = plans("full", material(), (200,))
    assert len({item.id for item in beyond.train}) == 200
    assert beyond.entities
    assert check_plan(beyond, False).cases == ()


def test_several_tests_have_a_joint_column() -> None:
    (plan,) = plans("full", material(tests={"verified": statements(15, 3), "curated": statements(9, 4)}))
    assert {name: len(items) for name, items in plan.tests.items()} == {"verified": 15, "curated": 9, "joint": 24}


def test_half_exception_has_whole_schemas() -> None:
    (plan,) = plans("half-exception", TrainingMaterial(schemas(40), None, {}))
    (test,) = plan.tests.values()
    families = {item.family for item in (*plan.train, *plan.dev)}
    assert not families & {item.family for item in test}
    assert len(test) == 40
    assert {item.facets["test"] for item in plan.train} == {"generic", "exception"}
    assert len(plan.train) == 2 * len({item.family for item in plan.train})


def test_full_exception_names_its_leak() -> None:
    (plan,) = plans("full-exception", TrainingMaterial(schemas(40), None, {}))
    assert {item.facets["test"] for item in plan.train} == {"exception"}
    assert {name: len(items) for name, items in plan.tests.items()} == {
        "unseen-exceptions": 8,
        "all-generics": 40,
        "mixed": 16,
    }
    assert not find_leaks(plan.train, plan.tests["unseen-exceptions"]).cases
    leaks = check_plan(plan, False)
    assert leaks.allowed.startswith("full-exception tests the generic twins")
    assert leaks.by == {"family": len(plan.train)}


@pytest.mark.parametrize("setting", ["half-exception", "full-exception"])
@pytest.mark.parametrize("nouns", [False, True])
def test_training_splits_as_the_files_of_splits_do(setting: str, nouns: bool) -> None:
    """One way, not two: what train learns from is what winoventi splits writes."""
    twice = [replace(item, family=f"{item.family} again", text=f"So: {item.text}") for item in schemas(40).items]
    probe = Probe.of([*schemas(40).items, *twice], schemas(40).card)  # each noun in two schemas
    (plan,) = plans(f"{setting}-unseen-nouns" if nouns else setting, TrainingMaterial(probe, None, {}, seed=3))
    splits = make_splits(probe, setting, seed=3, dev=0.1, nouns=nouns)
    assert [item.id for item in plan.train] == [item.id for item in splits["train"].items]
    assert {name: [item.id for item in items] for name, items in plan.tests.items()} == {
        name: [item.id for item in test.items] for name, test in splits.items() if name not in ("train", "dev")
    }
    trained = {item.groups["noun"] for item in (*plan.train, *plan.dev)}
    first = next(iter(plan.tests.values()))
    assert bool(trained & {item.groups["noun"] for item in first}) != nouns


@pytest.mark.parametrize(
    ("setting", "more", "told"),
    [
        ("low-resorce", {}, "did you mean 'low-resource'"),
        ("full-exception", {}, "schemas with a facet 'test'"),
        ("half-exception", {"train": schemas(8)}, "makes its own tests"),
        ("full", {"tests": {}}, "there is nothing to test on"),
        (
            "full",
            {"train": Probe.of([replace(i, answer=None) for i in clozes(4, 1).items], clozes(1, 1).card)},
            "no item with a gold",
        ),
    ],
)
def test_settings_that_do_not_fit(setting: str, more: dict[str, object], told: str) -> None:
    with pytest.raises(UserError, match=told):
        plans(setting, material(**more))
