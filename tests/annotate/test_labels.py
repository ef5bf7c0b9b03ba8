"""Labels back into a probe, and how well people do at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.annotate.human_performance import human_scores
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgements import CollectedJudgements
from horsesense.annotate.labels import BROKEN, FILTERED, MISSED, OTHER_HALF, apply_labels
from horsesense.annotate.rater_agreement import agreement_figures, check_overlap, figures_of_labelled
from horsesense.annotate.task import tasks_of
from horsesense.core import Judgement, Label, Probe, read_probe, write_probe
from horsesense.errors import UserError
from tests.support.judged_probes import choices, schemas, triples

FILE = Path("labels.jsonl")


def label(item: str, instrument: str, value: str | None, reason: str = "", rule: str = "majority") -> Label:
    return Label(item, instrument, rule, value, reason, {value or "x": 3})


def numbered(labels: list[Label]) -> list[tuple[int, Label]]:
    return list(enumerate(labels, start=1))


def test_answers_are_set(tmp_path: Path) -> None:
    probe = triples(3)
    first, second, _ = (item.id for item in probe.items)
    labels = [label(first, "partwhole", "probably"), label(second, "partwhole", None, "judged nonsense")]
    applied = apply_labels(probe, numbered(labels), find_instrument("partwhole"), FILE)
    assert [item.answer for item in applied.probe.items] == [3]
    assert applied.dropped == {"judged nonsense": 1, "not judged": 1}
    assert applied.probe.items[0].source.id == first, "the id that was judged is not lost"
    assert applied.probe.card.notes == {"dropped: judged nonsense": 1, "dropped: not judged": 1}
    assert "instrument partwhole, 3 votes per item, rule majority" in applied.probe.card.made
    write_probe(tmp_path / "p.jsonl", applied.probe)
    assert read_probe(tmp_path / "p.jsonl").items == applied.probe.items
    kept = apply_labels(probe, numbered(labels), find_instrument("partwhole"), FILE, keep_unjudged=True)
    assert [item.answer for item in kept.probe.items] == [3, None]


def test_flipped_statements() -> None:
    probe = choices(2)
    labels = [label(item.id, "statements", f"Thing {k} is cold{k}.") for k, item in enumerate(probe.items)]
    applied = apply_labels(probe, numbered(labels), find_instrument("statements"), FILE)
    assert [item.answer for item in applied.probe.items] == [1, 1]
    assert applied.changed == 1, "the first one was hot"


def test_schemas_stand_or_fall_whole() -> None:
    labels = [label("pan0", "schema", "pass"), label("pan1", "schema", None, "fails synonym-generic")]
    applied = apply_labels(schemas(2), numbered(labels), find_instrument("schema"), FILE)
    assert [item.id for item in applied.probe.items] == [item.id for item in schemas(2).items[:2]]
    assert applied.dropped == {"fails synonym-generic": 2}


def test_a_dual_stays_where_people_give_both_of_its_keys() -> None:
    """Three pairs: both keys found, one missed, one half called nonsense; what was proposed is asserted then."""
    items = [
        replace(item, facets={**item.facets, "status": "proposed"}, form="sentences", text="",
                options=(f"{item.member} of {item.family} is hot", f"{item.member} of {item.family} is cold"))
        for item in schemas(3).items
    ]  # fmt: skip
    labels = [label(item.id, "dual", item.options[item.answer or 0]) for item in items]
    missed = items[3]
    labels[3] = replace(labels[3], value=missed.options[1 - (missed.answer or 0)])
    labels[4] = replace(labels[4], value=None, reason="judged nonsense")
    duals = Probe.of(items, schemas(3).card)
    applied = apply_labels(duals, numbered(labels), find_instrument("dual"), FILE)
    assert [(item.family, item.answer) for item in applied.probe.items] == [
        (item.family, item.answer) for item in items[:2]
    ]
    assert applied.dropped == {MISSED: 2, OTHER_HALF: 2}
    assert {item.facets["status"] for item in applied.probe.items} == {"asserted"}


def test_nobody_who_judges_a_dual_sees_its_key() -> None:
    items = list(schemas(1).items)
    turned = [replace(item, answer=1 - (item.answer or 0)) for item in items]
    one, two = (tasks_of(Probe.of(each, schemas(1).card), find_instrument("choice")) for each in (items, turned))
    assert [replace(task, item="") for task in one] == [replace(task, item="") for task in two]


def test_facets() -> None:
    named = [label(item.id, "naturalness", "awkward") for item in choices(2).items]
    applied = apply_labels(choices(2), numbered(named), find_instrument("naturalness"), FILE)
    assert {item.facets["naturalness"] for item in applied.probe.items} == {"awkward"}
    assert [item.id for item in applied.probe.items] == [item.id for item in choices(2).items]


def test_gold_filter() -> None:
    probe = schemas(2)
    labels = [label(item.id, "choice", item.options[item.answer or 0]) for item in probe.items]
    labels[0] = replace(labels[0], value="cold")
    labels[2] = replace(labels[2], value=None, reason="tie")
    applied = apply_labels(probe, numbered(labels), find_instrument("choice"), FILE, gold_filter=True)
    assert [item.id for item in applied.probe.items] == [probe.items[1].id, probe.items[3].id]
    assert applied.dropped == {MISSED: 2}
    assert applied.probe.card.notes[FILTERED] == 2
    assert applied.probe.card.notes[BROKEN] == 2
    judged = [Judgement(item.id, "ann", "choice", "cold") for item in applied.probe.items]
    assert human_scores(collected(applied.probe, "choice", judged))[0].name == "single person, filtered"


@pytest.mark.parametrize(
    ("given", "instrument", "message"),
    [
        (
            [label("other", "partwhole", "probably")],
            "partwhole",
            "labels.jsonl:1: the item 'other' is not in the probe",
        ),
        (
            [label(triples().items[0].id, "steps", "1")],
            "partwhole",
            "labels.jsonl:1: the label is of the instrument 'steps'",
        ),
        (
            [label(triples().items[0].id, "partwhole", "maybe")],
            "partwhole",
            "labels.jsonl:1: the label 'maybe' is not one of",
        ),
        ([label(triples().items[0].id, "partwhole", None, "tie")], "partwhole", "every item would be dropped"),
    ],
)
def test_labels_that_do_not_fit(given: list[Label], instrument: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        apply_labels(triples(), numbered(given), find_instrument(instrument), FILE)
    assert message in str(caught.value)


def test_what_cannot_be_applied() -> None:
    with pytest.raises(UserError, match="is not a label"):
        apply_labels(choices(), [], find_instrument("exceptions"), FILE)
    with pytest.raises(UserError, match="no gold to filter by"):
        apply_labels(schemas(), [], find_instrument("schema"), FILE, gold_filter=True)


def collected(probe: Probe | None, instrument: str, judgements: list[Judgement]) -> CollectedJudgements:
    asked = find_instrument(instrument)
    scales = {task.item: task.scale for task in tasks_of(probe, asked)} if probe else {}
    return CollectedJudgements(asked, tuple(judgements), (), scales, {}, probe)


def votes(probe: Probe, **answers: str) -> list[Judgement]:
    """One digit an item: the place of the option; ``?`` is unknown, ``!`` nonsense, a dot nothing."""
    found = []
    for who, digits in answers.items():
        for item, digit in zip(probe.items, digits, strict=True):
            if digit != ".":
                value = {"?": "unknown", "!": "nonsense"}.get(digit) or item.options[int(digit)]
                found.append(Judgement(item.id, who, "partwhole" if item.probe == "pw" else "choice", value))
    return found


def test_human_scores_against_gold() -> None:
    probe = choices(4)  # the answers are 0, 1, 0, 1
    one, most = human_scores(collected(probe, "choice", votes(probe, ann="0101", ben="0000", cid="01?1")))
    assert (one.name, one.estimate.value) == ("single person", 9 / 12)
    assert (most.name, most.estimate.value) == ("majority of 3", 1.0)
    assert one.estimate.chance == 0.5
    assert one.estimate.clusters == 2, "the card's group: two items a noun"


def test_human_scores_against_labels_and_others() -> None:
    probe = triples(3)
    judgements = votes(probe, ann="440", ben="430", cid="401")
    labels = [
        label(item.id, "partwhole", value)
        for item, value in zip(probe.items, ["guaranteed", None, "impossible"], strict=True)
    ]
    own, others = human_scores(collected(probe, "partwhole", judgements), labels)
    assert own.name == "single person, against the label it is part of"
    assert own.estimate.value == pytest.approx(5 / 6)
    # First item: all agree. Third: 0 0 1, where each 0 faces one 0 and one 1.
    assert others.estimate.value == pytest.approx((3 + 0.5 + 0.5 + 0) / 6)


def test_nothing_to_hold_people_against() -> None:
    probe = triples(2)
    with pytest.raises(UserError, match="nothing to compare people with"):
        human_scores(collected(probe, "partwhole", votes(probe, ann="44")))
    with pytest.raises(UserError, match="has no right answers"):
        human_scores(collected(schemas(), "schema", [Judgement("pan0", "ann", "schema", "pass")]))
    two = votes(probe, ann="44") + [replace(each, round=2) for each in votes(probe, ann="33")]
    with pytest.raises(UserError, match="several rounds"):
        human_scores(collected(probe, "partwhole", two))


def test_agreement_is_told_by_round() -> None:
    probe = triples(3)
    first = votes(probe, ann="410", ben="411")
    second = [replace(each, round=2) for each in votes(probe, ann="012", ben="210")]
    found = agreement_figures(collected(probe, "partwhole", first + second))
    exact = {f.round: f.estimate.value for f in found if f.name == "percent agreement" and f.about == "labels"}
    assert exact == pytest.approx({1: 2 / 3, 2: 1 / 3})
    assert {f.name for f in found} >= {"alpha, ordinal", "kappa of pairs, quadratic", "Fleiss' kappa"}


def test_objections_have_a_figure_of_their_own() -> None:
    probe = triples(3)
    found = agreement_figures(collected(probe, "partwhole", votes(probe, ann="4!0", ben="4!!")))
    objecting = next(f for f in found if f.about == "objecting" and f.name == "percent agreement")
    assert objecting.estimate.value == pytest.approx(2 / 3)
    assert objecting.estimate.n == 3
    labels = next(f for f in found if f.about == "labels" and f.name == "percent agreement")
    assert (labels.estimate.n, labels.votes) == (1, 3)


def test_criteria_have_a_figure_each() -> None:
    judgements = [
        Judgement("pan0", "ann", "schema", "pass"),
        Judgement("pan0", "ben", "schema", "synonym-generic"),
        Judgement("pan1", "ann", "schema", "synonym-generic"),
        Judgement("pan1", "ben", "schema", "synonym-generic+ambiguous-generic"),
    ]
    found = {(f.about, f.name): f.estimate.value for f in agreement_figures(collected(schemas(), "schema", judgements))}
    assert found["synonym-generic", "percent agreement"] == 0.5
    assert found["synonym-exception", "percent agreement"] == 1.0
    assert found["ambiguous-generic", "percent agreement"] == 0.5


def test_kept_items_agree_more() -> None:
    probe = triples(3)
    given = collected(probe, "partwhole", votes(probe, ann="440", ben="444"))
    kept = figures_of_labelled(given, [probe.items[0].id, probe.items[1].id])
    assert {f.about for f in kept} == {"labelled items"}
    assert kept[0].estimate.value == 1.0


def test_overlap() -> None:
    probe = triples(2)
    with pytest.raises(UserError, match="all judgements are ann's"):
        check_overlap(collected(probe, "partwhole", votes(probe, ann="44")))
    with pytest.raises(UserError, match=r"judged twice in a round"):
        check_overlap(collected(probe, "partwhole", votes(probe, ann="4.", ben=".4")))
