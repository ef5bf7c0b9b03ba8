"""Studies served one after the other at one address: people keep their links, cookies and codes from stage to stage.

`StagedApp` passes requests to the current study. When that has enough answers, a thread prepares the next stage, and
people see a waiting page; then the next study takes over.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from sqlalchemy import func, insert, select, update
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from horsesense.annotate.judgements import StudyCounts
from horsesense.annotate.server import database_tables as tables
from horsesense.annotate.server.administration import InvitationLink
from horsesense.annotate.server.app import create_app
from horsesense.annotate.server.database import reading, writing
from horsesense.annotate.server.participants import WORKING
from horsesense.annotate.server.request_checks import RequestContext, RequestGuards
from horsesense.annotate.server.served_study import ServedStudy, open_study
from horsesense.core.document import Document
from horsesense.errors import UserError

log = logging.getLogger("horsesense.annotate")

_items = tables.items.c
_SECONDS = "2"
"""Seconds after which a waiting page reloads."""


@dataclass(frozen=True, slots=True)
class StagedServing(Document):
    """The stages of a pipeline that are being served."""

    pipeline: Path
    """Its folder."""
    address: str
    """Public address."""
    study: str
    """The study that is open now."""
    links: tuple[InvitationLink, ...]
    """Links of the people who were invited by this call; each holds for all stages."""


def count_answers(served: ServedStudy) -> StudyCounts:
    """Count tasks and answers."""
    query = select(func.count(), func.sum(_items.wanted), func.sum(_items.answered))
    with reading(served.engine) as connection:
        tasks, wanted, answered = connection.execute(query.where(_items.purpose == "item", _items.wanted > 0)).one()
        people = connection.scalars(select(tables.people.c.code).where(tables.people.c.answered > 0)).all()
    return StudyCounts(int(tasks), int(wanted or 0), int(answered or 0), frozenset(people))


def keep_open(served: ServedStudy, current: Collection[str]) -> None:
    """Close tasks that are no longer asked and reopen those that are; judgements stay."""
    with writing(served.engine) as connection:
        for row in connection.execute(select(_items.id, _items.key, _items.wanted, _items.held, _items.answered)).all():
            wanted = served.study.judgements if row.key in current else row.held + row.answered
            wanted = max(wanted, row.held + row.answered)
            if wanted != row.wanted:
                connection.execute(update(tables.items).where(_items.id == row.id).values(wanted=wanted))


def carry_people(before: Path, after: Path) -> None:
    """Copy people, their links and their cookies from one study to the next; their codes stay the same."""
    old, new = open_study(before), open_study(after)
    try:
        with reading(old.engine) as connection:
            people = connection.execute(select(tables.people)).mappings().all()
            sessions = connection.execute(select(tables.sessions)).mappings().all()
            joins = connection.execute(select(tables.joins)).mappings().all()
        with writing(new.engine) as connection:
            known = set(connection.scalars(select(tables.people.c.name)))
            if not known:
                connection.execute(update(tables.study).values(salt=old.salt, secret=old.secret))
            total = connection.scalar(select(func.count()).where(_items.purpose == "item")) or 1
            for person in people:
                if person["name"] in known:
                    continue
                fresh = {"id": None, "answered": 0, "since_attention": 0, "start": person["start"] % total}
                state = WORKING if person["state"] == "new" else person["state"]
                values = {**person, **fresh, "queue": "", "state": state}
                del values["id"]
                added = connection.execute(insert(tables.people).values(values).returning(tables.people.c.id))
                number = added.scalar_one()
                own = [{**each, "person": number} for each in sessions if each["person"] == person["id"]]
                if own:
                    connection.execute(insert(tables.sessions), own)
            have = set(connection.scalars(select(tables.joins.c.token)))
            links = [{key: each[key] for key in each if key != "id"} for each in joins if each["token"] not in have]
            if links:
                connection.execute(insert(tables.joins), links)
    finally:
        old.engine.dispose()
        new.engine.dispose()


@dataclass
class StagedApp:
    """The app of the current study."""

    find: Callable[[], Path | None]
    """Returns the current study; None if all is done."""
    prepare: Callable[[], None]
    """Prepares the next stage."""
    address: str
    """Public address."""
    say: Callable[[str], None]
    enough: float = 1.0
    """Share of the target answers that is enough."""
    served: ServedStudy | None = None
    """The current study."""
    _app: ASGIApp | None = None
    _busy: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _problem: str = ""
    _finished: bool = False

    def open(self) -> ServedStudy:
        """Open the current study, or raise an error if there is none."""
        folder = self.find()
        if folder is None:
            raise UserError("people have nothing to answer here", fix="look at the status of the pipeline")
        before = None if self.served is None else self.served.study.folder
        if before is not None and before != folder:
            carry_people(before, folder)
        served = open_study(folder)
        self.served = replace(served, study=replace(served.study, address=self.address))
        self._app = create_app(self.served)
        return self.served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._app is not None, "open() comes first"
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if (scope["method"], scope["path"]) == ("GET", "/task") and await run_sync(self._is_between):
            await self._waiting(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_between(self) -> bool:
        """Whether a stage is done and the next not ready; the first caller starts its preparation."""
        assert self.served is not None
        if self._busy.is_set() or self._problem:
            return True
        if self._finished or not count_answers(self.served).has(self.enough):
            return False
        with self._turn:
            if not self._busy.is_set():
                self._busy.set()
                threading.Thread(target=self._go_on, daemon=True).start()
        return True

    def _go_on(self) -> None:
        before = self.served
        try:
            self.prepare()
            if self.find() is None:
                self._finished = True
                self.say("all stages are done")
            else:
                now = self.open()
                self.say(f"the stage is done; next: {now.instrument.title} ({now.study.folder.name})")
                if before is not None:
                    before.engine.dispose()
        except UserError as error:
            self._problem = str(error)
            self.say(f"the next stage cannot be prepared: {error}")
        except Exception as error:  # the server continues; the error is logged
            self._problem = type(error).__name__
            log.error("the next stage cannot be prepared", exc_info=error)
        finally:
            self._busy.clear()

    async def _waiting(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.served is not None
        if self._problem:
            title, text = (
                "This part is done",
                "The next one could not be prepared; the person who invited you was notified.",
            )
        else:
            title, text = "The next part is being prepared", "This page reloads in a moment."
        page: Response = RequestContext(self.served).page("message.html.j2", title=title, text=text)
        if not self._problem:
            page.headers["Refresh"] = _SECONDS
        address = urlsplit(self.address)
        await RequestGuards(page, hosts=[address.hostname or ""], secure=address.scheme == "https")(
            scope, receive, send
        )
