"""Batch APIs: all requests at once, replies within a day, at about half the price.

A batch is one more way to send a request: `BatchTransport` gathers what arrives, submits it, asks now and then whether
it is done, and hands each reply to its request. Negotiation, parsing, budget and the log are as for single
requests. The ids of submitted batches are in the log, so a killed run waits for its batches and pays nothing twice.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from horsesense.errors import UserError
from horsesense.models.api.http import Answer, HttpTransport, classified, parse_json
from horsesense.models.api.limiter import RetryState, limiter_of
from horsesense.models.api.logprobs import as_dict, bad_reply, count
from horsesense.models.api.request_errors import TemporaryError
from horsesense.models.api.request_log import RequestLog
from horsesense.progress import NO_PROGRESS, Progress

Body = dict[str, Any]
Line = tuple[str, str, Body]
"""A request: its key, path and body."""

MOST = 10_000
"""Requests per batch: both providers take more, but a file of replies has to fit into memory."""
LARGEST_RESULTS = 512 * 2**20
"""Maximum size of the replies of a batch in bytes."""
GATHER = 1.0
"""Seconds without a new request after which a batch is submitted."""
POLLS = (2.0, 60.0)
"""First and longest pause between two looks at a batch, in seconds."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """What a provider says about a batch."""

    ended: bool
    in_words: str
    files: tuple[str, ...] = ()
    """Paths of its replies."""
    problem: str = ""
    """Why the whole batch was refused."""


class OpenAIBatches:
    """OpenAI's batches: a file of requests, and files of replies and errors. Other servers have the same."""

    def __init__(self, http: HttpTransport) -> None:
        self.http = http

    async def submit(self, lines: Sequence[Line]) -> str:
        """Submit requests to one path; return the id of the batch."""
        endpoint = f"/v1{lines[0][1]}"
        rows = [{"custom_id": key, "method": "POST", "url": endpoint, "body": body} for key, _, body in lines]
        content = "\n".join(map(json.dumps, rows)).encode()
        form = {"data": {"purpose": "batch"}, "files": {"file": ("requests.jsonl", content, "application/jsonl")}}
        file = await self.fetch("/files", form)
        wish = {"input_file_id": _id_of(file, "a file"), "endpoint": endpoint, "completion_window": "24h"}
        return _id_of(await self.fetch("/batches", {"json": wish}))

    async def state(self, batch: str) -> BatchState:
        report = await self.fetch(f"/batches/{batch}")
        status, counts = str(report.get("status")), as_dict(report.get("request_counts"))
        done = f"{count(counts.get('completed')) + count(counts.get('failed')):,} of {count(counts.get('total')):,}"
        ended = status in ("completed", "failed", "expired", "cancelled")
        files = [report[name] for name in ("output_file_id", "error_file_id") if report.get(name)]
        errors = [str(as_dict(each).get("message")) for each in as_dict(report.get("errors")).get("data") or []]
        problem = "; ".join(errors[:3]) or "without a reason" if status == "failed" else ""
        return BatchState(ended, f"{status}, {done}", tuple(f"/files/{each}/content" for each in files), problem)

    def read(self, row: Body) -> tuple[int, Body]:
        """Return status and body of a reply."""
        response = as_dict(row.get("response"))
        if row.get("error") and not response.get("body"):
            return 503, {"error": row["error"]}  # expired or cancelled before its turn
        return count(response.get("status_code")) or 500, as_dict(response.get("body"))

    async def fetch(self, path: str, content: Mapping[str, Any] | None = None) -> Body:
        response, raw = await self.http.exchange(path, content or {})
        return self.http.read(response, raw)


def _id_of(report: Body, what: str = "a batch") -> str:
    """Return the id of a batch or a file; that of a batch becomes part of a path."""
    name = report.get("id")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
        raise bad_reply(f"the id of {what} is {str(name)[:40]!r}")
    return name


class AnthropicBatches(OpenAIBatches):
    """Anthropic's message batches."""

    _STATUS: ClassVar[Mapping[str, int]] = {
        "invalid_request_error": 400,
        "request_too_large": 413,
        "not_found_error": 404,
    }

    async def submit(self, lines: Sequence[Line]) -> str:
        requests = [{"custom_id": key, "params": body} for key, _, body in lines]
        return _id_of(await self.fetch("/v1/messages/batches", {"json": {"requests": requests}}))

    async def state(self, batch: str) -> BatchState:
        report = await self.fetch(f"/v1/messages/batches/{batch}")
        status, counts = str(report.get("processing_status")), as_dict(report.get("request_counts"))
        left, total = count(counts.get("processing")), sum(map(count, counts.values()))
        # The address of the results in the reply may be another host's, which must not get the key.
        return BatchState(
            status == "ended", f"{status}, {total - left:,} of {total:,}", (f"/v1/messages/batches/{batch}/results",)
        )

    def read(self, row: Body) -> tuple[int, Body]:
        result = as_dict(row.get("result"))
        if result.get("type") == "succeeded":
            return 200, as_dict(result.get("message"))
        error = as_dict(result.get("error"))
        kind = as_dict(error.get("error")).get("type") or error.get("type")
        return self._STATUS.get(str(kind), 503), error or {"error": {"message": f"{result.get('type')} in the batch"}}


@dataclass
class BatchTransport:
    """Sends requests in batches; those without a key, such as trials, are sent at once."""

    http: HttpTransport
    api: OpenAIBatches
    log: Callable[[], RequestLog | None]
    """Where the ids of batches are stored."""
    progress: Progress = NO_PROGRESS
    _gathered: list[Line] = field(default_factory=list)
    _waiting: dict[str, asyncio.Future[tuple[int, Body]]] = field(default_factory=dict)
    _submitted: dict[str, str] | None = None
    """Key of a request → the batch that an earlier call submitted."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _timer: asyncio.TimerHandle | None = None

    async def send(self, path: str, body: Body | None, key: str = "") -> Answer:
        if body is None or not key:
            return await self.http.send(path, body)
        reply = self._waiting[key] = asyncio.get_running_loop().create_future()
        self._resume()
        assert self._submitted is not None
        if key not in self._submitted:
            self._gathered.append((key, path, body))
            if len(self._gathered) >= MOST:
                self._submit()
            else:
                self._later()
        try:
            status, content = await reply
        finally:
            self._waiting.pop(key, None)
            self._submitted.pop(key, None)  # one that failed is submitted again
        if status != 200:
            raise classified(status, json.dumps(content), {}, self.http.address.url, "the key's variable")
        return content, {}

    async def close(self) -> None:
        """Forget requests that nobody waits for; submitted batches continue at the provider."""
        if self._timer is not None:
            self._timer.cancel()
        self._gathered.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._submitted = None
        await self.http.close()

    def _later(self) -> None:
        """Submit when no request has arrived for a moment."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(GATHER, self._submit)

    def _resume(self) -> None:
        """Wait for the batches that an earlier, killed call submitted."""
        if self._submitted is not None:
            return
        self._submitted = {}
        log = self.log()
        for batch, keys in log.batches() if log is not None else []:
            self._submitted |= dict.fromkeys(keys, batch)
            self._begin(self._wait_for(batch, keys))

    def _submit(self) -> None:
        gathered, self._gathered = self._gathered, []
        for path in dict.fromkeys(path for _, path, _ in gathered):
            lines = [line for line in gathered if line[1] == path]
            for start in range(0, len(lines), MOST):
                self._begin(self._carry_out(lines[start : start + MOST]))

    def _begin(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, lines: Sequence[Line]) -> None:
        keys = [key for key, _, _ in lines]
        try:
            batch = await self._patiently(lambda: self.api.submit(lines))
        except Exception as error:
            self._fail(keys, error)
            return
        if (log := self.log()) is not None:
            log.keep_batch(batch, keys)
        self.progress.log(f"batch {batch} with {len(lines):,} requests is submitted; the same command resumes")
        await self._wait_for(batch, keys)

    async def _wait_for(self, batch: str, keys: Sequence[str]) -> None:
        pause, seen = POLLS[0], ""
        try:
            while not (state := await self._patiently(lambda: self.api.state(batch))).ended:
                if state.in_words != seen:
                    seen = state.in_words
                    self.progress.log(f"batch {batch}: {seen}")
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, POLLS[1])
            if state.problem:
                raise UserError(f"{self.http.address.url} refuses the batch {batch} ({state.problem})")
            for path in state.files:
                for row in await self._patiently(lambda path=path: self._rows(path)):  # type: ignore[misc]
                    reply = self._waiting.get(str(row.get("custom_id")))
                    if reply is not None and not reply.done():
                        reply.set_result(self.api.read(row))
            self._fail(keys, TemporaryError(f"the batch {batch} has no reply", away=False))
        except Exception as error:
            self._fail(keys, error)

    async def _rows(self, path: str) -> list[Body]:
        response, raw = await self.http.exchange(path, {}, LARGEST_RESULTS)
        try:
            rows = [parse_json(line) for line in self.http.text_of(response, raw).splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise TemporaryError("its replies are incomplete JSON", away=False) from error
        return [row for row in rows if isinstance(row, dict)]

    async def _patiently(self, work: Callable[[], Any]) -> Any:
        state, patience = RetryState(), self.http.provider.settings.patience
        while True:
            try:
                return await work()
            except TemporaryError as error:
                pause = limiter_of(self.http.address.url).pause(state, error, patience, self.progress)
            await asyncio.sleep(pause)

    def _fail(self, keys: Sequence[str], error: Exception) -> None:
        for key in keys:
            if (reply := self._waiting.get(key)) and not reply.done():
                reply.set_exception(error)
