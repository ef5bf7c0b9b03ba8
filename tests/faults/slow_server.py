"""``python -m tests.faults.slow_server``: a served study under half-open connections; the table for docs/results/reliability.md."""

from __future__ import annotations

import http.client
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.support.judged_probes import choices
from tests.support.study_server import study_of

SILENT = 2500
SECONDS = 20


def main() -> None:
    scratch = Path(tempfile.mkdtemp(prefix="slow-"))
    study_of(scratch / "study", choices(4), "choice").engine.dispose()
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, max(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    log = (scratch / "log").open("wb")
    words = ["sh", "-c", 'ulimit -n 1024; exec "$@"', "sh", sys.executable, "-m", "horsesense", "annotate", "serve"]
    server = subprocess.Popen([*words, str(scratch / "study"), "--port", str(port)], stderr=log, env=os.environ)
    try:
        while not answers(port):
            time.sleep(0.2)
        silent: list[socket.socket] = []
        good = tries = most = 0
        began = time.monotonic()
        while time.monotonic() - began < SECONDS:
            for _ in range(250):
                if len(silent) < SILENT:
                    with suppress(OSError):
                        silent.append(socket.create_connection(("127.0.0.1", port), timeout=1))
                        silent[-1].sendall(b"GET / HTTP/1.1\r\nHost: ")
            tries, good = tries + 1, good + answers(port)
            most = max(most, len(list(Path(f"/proc/{server.pid}/fd").iterdir())))
        time.sleep(11)
        left = len(list(Path(f"/proc/{server.pid}/fd").iterdir()))
        size = (scratch / "log").stat().st_size
    finally:
        server.terminate()
        server.wait(20)
    print("| half-open connections | descriptors allowed | most held | held 11 s later | requests answered | log |")
    print("|---|---|---|---|---|---|")
    print(f"| {len(silent):,} | 1,024 | {most:,} | {left:,} | {good} of {tries} | {size:,} bytes |")
    sys.exit(0 if good == tries else 1)


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    main()
