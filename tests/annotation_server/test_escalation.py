"""Two agree or three more; limits, queues, pauses, withdrawal; families and criteria."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import select

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading
from horsesense.annotate.database.judgement_log import read_study_judgements, standing_judgements
from horsesense.annotate.database.participants import invite, pause
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.answering import RejectedAnswerError, submit, undo
from horsesense.annotation_server.queue import open_lease, sweep, withdraw
from horsesense.errors import UserError
from horsesense.stats.raters.adjudication import adjudicate
from tests.support.judged_probes import choices, schemas, triples
from tests.support.study_server import Clock, annotator, study_of
from tests.support.study_workers import counts, log_agrees, next_lease, person, say


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
    served = study_of(tmp_path / "s", probe, "statements", extra=3)
    (task,) = served.tasks["item"].values()
    text = dict(zip("ab", task.choices, strict=True))
    invite(served, [f"p{k}" for k in range(7)])
    for place, vote in enumerate(votes):
        say(served, person(served, f"p{place}"), text[vote])
    assert next_lease(served, person(served, "p6")) is None, "no more are asked"
    assert counts(served) == [(wanted, 0, wanted)]
    collected = read_study_judgements(tmp_path / "s")
    assert [each.round for each in collected.judgements] == [1, 1, 2, 2, 2][:wanted]
    (label,) = adjudicate(collected.judgements, "rica", collected.scale_of())
    assert label.value == text[value]


def by_round(served: ServedStudy) -> list[int]:
    """How many votes stand in each of the two rounds."""
    rounds = [each.round for each in standing_judgements(served)]
    return [rounds.count(1), rounds.count(2)]


@pytest.mark.parametrize("after", range(1, 4), ids="{} in the second round".format)
def test_a_withdrawn_vote_is_asked_again_in_its_own_round(tmp_path: Path, after: int) -> None:
    """Else the second round would have four votes, and could tie."""
    served = study_of(tmp_path / "s", choices(1), "statements", extra=3)
    (task,) = served.tasks["item"].values()
    hot, cold = task.choices
    names = [f"p{k}" for k in range(8)]
    invite(served, names)
    for name, vote in zip(names[: 2 + after], (hot, cold, cold, cold, hot), strict=False):
        say(served, person(served, name), vote)
    withdraw(served, "p0")
    assert by_round(served) == [1, after]
    for name in names[2 + after : 6]:
        say(served, person(served, name), hot)
    assert by_round(served) == [2, 3]
    assert counts(served) == [(5, 0, 5)]
    assert next_lease(served, person(served, "p7")) is None
    withdraw(served, "p2")
    assert say(served, person(served, "p6"), cold).round == 2, "and one of the second round in the second"
    assert by_round(served) == [2, 3]


def test_a_dispute_that_is_gone_asks_nobody_more(tmp_path: Path) -> None:
    """A vote of the first round is withdrawn while somebody has the item of the second in hand, who never answers."""
    clock = Clock()
    served = study_of(tmp_path / "s", choices(1), "statements", extra=3, clock=clock)
    (task,) = served.tasks["item"].values()
    hot, cold = task.choices
    invite(served, list("abcde"))
    say(served, person(served, "a"), hot)
    say(served, person(served, "b"), cold)
    held = next_lease(served, person(served, "c"))
    assert held is not None
    assert held.round == 2
    withdraw(served, "a")
    clock.now += 3600
    sweep(served)
    assert counts(served) == [(2, 0, 1)]
    say(served, person(served, "d"), cold)
    assert next_lease(served, person(served, "e")) is None, "two agree"
    assert by_round(served) == [2, 0]


def test_an_answer_that_comes_late_counts_in_the_round_that_has_room(tmp_path: Path) -> None:
    clock = Clock()
    served = study_of(tmp_path / "s", choices(1), "statements", extra=3, clock=clock)
    (task,) = served.tasks["item"].values()
    invite(served, list("abcde"))
    late = next_lease(served, person(served, "a"))
    assert late is not None
    assert late.round == 1
    clock.now += 3600
    sweep(served)
    for name, vote in zip("bc", task.choices, strict=True):
        say(served, person(served, name), vote)
    submit(served, person(served, "a"), late.key, lambda task: (task.choices[0], ""))
    assert by_round(served) == [2, 1]
    for name in "de":
        say(served, person(served, name), task.choices[0])
    assert by_round(served) == [2, 3]


@pytest.mark.parametrize("seed", range(12))
def test_no_round_has_more_votes_than_it_asks_for(tmp_path: Path, seed: int) -> None:
    """Whatever people do: answer, leave it lying, come late, take back, or have their work withdrawn."""
    clock, lot = Clock(), random.Random(seed)
    served = study_of(tmp_path / "s", choices(2), "statements", extra=3, clock=clock)
    names = [f"p{k}" for k in range(14)]
    invite(served, names)
    left = [(name, person(served, name)) for name in names]
    out: list[tuple[int, str]] = []
    for _ in range(60):
        name, who = lot.choice(left)
        what = lot.choice(["answer"] * 5 + ["look", "late", "undo", "wait", "withdraw"])
        lease = next_lease(served, who) if what in ("answer", "look") else None
        with suppress(RejectedAnswerError):
            if what == "answer" and lease is not None:
                submit(served, who, lease.key, lambda task: (lot.choice(task.choices), ""))
            elif what == "look" and lease is not None:
                out.append((who, lease.key))
            elif what == "late" and out:
                submit(served, *out.pop(), lambda task: (lot.choice(task.choices), ""))
            elif what == "undo":
                undo(served, who)
            elif what == "wait":
                clock.now += 1900
                sweep(served)
            elif what == "withdraw" and len(left) > 8:
                withdraw(served, name)
                left.remove((name, who))
        votes = Counter((each.item, each.round) for each in standing_judgements(served))
        assert all(number <= {1: 2, 2: 3}[round] for (_, round), number in votes.items())
        assert log_agrees(served)
    clock.now += 1900
    sweep(served)
    for _, who in left:
        while (lease := next_lease(served, who)) is not None:
            say(served, who, lot.choice(served.tasks["item"][lease.name].choices))
    for item in served.tasks["item"]:
        own = [each for each in standing_judgements(served) if each.item == item]
        first = [each.value for each in own if each.round == 1]
        assert len(first) == 2
        assert len(own) == 5 or len(set(first)) == 1


def test_an_abstention_is_no_agreement(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", choices(1), "choice", per_item=2, extra=3)
    invite(served, ["a", "b", "c"])
    say(served, person(served, "a"), "unknown")
    say(served, person(served, "b"), "unknown")
    assert counts(served) == [(5, 0, 2)]
    undo(served, person(served, "b"))
    assert counts(served) == [(2, 1, 1)], "the split is gone, nobody else was asked yet"
    assert log_agrees(served)


def test_limits_queues_and_pauses(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", choices(6), "choice", max_items=2, queue="kind")
    invite(served, ["ann"], queue="odd")
    ann = person(served, "ann")
    kinds = {item.id: item.facets["kind"] for item in choices(6).items}
    assert [kinds[say(served, ann, "unknown").name] for _ in range(2)] == ["odd", "odd"]
    assert next_lease(served, ann) is None, "two is all that anybody judges"
    with pytest.raises(UserError, match=r"no queue 'odds'.*'odd'"):
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
    served = study_of(tmp_path / "s", triples(2), "partwhole", per_item=2, extra=3)
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
    assert read_study_judgements(tmp_path / "s").notes == {"withdrawn judgements": 2}
    with pytest.raises(UserError, match="was withdrawn"):
        pause(served, ["ann"])
    with pytest.raises(UserError, match="was withdrawn"):
        invite(served, ["ann"], renew=True)


def test_families_and_criteria(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", schemas(2), "schema", per_item=2)
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
