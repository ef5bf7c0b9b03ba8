"""The rules of a served study: targets, leases, qualification, attention."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import writing
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import all_people, invite, pause
from horsesense.annotate.study import AttentionChecks
from horsesense.annotation_server.answering import RejectedAnswerError, submit, undo
from horsesense.annotation_server.queue import sweep
from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.stats.raters.qualification import Threshold
from tests.support.judged_probes import LABELS, choices, triples
from tests.support.study_server import Clock, study_of
from tests.support.study_workers import counts, log_agrees, next_lease, person, say


def test_targets_are_met_and_never_overshot(tmp_path: Path) -> None:
    """Seven people in any order of taking, answering, undoing and giving up: each item ends with exactly three."""
    clock = Clock()
    served = study_of(tmp_path / "s", triples(12), "partwhole", clock=clock, lease_minutes=5)
    names = [f"p{k}" for k in range(7)]
    invite(served, names)
    people = [person(served, name) for name in names]
    draw = random.Random(4)
    for _ in range(200):
        who, deed = draw.choice(people), draw.random()
        clock.now += draw.random() * 60
        if deed < 0.1:
            sweep(served)
        elif deed < 0.3:
            next_lease(served, who)
        elif deed < 0.4:
            with suppress(RejectedAnswerError):
                undo(served, who)
        elif next_lease(served, who) is not None:
            say(served, who, draw.choice(LABELS))
        assert all(held + answered <= wanted == 3 for wanted, held, answered in counts(served))
        assert log_agrees(served)
    clock.now += 3600
    sweep(served)
    for who in people:
        while next_lease(served, who) is not None:
            say(served, who, "probably")
    given = standing_judgements(served)
    assert set(Counter(each.item for each in given).values()) == {3}
    assert max(Counter((each.item, each.annotator) for each in given).values()) == 1, "nobody judges an item twice"


def test_the_database_refuses_what_would_overshoot(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", triples(1), "partwhole")
    with pytest.raises(Exception, match="never_over_target"), writing(served.engine) as connection:
        connection.execute(tables.items.update().values(held=4))


def test_a_lease_runs_out_and_a_late_answer_counts_if_there_is_room(tmp_path: Path) -> None:
    clock = Clock()
    served = study_of(tmp_path / "s", triples(1), "partwhole", clock=clock, per_item=1)
    invite(served, ["ann", "ben"])
    ann, ben = person(served, "ann"), person(served, "ben")
    late = next_lease(served, ann)
    assert late is not None
    assert next_lease(served, ben) is None, "it is with ann"
    clock.now += 31 * 60
    assert sweep(served) == 1
    mine = next_lease(served, ben)
    assert mine is not None
    with pytest.raises(RejectedAnswerError, match="run out"):
        submit(served, ann, late.key, lambda task: ("probably", ""))
    with writing(served.engine) as connection:
        connection.execute(tables.leases.update().where(tables.leases.c.key == mine.key).values(expires=0))
    sweep(served)
    submit(served, ann, late.key, lambda task: ("probably", ""))
    assert counts(served) == [(1, 0, 1)]


def gold(number: int = 10) -> Probe:
    """Items whose answers are spread over the labels, two a label."""
    probe = triples(40)
    items = [replace(item, answer=place % 5) for place, item in enumerate(probe.items[-number:])]
    return Probe.of(items, probe.card)


@pytest.mark.parametrize(("shift", "state"), [(0, "working"), (1, "working"), (3, "failed")])
def test_qualification(tmp_path: Path, shift: int, state: str) -> None:
    """Two gold items a label. Always one place off is a quadratic kappa of 0.75 or more, three off is not."""
    served = study_of(tmp_path / "s", triples(3), "partwhole", gold=(gold(20), 2))
    assert Counter(served.answers["gold"].values()) == dict.fromkeys(LABELS, 2)
    invite(served, ["ann"])
    ann = person(served, "ann")
    for _ in range(10):
        lease = next_lease(served, ann)
        assert lease is not None
        assert lease.purpose == "gold"
        place = LABELS.index(served.answers["gold"][lease.name])
        say(served, ann, LABELS[place + shift if place + shift < 5 else place - shift if place >= shift else place])
    (found,) = all_people(served)
    assert found.state == state
    after = next_lease(served, ann)
    assert (after.purpose if after else None) == ("item" if state == "working" else None)
    assert standing_judgements(served) == [], "gold is no judgement of an item"
    with pytest.raises(RejectedAnswerError, match="no answer to take back"):
        undo(served, ann)


def test_qualification_by_accuracy_where_options_are_the_items_own(tmp_path: Path) -> None:
    probe = choices(12)
    known = Probe.of(probe.items[6:], probe.card)
    threshold = Threshold(kappa=None, accuracy=0.75)
    asked = Probe.of(probe.items[:6], probe.card)
    served = study_of(tmp_path / "s", asked, "choice", gold=(known, 2), qualification=threshold)
    invite(served, ["ann", "ben"])
    for name, wrong in (("ann", 1), ("ben", 2)):
        who = person(served, name)
        for place in range(4):
            lease = next_lease(served, who)
            assert lease is not None
            right = served.answers["gold"][lease.name]
            other = next(o for o in served.tasks["gold"][lease.name].choices if o != right)
            say(served, who, other if place < wrong else right)
    assert [each.state for each in all_people(served)] == ["working", "failed"]


def test_an_item_cannot_be_both_asked_and_known(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"both in items\.jsonl and in attention\.jsonl"):
        study_of(tmp_path / "s", triples(40), "partwhole", attention=gold())


def test_attention_stops_who_does_not_read(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", triples(30), "partwhole", attention=gold(5), per_item=2)
    served = replace(served, study=replace(served.study, attention=AttentionChecks(every=4, accuracy=0.7, after=3)))
    invite(served, ["good", "lazy"])
    seen: dict[str, list[str]] = {"good": [], "lazy": []}
    for name, purposes in seen.items():
        who = person(served, name)
        while (lease := next_lease(served, who)) is not None:
            purposes.append(lease.purpose)
            known = served.answers["attention"] if lease.purpose == "attention" else {}
            say(served, who, known.get(lease.name, "probably") if name == "good" else "unrelated")
    states = {each.name: each.state for each in all_people(served)}
    assert states == {"good": "working", "lazy": "stopped"}
    assert Counter(seen["good"]) == {"item": 30, "attention": 5}
    gaps = [place for place, purpose in enumerate(seen["good"]) if purpose == "attention"]
    apart = [b - a - 1 for a, b in pairwise(gaps)]
    assert all(2 <= gap <= 5 for gap in apart)
    assert len(set(apart)) > 1, "not at regular places"
    assert seen["lazy"].count("attention") == 3
    assert {each.item for each in standing_judgements(served)} <= set(served.tasks["item"])
    pause(served, ["lazy"], paused=False)
    assert next_lease(served, person(served, "lazy")) is not None
