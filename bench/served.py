"""What the client takes of a request: a server in another process answers at once, so that all there is is overhead.

    python bench/served.py [QUESTIONS]

Prints milliseconds of processor time and of waiting a request, and the memory that the questions took.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

from horsesense.models.contract import Turn
from horsesense.models.served import ServedSettings, open_served
from horsesense.records import ScoringSpec

TOLD = {"content": [{"top_logprobs": [{"token": letter, "logprob": -1.5} for letter in "ABCD"]}]}
ANSWER = json.dumps(
    {
        "choices": [{"message": {"content": "A"}, "logprobs": TOLD}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 1},
    }
).encode()
LISTED = json.dumps({"data": [{"id": "bench"}]}).encode()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """HTTP as far as it takes: read a request, give the same answer."""
    while head := await _head(reader):
        length = next(
            (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        await reader.readexactly(length)
        content = LISTED if head.startswith(b"GET") else ANSWER
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content))
        writer.write(content)
        await writer.drain()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def serve(ready: multiprocessing.Queue[int]) -> None:
    async def main() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        ready.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    ready: multiprocessing.Queue[int] = multiprocessing.Queue()
    multiprocessing.Process(target=serve, args=(ready,), daemon=True).start()
    model = open_served(f"openai:http://127.0.0.1:{ready.get()}/v1#bench", ServedSettings(concurrency=32))
    turns = [Turn(messages=(("user", f"Question {n}: which of these melts?\nA. ice\nB. stone"),)) for n in range(many)]
    words = [("A", "B")] * many
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder, model.asking(Path(folder)):
        for stage in ("asked", "kept already"):
            start, worked = time.perf_counter(), time.process_time()
            model.choices(turns, words, ScoringSpec())
            taken, worked = time.perf_counter() - start, time.process_time() - worked
            each = f"{1000 * worked / many:.2f} ms of the processor each, {1000 * taken / many:.2f} ms of waiting"
            print(f"{stage}: {many:,} questions in {taken:.1f} s, {each}")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {(after - before) / 1024:.0f} MB more")


if __name__ == "__main__":
    main()
