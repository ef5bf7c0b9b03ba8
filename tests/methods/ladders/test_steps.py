"""Every key of the steps ladder follows from its premises and from nothing less; another reader derives it."""

from __future__ import annotations

import re

import pytest

from horsesense.core import Item
from horsesense.errors import UserError
from horsesense.lexicons.novel_names import is_novel
from horsesense.methods.ladders import steps

LEVELS = steps.LEVELS
ITEMS = steps.steps_items(LEVELS, 12, seed=5)
POLES = {pole: scale[::-1][scale.index(pole)] for group in steps._words()[3] for scale in group for pole in scale}


def comparisons(premise: str) -> tuple[set[tuple[str, str, str]], int]:
    """All that follows by forward chaining, as (pole, more, less), and the number of rounds of rules."""
    kinds: dict[str, set[str]] = {}
    above: set[tuple[str, str]] = set()
    rules: set[tuple[str, str, str]] = set()
    facts: set[tuple[str, str, str]] = set()
    for sentence in premise.removesuffix(".").split(". "):
        if found := re.fullmatch(r"(\w+) and (\w+) are (\w+)s", sentence):
            for name in found.group(1, 2):
                kinds.setdefault(name, set()).add(found[3])
        elif found := re.fullmatch(r"Every (\w+) is a (\w+)", sentence):
            above.add((found[1], found[2]))
        elif found := re.fullmatch(r"If one (\w+) is (\w+) than another, it is also (\w+)", sentence) or re.fullmatch(
            r"Of any two (\w+)s, the (\w+) one is the (\w+) one", sentence
        ):
            rules.add((found[1], found[2], found[3]))
        else:
            found = re.fullmatch(r"(\w+) is (\w+) than (\w+)", sentence)
            assert found, sentence
            facts.add((found[2], found[1], found[3]))
    for own in kinds.values():
        while higher := {upper for lower, upper in above if lower in own} - own:
            own |= higher
    rounds = 0
    while (
        more := {
            (after, one, other)
            for kind, before, after in rules
            for pole, one, other in facts
            if pole == before and kind in kinds[one] & kinds[other]
        }
        - facts
    ):
        facts |= more
        rounds += 1
    return facts, rounds


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.family}{item.member}")
def test_the_key_follows_and_the_other_option_does_not(item: Item) -> None:
    facts, rounds = comparisons(item.premise)
    asked = re.fullmatch(r"Of (\w+) and (\w+), the (\w+) one is ___\.", item.text)
    assert asked is not None
    assert item.answer is not None
    right, wrong = item.options[item.answer], item.options[1 - item.answer]
    pole = asked[3]
    follows = {(pole, right, wrong), (POLES[pole], wrong, right)} & facts
    assert follows
    assert not {(pole, wrong, right), (POLES[pole], right, wrong)} & facts
    assert rounds == item.facets["rules"]
    assert item.facets["rules"] + item.facets["links"] == item.facets["level"]  # type: ignore[operator]


@pytest.mark.parametrize("item", ITEMS[::7], ids=lambda item: f"{item.family}{item.member}")
def test_the_derivation_is_complete_and_no_premise_of_it_can_be_left_out(item: Item) -> None:
    level = int(item.facets["level"])
    used = [step for step in item.source.triples if step[0] in ("is-a", "rule")]
    assert len(used) == level
    known = {f"{sentence}." for sentence in item.premise.removesuffix(".").split(". ")}
    needed = set[str]()
    for _, conclusion, grounds in item.source.triples:
        stated = {f"{sentence}." for sentence in grounds.removesuffix(".").split(". ")}
        assert stated <= known, "a ground is stated, or derived before"
        needed |= stated & set(re.findall(r"[^.]+\.", item.premise.replace(". ", ".")))
        known.add(conclusion)
    for sentence in needed:
        without = " ".join(s for s in re.findall(r"[^.]+\.", item.premise.replace(". ", ".")) if s != sentence)
        last = next(step for step in reversed(item.source.triples) if step[0] != "converse")[1]
        found = re.fullmatch(r"(\w+) is (\w+) than (\w+)\.", last)
        assert found is not None
        if " are " in sentence:
            continue  # individuals without a kind have no comparison at all
        assert (found[2], found[1], found[3]) not in comparisons(without)[0], sentence


def test_twins_have_the_same_words_and_opposite_keys() -> None:
    for first, second in zip(ITEMS[::2], ITEMS[1::2], strict=True):
        assert (first.family, first.options, first.text) == (second.family, second.options, second.text)
        assert sorted(first.premise.replace(".", "").split()) == sorted(second.premise.replace(".", "").split())
        assert first.answer != second.answer


def test_names_are_in_no_word_and_scales_have_two_poles() -> None:
    individuals, kinds, _, scales = steps._words()
    assert all(is_novel(name.lower()) for name in (*individuals, *kinds))
    assert len(POLES) == 2 * sum(map(len, scales)), "each pole is of one scale"


def test_a_level_beyond_the_scales_is_refused() -> None:
    with pytest.raises(UserError, match="37"):
        steps.steps_family(37, 0, 0)
