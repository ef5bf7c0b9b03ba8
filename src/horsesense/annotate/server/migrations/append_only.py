"""Triggers that let a table only ever be added to, for each kind of database."""

from __future__ import annotations

from collections.abc import Iterator

REFUSED = "the log is append-only"


def statements(table: str, keys: tuple[str, ...], dialect: str) -> Iterator[str]:
    """What makes a table append-only; ``keys`` are the columns by which a row could be replaced."""
    if dialect == "postgresql":
        yield (
            f"CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{REFUSED}'; END $$"
        )
        yield (
            f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
        yield (
            f"CREATE TRIGGER {table}_not_emptied BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
        return
    for what in ("UPDATE", "DELETE"):
        yield (
            f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
        )
    # INSERT OR REPLACE deletes without asking the trigger above.
    same = " OR ".join(f"{key} = NEW.{key}" for key in keys)
    yield (
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
    )
