"""``python -m tests.faults.servers``: people answer while server processes and PostgreSQL are killed; every answer stays.

``annotate serve --processes 2`` runs as a process of its own. People answer over HTTP, one thread each; meanwhile one of
the two processes is killed with SIGKILL, or PostgreSQL is stopped without writing anything down and started again. An
answer counts as acknowledged if the server replied with 200. Afterwards each of them has to be in the log, once.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import httpx
from sqlalchemy import select

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading
from horsesense.annotate.database.judgement_log import check_rows, standing_judgements
from horsesense.annotate.database.participants import invite
from horsesense.annotate.database.served_study import open_study
from horsesense.annotate.study import DATABASE_VARIABLE
from tests.support.judged_probes import triples
from tests.support.postgresql_cluster import cluster, crash, programs
from tests.support.study_server import Somebody, study_of

HEADER = (
    "| database | killed | kills | requests | not answered | acknowledged answers | lost | twice | damaged rows |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


class Person(threading.Thread):
    """Answers until there is nothing left; a request without a reply is followed by a look at the current page."""

    def __init__(self, address: str, token: str) -> None:
        super().__init__(daemon=True)
        self.browser = Somebody(httpx.Client(base_url=address, follow_redirects=True, timeout=30), f"/in/{token}")
        self.acknowledged: set[str] = set()
        self.requests = self.unanswered = 0

    def run(self) -> None:
        end = time.monotonic() + 300
        inside = False
        while time.monotonic() < end:
            self.requests += 1
            try:
                if not inside:
                    inside = self.browser.enter().status_code == 200
                    continue
                lease = self.browser.hidden("lease")
                if not lease:
                    if self.browser.open("/task").status_code == 200 and not self.browser.hidden("lease"):
                        return
                    continue
                if self.browser.answer(value="1").status_code == 200:
                    self.acknowledged.add(lease)
                else:
                    self.browser.open("/task")
            except httpx.HTTPError:
                self.unanswered += 1
                time.sleep(0.1)
                self._look()

    def _look(self) -> None:
        try:
            self.browser.open("/task")
        except httpx.HTTPError:
            self.unanswered += 1


def processes_of(server: int) -> list[int]:
    """The processes that a server started to answer requests."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return [int(each) for each in children if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


def trial(killed: str, kills: int, items: int, address: str) -> str:
    """Return a row: what was killed how often, and what became of the answers."""
    folder = Path(tempfile.mkdtemp(prefix="servers-")) / "study"
    if address:
        os.environ[DATABASE_VARIABLE] = address
    else:
        os.environ.pop(DATABASE_VARIABLE, None)
    served = study_of(folder, triples(items), "partwhole", per_item=3, extra=0)
    tokens = invite(served, ["ann", "ben", "cid"])
    served.engine.dispose()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "horsesense", "annotate", "serve", str(folder), "--processes", "2"]
    server = subprocess.Popen([*words, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    people = [Person(f"http://127.0.0.1:{port}", token) for token in tokens]
    try:
        for person in people:
            person.start()
        done = 0
        while any(person.is_alive() for person in people) and done < kills:
            count = sum(len(person.acknowledged) for person in people)
            if count * kills < done * items * 3 or not count:  # spread over all answers
                time.sleep(0.05)
                continue
            if killed == "PostgreSQL":
                crash(address)
            elif found := processes_of(server.pid):
                os.kill(found[done % len(found)], signal.SIGKILL)
            done += 1
        for person in people:
            person.join(300)
    finally:
        server.terminate()
        server.wait(30)
    served = open_study(folder)
    given = Counter((each.item, each.annotator) for each in standing_judgements(served))
    with reading(served.engine) as connection:
        stored = set(connection.scalars(select(tables.leases.c.key).join(tables.judgements)))
    served.engine.dispose()
    acknowledged = set[str]().union(*(person.acknowledged for person in people))
    twice = sum(count > 1 for count in given.values())
    counts = (done, sum(person.requests for person in people), sum(person.unanswered for person in people))
    lost, damaged = len(acknowledged - stored), len(check_rows(folder)[1])
    database = "PostgreSQL" if address else "SQLite"
    cells = (database, killed, *counts, len(acknowledged), lost, twice, damaged)
    return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--items", type=int, default=60, help="Each is judged by three people.")
    chosen = parser.parse_args()
    print(HEADER, flush=True)
    print(trial("a server process", chosen.kills, chosen.items, ""), flush=True)
    if programs() is not None:
        for killed in ("a server process", "PostgreSQL"):
            with ExitStack() as stack:
                print(trial(killed, chosen.kills, chosen.items, stack.enter_context(cluster())), flush=True)


if __name__ == "__main__":
    main()
