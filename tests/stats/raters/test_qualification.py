"""Who qualifies: kappa as scikit-learn gives it, thresholds, and gold spread over the labels."""

from __future__ import annotations

import pytest
from sklearn.metrics import cohen_kappa_score

from horsesense.core import Judgement
from horsesense.errors import UserError
from horsesense.stats.raters.agreement import by_annotator, by_item
from horsesense.stats.raters.qualification import Threshold, choose_gold, qualify
from horsesense.stats.raters.votes import tabulate
from tests.support.votes import triples

LABELS = ["0", "1", "2", "3", "4"]
GOLD = {f"g{place}": digit for place, digit in enumerate("0011223344")}


def answers(who: str, digits: str) -> list[Judgement]:
    return [Judgement(f"g{place}", who, "demo", digit) for place, digit in enumerate(digits) if digit != "."]


@pytest.mark.parametrize("digits", ["0011223344", "0112233440", "4433221100", "2222222222", "0102123434"])
def test_kappa_and_accuracy(digits: str) -> None:
    found = qualify(answers("ann", digits), GOLD, LABELS)[0]
    reference = cohen_kappa_score(list("0011223344"), list(digits), labels=LABELS, weights="quadratic")
    assert found.kappa == pytest.approx(reference)
    assert found.accuracy == sum(a == b for a, b in zip(digits, "0011223344", strict=True)) / 10
    assert found.passed == (reference >= 0.7)


def test_reasons() -> None:
    judgements = answers("always", "2222222222") + answers("half", "00112.....") + answers("good", "0011223344")
    judgements += answers("near", "1122334433")
    found = {each.annotator: each for each in qualify(judgements, GOLD, LABELS, Threshold(accuracy=0.8))}
    assert found["always"].reason == "kappa 0.00 is below 0.70"
    assert found["half"].reason == "answered 5 of 10 gold items"
    assert found["near"].reason == "accuracy 0.00 is below 0.80", "off by one everywhere, and yet kappa is high"
    assert found["near"].kappa is not None
    assert found["near"].kappa > 0.7
    assert found["good"].passed
    assert list(found) == sorted(found)


def test_an_answer_beside_the_scale_is_wrong() -> None:
    judgements = [*answers("ann", "001122334."), Judgement("g9", "ann", "demo", "nonsense")]
    found = qualify(judgements, GOLD, LABELS)[0]
    assert found.accuracy == 0.9
    assert found.kappa == 1


def test_one_label_only_has_no_kappa() -> None:
    found = qualify(answers("ann", "00"), {"g0": "0", "g1": "0"}, LABELS)[0]
    assert (found.kappa, found.passed) == (None, False)


def test_bad_gold() -> None:
    with pytest.raises(UserError, match="the gold 'x' is not a label"):
        qualify([], {"g0": "x"}, LABELS)
    with pytest.raises(UserError, match="nobody judged a gold item"):
        qualify([Judgement("other", "ann", "demo", "1")], GOLD, LABELS)
    with pytest.raises(UserError, match="not known whose"):
        qualify([Judgement("g0", "#1", "demo", "1")], GOLD, LABELS)


def test_gold_is_spread_over_the_labels() -> None:
    agreed = {f"i{place}": str(place % 3) for place in range(12)}
    chosen = choose_gold(agreed, ["0", "1", "2"], each=2, seed=5)
    assert [agreed[item] for item in chosen] == ["0", "0", "1", "1", "2", "2"]
    assert len(set(chosen)) == 6
    assert chosen == choose_gold(dict(reversed(agreed.items())), ["0", "1", "2"], each=2, seed=5)
    with pytest.raises(UserError, match=r"0 items .*'3', and 2 are needed"):
        choose_gold(agreed, ["0", "1", "2", "3"])


def test_each_person_beside_the_others() -> None:
    judgements = answers("ann", "0011") + answers("ben", "0011") + answers("cid", "1111") + answers("dan", "....0")
    found = {each.annotator: each for each in by_annotator(tabulate(triples(judgements), LABELS), resamples=50)}
    # ann meets ben's and cid's votes: same as both 2 of 4 times, as one of the two 2 of 4 times.
    assert found["ann"].agrees == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)
    assert found["cid"].agrees == pytest.approx(0.5)
    assert (found["cid"].favourite, found["cid"].favourite_share) == ("1", 1.0)
    assert (found["dan"].shared, found["dan"].kappa) == (0, None)
    own = list("00001111")
    other = list("01011111")
    assert found["ann"].kappa is not None
    assert found["ann"].kappa.value == pytest.approx(cohen_kappa_score(own, other))


def test_disputed_items_come_first() -> None:
    judgements = answers("ann", "001") + answers("ben", "01.") + answers("cid", "02.")
    found = by_item(tabulate(triples(judgements), LABELS))
    assert [(each.item, each.agree) for each in found] == [("g1", 0.0), ("g0", 1.0)]
    assert found[0].votes == {"0": 1, "1": 1, "2": 1}
