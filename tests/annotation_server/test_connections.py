"""Connections that come to nothing, over a real socket; and a proxy before the server, as the docs have it."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from horsesense.annotation_server.app import create_app
from horsesense.annotation_server.request_checks import (
    NoRepeats,
    TimedConnection,
    connection_settings,
    do_not_repeat,
    most_connections,
)
from tests.support import ROOT
from tests.support.judged_probes import choices
from tests.support.study_server import study_of

ASKS = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@contextmanager
def serving(place: Path, app: Any, **settings: Any) -> Iterator[Path]:
    """A server in a thread, at a socket of the file system."""
    config = uvicorn.Config(app, uds=str(place), log_level="warning", **connection_settings() | settings)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield place
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HEAD", 0.3), ("BODY", 0.3), ("ANSWER", 0.6), ("most", 20)):
        monkeypatch.setattr(TimedConnection, name, value)


@pytest.fixture
def place(tmp_path: Path, limits: None) -> Iterator[Path]:
    served = study_of(tmp_path / "s", choices(4), "choice")
    with serving(tmp_path / "socket", create_app(served)) as place:
        yield place


def connected(place: Path) -> socket.socket:
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    found.settimeout(5)
    found.connect(str(place))
    return found


def answer(place: Path, asks: bytes = ASKS) -> bytes:
    with connected(place) as own:
        own.sendall(asks)
        return own.recv(4096)


def whole_answer(own: socket.socket) -> bytes:
    found = b""
    while b"}" not in found:
        found += own.recv(4096)
    return found


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET /health HTTP/1.1\r\nHost: ", b"POST /leave HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\na"],
)
def test_a_request_that_does_not_end_is_ended(begun: bytes, place: Path) -> None:
    with connected(place) as slow:
        slow.sendall(begun)
        began = time.monotonic()
        while time.monotonic() - began < 5:
            try:
                if not slow.recv(4096):
                    break
            except ConnectionResetError:
                break
        else:
            pytest.fail("the connection lives on")


def test_bytes_one_by_one_do_not_buy_time(place: Path) -> None:
    with connected(place) as slow:
        gone = False
        for byte in b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + b"a" * 100:
            try:
                slow.sendall(bytes([byte]))
            except (BrokenPipeError, ConnectionResetError):
                gone = True
                break
            time.sleep(0.02)
        assert gone


def test_half_open_connections_shut_nobody_out(place: Path) -> None:
    silent = [connected(place) for _ in range(100)]
    try:
        assert b"200 OK" in answer(place)
        assert len(TimedConnection.waiting) <= 21
    finally:
        for each in silent:
            each.close()


def test_a_connection_that_is_used_stays(place: Path) -> None:
    with connected(place) as own:
        for _ in range(3):
            own.sendall(ASKS)
            assert b"200 OK" in whole_answer(own)
            time.sleep(0.4)  # longer than a head may take, shorter than a connection is kept


def test_fewer_connections_than_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for soft, most in ((1024, 896), (65536, 1000), (resource.RLIM_INFINITY, 1000), (64, 16)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert most_connections() == most


def test_the_log_does_not_repeat_itself(caplog: pytest.LogCaptureFixture) -> None:
    do_not_repeat()
    logger = logging.getLogger("asyncio")
    for _ in range(1000):
        logger.error("socket.accept() out of system resource")
    assert len(caplog.records) == 1
    once = NoRepeats(seconds=0.05)
    record = logging.LogRecord("a", logging.ERROR, "", 0, "again", None, None)
    assert [once.filter(record) for _ in range(3)] == [True, False, False]
    time.sleep(0.06)
    assert once.filter(record)
    assert record.getMessage() == "again (and 2 more times before)"


def nginx() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip("there is no nginx here")
    return found


def test_the_proxy_of_the_docs(tmp_path: Path, place: Path) -> None:
    """The configuration as it stands in the docs, with sockets of the file system in place of addresses."""
    program = nginx()
    page = (ROOT / "docs" / "reference" / "annotation.md").read_text(encoding="utf-8")
    found = re.search(r"```nginx\n(.*?)```", page, re.DOTALL)
    assert found is not None
    site = found[1].replace("http://127.0.0.1:8000", f"http://unix:{place}:")
    site = re.sub(r"listen 443 ssl;", f"listen unix:{tmp_path}/front;", site)
    site = re.sub(r"\n\s*ssl_\w+ [^\n]*", "", site).replace("study.example", "127.0.0.1")
    scratch = "".join(
        f"{name}_temp_path {tmp_path}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root; " if os.geteuid() == 0 else ""
    text = f"{user}daemon off; pid {tmp_path}/pid; error_log {tmp_path}/log; events {{}}\n"
    (tmp_path / "nginx.conf").write_text(f"{text}http {{ access_log off;\n{scratch}{site}\n}}\n")
    process = subprocess.Popen([program, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")])
    try:
        front, began = tmp_path / "front", time.monotonic()
        while not front.exists() and time.monotonic() - began < 10:
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.05)
        assert b"200 OK" in answer(front)
        silent = [connected(front) for _ in range(50)]
        assert b"200 OK" in answer(front)
        too_large = b"POST /leave HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 900000\r\n\r\n"
        assert b" 413 " in answer(front, too_large)
        for each in silent:
            each.close()
    finally:
        process.terminate()
        process.wait(10)


def test_a_form_of_the_same_name_by_another_scheme(tmp_path: Path) -> None:
    from tests.support.study_server import browser, study_of

    served = study_of(tmp_path / "s", choices(4), "choice", address="https://study.example")
    somebody = browser(served)
    for origin, status in (
        ("https://study.example", 401),
        ("http://study.example", 403),
        ("https://study.example:444", 403),
        ("https://study.example.evil", 403),
        ("null", 403),
    ):
        headers = {"origin": origin, "host": "study.example"}
        from horsesense.annotate.database.participants import hashed

        fields = {"form": served.signed("enter", hashed("x"))}
        assert somebody.client.post("/in/x", data=fields, headers=headers).status_code == status, origin
