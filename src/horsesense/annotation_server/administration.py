"""Administer a study: serve it, invite, pause, resume, revoke and withdraw people, list completion codes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from annotated_types import Ge, Interval

from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.annotate.database.served_study import ServedStudy

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class InvitationLink:
    """A link by which a person or a crowd enters a study."""

    name: str
    """The person, or the crowd."""
    code: str
    """Code of the person in exports; empty for a crowd."""
    link: str
    """Shown once: only a hash of it is stored."""


@dataclass(frozen=True, slots=True)
class InvitationLinks(Document):
    """New links of a study."""

    study: Path
    """Folder of the study."""
    people: tuple[InvitationLink, ...]
    """One link per person, or one for a crowd."""
    out: Path | None
    """The file that they were written to; null if none was named."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The completion code of one person."""

    name: str
    code: str
    """Code of the person in exports."""
    state: str
    """New, working, done, nothing left (others have answered everything), failed, stopped or withdrawn."""
    answered: int
    completion: str
    """Completion code, to compare with the one given to a platform."""


@dataclass(frozen=True, slots=True)
class Completions(Document):
    """Completion codes of a study."""

    study: Path
    """Folder of the study."""
    people: tuple[Completion, ...]
    """By name."""
    out: Path | None
    """The file that they were written to; null if none was named."""


@dataclass(frozen=True, slots=True)
class ParticipantChange(Document):
    """A change of who takes part."""

    study: Path
    """Folder of the study."""
    people: tuple[str, ...]
    """The people; empty for the whole study."""
    state: str
    """Their new state: paused, resumed, revoked or withdrawn."""
    judgements: int | None = None
    """Number of judgements that were withdrawn."""


@dataclass(frozen=True, slots=True)
class ServedAddress(Document):
    """A study that is being served."""

    study: Path
    """Folder of the study."""
    address: str
    """Address that the server listens on."""
    database: str
    """SQLite or PostgreSQL."""
    processes: int
    """Number of server processes."""


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


def personal_links(
    served: ServedStudy, names: list[str], researcher: bool, queue: str, renew: bool
) -> tuple[InvitationLink, ...]:
    """Make a link for each name."""
    from horsesense.annotate.database.participants import ANNOTATOR, RESEARCHER
    from horsesense.annotate.database.participants import invite as invite_people

    tokens = invite_people(served, names, RESEARCHER if researcher else ANNOTATOR, queue, renew)
    address = served.study.address.rstrip("/")
    return tuple(
        InvitationLink(name, served.code(name), f"{address}/in/{token}")
        for name, token in zip(names, tokens, strict=True)
    )


def crowd_link(served: ServedStudy, crowd: str, most: int) -> InvitationLink:
    """Make one link for up to ``most`` people, with the parameters that the platform fills in."""
    from horsesense.annotation_server.links_and_sessions import CROWDS, new_join

    link = f"{served.study.address.rstrip('/')}/join/{new_join(served, crowd, most)}"
    if crowd == "prolific":
        link += "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in (CROWDS[crowd], "STUDY_ID", "SESSION_ID"))
    return InvitationLink(crowd, "", link)


def completions(served: ServedStudy) -> tuple[Completion, ...]:
    """Return the completion codes of all annotators."""
    from horsesense.annotate.database.participants import ANNOTATOR, all_people
    from horsesense.annotation_server.study_progress import finished, state_of

    annotators = [each for each in all_people(served) if each.role == ANNOTATOR]
    done = finished(served, annotators)
    return tuple(
        Completion(each.name, each.code, state_of(each, done), each.answered, served.completion(each.name))
        for each in annotators
    )


def open_database_of(folder: str | Path) -> ServedStudy:
    """Open a study and its database; ``with`` closes it at the end."""
    from horsesense.annotate.database.served_study import open_study

    return open_study(Path(folder))


@translate_errors()
def serve(
    study: str | Path,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Interval(ge=1, le=65535)] | None = None,
    processes: Annotated[int, Interval(ge=1, le=16)] = 1,
    behind_proxy: bool = False,
    started: Callable[[ServedAddress], None] | None = None,
    progress: Progress = NO_PROGRESS,
) -> ServedAddress:
    """Serve a study until it is stopped (Ctrl-C); stopping or killing it loses no answer.

    Args:
        study: Folder of a study.
        host: Address to listen on; addresses other than loopback are public.
        port: Port to listen on. By default, the port of the study's address, or 8000.
        processes: Number of server processes.
        behind_proxy: Trust the client addresses that a proxy on this machine sends.
        started: Called with the address before the first request.
        progress: Progress callback.

    Returns:
        The address, when the server has been stopped.
    """
    from horsesense.annotate.study import DATABASE_VARIABLE, STUDY_VARIABLE

    with open_database_of(study) as served:
        import uvicorn

        address = urlsplit(served.study.address)
        loopback = address.hostname in _LOOPBACK
        chosen = port or (address.port if loopback and address.port else 8000)
        check_free(host, chosen)
        database = "PostgreSQL" if served.engine.dialect.name == "postgresql" else "SQLite"
        serving = ServedAddress(Path(study), f"http://{host}:{chosen}", database, processes)
        if started is not None:
            started(serving)
        hint = "invite people with: horsesense annotate invite"
        progress.log(f"{served.study.instrument.title}  {serving.address}  ({database}; {hint})")
        if loopback and (address.port or 80) != chosen:
            begin = f"links begin with {served.study.address}"
            progress.log(f"{begin}: set the address in study.toml, or choose its port")
        settings = {**_server_settings(host, chosen), "proxy_headers": behind_proxy}
        if processes == 1:
            from horsesense.annotation_server.app import create_app

            uvicorn.run(create_app(served), **settings)
            return serving
        os.environ[STUDY_VARIABLE] = str(Path(study).resolve())
        if served.study.database:
            os.environ.setdefault(DATABASE_VARIABLE, served.study.database)
        served.engine.dispose()
        factory = "horsesense.annotation_server.app:from_environment"
        uvicorn.run(factory, factory=True, workers=processes, **settings)
        return serving


@translate_errors()
def serve_pipeline(
    pipeline: str | Path,
    *,
    invite: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: Annotated[int, Interval(ge=1, le=65535)] = 8000,
    address: str = "",
    started: Callable[[StagedServing], None] | None = None,
    progress: Progress = NO_PROGRESS,
) -> StagedServing:
    """Serve the stages of a pipeline to people, one after the other, until it is stopped with Ctrl-C.

    Each stage opens when the previous one has enough answers; the machine runs its steps in between.

    Args:
        pipeline: Folder of a pipeline.
        invite: Name of a person who has no link yet; the link is valid for all stages.
        host: Address to listen on; anything but loopback is public.
        port: Port.
        address: URL of the server for people. By default, from host and port.
        started: Called with the result before the first request.
        progress: Progress callback.

    Returns:
        The address and the links.
    """
    import uvicorn

    from horsesense.annotation_server.staged_app import staged_app

    app = staged_app(pipeline, address or f"http://{host}:{port}", progress)
    check_free(host, port)
    served = app.open()
    links = personal_links(served, list(invite), False, "", False) if invite else ()
    serving = StagedServing(Path(pipeline), app.address, served.study.folder.name, links)
    if started is not None:
        started(serving)
    progress.log(f"{served.study.folder.name}: {served.instrument.title}  {app.address}")
    uvicorn.run(app, **_server_settings(host, port))
    return serving


def _server_settings(host: str, port: int) -> dict[str, Any]:
    from horsesense.annotation_server.request_checks import connection_settings

    # A line for every request would write down the tokens in links.
    quiet = {"access_log": False, "log_level": "warning", "server_header": False}
    return {"host": host, "port": port, **quiet, **connection_settings()}


def check_free(host: str, port: int) -> None:
    """Raise an error if the server cannot listen on an address."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
    except OSError as error:
        fix = f"choose another {argument('port')} or {argument('host')}"
        raise UserError(f"the server cannot listen on {host}:{port} ({error.strerror})", fix=fix) from None


@translate_errors()
def invite(
    study: str | Path,
    /,
    *names: str,
    researcher: bool = False,
    queue: str = "",
    renew: bool = False,
    crowd: Literal["", "prolific", "mturk", "open"] = "",
    most: Annotated[int, Ge(1)] = 20,
    out: str | Path | None = None,
) -> InvitationLinks:
    """Make personal links; each is shown once, since only a hash of it is stored.

    Args:
        study: Folder of a study.
        names: Names of people. By default, nobody, which needs --crowd.
        researcher: Invite researchers, who see the progress of the study and judge nothing.
        queue: Queue of these people: they get only items with this value of the facet that annotate study --queue set.
        renew: Replace the links of people who have one.
        crowd: Make one link for a crowd: from a platform, or open to anybody who has the link.
        most: Maximum number of people who enter by the link of a crowd.
        out: File for names, annotator ids and links: .csv, .tsv or .jsonl.

    Returns:
        One link per person, or one for a crowd.
    """
    if bool(names) == bool(crowd):
        raise UserError("people are invited by name or as a crowd", fix=f"give names, or {argument('crowd')}")
    from horsesense.data.tables import write_rows

    with open_database_of(study) as served:
        links = (
            (crowd_link(served, crowd, most),)
            if crowd
            else personal_links(served, list(names), researcher, queue, renew)
        )
    path = None if out is None else Path(out)
    if path is not None:
        # Anybody who reads the file can answer as these people.
        path.touch(mode=0o600)
        write_rows(path, map(asdict, links), ("name", "code", "link"))
        path.chmod(0o600)
    return InvitationLinks(Path(study), links, path)


@translate_errors()
def codes(study: str | Path, *, out: str | Path | None = None) -> Completions:
    """List names, answers and completion codes, to compare with those given to a platform.

    Args:
        study: Folder of a study.
        out: File for the codes: .csv, .tsv or .jsonl.

    Returns:
        The completion code of each annotator.
    """
    from horsesense.data.tables import write_rows

    with open_database_of(study) as served:
        people = completions(served)
    path = None if out is None else Path(out)
    if path is not None:
        write_rows(path, map(asdict, people), ("name", "code", "state", "answered", "completion"))
    return Completions(Path(study), people, path)


@translate_errors()
def pause(study: str | Path, /, *names: str) -> ParticipantChange:
    """Pause people, or the whole study: they get no new items, but can answer the one they have.

    Args:
        study: Folder of a study.
        names: Names or annotator ids of people. By default, the whole study.

    Returns:
        The people, and that they are paused.
    """
    return _pause(study, names, True)


@translate_errors()
def resume(study: str | Path, /, *names: str) -> ParticipantChange:
    """Resume after a pause, also for people who failed attention checks or the qualification.

    Args:
        study: Folder of a study.
        names: Names or annotator ids of people. By default, the whole study.

    Returns:
        The people, and that they are resumed.
    """
    return _pause(study, names, False)


def _pause(study: str | Path, names: Sequence[str], paused: bool) -> ParticipantChange:
    with open_database_of(study) as served:
        from horsesense.annotate.database.participants import pause as pause_people

        pause_people(served, list(names), paused=paused)
    return ParticipantChange(Path(study), tuple(names), "paused" if paused else "resumed")


@translate_errors()
def revoke(study: str | Path, /, *names: str, crowd: bool = False) -> ParticipantChange:
    """Revoke personal links; the judgements stay, and ``invite --renew`` makes new links.

    Args:
        study: Folder of a study.
        names: Names or annotator ids of people. By default, nobody, which needs --crowd.
        crowd: Revoke the links of crowds; people who entered by them stay.

    Returns:
        The people, and that their links are revoked.
    """
    if bool(names) == crowd:
        fix = f"name people, or revoke the links of crowds with {argument('crowd')}"
        raise UserError("nobody is named", fix=fix)
    with open_database_of(study) as served:
        from horsesense.annotation_server.links_and_sessions import end_joins
        from horsesense.annotation_server.queue import revoke as revoke_links

        if crowd:
            end_joins(served)
        else:
            revoke_links(served, list(names))
    return ParticipantChange(Path(study), tuple(names), "revoked")


@translate_errors()
def withdraw(study: str | Path, name: str, *, reason: str = "") -> ParticipantChange:
    """Withdraw the judgements of a person: they no longer count, and their items are asked again.

    Args:
        study: Folder of a study.
        name: Name or annotator id of a person.
        reason: Reason, for the log.

    Returns:
        The person, and the number of judgements that were withdrawn.
    """
    with open_database_of(study) as served:
        from horsesense.annotation_server.queue import withdraw as withdraw_judgements

        count = withdraw_judgements(served, name, reason)
    return ParticipantChange(Path(study), (name,), "withdrawn", count)
