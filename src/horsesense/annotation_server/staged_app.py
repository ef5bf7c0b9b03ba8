"""Studies served one after the other at one address: people keep their links, cookies and codes from stage to stage.

`StagedApp` passes requests to the current study. When that has enough answers, a thread prepares the next stage, and
people see a waiting page; then the next study takes over.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from horsesense.annotate.database.served_study import ServedStudy, open_study
from horsesense.annotate.database.stages import StudyStages, carry_people, count_answers
from horsesense.annotation_server.app import create_app
from horsesense.annotation_server.request_checks import RequestContext, RequestGuards
from horsesense.errors import UserError
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import load, methods

log = logging.getLogger("horsesense.annotate")

_SECONDS = "2"
"""Seconds after which a waiting page reloads."""


def staged_app(folder: str | Path, address: str, progress: Progress = NO_PROGRESS) -> StagedApp:
    """Return the web app of a pipeline's stages; ``open()`` opens the current one.

    Args:
        folder: Folder of a pipeline.
        address: URL of the server for people.
        progress: Progress callback.

    Returns:
        An ASGI app.
    """
    readers = (load(method.stages) for method in methods().values() if method.stages)
    stages = next((each for read in readers if (each := read(Path(folder), progress)) is not None), None)
    if stages is None:
        raise UserError("this is not the folder of a pipeline", file=folder, fix="give one whose stages ask people")
    return StagedApp(stages, address, progress)


@dataclass
class StagedApp:
    """The app of the current study."""

    stages: StudyStages
    """The stages of the pipeline."""
    address: str
    """Public address."""
    progress: Progress = NO_PROGRESS
    """Progress callback."""
    served: ServedStudy | None = None
    """The current study."""
    _app: ASGIApp | None = None
    _busy: threading.Event = field(default_factory=threading.Event)
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _problem: str = ""
    _finished: bool = False

    def open(self) -> ServedStudy:
        """Open the current study, or raise an error if there is none."""
        folder = self.stages.current()
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
        if self._finished or not count_answers(self.served).has(self.stages.enough):
            return False
        with self._turn:
            if not self._busy.is_set():
                self._busy.set()
                threading.Thread(target=self._go_on, daemon=True).start()
        return True

    def _go_on(self) -> None:
        before = self.served
        try:
            self.stages.prepare()
            if self.stages.current() is None:
                self._finished = True
                self.progress.log("all stages are done")
            else:
                now = self.open()
                self.progress.log(f"the stage is done; next: {now.instrument.title} ({now.study.folder.name})")
                if before is not None:
                    before.engine.dispose()
        except UserError as error:
            self._problem = str(error)
            self.progress.log(f"the next stage cannot be prepared: {error}")
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
