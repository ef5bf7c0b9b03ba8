"""The rules that settle an item, each against cases worked out by hand."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import Judgement, Label
from horsesense.errors import UserError
from horsesense.registry import provided
from horsesense.stats.raters.adjudication import RULES, Ties, adjudicate, median, reasons
from horsesense.stats.raters.votes import Scale

FIVE = Scale(("impossible", "unlikely", "unrelated", "probably", "guaranteed"), True, ("nonsense",), ("unknown",))
PLAIN = Scale(("no", "yes"))
SCHEMA = Scale(criteria=("synonym", "ambiguous"))


def ballot(values: list[str], item: str = "i", round: int = 1) -> list[Judgement]:
    return [Judgement(item, f"p{round}{place}", "demo", value, round=round) for place, value in enumerate(values)]


def settle(values: list[str], rule: str, scale: Scale = FIVE, fewest: int | None = None) -> Label:
    return adjudicate(ballot(values), rule, lambda item: scale, fewest)[0]


def five(digits: str) -> list[str]:
    return [FIVE.labels[int(digit)] for digit in digits]


@pytest.mark.parametrize(
    ("digits", "value", "reason", "tie"),
    [
        ("443", "guaranteed", "", False),
        ("012", None, "all votes differ", False),
        ("0123", None, "all votes differ", False),
        ("3344", "guaranteed", "", True),
        ("0012", "unlikely", "", True),
        ("1144", "guaranteed", "", True),
        ("2340", None, "all votes differ", False),
        ("23344", "probably", "", False),
        ("44", None, "fewer than 3 votes", False),
    ],
)
def test_partwhole(digits: str, value: str | None, reason: str, tie: bool) -> None:
    label = settle(five(digits), "partwhole")
    assert (label.value, label.reason, label.tie) == (value, reason, tie)
    assert label.people == len(digits)


@pytest.mark.parametrize(
    ("digits", "target", "fewest", "value", "reason"),
    [
        ("44", 2, None, "guaranteed", ""),
        ("34", 2, None, None, "all votes differ"),
        ("44", 5, None, None, "fewer than 3 votes"),
        ("4", 2, None, None, "fewer than 2 votes"),
        ("4", 1, None, "guaranteed", ""),
        ("44", 2, 3, None, "fewer than 3 votes"),
    ],
)
def test_a_target_below_the_rule(digits: str, target: int, fewest: int | None, value: str | None, reason: str) -> None:
    """The votes that a study asks for are enough; one that asks for more still needs the rule's own number."""
    (label,) = adjudicate(ballot(five(digits)), "partwhole", lambda item: FIVE, fewest, {"i": target})
    assert (label.value, label.reason) == (value, reason)


def test_partwhole_one_objection_is_enough() -> None:
    assert settle(["guaranteed"] * 4 + ["nonsense"], "partwhole").reason == "judged nonsense"
    assert settle(["guaranteed", "unknown", "unknown", "guaranteed"], "partwhole").reason == "fewer than 3 votes"


def test_majority() -> None:
    assert settle(["yes", "yes", "no"], "majority", PLAIN).value == "yes"
    assert settle(["yes", "yes", "no"], "majority", PLAIN).share == pytest.approx(2 / 3)
    tie = settle(["yes", "no"], "majority", PLAIN)
    assert (tie.value, tie.reason, tie.tie) == (None, "tie", True)
    assert settle(["nonsense", "nonsense", "probably"], "majority").reason == "judged nonsense"
    assert settle(["yes"], "majority", PLAIN).reason == "fewer than 2 votes"
    assert settle(["yes"], "majority", PLAIN, fewest=1).value == "yes"
    # A label with more votes than any other need not have more than half.
    assert settle(five("00123"), "majority").value == "impossible"


@given(st.lists(st.integers(0, 4), min_size=1, max_size=9), st.sampled_from(["upper", "lower"]))
def test_median_equals_the_standard_library(places: list[int], ties: Ties) -> None:
    reference = (statistics.median_high if ties == "upper" else statistics.median_low)(places)
    verdict = median(ballot([FIVE.labels[place] for place in places]), FIVE, ties)
    assert verdict.value == FIVE.labels[reference]
    assert verdict.tie == (statistics.median(places) not in (reference,))


def test_median_drops_a_tie_where_asked() -> None:
    assert median(ballot(five("34")), FIVE, "drop").reason == "tie"
    assert median(ballot(five("33")), FIVE, "drop").value == "probably"
    assert median(ballot(["nonsense", "nonsense", "probably"]), FIVE).reason == "judged nonsense"
    assert median(ballot(["nonsense", "probably"]), FIVE).value == "probably"
    with pytest.raises(UserError, match="ordinal labels"):
        median(ballot(["yes"]), PLAIN)


def test_winoventi() -> None:
    def verdict(*values: str) -> Label:
        return settle(list(values), "winoventi", SCHEMA)

    assert verdict("pass", "pass").value == "pass"
    assert verdict("synonym", "ambiguous").value == "pass", "two object, but not on the same criterion"
    assert verdict("synonym", "synonym+ambiguous").reason == "fails synonym"
    assert verdict("synonym+ambiguous", "synonym+ambiguous").reason == "fails synonym+ambiguous"
    assert verdict("synonym", "pass", "synonym").reason == "fails synonym", "most of three, as in the paper"
    assert verdict("synonym", "pass", "pass").value == "pass"


def test_rica_two_rounds() -> None:
    judgements = ballot(["yes", "yes"], "agreed") + ballot(["yes", "no"], "open") + ballot(["no", "yes"], "second")
    judgements += ballot(["no", "no", "yes"], "second", round=2)
    labels = {label.item: label for label in adjudicate(judgements, "rica", lambda item: PLAIN)}
    assert labels["agreed"].value == "yes"
    assert labels["second"].value == "no"
    assert (labels["open"].value, labels["open"].reason) == (None, "open after the first round")


def test_rounds_are_not_mixed_silently() -> None:
    judgements = ballot(["yes", "yes"]) + ballot(["no", "no", "no"], round=2)
    with pytest.raises(UserError, match=r"rounds 1 and 2.*round 2"):
        adjudicate(judgements, "majority", lambda item: PLAIN)


def test_dawid_skene_with_options_of_their_own() -> None:
    """Options of different questions are compared by place, and the label is the item's own text."""
    pairs = [(f"right{k}", f"wrong{k}") for k in range(12)]
    scales = {f"q{k}": Scale(pair if k % 3 else pair[::-1]) for k, pair in enumerate(pairs)}
    judgements = []
    for k in range(12):
        judgements += [Judgement(f"q{k}", who, "choice", f"right{k}") for who in ("ann", "ben")]
        judgements.append(Judgement(f"q{k}", "cid", "choice", f"wrong{k}" if k % 2 else f"right{k}"))
    labels = adjudicate(judgements, "dawid-skene", scales.__getitem__)
    assert [label.value for label in labels] == [f"right{k}" for k in range(12)]
    assert all(label.share > 0.99 for label in labels)


def test_dawid_skene_objection_and_too_few() -> None:
    judgements = [j for k in range(8) for j in ballot(["probably", "probably", "probably"], f"i{k}")]
    judgements += ballot(["nonsense", "nonsense", "nonsense"], "bad") + ballot(["probably"], "one")
    labels = {label.item: label for label in adjudicate(judgements, "dawid-skene", lambda item: FIVE)}
    assert labels["bad"].reason == "judged nonsense"
    assert labels["one"].reason == "fewer than 2 votes"
    assert labels["i0"].value == "probably"


def test_rules_and_what_they_settle() -> None:
    with pytest.raises(UserError, match="did you mean 'majority'"):
        adjudicate([], "majorty", lambda item: PLAIN)
    with pytest.raises(UserError, match="the rule majority does not adjudicate criteria"):
        settle(["pass", "pass"], "majority", SCHEMA)
    with pytest.raises(UserError, match="the rule winoventi does not adjudicate labels"):
        settle(["yes", "yes"], "winoventi", PLAIN)
    assert {*RULES, *provided("rules")} == {"majority", "median", "partwhole", "winoventi", "rica", "dawid-skene"}


def test_reasons_are_counted() -> None:
    judgements = (
        ballot(["yes", "no"], "a") + ballot(["no", "yes"], "b") + ballot(["yes"], "c") + ballot(["yes"] * 2, "d")
    )
    assert reasons(adjudicate(judgements, "majority", lambda item: PLAIN)) == {"tie": 2, "fewer than 2 votes": 1}
