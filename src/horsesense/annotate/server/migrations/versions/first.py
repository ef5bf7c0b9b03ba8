"""The first shape: a study, its items and people, leases, and the log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horsesense.annotate.server.migrations.append_only import statements

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_OPEN, _LIVE = sa.text("state = 'open'"), sa.text("state IN ('open', 'answered')")
_WANTED = sa.text("purpose = 'item' AND held + answered < wanted")


def _text(name: str, nullable: bool = False, unique: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String, nullable=nullable, unique=unique)


def _whole(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _time(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float, nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False)


def _of(
    name: str, table: str, column: str = "id", kind: type = sa.Integer, nullable: bool = False
) -> sa.Column[object]:
    return sa.Column(name, kind, sa.ForeignKey(f"{table}.{column}"), nullable=nullable)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _key() -> sa.Column[str]:
    return sa.Column("key", sa.String, primary_key=True)


def upgrade() -> None:
    _make_queue()
    _make_log()


def _make_queue() -> None:
    op.create_table("study", _id(), _text("fingerprint"), _bytes("salt"), _bytes("secret"), _flag("paused"))
    op.create_table(
        "items",
        *(_id(), _text("key"), _text("purpose"), _whole("place"), _text("queue")),
        *map(_whole, ("wanted", "held", "answered", "round")),
        sa.UniqueConstraint("purpose", "key", name="one_item_a_purpose"),
        sa.CheckConstraint("held >= 0 AND answered >= 0", name="counts"),
        sa.CheckConstraint("purpose <> 'item' OR held + answered <= wanted", name="never_over_target"),
    )
    op.create_index("open_items", "items", ["place"], sqlite_where=_WANTED, postgresql_where=_WANTED)
    op.create_table(
        "people",
        *(_id(), _text("name", unique=True), _text("code", unique=True), _text("role"), _text("state")),
        *(_flag("paused"), _text("queue"), _whole("start"), _whole("answered"), _whole("since_attention")),
        _text("token", nullable=True, unique=True),
    )
    op.create_table("sessions", _key(), _of("person", "people"), _time("expires"))
    op.create_table(
        "joins",
        *(_id(), _text("token", unique=True), _text("crowd"), _whole("most"), _whole("joined"), _flag("revoked")),
        sa.CheckConstraint("joined <= most", name="never_over_most"),
    )
    op.create_table(
        "leases",
        *(_key(), _of("item", "items"), _of("person", "people"), _text("state")),
        *(_whole("round"), _whole("number"), _time("taken"), _time("expires")),
    )
    op.create_index("one_open_lease", "leases", ["person"], unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN)
    op.create_index(
        "nobody_twice", "leases", ["item", "person"], unique=True, sqlite_where=_LIVE, postgresql_where=_LIVE
    )
    op.create_index("leases_of_person", "leases", ["person", "number"])
    op.create_index("lease_ends", "leases", ["expires"], sqlite_where=_OPEN, postgresql_where=_OPEN)


def _make_log() -> None:
    op.create_table(
        "judgements",
        *(_id(), sa.Column("lease", sa.String, sa.ForeignKey("leases.key"), nullable=False, unique=True)),
        *(_of("item", "items"), _of("person", "people"), _text("value"), _text("reason")),
        *(_whole("round"), _whole("number"), _time("asked"), _time("at"), _text("checksum")),
    )
    op.create_index("judgements_of_item", "judgements", ["item"])
    op.create_index("judgements_of_person", "judgements", ["person"])
    op.create_table(
        "retractions",
        sa.Column("judgement", sa.Integer, sa.ForeignKey("judgements.id"), primary_key=True),
        *(_text("kind"), _time("at"), _text("checksum")),
    )
    op.create_table(
        "events", _id(), _time("at"), _text("kind"), _of("person", "people", nullable=True), _text("detail")
    )
    keys = {"judgements": ("id", "lease"), "retractions": ("judgement",), "events": ("id",)}
    for table, columns in keys.items():
        for statement in statements(table, columns, op.get_bind().dialect.name):
            op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("a log that is only ever added to is not taken down")
