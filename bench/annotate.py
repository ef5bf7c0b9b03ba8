"""A soak of the server for people: judgements a second, waiting times, memory, and kills in the middle of the work.

    python bench/annotate.py                              SQLite, 30 people without pauses
    python bench/annotate.py --pause 3                    with pauses between answers
    python bench/annotate.py --kills 10 --judgements 5000
    python bench/annotate.py --postgresql --processes 2

All on loopback. The people are one small program, so that the server is what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "annotate"))

from horsesense.annotate.database.judgement_log import standing_judgements
from horsesense.annotate.database.participants import invite
from horsesense.annotate.database.served_study import open_study
from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.study import DATABASE_VARIABLE, Study, make_study
from horsesense.core import Card, Item, Probe
from tests.support.postgresql_cluster import cluster

PORT = 8765
EACH = 3
HIDDEN = re.compile(r'name="(form|lease)" value="([^"]*)"')


def probe_of(number: int) -> Probe:
    items = [
        Item(probe="soak", form="choice", text=f"Is thing {k} hot?", options=("yes", "no", "at times"), answer=0)
        for k in range(number)
    ]
    return Probe.of(items, Card(name="soak"))


class Person:
    """One annotator: a connection that is kept, one request at a time."""

    def __init__(self, link: str, waits: list[float], pause: float) -> None:
        self.link, self.waits, self.pause = link, waits, pause
        self.cookie = ""
        self.acknowledged: list[str] = []
        self.refused: Counter[int] = Counter()
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, fields: str = "") -> tuple[int, dict[str, str], str]:
        """One request; a server that is down is asked again until it is up."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nCookie: {self.cookie}\r\n"
        if method == "POST":
            head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(fields)}\r\n"
        for _ in range(600):
            try:
                if self.streams is None:
                    self.streams = await asyncio.open_connection("127.0.0.1", PORT)
                reader, writer = self.streams
                began = time.perf_counter()
                writer.write(f"{head}\r\n{fields}".encode())
                await writer.drain()
                top = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in top[1:] if line)}
                body = (await reader.readexactly(int(headers.get("content-length", "0")))).decode()
                self.waits.append(time.perf_counter() - began)
                return int(top[0].split()[1]), headers, body
            except (OSError, asyncio.IncompleteReadError):
                self.streams = None
                await asyncio.sleep(0.1)
        raise RuntimeError("the server does not come back")

    async def work(self, enough: asyncio.Event, count: list[int], most: int) -> None:
        _, _, page = await self.ask("GET", self.link)
        mark = dict(HIDDEN.findall(page))["form"]
        _, headers, _ = await self.ask("POST", self.link, f"form={mark}")
        self.cookie = headers["set-cookie"].partition(";")[0]
        self.waits.clear()
        while not enough.is_set():
            status, _, page = await self.ask("GET", "/task")
            hidden = dict(HIDDEN.findall(page))
            if status != 200 or "lease" not in hidden:
                if "That is all" in page or "Nothing for now" in page:
                    return
                self.refused[status] += 1
                await asyncio.sleep(0.2)
                continue
            if self.pause:
                await asyncio.sleep(self.pause * random.uniform(0.7, 1.3))
            sent = f"form={hidden['form']}&lease={hidden['lease']}&value={random.randrange(3)}"
            status, _, _ = await self.ask("POST", "/task", sent)
            if status == 303:
                self.acknowledged.append(hidden["lease"])
                count[0] += 1
                if count[0] >= most:
                    enough.set()
            else:
                self.refused[status] += 1


class Server:
    """The server under test, as a user starts it."""

    def __init__(self, study: Path, processes: int) -> None:
        self.words = [sys.executable, "-m", "horsesense", "annotate", "serve", str(study), "--port", str(PORT)]
        self.words += ["--processes", str(processes)]
        self.start()

    def start(self) -> float:
        began = time.perf_counter()
        self.process = subprocess.Popen(self.words, stderr=subprocess.DEVNULL, start_new_session=True)
        while True:
            try:
                with socket.create_connection(("127.0.0.1", PORT), 0.2) as one:
                    one.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nConnection: close\r\n\r\n".encode())
                    if b"200" in one.recv(100):
                        return time.perf_counter() - began
            except OSError:
                time.sleep(0.01)
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}")

    def memory(self) -> float:
        """The most that a process of the server ever had, in MB."""
        most = 0.0
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                text = status.read_text()
                if os.getsid(int(status.parent.name)) == self.process.pid and "VmHWM" in text:
                    most = max(most, int(re.search(r"VmHWM:\s+(\d+)", text)[1]) / 1024)  # type: ignore[index]
            except (OSError, ProcessLookupError):
                continue
        return most

    def worked(self) -> float:
        """Seconds of work of the server since it was last started."""
        total = 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                if os.getsid(int(stat.parent.name)) == self.process.pid:
                    total += sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))
            except (OSError, ProcessLookupError):
                continue
        return total / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


async def soak(people: list[Person], server: Server, most: int, kills: int, seconds: float) -> float:
    enough, count = asyncio.Event(), [0]
    began = time.perf_counter()
    tasks = [asyncio.create_task(person.work(enough, count, most)) for person in people]

    async def killer() -> None:
        for number in range(kills):
            while count[0] < most * (number + 0.5) / kills and not enough.is_set():
                await asyncio.sleep(0.05)
            await asyncio.sleep(random.random() * 0.2)
            server.kill()
            await asyncio.to_thread(server.start)

    async def clock() -> None:
        await asyncio.sleep(seconds)
        enough.set()

    timer = asyncio.create_task(clock())
    await asyncio.gather(*tasks, killer())
    timer.cancel()
    return time.perf_counter() - began


def report(options: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "study"
        if options.postgresql:
            os.environ[DATABASE_VARIABLE] = stack.enter_context(cluster())
        asked = find_instrument("choice")
        study = Study(folder, asked, per_item=EACH, address=f"http://127.0.0.1:{PORT}")
        make_study(folder, probe_of(options.judgements // EACH + 60), "choice", study)
        served = open_study(folder)
        names = [f"person{k}" for k in range(options.people)]
        waits: list[float] = []
        people = [Person(f"/in/{token}", waits, options.pause) for token in invite(served, names)]
        server = Server(folder, options.processes)
        stack.callback(server.kill)
        starts = sorted(_again(server) for _ in range(options.starts))
        taken = asyncio.run(soak(people, server, options.judgements, options.kills, options.seconds))
        memory, worked = server.memory(), server.worked()
        server.kill()
        given = standing_judgements(served)
        with served.engine.connect() as connection:
            log = Counter(connection.exec_driver_sql("SELECT lease FROM judgements").scalars())
        acknowledged = [lease for person in people for lease in person.acknowledged]
        per_item = Counter(each.item for each in given)
        served.engine.dispose()
    waits.sort()
    return {
        "database": "PostgreSQL" if options.postgresql else "SQLite",
        "processes": options.processes,
        "people": options.people,
        "pause": options.pause,
        "kills": options.kills,
        "judgements": len(acknowledged),
        "judgements a second": round(len(acknowledged) / taken, 1),
        "p50 ms": round(1000 * waits[len(waits) // 2], 1),
        "p95 ms": round(1000 * waits[int(len(waits) * 0.95)], 1),
        "p99 ms": round(1000 * waits[int(len(waits) * 0.99)], 1),
        "acknowledged and lost": sum(log[lease] == 0 for lease in acknowledged),
        "doubled": sum(count > 1 for count in Counter((e.item, e.annotator) for e in given).values()),
        "items over target": sum(count > EACH for count in per_item.values()),
        "refused": dict(sum((person.refused for person in people), Counter())),
        "work of the server, s": round(worked, 1),
        "memory MB": round(memory, 1),
        "start s": round(starts[len(starts) // 2], 2),
    }


def _again(server: Server) -> float:
    server.kill()
    return server.start()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--people", type=int, default=30)
    parser.add_argument("--judgements", type=int, default=3000)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--starts", type=int, default=5, help="of which the median is told")
    parser.add_argument("--seconds", type=float, default=120.0, help="stop after so long")
    print(json.dumps(report(parser.parse_args()), indent=2))


if __name__ == "__main__":
    main()
