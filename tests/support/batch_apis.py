"""Batch APIs of OpenAI and Anthropic, as strict as their documentation: many requests at once, replies later."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any

Body = dict[str, Any]
Answers = Callable[[Mapping[str, str], str, Body], tuple[int, Any]]
"""Answers one request, given headers, path and body."""
_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass
class Batches:
    """Batches and files of one server."""

    answers: Answers
    polls: int = 1
    """Looks at a batch before it is done."""
    expires: int = 0
    """Requests of the first batch that get no reply in time."""
    files: dict[str, bytes] = field(default_factory=dict)
    made: dict[str, Body] = field(default_factory=dict)
    """Batches by id."""
    sizes: list[int] = field(default_factory=list)
    """Requests of each batch."""

    def post(self, path: str, headers: Any, raw: bytes) -> tuple[int, bytes] | None:
        """Take a file or a batch; None for any other path."""
        if path == "/v1/files":
            return self._upload(headers, raw)
        if path == "/v1/batches":
            return self._openai(headers, json.loads(raw))
        if path == "/v1/messages/batches":
            return self._anthropic(headers, json.loads(raw))
        return None

    def get(self, path: str) -> tuple[int, bytes] | None:
        """Return a batch or a file; None for any other path."""
        *_, name, last = path.split("/")
        if last in ("content", "results"):
            found = self.files.get(name)
            return (404, b"{}") if found is None else (200, found)
        if last not in self.made:
            return None
        batch = self.made[last]
        batch["polls"] += 1
        shown = batch["ended" if batch["polls"] > self.polls else "running"]
        return 200, json.dumps({"id": last, **shown}).encode()

    def _upload(self, headers: Any, raw: bytes) -> tuple[int, bytes]:
        whole = message_from_bytes(f"Content-Type: {headers['content-type']}\r\n\r\n".encode() + raw)
        parts: dict[str, bytes] = {}
        for part in whole.walk():
            if not part.is_multipart():
                content = part.get_payload(decode=True)
                assert isinstance(content, bytes)
                parts[str(part.get_param("name", header="content-disposition"))] = content
        if parts.get("purpose") != b"batch" or "file" not in parts:
            return _error("'purpose' is a required property")
        name = f"file-{len(self.files)}"
        self.files[name] = parts["file"]
        return 200, json.dumps({"id": name, "object": "file", "purpose": "batch"}).encode()

    def _openai(self, headers: Any, wish: Body) -> tuple[int, bytes]:
        if wish.keys() != {"input_file_id", "endpoint", "completion_window"} or wish["completion_window"] != "24h":
            return _error(f"Invalid batch: {wish}")
        file = self.files.get(str(wish["input_file_id"]))
        if file is None:
            return _error(f"No such File object: {wish['input_file_id']}")
        rows = [json.loads(line) for line in file.decode().splitlines()]
        ids = [row["custom_id"] for row in rows]
        if len(set(ids)) < len(ids) or any(row["url"] != wish["endpoint"] or row["method"] != "POST" for row in rows):
            return _error("The custom_id of each request must be unique, and all have the same endpoint")
        good: list[Body] = []
        bad: list[Body] = []
        for row in self._kept(
            rows, bad, lambda row: {"custom_id": row["custom_id"], "response": None, "error": EXPIRED}
        ):
            status, body = self.answers(headers, row["url"], row["body"])
            response = {"status_code": status, "request_id": "r", "body": body}
            (good if status == 200 else bad).append(
                {"custom_id": row["custom_id"], "response": response, "error": None}
            )
        name = f"batch_{len(self.made)}"
        ended: Body = {"status": "expired" if self.expires else "completed", "errors": None}
        for kind, found in (("output_file_id", good), ("error_file_id", bad)):
            ended[kind] = f"file-{kind}-{name}" if found else None
            self.files[f"file-{kind}-{name}"] = _lines(found)
        counts = {"total": len(rows), "completed": len(good), "failed": len(bad)}
        running = {"status": "in_progress", "request_counts": {"total": len(rows), "completed": 0, "failed": 0}}
        return self._make(name, running, ended | {"request_counts": counts}, len(rows))

    def _anthropic(self, headers: Any, wish: Body) -> tuple[int, bytes]:
        rows = wish["requests"]
        ids = [row["custom_id"] for row in rows]
        if len(set(ids)) < len(ids) or not all(_ID.fullmatch(each) for each in ids):
            return _error("requests.0.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'")
        found: list[Body] = []
        for row in self._kept(rows, found, lambda row: {"custom_id": row["custom_id"], "result": {"type": "expired"}}):
            status, body = self.answers(headers, "/v1/messages", row["params"])
            result = {"type": "succeeded", "message": body} if status == 200 else {"type": "errored", "error": body}
            found.append({"custom_id": row["custom_id"], "result": result})
        name = f"msgbatch_{len(self.made)}"
        self.files[name] = _lines(found)
        counts = {"processing": len(rows), "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
        dates = {"created_at": "2026-10-21T00:00:00Z", "expires_at": "2026-10-22T00:00:00Z", "type": "message_batch"}
        running = dates | {"processing_status": "in_progress", "request_counts": counts, "results_url": None}
        there = dates | {"processing_status": "ended", "results_url": "https://elsewhere.example/results"}
        return self._make(name, running, there | {"request_counts": counts | {"processing": 0}}, len(rows))

    def _kept(self, rows: list[Body], lost: list[Body], expired: Callable[[Body], Body]) -> list[Body]:
        """Leave the last requests of the first batch without a reply, if some are to expire."""
        many = self.expires if not self.made else 0
        lost += [expired(row) for row in rows[len(rows) - many :]]
        return rows[: len(rows) - many]

    def _make(self, name: str, running: Body, ended: Body, size: int) -> tuple[int, bytes]:
        self.made[name] = {"running": running, "ended": ended, "polls": 0}
        self.sizes.append(size)
        return 200, json.dumps({"id": name, **running}).encode()


EXPIRED = {
    "code": "batch_expired",
    "message": "This request could not be executed before the completion window expired.",
}


def _lines(rows: list[Body]) -> bytes:
    return "\n".join(map(json.dumps, reversed(rows))).encode()  # in any order


def _error(told: str) -> tuple[int, bytes]:
    return 400, json.dumps({"error": {"message": told, "type": "invalid_request_error"}}).encode()
