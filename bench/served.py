"""What the client takes of a request: a server in another process answers at once, so that all there is is overhead.

    python bench/served.py [QUESTIONS...]

For each number of questions, in a process of its own: milliseconds of the processor a request and the memory that they
took, in the client alone and in a whole run by letters with its folder. Then, with answers that take a second: how full
the flight is kept; and how much a run asks again that was killed half way.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import horsesense as hs
from horsesense.core import Card, Item, Probe, ScoringSpec
from horsesense.models.api.served_model import open_served
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Turn

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

IN_FLIGHT = 32
STAYS = 1.0
"""Seconds that a slow answer takes."""
TOLD = [{"token": f" {chr(65 + n)}", "logprob": -1.5 - n, "bytes": [32, 65 + n]} for n in range(20)]
"""Twenty alternatives with their bytes, as servers tell them."""
ANSWER = json.dumps(
    {
        "id": "chatcmpl-1",
        "choices": [{"message": {"content": "A"}, "logprobs": {"content": [{**TOLD[0], "top_logprobs": TOLD}]}}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 1},
    }
).encode()
LISTED = json.dumps({"data": [{"id": "bench"}]}).encode()


class Server:
    """HTTP as far as it takes: the same answer to every request, at once or after a while."""

    def __init__(self, stays: float = 0.0) -> None:
        self.stays = stays
        self.asked: Synchronized[int] = multiprocessing.Value("q", 0)
        ready: multiprocessing.Queue[int] = multiprocessing.Queue()
        self._process = multiprocessing.Process(target=self._serve, args=(ready,), daemon=True)
        self._process.start()
        self.name = f"openai:http://127.0.0.1:{ready.get()}/v1#bench"

    def _serve(self, ready: multiprocessing.Queue[int]) -> None:
        async def main() -> None:
            server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
            ready.put(server.sockets[0].getsockname()[1])
            await server.serve_forever()

        asyncio.run(main())

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.lower().split(b"\r\n")
                await reader.readexactly(next((int(each[15:]) for each in lines if each[:15] == b"content-length:"), 0))
                if self.stays:
                    await asyncio.sleep(self.stays)
                content = LISTED if head.startswith(b"GET") else ANSWER
                self.asked.value += not head.startswith(b"GET")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def client_alone(name: str, many: int, folder: Path) -> None:
    turns = [Turn(messages=(("user", f"Question {n}: which of these melts?\nA. ice\nB. stone"),)) for n in range(many)]
    model = open_served(name, ServedSettings(concurrency=IN_FLIGHT))
    with model.asking(folder):
        model.choices(turns[:50], [("A", "B")] * 50, ScoringSpec())
        with Measured(f"the client alone, {many:,} questions", many - 50):
            model.choices(turns, [("A", "B")] * many, ScoringSpec())
        with Measured(f"the client alone, {many:,} kept already", many):
            model.choices(turns, [("A", "B")] * many, ScoringSpec())


def probe_of(many: int) -> Probe:
    items = (
        Item(
            probe="bench",
            form="choice",
            text=f"Question {n}: which of these melts?",
            options=("ice", "stone"),
            answer=0,
        )
        for n in range(many)
    )
    return Probe.of(list(items), Card(name="bench"))


def whole_run(name: str, many: int, folder: Path) -> None:
    ask(name, probe_of(10), folder / "first")
    probe = probe_of(many)
    with Measured(f"a whole run, {many:,} items in one order each", many):
        ask(name, probe, folder / "run")


def ask(name: str, probe: Probe, folder: Path) -> None:
    how = ServedSettings(concurrency=IN_FLIGHT)
    hs.ask(name, probe, formats="letters", spec=ScoringSpec(orders=1), out=folder, served=how)


class Measured:
    """Tells what is done inside of it takes."""

    def __init__(self, what: str, many: int) -> None:
        self.what, self.many = what, many

    def __enter__(self) -> None:
        self.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.began, self.worked = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        taken, worked = time.perf_counter() - self.began, time.process_time() - self.worked
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        each = f"{1000 * worked / self.many:.2f} ms of the processor and {1000 * taken / self.many:.2f} ms each"
        grown = f"{(most - self.memory) / 1024:.0f} MB more, {most / 1024:.0f} MB in all"
        print(f"{self.what}: {each}, {grown}", flush=True)


def apart(work: Callable[..., None], *given: object) -> multiprocessing.process.BaseProcess:
    """In a process of its own, which is forked before it knows anything."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=given)
    process.start()
    return process


def flight() -> None:
    """What the flight would take if it were always full, beside what it takes."""
    server, many = Server(STAYS), 20 * IN_FLIGHT
    model = open_served(server.name, ServedSettings(concurrency=IN_FLIGHT))
    turns = [Turn(messages=(("user", f"Question {n}"),)) for n in range(many)]
    model.can("next")
    began = time.perf_counter()
    model.choices(turns, [("A", "B")] * many, ScoringSpec())
    full = STAYS * many / IN_FLIGHT / (time.perf_counter() - began)
    print(f"flight: {IN_FLIGHT} allowed, {full * IN_FLIGHT:.1f} on average, with answers of {STAYS:g} s", flush=True)


def killed(many: int, folder: Path) -> None:
    """A run that is killed half way, and run again."""
    server = Server()
    child = apart(ask, server.name, probe_of(many), folder)
    while server.asked.value < many / 2 and child.is_alive():
        time.sleep(0.01)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    first = server.asked.value
    apart(ask, server.name, probe_of(many), folder).join()
    again = server.asked.value - many
    print(f"killed after {first:,} of {many:,} requests: {again} asked again or in trying the server", flush=True)


def main() -> None:
    server = Server()
    for many in [int(each) for each in sys.argv[1:]] or [10_000, 100_000]:
        for work in (client_alone, whole_run):
            with tempfile.TemporaryDirectory() as folder:
                apart(work, server.name, many, Path(folder)).join()
    flight()
    with tempfile.TemporaryDirectory() as folder:
        killed(10_000, Path(folder))


if __name__ == "__main__":
    main()
