"""The database: the log is append-only, commits reach the disk, tables have their checks."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import open_database, reading
from horsesense.annotate.database.judgement_log import check_rows, read_study_judgements
from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.study import DATABASE_VARIABLE
from horsesense.errors import UserError
from horsesense.runs.verify import verify
from tests.support.judged_probes import choices, triples
from tests.support.study_server import annotator, study_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The database of a study with an answer that was taken back, and one that stands."""
    served = study_of(tmp_path / "s", triples(2), "partwhole")
    ann = annotator(served, "ann")
    ann.answer(value="0")
    ann.undo()
    ann.answer(value="1")
    served.engine.dispose()
    return tmp_path / "s" / "study.sqlite"


@pytest.mark.parametrize("table", tables.APPEND_ONLY)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {} SET at = 0",
        "DELETE FROM {}",
        "INSERT OR REPLACE INTO {0} SELECT * FROM {0} LIMIT 1",
        "REPLACE INTO {0} SELECT * FROM {0} LIMIT 1",
        "UPDATE OR REPLACE {} SET at = 0",
    ],
)
def test_nothing_is_changed_or_removed(file: Path, table: str, statement: str) -> None:
    """With the database's own tool, past all code of ours."""
    connection = sqlite3.connect(file)
    before = connection.execute(f"SELECT * FROM {table}").fetchall()
    assert before
    with pytest.raises(sqlite3.DatabaseError, match="append-only"):
        connection.execute(statement.format(table))
    connection.rollback()
    assert connection.execute(f"SELECT * FROM {table}").fetchall() == before


def test_an_answer_replaced_by_its_lease_is_refused(file: Path) -> None:
    connection = sqlite3.connect(file)
    columns = "lease, item, person, value, reason, round, number, asked, at, checksum"
    with pytest.raises(sqlite3.DatabaseError, match="append-only"):
        connection.execute(f"INSERT OR REPLACE INTO judgements ({columns}) SELECT {columns} FROM judgements LIMIT 1")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE judgements SET value = value || 'x' WHERE id = 2",
        "UPDATE judgements SET item = item + 1 WHERE id = 2",
        "UPDATE judgements SET person = person + 64 WHERE id = 2",
        "UPDATE retractions SET kind = 'tndone'",
        "UPDATE retractions SET judgement = judgement + 1",
        "UPDATE people SET code = 'x' || code",
    ],
)
def test_a_row_that_was_changed_is_noticed(file: Path, change: str) -> None:
    assert check_rows(file.parent) == (3, [])
    assert verify(file.parent).well
    connection = sqlite3.connect(file)
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(change)
    connection.commit()
    connection.close()
    assert check_rows(file.parent)[1]
    assert "study.sqlite" in verify(file.parent).damaged[0]
    with pytest.raises(UserError) as caught:
        read_study_judgements(file.parent)
    assert caught.value.file == str(file.parent)


def test_commits_reach_the_disk_and_only_the_owner_reads_them(file: Path) -> None:
    engine = open_database(f"sqlite:///{file}")
    with reading(engine) as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2, "full"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_the_tables_have_their_checks(file: Path) -> None:
    connection = sqlite3.connect(file)
    with pytest.raises(sqlite3.IntegrityError, match="never_over_target"):
        connection.execute("UPDATE items SET held = wanted + 1")
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        connection.execute("INSERT INTO leases SELECT key || 'x', item, person, 'open', 1, 9, 0, 0 FROM leases")


def test_a_database_of_another_version_is_refused(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE study SET version = version + 1")
    with pytest.raises(UserError, match="another version of horsesense"):
        open_study(file.parent)


def test_items_may_not_change_under_a_study(tmp_path: Path) -> None:
    served = study_of(tmp_path / "s", choices(2), "choice")
    served.engine.dispose()
    items = tmp_path / "s" / "items.jsonl"
    items.write_text("".join(items.read_text().splitlines(keepends=True)[:1]))
    with pytest.raises(UserError, match=r"that the database was made with"):
        open_study(tmp_path / "s")


def test_a_study_opens_again_with_the_same_codes(tmp_path: Path) -> None:
    first = study_of(tmp_path / "s", choices(2), "choice")
    again: ServedStudy = open_study(tmp_path / "s")
    assert first.code("ann") == again.code("ann")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mysql://x/y", "databases of the kind mysql"),
        ("not an address", "the address of the database cannot be read"),
    ],
)
def test_addresses_that_do_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, message: str
) -> None:
    study_of(tmp_path / "s", choices(2), "choice").engine.dispose()
    monkeypatch.setenv(DATABASE_VARIABLE, address)
    with pytest.raises(UserError, match=message):
        open_study(tmp_path / "s")
