"""The released judgements through the rules: released labels, decisions and human figures come out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.annotate.human_performance import human_scores
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgements import CollectedJudgements
from horsesense.annotate.labels import apply_labels
from horsesense.core import Judgement, Label
from horsesense.errors import UserError
from horsesense.methods.published import read_files
from horsesense.methods.published.reading import ReleasedVotes, read_votes
from horsesense.stats.raters.adjudication import ALL_DIFFER, adjudicate, objected, reasons
from horsesense.stats.raters.agreement import pair_kappa
from horsesense.stats.raters.qualification import choose_gold, qualify
from horsesense.stats.raters.votes import votes_on_scale

PARTWHOLE = find_instrument("partwhole")
SCHEMA = find_instrument("schema")


@pytest.fixture(scope="module")
def partwhole(shared: Path) -> ReleasedVotes:
    return read_votes("partwhole", [shared / "data/partwhole/mturk/final_batches/all_just_results.csv"])


@pytest.fixture(scope="module")
def partwhole_labels(partwhole: ReleasedVotes) -> dict[str, Label]:
    return {
        label.item: label for label in adjudicate(partwhole.judgements, "partwhole", lambda item: PARTWHOLE.scale())
    }


@pytest.fixture(scope="module")
def released(shared: Path) -> dict[str, str]:
    """The released labels of all three splits, by the item as it was before it had one."""
    folder = shared / "data/partwhole/data/annotated"
    probe = read_files("partwhole", [folder / f"{split}.csv" for split in ("train", "dev", "test")])
    return {replace(item, answer=None).id: item.options[item.answer or 0] for item in probe.items}


def test_partwhole_votes(partwhole: ReleasedVotes) -> None:
    assert (len(partwhole.probe.items), len(partwhole.judgements)) == (20_274, 61_795)
    nonsense = Counter(each.reason for each in partwhole.judgements if each.value == "nonsense")
    assert nonsense == {"part-adjective": 4757, "whole-adjective": 523, "": 29, "part-whole": 24, "word": 18}


def test_partwhole_labels_are_recomputed(partwhole_labels: dict[str, Label], released: dict[str, str]) -> None:
    """At least 99.5 % of the released labels; every miss is an even split, where the release took the other middle."""
    assert released.keys() <= partwhole_labels.keys()
    misses = {item: partwhole_labels[item] for item, value in released.items() if partwhole_labels[item].value != value}
    assert (len(released), len(misses)) == (13_683, 46)
    assert 1 - len(misses) / len(released) >= 0.995
    order = PARTWHOLE.labels
    for item, label in misses.items():
        assert label.tie
        votes = sorted(order.index(value) for value, count in label.votes.items() for _ in range(count))
        assert order.index(released[item]) == votes[len(votes) // 2 - 1], "the lower of the two middle votes"
    ties = [item for item in released if partwhole_labels[item].tie]
    assert len(ties) == 103


def test_partwhole_drops(partwhole_labels: dict[str, Label], released: dict[str, str]) -> None:
    """What the release has, we keep; what it dropped, we drop, but for fifty triples with four votes."""
    labels = partwhole_labels.values()
    assert reasons(labels) == {objected("nonsense"): 4029, ALL_DIFFER: 2493, "fewer than 3 votes": 19}
    assert all(partwhole_labels[item].value is not None for item in released)
    ours_only = [label for label in labels if label.value is not None and label.item not in released]
    assert len(ours_only) == 50
    assert {tuple(sorted(label.votes.values())) for label in ours_only} == {(1, 1, 2)}
    three = [label for label in labels if label.people == 3 and "nonsense" not in label.votes]
    assert all((label.item in released) == (len(label.votes) < 3) for label in three)
    assert sum(len(label.votes) == 3 for label in three) == 2483


def test_partwhole_agreement(partwhole: ReleasedVotes, released: dict[str, str]) -> None:
    """The paper has 0.624 for its 13,684 triples; one of them is not in the release."""
    kept = [each for each in partwhole.judgements if each.item in released]
    found = pair_kappa(votes_on_scale(kept, lambda item: PARTWHOLE.scale()), "quadratic", resamples=200)
    assert found.value == pytest.approx(0.6230, abs=0.0001)
    assert found.low < 0.624 < found.high


def test_partwhole_people(partwhole: ReleasedVotes, released: dict[str, str]) -> None:
    """A vote against the label that contains it, and against the others, is not the same figure."""
    given = [Label(item, "partwhole", "partwhole", value) for item, value in released.items()]
    collected = CollectedJudgements(PARTWHOLE, partwhole.judgements, (), {}, {}, partwhole.probe)
    own, others = human_scores(collected, given)
    assert own.estimate.value == pytest.approx(0.7878, abs=0.0001)
    assert others.estimate.value == pytest.approx(0.5837, abs=0.0001)
    assert own.people == 0, "the release does not say whose votes these are"


def test_partwhole_qualification(shared: Path) -> None:
    """The gold items are triples on which the authors agree, two a class but for one that has a single one."""
    folder = shared / "data/partwhole/mturk"
    gold = read_votes("partwhole", [folder / "gold_annotations.csv"])
    house = read_votes("partwhole", [folder / "inhouse_annotations.csv"])
    agreed = {
        label.item: label.value
        for label in adjudicate(house.judgements, "majority", lambda item: PARTWHOLE.scale())
        if label.value is not None
    }
    answers = {each.item: each.value for each in gold.judgements}
    assert Counter(answers.values()) == dict.fromkeys(PARTWHOLE.labels, 2) | {"unlikely": 1}
    assert {item for item, value in answers.items() if agreed.get(item) != value} == set()
    with pytest.raises(UserError, match=r"1 items .*'unlikely', and 2 are needed"):
        choose_gold(agreed, PARTWHOLE.labels)
    author = [replace(each, annotator="author") for each in gold.judgements]
    lazy = [Judgement(item, "lazy", "partwhole", "probably") for item in answers]
    passed = {each.annotator: each.passed for each in qualify(author + lazy, answers, PARTWHOLE.labels)}
    assert passed == {"author": True, "lazy": False}


@pytest.fixture(scope="module")
def crowd(shared: Path) -> Path:
    return shared / "data/winoventi/data/assets/crowdsourcing"


@pytest.fixture(scope="module")
def schemas(crowd: Path) -> ReleasedVotes:
    folder = crowd / "evaluation_collection"
    return read_votes("winoventi-schemas", sorted(folder.glob("*_evaluation_collection_raw.csv")))


def test_winoventi_decisions(schemas: ReleasedVotes, crowd: Path, shared: Path) -> None:
    """Two votes a schema, dropped when both object on one question: the released list, without a difference."""
    labels = adjudicate(schemas.judgements, "winoventi", lambda item: SCHEMA.scale())
    dropped = {label.item for label in labels if label.value is None}
    lines = (crowd / "evaluation_collection/failed_evaluation.csv").read_text().splitlines()
    header = lines[0].split("\t")
    rows = [dict(zip(header, line.split("\t"), strict=True)) for line in lines[1:]]
    columns = ("Word", "Associative Bias", "Alternative", "biased_context_word", "adversarial_context_word")
    failed = {" | ".join(row[name].strip() for name in columns) for row in rows}
    assert len(failed) == 334
    assert dropped == failed
    assert {label.people for label in labels} == {2}
    assert sum(set(label.votes) == {"pass"} for label in labels) == 671, "the unanimous subset"
    applied = apply_labels(schemas.probe, list(enumerate(labels, start=1)), SCHEMA, Path("labels.jsonl"))
    bench = read_files("winoventi", [shared / "data/winoventi/data/winoventi_bert_large_final.tsv"])
    assert {item.id for item in applied.probe.items} == {item.id for item in bench.items}
    assert len(applied.probe.items) == 2576


@pytest.mark.parametrize("name", ["human_evaluation_raw.csv", "human_evaluation_cleaned.csv"])
def test_winoventi_people(name: str, crowd: Path) -> None:
    votes = read_votes("winoventi-answers", [crowd / "human_performance_collection" / name])
    right = {}
    for test in ("generic", "exception"):
        items = {item.id for item in votes.probe.items if item.facets["test"] == test}
        judged = tuple(each for each in votes.judgements if each.item in items)
        (score,) = human_scores(CollectedJudgements(find_instrument("choice"), judged, (), {}, {}, votes.probe))
        assert (score.name, score.votes, score.votes_per_item) == ("single person", 1288, (1, 1))
        right[test] = round(score.estimate.value * score.votes)
    assert right == {"generic": 1176, "exception": 1153}
    assert len({each.annotator for each in votes.judgements}) == 11
