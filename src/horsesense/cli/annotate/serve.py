"""``horsesense annotate serve``: the pages of a study, on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from horsesense.cli.annotate.studies import StudyFolder, opened, server_libraries
from horsesense.cli.output import Json, print_json, say
from horsesense.errors import UserError


def serve(
    study: StudyFolder,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; others than loopback are public.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", min=1, max=65535, help="Else that of the study's address, or 8000.")
    ] = None,
    processes: Annotated[int, typer.Option("--processes", min=1, max=16, help="Server processes.")] = 1,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Believe a proxy on this machine who is asking.")
    ] = False,
    json: Json = False,
) -> None:
    """Serve a study until it is stopped (Ctrl-C). Stopping, or killing, loses no answer."""
    import os
    from urllib.parse import urlsplit

    from horsesense.annotate.study import DATABASE_VARIABLE, STUDY_VARIABLE

    with opened(study) as served, server_libraries():
        import uvicorn

        address = urlsplit(served.study.address)
        loopback = address.hostname in ("127.0.0.1", "localhost", "::1")
        chosen = port or (address.port if loopback and address.port else 8000)
        _check_free(host, chosen)
        where = f"http://{host}:{chosen}"
        database = "PostgreSQL" if served.engine.dialect.name == "postgresql" else "SQLite"
        if json:
            print_json({"study": str(study), "address": where, "database": database, "processes": processes})
        say(f"{served.study.instrument.title}  {where}  ({database}; invite people with: horsesense annotate invite)")
        if loopback and (address.port or 80) != chosen:
            say(f"links begin with {served.study.address}: set the address in study.toml, or choose its port")
        settings: dict[str, object] = {
            "host": host,
            "port": chosen,
            # A line for every request would write down the tokens that stand in links.
            "access_log": False,
            "log_level": "warning",
            "server_header": False,
            "proxy_headers": behind_proxy,
            "timeout_keep_alive": 30,
        }
        if processes == 1:
            from horsesense.annotate.server.app import create_app

            uvicorn.run(create_app(served), **settings)  # type: ignore[arg-type]  # the options above, by name
            return
        os.environ[STUDY_VARIABLE] = str(study.resolve())
        if served.study.database:
            os.environ.setdefault(DATABASE_VARIABLE, served.study.database)
        served.engine.dispose()
        factory = "horsesense.annotate.server.app:from_environment"
        uvicorn.run(factory, factory=True, workers=processes, **settings)  # type: ignore[arg-type]  # as above


def _check_free(host: str, port: int) -> None:
    import socket

    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise UserError(
                f"the server cannot listen on {host}:{port} ({error.strerror})", fix="choose another --port or --host"
            ) from None
