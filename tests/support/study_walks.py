"""Studies of every instrument, on a server on loopback, for a real browser to walk through."""

from __future__ import annotations

import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.app import create_app
from horsesense.core import Card, Item, Probe
from tests.support.judged_probes import choices, schemas, triples


@contextmanager
def listening(served: ServedStudy) -> Iterator[str]:
    """The address of a server in a thread of its own."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        settings = uvicorn.Config(create_app(served), access_log=False, log_level="error", lifespan="off")
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


def duals(number: int = 2) -> Probe:
    """So many halves of pairs."""
    items = [
        Item(
            probe="dual",
            form="sentences",
            options=(f"Pan {k} is {word}er than ice.", f"Ice is {word}er than pan {k}."),
            answer=0,
            family=f"d{k}",
            member=member,
        )
        for k in range(number // 2)
        for member, word in (("a", "hott"), ("b", "cold"))
    ]
    return Probe.of(items, Card(name="dual"))


def nouns(number: int = 2) -> Probe:
    """Nouns with what they usually are, and what else."""
    items = [
        Item(
            probe="nouns",
            form="cloze",
            text=f"The pan{k} is ___.",
            options=("hot", "cold"),
            facets={"noun": f"pan{k}", "bias": "hot", "alternative": "cold"},
        )
        for k in range(number)
    ]
    return Probe.of(items, Card(name="nouns"))


PROBES: dict[str, Callable[[int], Probe]] = {
    "choice": choices,
    "statements": choices,
    "naturalness": choices,
    "steps": choices,
    "partwhole": triples,
    "schema": schemas,
    "dual": duals,
    "exceptions": nouns,
    "premises": nouns,
}
"""A probe of the shape that each instrument asks about."""


def gold_triples(number: int = 10) -> Probe:
    """Triples with answers, two a label."""
    probe = triples(40)
    return Probe.of([replace(item, answer=k % 5) for k, item in enumerate(probe.items[-number:])], probe.card)


def write_picture(path: Path, width: int = 64, height: int = 48) -> None:
    """A small grey picture (PNG)."""
    rows = b"".join(b"\x00" + bytes([90 + (x * y) % 120 for x in range(width)]) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


class Tab:
    """A tab of a browser, and all that it said and asked for."""

    def __init__(self, browser: Any, address: str, token: str, **settings: Any) -> None:
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = address
        self.page.goto(f"{address}/in/{token}")

    def begin(self) -> None:
        """Pass the door; the page behind it has loaded when this returns."""
        self.page.get_by_role("button", name="Begin").click()
        self.page.wait_for_url(lambda url: "/in/" not in url)

    def close(self) -> None:
        self.context.close()
