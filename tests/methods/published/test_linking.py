"""Units of dependence, against a brute-force reference."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from horsesense.methods.published.linking import alike, linked, sentence_key

BAGS = st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1), max_size=12)


@given(BAGS, st.sampled_from([0.3, 0.5, 0.75, 1.0]))
def test_alike_finds_every_pair(bags: list[set[str]], share: float) -> None:
    reference = {
        (first, second)
        for first, second in combinations(range(len(bags)), 2)
        if len(bags[first] & bags[second]) >= share * len(bags[first] | bags[second])
    }
    pairs = list(alike(bags, share))
    assert set(pairs) == reference
    assert len(pairs) == len(reference)


@given(BAGS, st.data())
def test_linked_is_the_closure_of_sharing(keys: list[set[str]], data: st.DataObject) -> None:
    places = st.integers(0, len(keys) - 1) if keys else st.nothing()
    pairs = data.draw(st.lists(st.tuples(places, places), max_size=4)) if keys else []
    units = [{place} for place in range(len(keys))]
    changed = True
    while changed:
        changed = False
        for first, second in combinations(range(len(units)), 2):
            touching = any(
                keys[a] & keys[b] or (a, b) in pairs or (b, a) in pairs for a in units[first] for b in units[second]
            )
            if touching:
                units[first] |= units.pop(second)
                changed = True
                break
    names = linked(keys, pairs)
    for unit in units:
        assert {names[place] for place in unit} == {min(key for place in unit for key in keys[place])}


def test_a_long_sentence_keeps_a_name_of_its_own() -> None:
    start = "one two three four five six seven eight nine ten eleven twelve thirteen "
    assert sentence_key(start + "red") != sentence_key(start + "blue")
    assert len(sentence_key(start * 9)) <= 60
