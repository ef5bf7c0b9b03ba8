"""The rules of a served study: targets, qualification, attention, escalation, pauses, withdrawal."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select

from horsesense.analysis.adjudication import adjudicate
from horsesense.analysis.qualification import Threshold
from horsesense.annotate.server import tables
from horsesense.annotate.server.answering import RefusedError, submit, undo
from horsesense.annotate.server.database import reading, writing
from horsesense.annotate.server.leaving import withdraw
from horsesense.annotate.server.people import all_people, find_person, invite, locked, pause
from horsesense.annotate.server.queue import Lease, hold, open_lease, sweep
from horsesense.annotate.server.reading import collected_from, standing_judgements
from horsesense.annotate.server.served import Served
from horsesense.annotate.study import Attention
from horsesense.errors import UserError
from horsesense.records import Probe
from judged_probes import LABELS, choices, schemas, triples
from serving import Clock, annotator, study_of

COUNTS = (tables.items.c.wanted, tables.items.c.held, tables.items.c.answered)


def person(served: Served, name: str) -> int:
    with reading(served.engine) as connection:
        return find_person(connection, name).id


def next_lease(served: Served, who: int) -> Lease | None:
    with writing(served.engine) as connection:
        return hold(connection, served, locked(connection, who))


def say(served: Served, who: int, value: str) -> Lease:
    """Answer what is in hand."""
    lease = next_lease(served, who)
    assert lease is not None
    return submit(served, who, lease.key, lambda task: (value, ""))


def counts(served: Served) -> list[tuple[int, ...]]:
    with reading(served.engine) as connection:
        return [tuple(row) for row in connection.execute(select(*COUNTS).where(tables.items.c.purpose == "item"))]


def log_agrees(served: Served) -> bool:
    """The counts of the queue are those of the log, brute force."""
    votes = Counter(each.item for each in standing_judgements(served))
    with reading(served.engine) as connection:
        rows = connection.execute(select(tables.items.c.key, *COUNTS).where(tables.items.c.purpose == "item")).all()
        out = Counter(
            connection.scalars(
                select(tables.items.c.key)
                .join_from(tables.leases, tables.items)
                .where(tables.leases.c.state == "open", tables.items.c.purpose == "item")
            )
        )
    return all((row.answered, row.held) == (votes[row.key], out[row.key]) for row in rows)


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
            with suppress(RefusedError):
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
    served = study_of(tmp_path / "s", triples(1), "partwhole", clock=clock, judgements=1)
    invite(served, ["ann", "ben"])
    ann, ben = person(served, "ann"), person(served, "ben")
    late = next_lease(served, ann)
    assert late is not None
    assert next_lease(served, ben) is None, "it is with ann"
    clock.now += 31 * 60
    assert sweep(served) == 1
    mine = next_lease(served, ben)
    assert mine is not None
    with pytest.raises(RefusedError, match="run out"):
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
    with pytest.raises(RefusedError, match="no answer to take back"):
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
    served = study_of(tmp_path / "s", triples(30), "partwhole", attention=gold(5), judgements=2)
    served = replace(served, study=replace(served.study, attention=Attention(every=4, accuracy=0.7, after=3)))
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


@pytest.mark.parametrize(
    ("votes", "wanted", "value"),
    [
        (["a", "a"], 2, "a"),
        (["a", "b", "b", "b", "a"], 5, "b"),
        (["a", "b", "a", "a", "b"], 5, "a"),
    ],
)
def test_two_agree_or_three_more(tmp_path: Path, votes: list[str], wanted: int, value: str) -> None:
    """As in rica.txt, 3.2: the first two settle it, otherwise the majority of three more."""
    probe = choices(1)
    served = study_of(tmp_path / "s", probe, "statements", more=3)
    (task,) = served.tasks["item"].values()
    text = dict(zip("ab", task.choices, strict=True))
    invite(served, [f"p{k}" for k in range(7)])
    for place, vote in enumerate(votes):
        say(served, person(served, f"p{place}"), text[vote])
    assert next_lease(served, person(served, "p6")) is None, "no more are asked"
    assert counts(served) == [(wanted, 0, wanted)]
    collected = collected_from(tmp_path / "s")
    assert [each.round for each in collected.judgements] == [1, 1, 2, 2, 2][:wanted]
    (label,) = adjudicate(collected.judgements, "rica", collected.scale_of())
    assert label.value == text[value]


def test_an_abstention_is_no_agreement(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", choices(1), "choice", judgements=2, more=3)
    invite(served, ["a", "b", "c"])
    say(served, person(served, "a"), "unknown")
    say(served, person(served, "b"), "unknown")
    assert counts(served) == [(5, 0, 2)]
    undo(served, person(served, "b"))
    assert counts(served) == [(2, 1, 1)], "the split is gone, nobody else was asked yet"
    assert log_agrees(served)


def test_limits_queues_and_pauses(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", choices(6), "choice", limit=2, queue="kind")
    invite(served, ["ann"], queue="odd")
    ann = person(served, "ann")
    kinds = {item.id: item.facets["kind"] for item in choices(6).items}
    assert [kinds[say(served, ann, "unknown").name] for _ in range(2)] == ["odd", "odd"]
    assert next_lease(served, ann) is None, "two is all that anybody judges"
    with pytest.raises(UserError, match="there is no queue 'odds'; did you mean 'odd'"):
        invite(served, ["x"], queue="odds")
    invite(served, ["ben"])
    ben = person(served, "ben")
    pause(served, ["ben"])
    assert next_lease(served, ben) is None
    pause(served, ["ben"], paused=False)
    pause(served, [])
    assert next_lease(served, ben) is None, "the whole study"
    pause(served, [], paused=False)
    assert next_lease(served, ben) is not None


def test_withdrawn_work_counts_nowhere_and_is_asked_again(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", triples(2), "partwhole", judgements=2, more=3)
    invite(served, ["ann", "ben", "cid"])
    for name, value in (("ann", "probably"), ("ben", "unlikely")):
        for _ in range(2):
            say(served, person(served, name), value)
    assert counts(served) == [(5, 0, 2)] * 2
    next_lease(served, person(served, "cid"))
    assert withdraw(served, "ann", "did not read") == 2
    assert {each.annotator for each in standing_judgements(served)} == {served.code("ben")}
    assert log_agrees(served)
    with reading(served.engine) as connection:
        kept = connection.execute(select(tables.judgements.c.id)).all()
        assert len(kept) == 4, "the log keeps what was said"
    assert collected_from(tmp_path / "s").notes == {"withdrawn judgements": 2}
    with pytest.raises(UserError, match="was withdrawn"):
        pause(served, ["ann"])
    with pytest.raises(UserError, match="was withdrawn"):
        invite(served, ["ann"], renew=True)


def test_families_and_criteria(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", schemas(2), "schema", judgements=2)
    anna = annotator(served, "anna")
    assert "Pan" in anna.question
    assert anna.answer(criterion_0="no", criterion_1="no").status_code == 422
    assert anna.answer(criterion_0="no", criterion_1="yes", criterion_2="no", criterion_3="maybe").status_code == 422
    anna.answer(criterion_0="no", criterion_1="yes", criterion_2="no", criterion_3="yes")
    anna.answer(**{f"criterion_{k}": "no" for k in range(4)})
    values = [each.value for each in standing_judgements(served)]
    assert values == ["synonym-exception+ambiguous-exception", "pass"]
    with reading(served.engine) as connection:
        assert open_lease(connection, person(served, "anna")) is None
