"""Duals: what each operator does, where it holds back, what keys rest on, and what a family looks like."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe, read_probe, write_probe
from horsesense.core.probe import apart
from horsesense.errors import UserError
from horsesense.methods.cats.dual_edits import Dual, pair_of
from horsesense.methods.cats.duals import EDITS, make_duals
from horsesense.methods.cats.orders import chains, orders_probe
from horsesense.methods.published import read_files
from horsesense.progress import Progress


class Said(Progress):
    """Keeps what it is told."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def log(self, text: str) -> None:
        self.lines.append(text)


def dual(operator: str, first: str, second: str) -> Dual | None:
    pair = pair_of((first, second))
    assert pair is not None
    return EDITS[operator](pair)


@pytest.mark.parametrize(
    ("operator", "pair", "made", "status"),
    [
        ("insert-negation", ("a pan is for naps", "a pan is for frying"),
         ("a pan is not for naps", "a pan is not for frying"), "proposed"),
        ("insert-negation", ("People usually eat soup.", "People usually eat bricks."),
         ("People usually do not eat soup.", "People usually do not eat bricks."), "proposed"),
        ("insert-negation", ("Cats can purr.", "Bricks can purr."),
         ("Cats cannot purr.", "Bricks cannot purr."), "proposed"),
        ("insert-negation", ("The cow is bigger than the hen.", "The cow is bigger than the whale."),
         ("The cow is not bigger than the hen.", "The cow is not bigger than the whale."), "proved"),
        ("remove-negation", ("Cats cannot bark.", "Cats cannot purr."),
         ("Cats can bark.", "Cats can purr."), "proposed"),
        ("remove-negation", ("A day is not longer than a year.", "A day is not longer than an hour."),
         ("A day is longer than a year.", "A day is longer than an hour."), "proved"),
        ("opposite", ("People usually sleep at night.", "People usually sleep at work."),
         ("People rarely sleep at night.", "People rarely sleep at work."), "proposed"),
        ("opposite", ("Most lemons are yellow.", "Most lemons are blue."),
         ("Few lemons are yellow.", "Few lemons are blue."), "proposed"),
        ("opposite", ("Silk is a common cloth.", "Lead is a common cloth."), None, ""),
        ("opposite", ("Milk is good for babies.", "Beer is good for babies."),
         ("Milk is bad for babies.", "Beer is bad for babies."), "proposed"),
        ("converse", ("A cow is bigger than a hen.", "A cow is bigger than a whale."),
         ("A cow is smaller than a hen.", "A cow is smaller than a whale."), "proved"),
        ("swap-arguments", ("The cow is bigger than the hen.", "The cow is bigger than the whale."),
         ("The hen is bigger than the cow.", "The whale is bigger than the cow."), "proved"),
        ("swap-arguments", ("Twelve is larger than two.", "Twelve is larger than fifty."),
         ("Two is larger than twelve.", "Fifty is larger than twelve."), "proved"),
        ("exchange-names", ("Ida's hen bit Ruth, so ida ran.", "Ida's hen bit Ruth, so ruth ran."),
         ("Ruth's hen bit Ida, so ida ran.", "Ruth's hen bit Ida, so ruth ran."), "proposed"),
    ],
)  # fmt: skip
def test_operators(operator: str, pair: tuple[str, str], made: tuple[str, str] | None, status: str) -> None:
    made_dual = dual(operator, *pair)
    if made is None:
        assert made_dual is None
        return
    assert made_dual is not None
    assert (made_dual.options, made_dual.status, made_dual.flips) == (made, status, True)


@pytest.mark.parametrize(
    ("operator", "pair"),
    [
        # An event is as likely as that it did not happen.
        ("insert-negation", ("She ate soup.", "She ate bricks.")),
        ("insert-negation", ("he put an elephant into the fridge", "he put a turkey into the fridge")),
        ("insert-negation", ("The tea is getting cold.", "The tea is getting blind.")),
        ("insert-negation", ("He is not ill.", "He is not tin.")),
        # Scope would be open.
        ("insert-negation", ("All birds can fly.", "All bricks can fly.")),
        ("insert-negation", ("People must eat bread.", "People must eat tin.")),
        ("insert-negation", ("You can swim if you are wet.", "You can swim if you are tin.")),
        ("remove-negation", ("He is ill.", "He is tin.")),
        ("remove-negation", ("He is not ill.", "He is not tin.")),
        ("opposite", ("It is hot now.", "It is cold now.")),
        ("opposite", ("Most of the surface is water.", "Most of the surface is tin.")),
        ("opposite", ("A camp is nice on a cold night.", "A camp is nice in a cold tent.")),
        # No order: that beer does not contain petrol does not make petrol contain beer.
        ("swap-arguments", ("Beer contains water.", "Beer contains petrol.")),
        ("swap-arguments", ("The dog chased the cat.", "The dog chased the sun.")),
        ("swap-arguments", ("Tea is better than milk.", "Tea is better than mud.")),
        ("swap-arguments", ("The sun is brighter than the moon.", "The moon is brighter than the sun.")),
        ("converse", ("The rope is shorter than the road.", "The rope is shorter than the knot.")),
        # Names that carry knowledge, or a sex that the text speaks of.
        ("exchange-names", ("Ovid read Shakespeare, so ovid slept.", "Ovid read Shakespeare, so shakespeare slept.")),
        ("exchange-names", ("Tom lent Ida his hat, so tom froze.", "Tom lent Ida his hat, so ida froze.")),
        ("exchange-names", ("Tom carried Ben until tom legs ached.", "Tom carried Ben until ben legs ached.")),
    ],
)
def test_where_an_operator_does_not_hold_it_makes_nothing(operator: str, pair: tuple[str, str]) -> None:
    assert dual(operator, *pair) is None


def test_isa_is_proved_by_wordnet_and_by_nothing_less() -> None:
    from horsesense.lexicons.wordnet import find_wordnet

    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine")
    roses = dual("insert-negation", "A rose is a plant.", "A rose is a mineral.")
    assert roses is not None
    assert (roses.ground, roses.options[0]) == ("isa", "A rose is not a plant.")
    # A girl is a male in no sense; that a fox is a companion is nothing that WordNet could prove.
    foxes = dual("insert-negation", "A dog is a faithful companion.", "A fox is a faithful companion.")
    assert foxes is None or foxes.status == "proposed"


def test_every_key_of_our_own_orders_holds_in_its_chain() -> None:
    """Each half of each dual, read as a sentence and looked up in the list that it came from."""
    growing = {chain.name: chain.more for chain in chains()}
    assert all(len(set(chain.things)) == len(chain.things) >= 3 for chain in chains())
    made = make_duals(orders_probe(None), statuses=("proved",))
    opposite = {"bigger": "smaller", "larger": "smaller", "longer": "shorter", "heavier": "lighter", "later": "earlier",
                "faster": "slower", "taller": "shorter", "hotter": "colder", "older": "younger", "louder": "quieter",
                "thicker": "thinner", "wider": "narrower", "deeper": "shallower", "higher": "lower", "warmer": "cooler",
                "stronger": "weaker", "richer": "poorer", "brighter": "darker", "safer": "riskier", "closer": "farther",
                "cleaner": "dirtier", "drier": "wetter", "sharper": "blunter", "smoother": "rougher",
                "easier": "harder"}  # fmt: skip
    checked = Counter[str]()
    for item in made.items:
        chain = item.groups["chain"]
        things = _things(chain)
        for option, text in enumerate(item.options):
            left, rest = text.rstrip(".").split(" is ", 1)
            denied = rest.startswith("not ")
            more, right = rest.removeprefix("not ").split(" than ")
            above = things.index(left.lower()) > things.index(right.lower())
            up = more == growing[chain] or (more in ("bigger", "larger") and opposite[growing[chain]] == "smaller")
            assert up or more == opposite[growing[chain]]
            assert ((above == up) != denied) == (item.answer == option), text
            checked[str(item.facets["operator"])] += 1
    assert set(checked) == {"insert-negation", "remove-negation", "converse", "swap-arguments"}


def test_orders_have_many_scales_and_no_question_twice() -> None:
    assert len(chains()) >= 100
    assert len({chain.more for chain in chains()}) >= 25
    orders = orders_probe(None)
    assert len({frozenset(item.options) for item in orders}) == len(orders)
    made = make_duals(orders)
    pairs = [frozenset(frozenset(item.options) for item in made.items[i : i + 2]) for i in range(0, len(made), 2)]
    assert len(set(pairs)) == len(pairs)


def _things(chain: str) -> list[str]:
    return [thing.lower() for each in chains() if each.name == chain for thing in each.things]


def probe(*options: tuple[str, str], name: str = "demo", answer: int = 1) -> Probe:
    return Probe.of([Item(name, "sentences", options=pair, answer=answer) for pair in options], Card(name))


def test_a_dual_is_a_family_that_says_what_its_key_rests_on(tmp_path: Path) -> None:
    source = probe(("a pan is for naps", "a pan is for frying"), ("ice", "fire"), ("x y", "x y"))
    made = make_duals(source)
    original, edited = made.items
    assert (original.options, original.answer, original.member) == (source.items[0].options, 1, "a")
    assert (edited.answer, edited.member, original.family) == (0, "b", edited.family)
    assert {name: edited.facets[name] for name in ("perturbation", "operator", "status", "ground", "edit")} == {
        "perturbation": "add",
        "operator": "insert-negation",
        "status": "proposed",
        "ground": "guess",
        "edit": "negation inserted: is not",
    }
    assert made.card.notes["items that are not a labelled pair of similar sentences"] == 2
    write_probe(tmp_path / "duals.jsonl", made)
    assert [item.id for item in read_probe(tmp_path / "duals.jsonl").items] == [item.id for item in made.items]


def test_twins_are_duals_whose_keys_are_published() -> None:
    cup = "The jug fits the cup because the {} is too {}."
    items = [
        Item("w", "sentences", options=(cup.format("jug", size), cup.format("cup", size)), answer=answer)
        for size, answer in (("small", 0), ("big", 1), ("old", 1))
    ]
    made = make_duals(Probe.of(items, Card("w")), operators=("twins",))
    assert [item.options for item in made.items] == [items[0].options, items[1].options]
    assert [item.answer for item in made.items] == [0, 1]
    assert made.items[0].facets["status"] == "asserted"
    assert made.items[0].facets["edit"] == "twins: small > big"


def test_quotas_take_sources_in_turn_and_firm_keys_first() -> None:
    things = ("ant", "hen", "cow", "yak", "elk", "emu", "owl", "bat")
    pairs = [pair for a, b in product(things, things) if a < b
             for pair in [(f"A {a} is bigger than a {b}.", f"A {a} is bigger than a whale.")]]  # fmt: skip
    guessed = [(f"a {thing} can run", f"a {thing} can knit") for thing in things]
    made = make_duals([probe(*pairs, *guessed, name="one"), probe(*guessed, name="two")], each=10, seed=3)
    families = {item.family: item for item in made.items}.values()
    by_method = Counter((item.facets["perturbation"], item.facets["task"]) for item in families)
    assert by_method[("add", "one")] == by_method[("add", "two")] == 5
    assert by_method[("swap", "one")] == by_method[("substitute", "one")] == 10
    added = Counter((item.facets["task"], item.facets["status"]) for item in families
                    if item.facets["perturbation"] == "add")  # fmt: skip
    assert added == {("one", "proved"): 5, ("two", "proposed"): 5}


def test_plans_are_checked_and_must_make_something() -> None:
    source = probe(("a pan is for naps", "a pan is for frying"))
    with pytest.raises(UserError, match="no operator applies"):
        make_duals(source, operators=("opposite",))
    with pytest.raises(UserError, match="did you mean 'opposite'"):
        make_duals(source, operators=("opposites",))
    with pytest.raises(UserError, match="did you mean 'proved'"):
        make_duals(source, statuses=("proven",))
    with pytest.raises(UserError, match="0 pairs"):
        make_duals(source, each=0)


def test_what_is_proposed_is_asked_apart() -> None:
    mixed = make_duals([orders_probe(5), probe(("a pan is for naps", "a pan is for frying"))])
    parts = apart("mixed", mixed)
    assert list(parts) == ["mixed", "mixed-proposed"]
    assert {item.facets["status"] for item in parts["mixed"].items} == {"proved"}
    assert {item.facets["status"] for item in parts["mixed-proposed"].items} == {"proposed"}
    assert sum(len(part.items) for part in parts.values()) == len(mixed.items)
    assert list(apart("all", parts["mixed"])) == ["all"]


def test_a_run_never_mixes_what_is_proposed(tiny_folders: dict[str, Path]) -> None:
    mixed = make_duals([orders_probe(5), probe(("a pan is for naps", "a pan is for frying"))])
    said: list[str] = []
    run = hs.ask(str(tiny_folders["gpt2"]), {"mixed": mixed}, progress=Said(said))
    by_name = {each.part.probe.name: {item.facets["status"] for item in each.items} for each in run.answered}
    assert by_name == {"mixed": {"proved"}, "mixed-proposed": {"proposed"}}
    assert any("nobody has judged its 2 proposed items" in line for line in said)


def test_released_negations_turn_the_key_as_ours_do(shared: Path) -> None:
    """Where people only put a "not" into both sentences, the operator does so too, and turns the answer alike."""
    released = read_files("cats-robust", [shared / "data" / "cats" / "Robust_commonsense_test" / "add.txt"]).items
    originals = {item.family: item for item in released if item.member == "a"}
    found = 0
    for edit in (item for item in released if item.member == "b"):
        original = originals[edit.family]
        added = Counter(edit.options[0].split()) - Counter(original.options[0].split())
        pair = pair_of((original.options[0], original.options[1]))
        ours = EDITS["insert-negation"](pair) if pair else None
        if set(added) <= {"not", "do", "does", "cannot"} and ours is not None and original.answer is not None:
            found += 1
            assert edit.answer == 1 - original.answer
    assert found >= 4


def test_released_sets_give_duals_of_every_kind(shared: Path) -> None:
    folder = shared / "data" / "cats" / "commonsense_ability_test"
    twins = make_duals(read_files("cats", [folder / "arct_2.txt"]), operators=("twins",))
    # The second half of the file has each claim of the first negated.
    assert len(twins.items) / 2 >= 400
    names = make_duals(read_files("cats", [folder / "wsc.txt"]), operators=("exchange-names",))
    assert len(names.items) / 2 >= 60
    for first, second in zip(names.items[::2], names.items[1::2], strict=True):
        # Exchanging the names throughout gives the other sentence of the original.
        one, other = str(first.facets["edit"]).lower().removeprefix("names exchanged: ").split(", ")
        back = [_exchanged(text.lower(), one, other) for text in second.options]
        assert back == [text.lower() for text in first.options[::-1]]
        assert first.answer != second.answer


def _exchanged(text: str, one: str, other: str) -> str:
    return re.sub(rf"\b(?:{one}|{other})\b", lambda name: other if name[0] == one else one, text)


def test_a_negation_is_added_or_deleted_by_turns() -> None:
    duals = make_duals(orders_probe(None))
    counts: Counter[str] = Counter()
    for first, second in zip(duals.items[::2], duals.items[1::2], strict=True):
        method = str(first.facets["perturbation"])
        if method in ("add", "delete"):
            more, fewer = (second, first) if method == "add" else (first, second)
            assert [text.count(" not ") for text in more.options] == [text.count(" not ") + 1 for text in fewer.options]
            counts[method] += 1
    assert min(counts.values()) > 0.3 * counts.total()
