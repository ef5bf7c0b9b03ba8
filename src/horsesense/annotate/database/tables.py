"""The tables of a served study. The log of answers is append-only, by triggers; only the queue changes."""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Select,
    String,
    Table,
    UniqueConstraint,
    event,
    select,
    text,
)

VERSION = 1
"""Version of these tables, stored with a study."""

metadata = MetaData()

study = Table(
    "study",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("version", Integer, nullable=False),  # of these tables
    Column("fingerprint", String, nullable=False),  # of the items that were loaded: they may not change under a study
    Column("salt", LargeBinary, nullable=False),  # of the codes that stand for people in exports
    Column("secret", LargeBinary, nullable=False),  # signs forms and completion codes
    Column("paused", Boolean, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False),
    Column("purpose", String, nullable=False),  # item, gold or attention
    Column("place", Integer, nullable=False),
    Column("queue", String, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("held", Integer, nullable=False),
    Column("answered", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    UniqueConstraint("purpose", "key", name="one_item_a_purpose"),
    # Leases count with answers, so that a target cannot be overshot whatever the program does.
    CheckConstraint("held >= 0 AND answered >= 0", name="counts"),
    CheckConstraint("purpose <> 'item' OR held + answered <= wanted", name="never_over_target"),
)
Index(
    "open_items",
    items.c.place,
    sqlite_where=text("purpose = 'item' AND held + answered < wanted"),
    postgresql_where=text("purpose = 'item' AND held + answered < wanted"),
)

people = Table(
    "people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("code", String, nullable=False, unique=True),
    Column("role", String, nullable=False),  # annotator or researcher
    Column("state", String, nullable=False),  # new, working, failed, stopped or withdrawn
    Column("paused", Boolean, nullable=False),
    Column("queue", String, nullable=False),
    Column("start", Integer, nullable=False),  # where in the order of items this person begins
    Column("answered", Integer, nullable=False),
    Column("since_attention", Integer, nullable=False),
    Column("token", String, unique=True),  # SHA-256 of the personal link's token; null where it is revoked
)

sessions = Table(
    "sessions",
    metadata,
    Column("key", String, primary_key=True),  # SHA-256 of the cookie
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("expires", Float, nullable=False),
)

joins = Table(
    "joins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("token", String, nullable=False, unique=True),
    Column("crowd", String, nullable=False),  # prolific, mturk or open
    Column("most", Integer, nullable=False),
    Column("joined", Integer, nullable=False),
    Column("revoked", Boolean, nullable=False),
    CheckConstraint("joined <= most", name="never_over_most"),
)

leases = Table(
    "leases",
    metadata,
    Column("key", String, primary_key=True),
    Column("item", ForeignKey("items.id"), nullable=False),
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("state", String, nullable=False),  # open, answered, released or undone
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),  # place in the person's own sequence
    Column("taken", Float, nullable=False),
    Column("expires", Float, nullable=False),
)
_OPEN, LIVE = text("state = 'open'"), text("state IN ('open', 'answered')")
Index("one_open_lease", leases.c.person, unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN)
Index("nobody_twice", leases.c.item, leases.c.person, unique=True, sqlite_where=LIVE, postgresql_where=LIVE)
Index("leases_of_person", leases.c.person, leases.c.number)
Index("lease_ends", leases.c.expires, sqlite_where=_OPEN, postgresql_where=_OPEN)

judgements = Table(
    "judgements",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("lease", ForeignKey("leases.key"), nullable=False, unique=True),
    Column("item", ForeignKey("items.id"), nullable=False),
    Column("person", ForeignKey("people.id"), nullable=False),
    Column("value", String, nullable=False),
    Column("reason", String, nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("asked", Float, nullable=False),
    Column("at", Float, nullable=False),
    Column("checksum", String, nullable=False),
)
Index("judgements_of_item", judgements.c.item)
Index("judgements_of_person", judgements.c.person)

retractions = Table(
    "retractions",
    metadata,
    Column("judgement", ForeignKey("judgements.id"), primary_key=True),
    Column("kind", String, nullable=False),  # undone by the person, or withdrawn by the researcher
    Column("at", Float, nullable=False),
    Column("checksum", String, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", String, nullable=False),
    Column("person", ForeignKey("people.id")),
    Column("detail", String, nullable=False),
)


def standing(*columns: Any) -> Select[Any]:
    """Select columns of the judgements that were not retracted, and of their items."""
    retracted = retractions.c.judgement
    query = select(*columns).join_from(judgements, items).outerjoin(retractions, retracted == judgements.c.id)
    return query.where(retracted.is_(None))


def row_checksum(*values: object) -> str:
    """Return the checksum that is stored beside the values of a row, since a database does not notice a flipped bit."""
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


APPEND_ONLY = {"judgements": ("id", "lease"), "retractions": ("judgement",), "events": ("id",)}
"""Tables whose rows the database refuses to change or to remove, and the columns by which a row could be replaced."""
REFUSED = "the log is append-only"


def _make_append_only(table: Table, connection: Connection, **_: object) -> None:
    name = table.name
    if connection.dialect.name == "postgresql":
        body = f"$$ BEGIN RAISE EXCEPTION '{REFUSED}'; END $$"
        refuse = "EXECUTE FUNCTION refuse_change()"
        statements = [
            f"CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS {body}",
            f"CREATE TRIGGER {name}_kept BEFORE UPDATE OR DELETE ON {name} FOR EACH ROW {refuse}",
            f"CREATE TRIGGER {name}_not_emptied BEFORE TRUNCATE ON {name} FOR EACH STATEMENT {refuse}",
        ]
    else:
        refuse = f"BEGIN SELECT RAISE(ABORT, '{REFUSED}'); END"
        # INSERT OR REPLACE deletes without asking the trigger on DELETE.
        same = " OR ".join(f"{key} = NEW.{key}" for key in APPEND_ONLY[name])
        exists = f"EXISTS (SELECT 1 FROM {name} WHERE {same})"
        statements = [
            f"CREATE TRIGGER {name}_no_update BEFORE UPDATE ON {name} {refuse}",
            f"CREATE TRIGGER {name}_no_delete BEFORE DELETE ON {name} {refuse}",
            f"CREATE TRIGGER {name}_no_replace BEFORE INSERT ON {name} WHEN {exists} {refuse}",
        ]
    for statement in statements:
        connection.exec_driver_sql(statement)


for _name in APPEND_ONLY:
    event.listen(metadata.tables[_name], "after_create", _make_append_only)
