"""Proposals of duals: what each rule does, where it holds back, and what a family looks like."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from horsesense.errors import UserError
from horsesense.methods.cats.duals import RULES, make_duals
from horsesense.methods.cats.sentence_pairs import Dual, pair_of
from horsesense.methods.releases import read_release
from horsesense.records import Card, Item, Probe, read_probe, write_probe


def dual(rule: str, first: str, second: str) -> Dual | None:
    pair = pair_of((first, second))
    assert pair is not None
    return RULES[rule](pair)


@pytest.mark.parametrize(
    ("rule", "pair", "made", "method", "flips"),
    [
        ("insert-negation", ("a pan is for naps", "a pan is for frying"),
         ("a pan is not for naps", "a pan is not for frying"), "add", True),
        ("insert-negation", ("I like salt in tea", "I like sugar in tea"),
         ("I do not like salt in tea", "I do not like sugar in tea"), "add", True),
        ("insert-negation", ("She ate soup.", "She ate bricks."),
         ("She did not eat soup.", "She did not eat bricks."), "add", True),
        ("insert-negation", ("He keeps bees.", "He keeps stars."),
         ("He does not keep bees.", "He does not keep stars."), "add", True),
        ("insert-negation", ("Fish can swim.", "Bricks can swim."),
         ("Fish cannot swim.", "Bricks cannot swim."), "add", True),
        ("remove-negation", ("The jug isn't full.", "The jug isn't alive."),
         ("The jug is full.", "The jug is alive."), "delete", True),
        ("remove-negation", ("We do not eat rice.", "We do not eat nails."),
         ("We do eat rice.", "We do eat nails."), "delete", True),
        ("remove-negation", ("They didn't go home.", "They didn't go Mars."),
         ("They went home.", "They went Mars."), "delete", True),
        ("antonym", ("Guests mostly like music.", "Guests barely like music."),
         ("Guests mostly hate music.", "Guests barely hate music."), "substitute", True),
        ("antonym", ("Fire is a hot thing.", "Snow is a hot thing."),
         ("Fire is a cold thing.", "Snow is a cold thing."), "substitute", True),
        ("antonym", ("He used his hand to open the door.", "He used his mind to open the door."),
         ("He used his hand to close the door.", "He used his mind to close the door."), "substitute", True),
        ("antonym", ("The shop is open on Monday.", "The shop is open on Pluto."),
         ("The shop is closed on Monday.", "The shop is closed on Pluto."), "substitute", True),
        ("antonym", ("Prices are lower in spring.", "Prices are lower in ink."),
         ("Prices are higher in spring.", "Prices are higher in ink."), "substitute", True),
        ("antonym", ("A bag can be light as air.", "A bag can be light as lead."),
         ("A bag can be heavy as air.", "A bag can be heavy as lead."), "substitute", True),
        ("swap-arguments", ("The cow is bigger than the hen.", "The cow is bigger than the whale."),
         ("The hen is bigger than the cow.", "The whale is bigger than the cow."), "swap", True),
        ("swap-arguments", ("The park is next to a school.", "The park is next to a cloud."),
         ("A school is next to the park.", "A cloud is next to the park."), "swap", False),
        ("swap-arguments", ("Ida met Ruth", "Ida met Mars"), ("Ruth met Ida", "Mars met Ida"), "swap", False),
    ],
)  # fmt: skip
def test_rules(rule: str, pair: tuple[str, str], made: tuple[str, str], method: str, flips: bool) -> None:
    proposal = dual(rule, *pair)
    assert proposal is not None
    assert (proposal.options, proposal.method, proposal.flips) == (made, method, flips)


@pytest.mark.parametrize(
    ("rule", "pair"),
    [
        ("insert-negation", ("He is not ill.", "He is not tin.")),
        ("insert-negation", ("Cats purr.", "Cats bark.")),
        ("remove-negation", ("He is ill.", "He is tin.")),
        ("antonym", ("It is hot now.", "It is cold now.")),
        ("antonym", ("I closed my eyes.", "I closed my knees.")),
        ("antonym", ("Use a brake to slow the car.", "Use a cake to slow the car.")),
        ("antonym", ("The car stops at the red light.", "The car stops at the green light.")),
        ("antonym", ("The cans open well.", "The cans must open well.")),
        ("swap-arguments", ("He used a spoon to eat soup.", "He used a fork to eat soup.")),
        ("swap-arguments", ("He is big.", "He is tin.")),
    ],
)
def test_where_a_rule_does_not_apply_it_makes_nothing(rule: str, pair: tuple[str, str]) -> None:
    assert dual(rule, *pair) is None


def probe(*options: tuple[str, str]) -> Probe:
    return Probe.of([Item("demo", "sentences", options=pair, answer=1) for pair in options], Card("demo"))


def test_a_proposal_is_a_family_marked_with_its_rule(tmp_path: Path) -> None:
    source = probe(("a pan is for naps", "a pan is for frying"), ("ice", "fire"), ("x y", "x y"))
    made = make_duals(source)
    original, edited = made.items
    assert (original.options, original.answer, original.member) == (source.items[0].options, 1, "a")
    assert (edited.options, edited.answer, edited.member) == (
        ("a pan is not for naps", "a pan is not for frying"),
        0,
        "b",
    )
    assert original.family == edited.family
    assert edited.facets["perturbation"] == "add"
    assert (edited.facets["rule"], edited.facets["edit"]) == ("insert-negation", "negation inserted: is not")
    assert (edited.facets["status"], edited.source.id) == ("proposed", source.items[0].id)
    assert made.card.notes == {"items that are no judged pair of like sentences": 2, "proposals of insert-negation": 1}
    write_probe(tmp_path / "duals.jsonl", made)
    assert [item.id for item in read_probe(tmp_path / "duals.jsonl").items] == [item.id for item in made.items]


def test_rules_are_chosen_by_name_and_must_make_something() -> None:
    source = probe(("a pan is for naps", "a pan is for frying"))
    with pytest.raises(UserError, match="no rule applies"):
        make_duals(source, ["antonym"])
    with pytest.raises(UserError, match="did you mean 'antonym'"):
        make_duals(source, ["antonyms"])


def test_shorter_has_no_antonym_of_its_own() -> None:
    """A shorter rope is not the opposite of a taller one."""
    ropes = pair_of(("The rope is shorter than the road.", "The rope is shorter than the knot."))
    assert ropes is not None
    assert RULES["antonym"](ropes) is None
    towers = pair_of(("The tower is taller than the shed.", "The tower is taller than the moon."))
    assert towers is not None
    assert RULES["antonym"](towers) is not None


def test_released_negations_are_found_again(shared: Path) -> None:
    """Where people only put a "not" into both sentences, the rule does so too, and turns the answer alike."""
    released = read_release("cats-robust", [shared / "data" / "cats" / "Robust_commonsense_test" / "add.txt"]).items
    originals = {item.family: item for item in released if item.member == "a"}
    edits = [item for item in released if item.member == "b"]
    negated = same = 0
    for edit in edits:
        original = originals[edit.family]
        added = Counter(edit.options[0].split()) - Counter(original.options[0].split())
        pair = pair_of((original.options[0], original.options[1]))
        proposal = RULES["insert-negation"](pair) if pair else None
        if added == {"not": 1} and proposal is not None and original.answer is not None:
            negated += 1
            assert edit.answer == (1 - original.answer if proposal.flips else original.answer)
            same += tuple(option.replace("cannot", "can not") for option in proposal.options) == edit.options
    assert negated >= 8
    assert same / negated > 0.7
