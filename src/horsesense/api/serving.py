"""The pages of a study, served until somebody stops it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from horsesense.api.probes import PathLike
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.annotate.server.links import Serving
    from horsesense.annotate.server.served_study import Served

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@translate_errors()
def serve(
    study: PathLike,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    processes: int = 1,
    behind_proxy: bool = False,
    started: Callable[[Serving], None] | None = None,
    progress: Progress = NO_PROGRESS,
) -> Serving:
    """Serve a study until it is stopped (Ctrl-C). Stopping, or killing, loses no answer.

    Args:
        study: The folder that `new` made.
        host: The address to listen on; others than loopback are public.
        port: By default that of the study's address, or 8000.
        processes: How many answer.
        behind_proxy: Believe a proxy on this machine who is asking.
        started: Called with what is returned, before the first request.
        progress: Told where it is served.

    Returns:
        Where it was served, when it has been stopped.
    """
    from horsesense.annotate.study import DATABASE_VARIABLE, STUDY_VARIABLE

    with opened_study(study) as served:
        import uvicorn

        from horsesense.annotate.server.connections import connection_settings
        from horsesense.annotate.server.links import Serving

        address = urlsplit(served.study.address)
        loopback = address.hostname in _LOOPBACK
        chosen = port or (address.port if loopback and address.port else 8000)
        check_free(host, chosen)
        database = "PostgreSQL" if served.engine.dialect.name == "postgresql" else "SQLite"
        serving = Serving(Path(study), f"http://{host}:{chosen}", database, processes)
        if started is not None:
            started(serving)
        invite_by = "invite people with: horsesense annotate invite"
        progress.log(f"{served.study.instrument.title}  {serving.address}  ({database}; {invite_by})")
        if loopback and (address.port or 80) != chosen:
            begin = f"links begin with {served.study.address}"
            progress.log(f"{begin}: set the address in study.toml, or choose its port")
        settings: dict[str, Any] = {
            "host": host,
            "port": chosen,
            # A line for every request would write down the tokens that stand in links.
            "access_log": False,
            "log_level": "warning",
            "server_header": False,
            "proxy_headers": behind_proxy,
            **connection_settings(),
        }
        if processes == 1:
            from horsesense.annotate.server.app import create_app

            uvicorn.run(create_app(served), **settings)
            return serving
        os.environ[STUDY_VARIABLE] = str(Path(study).resolve())
        if served.study.database:
            os.environ.setdefault(DATABASE_VARIABLE, served.study.database)
        served.engine.dispose()
        factory = "horsesense.annotate.server.app:from_environment"
        uvicorn.run(factory, factory=True, workers=processes, **settings)
        return serving


def check_free(host: str, port: int) -> None:
    """An error where something else listens there."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
    except OSError as error:
        fix = f"choose another {argument('port')} or {argument('host')}"
        raise UserError(f"the server cannot listen on {host}:{port} ({error.strerror})", fix=fix) from None


@contextmanager
def opened_study(folder: PathLike) -> Iterator[Served]:
    """The study and its database, closed again at the end."""
    from horsesense.annotate.server.served_study import open_study

    served = open_study(Path(folder))
    try:
        yield served
    finally:
        served.engine.dispose()
