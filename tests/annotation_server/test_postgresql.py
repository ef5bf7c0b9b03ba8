"""The same rules on PostgreSQL, with people who answer at the same moment."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import find_person, invite, locked
from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.study import DATABASE_VARIABLE
from horsesense.annotate.task import Task
from horsesense.annotation_server.answering import RejectedAnswerError, submit, undo
from horsesense.annotation_server.queue import hold, sweep, withdraw
from horsesense.errors import UserError
from tests.support.judged_probes import LABELS, triples
from tests.support.postgresql_cluster import cluster, programs
from tests.support.study_server import annotator, study_of

if programs() is None:
    pytest.skip("no PostgreSQL on this machine (initdb)", allow_module_level=True)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with cluster() as found:
        yield found


@pytest.fixture
def study(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedStudy]:
    monkeypatch.setenv(DATABASE_VARIABLE, address)
    served = study_of(tmp_path / "s", triples(20), "partwhole", per_item=2, extra=3)
    yield served
    with served.engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    served.engine.dispose()


def _said(value: str, _: Task) -> tuple[str, str]:
    return value, ""


def _judge(served: ServedStudy, name: str, seed: int) -> None:
    """One person at work: mostly answers, at times a second thought, a reload, or a look for what ran out."""
    draw = random.Random(seed)
    with reading(served.engine) as connection:
        who = find_person(connection, name).id
    while True:
        with writing(served.engine) as connection:
            lease = hold(connection, served, locked(connection, who))
        if lease is None:
            return
        said = partial(_said, draw.choice(LABELS[:2]))
        submit(served, who, lease.key, said)
        submit(served, who, lease.key, said)
        if draw.random() < 0.2:
            try:
                undo(served, who)
            except RejectedAnswerError:
                continue
        if draw.random() < 0.1:
            sweep(served)


def test_two_servers_and_eight_people_at_once(study: ServedStudy) -> None:
    """No target is overshot, nothing is lost or doubled, and every item is settled, whoever comes first."""
    other = replace(open_study(study.study.folder), clock=study.clock)
    names = [f"p{k}" for k in range(8)]
    invite(study, names)
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(_judge, (study, other)[k % 2], name, k) for k, name in enumerate(names)]
        for job in jobs:
            job.result(timeout=120)
    other.engine.dispose()
    # Who found nothing left may have gone before a dispute asked for more people.
    for place, name in enumerate(names * 2):
        _judge(study, name, 100 + place)
    given = standing_judgements(study)
    votes = Counter(each.item for each in given)
    assert max(Counter((each.item, each.annotator) for each in given).values()) == 1
    with reading(study.engine) as connection:
        rows = connection.execute(tables.items.select()).all()
    assert all((row.held, row.answered) == (0, votes[row.key]) for row in rows)
    assert {row.wanted for row in rows} == {2, 5}
    assert all(row.answered == row.wanted for row in rows)


@pytest.mark.parametrize("table", tables.APPEND_ONLY)
@pytest.mark.parametrize("statement", ["UPDATE {} SET at = 0", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_the_log_is_only_added_to(study: ServedStudy, table: str, statement: str) -> None:
    ann = annotator(study, "ann")
    ann.answer(value="0")
    ann.undo()
    with pytest.raises(DBAPIError, match="append-only"), study.engine.begin() as connection:
        connection.execute(text(statement.format(table)))


def test_commits_wait_for_the_disk(study: ServedStudy) -> None:
    with study.engine.connect() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"


def test_withdrawing_and_pages(study: ServedStudy) -> None:
    ann, ben = annotator(study, "ann"), annotator(study, "ben")
    for somebody in (ann, ben):
        for _ in range(3):
            assert somebody.answer(value="1").status_code == 200
    assert ann.answer(value="1\x00").status_code == 422
    assert withdraw(study, "ann") == 3
    assert {each.annotator for each in standing_judgements(study)} == {study.code("ben")}
    assert ann.open("/task").status_code == 401


def test_the_password_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from horsesense.errors import UserError

    monkeypatch.setenv(DATABASE_VARIABLE, f"postgresql://me:s3cret@/none?host={tmp_path}")
    with pytest.raises(UserError, match="the database does not open") as found:
        study_of(tmp_path / "s", triples(1), "partwhole")
    assert "s3cret" not in str(found.value)
    assert os.environ[DATABASE_VARIABLE]


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE judgements; --", '" OR 1=1 --', "%s %(x)s :name {0}", "$$x$$", "\\'", "a\x00b"]
)
def test_what_looks_like_sql_is_text(study: ServedStudy, text: str) -> None:
    """Names, reasons and links by people come back as they were given, or are refused; nothing else changes."""
    ann = annotator(study, "ann")
    assert ann.answer(value="1", reason=text).status_code < 500
    for path in ("/in/" + text, "/task?lease=" + text, "/join/" + text):
        assert ann.client.get(path.replace("\x00", "%00")).status_code < 500
    before = len(standing_judgements(study))
    with pytest.raises(UserError, match="is not usable"):  # as a name, and not by the database
        invite(study, [text])
    invite(study, ["O'Brien"])
    with reading(study.engine) as connection:
        assert find_person(connection, "O'Brien").name == "O'Brien"
    assert len(standing_judgements(study)) == before
    ann.open("/task")
    assert ann.answer(value="2").status_code == 200
