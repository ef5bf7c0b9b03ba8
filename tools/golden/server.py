"""An OpenAI-compatible server without a model: its replies depend only on what was sent, and it keeps every request."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

NAME = "golden"
_LETTERS = "ABCDEFGH"
_CONTINUATION = (" and", " so", " it", " was")
_TOKEN = re.compile(r"<\|\w+\|>|\s*\w+|\s*[^\w\s]|\s+")


class RecordingServer:
    """Serve fixed log-probabilities on loopback and record the requests."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(200, {"object": "list", "data": [{"id": NAME, "object": "model", "owned_by": "golden"}]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                recorder.requests.append({"path": self.path, "body": body})
                if self.path.endswith("/chat/completions"):
                    self._send(200, _chat(body))
                elif self.path.endswith("/completions"):
                    self._send(200, _completion(body))
                else:
                    self._send(404, {"error": {"message": "unknown path"}})

            def _send(self, status: int, document: dict[str, Any]) -> None:
                content = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @contextmanager
    def running(self) -> Iterator[RecordingServer]:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()


def _logprob(previous: str, token: str) -> float:
    """Return a log-probability that depends on the two tokens only."""
    return -0.5 - crc32(f"{previous}|{token}".encode()) % 1000 / 200


def _logprobs(tokens: list[str]) -> list[float]:
    return [_logprob(previous, token) for previous, token in zip(["", *tokens], tokens, strict=False)]


def _alternatives(prompt: str) -> dict[str, float]:
    """Return next tokens: the letters of options, with and without a space, each with its log-probability."""
    return {f"{space}{letter}": _logprob(prompt, letter) - 3 * len(space) for letter in _LETTERS for space in ("", " ")}


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    prompt, most = str(body["prompt"]), int(body.get("logprobs") or 0)
    before = _TOKEN.findall(prompt)
    after = [_CONTINUATION[i % len(_CONTINUATION)] for i in range(min(8, int(body.get("max_tokens", 8))))]
    values = _logprobs([*before, *after])
    tokens: list[str] = [*before, *after] if body.get("echo") else after
    listed: list[float | None] = [*values] if body.get("echo") else [*values[len(before) :]]
    if body.get("echo"):
        listed[0] = None
    top = dict(sorted(_alternatives(prompt).items(), key=lambda pair: -pair[1])[:most]) if most > 1 else {}
    logprobs = {"tokens": tokens, "token_logprobs": listed, "top_logprobs": [top or None] * len(tokens)}
    choice = {"text": "".join(after), "finish_reason": "length", "logprobs": logprobs if most else None}
    return {"choices": [choice], "usage": {"prompt_tokens": len(before), "completion_tokens": len(after)}}


def _chat(body: dict[str, Any]) -> dict[str, Any]:
    question = str(body["messages"][-1]["content"])
    letter = _LETTERS[crc32(question.encode()) % 3]
    choice: dict[str, Any] = {"finish_reason": "stop", "logprobs": None}
    choice["message"] = {"role": "assistant", "content": f"The answer is {letter}."}
    if body.get("logprobs"):
        ranked = sorted(_alternatives(question).items(), key=lambda pair: -pair[1])[: int(body["top_logprobs"])]
        listed = [{"token": token, "logprob": value} for token, value in ranked]
        choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
    return {"choices": [choice], "usage": {"prompt_tokens": len(question.split()), "completion_tokens": 4}}
