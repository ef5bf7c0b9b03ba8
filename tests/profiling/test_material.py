"""Frozen questions and twins: random halves by group, by hash, drawn anew by a seed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

import horsesense as hs
from horsesense.core import Probe
from horsesense.cues.battery import Number, battery
from horsesense.data.disk import cache_folder
from horsesense.errors import UserError
from horsesense.profiling import material as rooms
from horsesense.profiling.abilities import abilities, chosen, pool_of
from horsesense.profiling.conditions import RETEST_OF, conditions
from horsesense.profiling.material import CueCredits, by_turns, drawn, frozen_list, halves, part_of
from tests.support import ROOT

SHIPPED = ("everyday", "turned", "exceptions", "parts")
"""Those that need nothing fetched, and are built in a moment."""


@pytest.fixture(scope="module")
def pools() -> dict[str, Probe]:
    return {name: pool_of(abilities()[name]) for name in SHIPPED}


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_built_is_what_is_frozen(name: str, pools: dict[str, Probe]) -> None:
    assert part_of(pools[name].items) == frozen_list()[name].pool
    for edition in ("quick", "full"):
        made = drawn(abilities()[name], pools[name], edition)
        assert part_of(made.frozen.items) == frozen_list()[name].editions[edition]
        if made.twin is not None:
            assert part_of(made.twin.items) == replace(frozen_list()[name].twins[edition], draw=0)


@pytest.mark.parametrize("name", ["kinds", "examples", "meanings", "words", "senses"])
def test_near_questions_ship_and_need_no_encoder(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.cues.relatedness.encoders", lambda *_: pytest.fail("no encoder is needed"))
    ability = abilities()[name]
    pool = pool_of(ability)
    assert part_of(pool.items) == frozen_list()[name].pool
    assert {item.facets["distractor_kind"] for item in pool.items} == {"near"}
    if name == "senses":
        shipped = hs.wordnetqa.build_dictionaryqa(distractors="near")
    else:
        shipped = hs.wordnetqa.build(relation=ability.options["relation"], distractors="near")
    assert {item.id for item in pool.items} <= {item.id for item in shipped.items}
    made = drawn(ability, pool, "full")
    assert made.twin is not None
    for part, frozen in ((made.frozen, "editions"), (made.twin, "twins")):
        assert part_of(part.items) == replace(getattr(frozen_list()[name], frozen)["full"], draw=0)


def test_the_quick_edition_asks_one_item_of_a_family_unless_its_members_test_the_same(pools: dict[str, Probe]) -> None:
    ability = abilities()["examples"]
    pool = pool_of(ability)
    quick, full = (drawn(ability, pool, edition) for edition in ("quick", "full"))
    assert quick.twin is not None
    for part in (quick.frozen, quick.twin):
        assert len({item.unit() for item in part.items}) == len(part.items)
    assert {item.id for item in quick.frozen.items} < {item.id for item in full.frozen.items}
    first = {item.unit(): item.id for item in reversed(pool.items)}
    assert any(item.id != first[item.unit()] for item in quick.frozen.items), "the nearest kinds come first"
    pairs = drawn(abilities()["parts"], pools["parts"], "quick").frozen
    assert len(pairs.items) == 2 * len({item.unit() for item in pairs.items})


def test_one_changed_item_is_another_version(pools: dict[str, Probe]) -> None:
    pool = pools["parts"]
    first = pool.items[0]
    changed = replace(pool, items=[replace(first, text=first.text.replace(".", "!")), *pool.items[1:]])
    with pytest.raises(UserError, match="not those of profile 3"):
        drawn(abilities()["parts"], changed, "full")


def test_halves_share_no_group_and_a_seed_draws_the_twin_anew(pools: dict[str, Probe]) -> None:
    ability, pool = abilities()["turned"], pools["turned"]
    one, other = (drawn(ability, pool, "full", twin_seed=seed) for seed in (0, 1))
    assert one.frozen.items == other.frozen.items
    assert one.twin is not None
    assert other.twin is not None
    assert {item.id for item in one.twin.items} != {item.id for item in other.twin.items}
    chains = {item.groups["chain"] for item in one.frozen.items}
    assert chains.isdisjoint(item.groups["chain"] for twin in (one.twin, other.twin) for item in twin.items)


def test_a_new_cue_changes_neither_half(pools: dict[str, Probe], monkeypatch: pytest.MonkeyPatch) -> None:
    """One harmless cue used to draw another twin, without an error."""
    ability, pool = abilities()["turned"], pools["turned"]
    before = [drawn(ability, pool, edition, seed) for edition in ("quick", "full") for seed in (0, 3)]
    extra = Number(
        "last letter", "the last letter", "late", "early", lambda table: (table.text_of % 7).astype(np.float64)
    )
    more = [*battery(), extra]
    monkeypatch.setattr(rooms, "battery", lambda: more)
    after = [drawn(ability, pool, edition, seed) for edition in ("quick", "full") for seed in (0, 3)]
    assert [each.twin and part_of(each.twin.items) for each in after] == [
        each.twin and part_of(each.twin.items) for each in before
    ]
    monkeypatch.setattr(rooms, "battery", lambda: more[1:])
    with pytest.raises(UserError, match=more[0].name):
        drawn(ability, pool, "quick", twin_seed=3)


def test_one_changed_item_of_the_twin_is_another_version(pools: dict[str, Probe]) -> None:
    ability, pool = abilities()["turned"], pools["turned"]
    twin = drawn(ability, pool, "full").twin
    assert twin is not None
    asked = {item.id for item in twin.items}
    items = list(pool.items)
    place = next(place for place, item in enumerate(items) if item.id in asked)
    first, *rest = items[place].options
    items[place] = replace(items[place], options=(first.replace(".", "!"), *rest))
    with pytest.raises(UserError, match=r"turned, full, twin, .*profile 3"):
        drawn(ability, replace(pool, items=items), "full")


def test_the_frozen_cut_is_fairer_to_cues_than_cuts_are_by_chance(pools: dict[str, Probe]) -> None:
    ability, pool = abilities()["turned"], pools["turned"]
    earned, made = CueCredits(pool), drawn(abilities()["turned"], pools["turned"], "full")
    assert made.twin is not None
    by_chance = []
    for cut in range(12):
        first, second = (by_turns(half, "chain", 0)[:200] for half in halves(pool, ability, 1000 + cut))
        by_chance.append(earned.apart(chain.from_iterable(first), chain.from_iterable(second)))
    assert earned.apart(made.frozen.items, made.twin.items) <= min(by_chance) < np.median(by_chance)


def test_what_is_published_whole_has_no_twin(pools: dict[str, Probe]) -> None:
    assert halves(pools["parts"], abilities()["parts"], 0)[1] == []
    assert drawn(abilities()["parts"], pools["parts"], "full").twin is None
    assert all(not abilities()[name].has_twin for name in ("everyday", "exceptions", "parts"))


def test_a_small_draw_is_the_beginning_of_a_large_one_and_of_many_groups(pools: dict[str, Probe]) -> None:
    pool = pools["turned"]
    order = by_turns(pool.items, "chain", 0)
    assert by_turns(reversed(pool.items), "chain", 0)[0][0].family == order[0][0].family
    assert len({family[0].groups["chain"] for family in order[:27]}) == 27
    quick, full = (drawn(abilities()["turned"], pool, edition).frozen for edition in ("quick", "full"))
    assert {item.id for item in quick.items} < {item.id for item in full.items}


def test_a_pool_is_kept_and_a_damaged_one_is_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))
    ability = abilities()["everyday"]
    first = rooms.checked_pool(ability)
    monkeypatch.setattr(rooms, "pool_of", lambda *_: pytest.fail("it is kept"))
    assert part_of(rooms.checked_pool(ability).items) == part_of(first.items)
    monkeypatch.undo()
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))
    (path,) = cache_folder("profile", str(rooms.VERSION)).glob("*.parquet")
    path.write_bytes(b"no parquet")
    assert part_of(rooms.checked_pool(ability).items) == part_of(first.items)


def test_what_no_person_has_judged_does_not_count() -> None:
    assert {each.name for each in chosen(()) if not each.counts} == {"everyday", "inference", "exceptions", "parts"}
    with pytest.raises(UserError, match="did you mean 'parts'"):
        chosen(["part"])


def test_asked_again_is_the_same_question_in_another_place(pools: dict[str, Probe]) -> None:
    for name in SHIPPED:
        made = drawn(abilities()[name], pools[name], "quick")
        plan = {each.role: each for each in conditions(made, "quick")}
        originals = {item.id: item for item in made.frozen.items}
        for item in plan["retest"].probe.items:
            before = originals[str(item.facets[RETEST_OF])]
            assert item.answer == before.answer
            assert item.id not in originals
            text = item.options[0] if item.form == "sentences" else item.text
            assert text.endswith(before.options[0] if item.form == "sentences" else before.text)


def test_a_model_without_likelihoods_is_asked_in_one_format(pools: dict[str, Probe]) -> None:
    made = drawn(abilities()["exceptions"], pools["exceptions"], "full")
    for name in ("letters", "generate"):
        assert {way for each in conditions(made, "full", name) for way in each.ways} == {name}
    assert [each.role for each in conditions(made, "full")] == ["main", "retest", "letters", "prior"]


def test_likelihoods_have_a_larger_quick_retest_than_replies(pools: dict[str, Probe]) -> None:
    made = drawn(abilities()["parts"], pools["parts"], "quick")
    families = {}
    for prompt_format in ("loglikelihood", "letters", "generate"):
        (retest,) = (each for each in conditions(made, "quick", prompt_format) if each.role == "retest")
        families[prompt_format] = len({item.unit() for item in retest.probe.items})
    assert families == {"loglikelihood": 24, "letters": 12, "generate": 12}


def test_the_page_has_every_ability_with_its_sizes() -> None:
    page = (ROOT / "docs" / "reference" / "profile-3.md").read_text(encoding="utf-8")
    for name, ability in abilities().items():
        kept = frozen_list()[name].editions
        sizes = [f"{kept[edition].families}, {kept[edition].items:,}" for edition in ("quick", "full")]
        (row,) = (line for line in page.splitlines() if line.startswith(f"| **{ability.title}** (`{name}`)"))
        assert all(f"| {size}" in row for size in sizes)
        assert ("yes" in row.split("|")[-2]) == ability.counts
