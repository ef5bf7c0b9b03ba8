"""An OpenAI-compatible server of the tests' own: a real model behind real HTTP on loopback, with faults on demand."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.rows import ModelInput, Row
from horsesense.models.protocol import Sampling, Turn
from tests.support.api_styles import STYLES, answer, models
from tests.support.batch_apis import Batches

_LONGEST_REPLY = 60
"""Tokens after which its model ends a reply in a conversation: an untrained one would never."""


@dataclass
class Behaviour:
    """What the server does and fails to do; tests change it while it runs."""

    fault: str = ""
    """``429``, ``500``, ``slow``, ``cut``, ``not-json``, ``hangs-up``: how every ``every``-th request fails."""
    every: int = 5
    key: str = ""
    """What it wants as a key; empty: none."""
    chat: bool = True
    completions: bool = True
    echo: bool = True
    logprobs: bool = True
    top: int = 20
    """Next tokens that it tells at most; more are refused."""
    adds_bos: bool = False
    reads_special: bool = True
    """Whether a special token that is written into a text is one token."""
    tokenises: bool = False
    takes_ids: bool = True
    prompt_logprobs: bool = False
    """Whether it tells the log-probabilities of a prompt as vLLM does."""
    lies: bool = False
    """Whether it echoes other numbers than those of the weights."""
    splits: bool = False
    """Whether it echoes tokens that do not make up the text."""
    shorts: bool = False
    """Whether it tells fewer log-probabilities than tokens."""
    stays: float = 0.0
    """Seconds that each answer takes."""
    room: str = "max_tokens"
    """What it calls the room for a reply in a chat."""
    owner: str = "tests"
    """What it says of itself."""
    style: str = ""
    """The provider whose API it has, one of `STYLES`; empty: what the other fields say."""
    filters: str = ""
    """Questions with this text are refused by a content filter."""
    forbids_list: bool = False
    """Whether it answers 403 where it would list its models."""
    per_window: int = 0
    """Requests that it takes in a window of time; it answers 429 to more, until the window ends."""
    window: float = 0.5
    batches: bool = False
    """Whether it takes batches."""
    tail: str = ""
    """Questions with this text are answered only after ``tail_after`` other requests."""
    tail_after: int = 0
    trickles: bool = False
    """Whether it sends a byte now and then, and never an end."""
    spoils: Callable[[bytes], bytes] | None = None
    """What changes each answer on its way out."""
    says_instead: tuple[int, dict[str, str], bytes] | None = None
    """Status, headers and content of every answer, whatever is asked."""


@dataclass
class Seen:
    """What came in."""

    requests: int = 0
    answered: int = 0
    paths: Counter[str] = field(default_factory=Counter)
    bodies: list[str] = field(default_factory=list)
    """What was asked and answered, each as JSON."""
    headers: list[str] = field(default_factory=list)
    limited: int = 0
    in_flight: int = 0
    most_in_flight: int = 0


class _Listener(ThreadingHTTPServer):
    request_queue_size = 128
    """Of the usual five, the others of twenty connections at once would be refused, and try again after a second."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up, as after a timeout, is not a failure of the server."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class ModelServer:
    """A model by HTTP."""

    def __init__(self, model: LanguageModel | None, called: str = "smollm2", port: int = 0) -> None:
        """Without a model, only `says` answers, through one of the `STYLES`."""
        self._model = model
        self.called = called
        self.says: Callable[[str], str | None] | None = None
        """What it replies to the last question of a conversation or the last lines of a text; None: its model does."""
        self.behaviour = Behaviour()
        self.seen = Seen()
        self._lock = threading.Lock()
        self._made: dict[str, dict[str, Any]] = {}
        self._window = (0.0, 0)
        self.batches = Batches(lambda headers, path, body: self._reply_to(headers, path, body))
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else the end of each reply waits 40 ms for the client's ACK of its head

            def do_GET(self) -> None:
                if (found := server.batches.get(self.path)) is not None:
                    status, content = found
                    server.send(self, status, content)
                    return
                if server.behaviour.style:
                    forbids = server.behaviour.forbids_list
                    self._send(*((403, {}) if forbids else models(STYLES[server.behaviour.style], self.path)))
                    return
                data = [
                    {"id": server.called, "object": "model", "owned_by": server.behaviour.owner, "created": time.time()}
                ]
                self._send(200, {"object": "list", "data": data})

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                if self.path.endswith(("/files", "/batches")):
                    found = server.batches.post(self.path, self.headers, raw) if server.behaviour.batches else None
                    server.send(self, *(found or (404, b'{"error": {"message": "no batches here"}}')))
                    return
                server.handle(self, self.path, json.loads(raw))

            def _send(self, status: int, value: Any) -> None:
                server.send(self, status, json.dumps(value).encode())

            def log_message(self, *_: Any) -> None:
                pass

        self._http = _Listener(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True

    @property
    def model(self) -> LanguageModel:
        assert self._model is not None
        return self._model

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    @property
    def name(self) -> str:
        return f"openai:{self.url}#{self.called}"

    @contextmanager
    def running(self) -> Iterator[ModelServer]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._http.shutdown()
            self._http.server_close()

    def reset(self) -> None:
        self.behaviour, self.seen = Behaviour(), Seen()

    def _in_window(self) -> bool:
        """Count a request; whether the window has room for it."""
        with self._lock:
            now = time.monotonic()
            if now - self._window[0] > self.behaviour.window:
                self._window = (now, 0)
            self._window = (self._window[0], self._window[1] + 1)
            return self._window[1] <= self.behaviour.per_window

    def send(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        content: bytes,
        length: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        content = self.behaviour.spoils(content) if self.behaviour.spoils is not None else content
        handler.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(length or len(content)))
        if status == 429 and headers is None:
            handler.send_header("Retry-After", str(self.behaviour.window if self.behaviour.per_window else 0.01))
        handler.end_headers()
        handler.wfile.write(content)

    def handle(self, handler: BaseHTTPRequestHandler, path: str, body: dict[str, Any]) -> None:
        with self._lock:
            self.seen.requests += 1
            number = self.seen.requests
            self.seen.paths[path] += 1
            self.seen.headers.append(str(handler.headers.get("authorization") or ""))
            self.seen.in_flight += 1
            self.seen.most_in_flight = max(self.seen.most_in_flight, self.seen.in_flight)
        try:
            if self.behaviour.stays:
                time.sleep(self.behaviour.stays)
            if self.behaviour.tail and self.behaviour.tail in json.dumps(body):
                patience = time.monotonic() + 60
                while self.seen.answered < self.behaviour.tail_after and time.monotonic() < patience:
                    time.sleep(0.01)
            if self.behaviour.trickles:
                self.send(handler, 200, b"{", 10**9)
                with suppress(OSError):  # the other side hangs up
                    while True:
                        time.sleep(0.05)
                        handler.wfile.write(b" ")
                return
            if self.behaviour.says_instead is not None:
                status, headers, content = self.behaviour.says_instead
                with suppress(OSError):  # the other side hangs up
                    self.send(handler, status, content, headers=headers)
                return
            if self.behaviour.per_window and not self._in_window():
                self.seen.limited += 1
                self.send(handler, 429, b'{"error": {"message": "Rate limit reached"}}')
                return
            if self.behaviour.fault and number % self.behaviour.every == 0:
                self._fail(handler, path, body)
            else:
                status, value = self._reply(handler, path, body)
                self.seen.answered += status == 200
                if status == 200:
                    self.seen.bodies.append(json.dumps([path, body], sort_keys=True))
                self.send(handler, status, json.dumps(value).encode())
        finally:
            with self._lock:
                self.seen.in_flight -= 1

    def _fail(self, handler: BaseHTTPRequestHandler, path: str, body: dict[str, Any]) -> None:
        fault = self.behaviour.fault
        if fault in ("429", "500", "503"):
            self.send(handler, int(fault), b'{"error": {"message": "not now"}}')
        elif fault == "slow":
            time.sleep(1.5)
            handler.close_connection = True
        elif fault == "not-json":
            self.send(handler, 200, b"<html>it works</html>")
        elif fault == "hangs-up":
            handler.close_connection = True
        else:  # cut off: half of an answer, then the connection goes
            whole = json.dumps(self._reply(handler, path, body)[1]).encode()
            self.send(handler, 200, whole[: len(whole) // 2], len(whole))
            handler.close_connection = True

    def _reply(self, handler: BaseHTTPRequestHandler, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        does = self.behaviour
        if does.style:
            return self._reply_to(handler.headers, path, body)
        if does.key and handler.headers.get("authorization") != f"Bearer {does.key}":
            return 401, {"error": {"message": "wrong key"}}
        if path == "/tokenize" and does.tokenises:
            return 200, {"tokens": list(self._ids(body["prompt"], bare=True))}
        if path == "/v1/chat/completions" and does.chat:
            asked = body.get("top_logprobs", 0)
        elif path == "/v1/completions" and does.completions:
            asked = body.get("logprobs") or 0
        else:
            return 404, {"error": {"message": f"no {path}"}}
        if path == "/v1/chat/completions" and not self.model.can("chat"):
            return 400, {"error": {"message": "the model has no chat template"}}
        if path == "/v1/chat/completions" and does.room not in body:
            return 400, {"error": {"message": f"use {does.room}"}}
        if asked > does.top or (body.get("echo") and not does.echo):
            # What was sent is repeated, the key with it, as some servers do.
            return 400, {"error": {"message": f"this is not done here: {body} {handler.headers['authorization']}"}}
        if not isinstance(body.get("prompt", ""), str) and not does.takes_ids:
            return 400, {"error": {"message": "a prompt is a text"}}
        if self.says is not None and (said := self.says(_last_question(body))) is not None:
            return 200, self._told(said, "messages" in body, bool(asked) and does.logprobs)
        key = json.dumps([path, body, vars(does)], sort_keys=True)
        with self._lock:
            if key not in self._made:
                make = self._chat if path.endswith("chat/completions") else self._completion
                self._made[key] = make(body)
            return 200, self._made[key]

    def _reply_to(self, headers: Any, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        assert self.says is not None
        return answer(STYLES[self.behaviour.style], path, headers, body, self.says, self.behaviour.filters)

    @staticmethod
    def _told(said: str, chat: bool, logprobs: bool) -> dict[str, Any]:
        """What was to be said, with what might have been where next tokens are asked for."""
        choice: dict[str, Any] = {"finish_reason": "stop", "logprobs": None}
        choice |= {"message": {"role": "assistant", "content": said}} if chat else {"text": said}
        others = [{"token": said, "logprob": -0.1}, {"token": " the", "logprob": -3.0}]
        if logprobs and chat:
            choice["logprobs"] = {"content": [{**others[0], "top_logprobs": others}]}
        elif logprobs:
            top = {each["token"]: each["logprob"] for each in others}
            choice["logprobs"] = {"tokens": [said], "token_logprobs": [-0.1], "top_logprobs": [top]}
        return {"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}

    # What a server of models does.

    def _ids(self, prompt: str | list[int], bare: bool = False) -> tuple[int, ...]:
        if not isinstance(prompt, str):
            (only,) = prompt if prompt and isinstance(prompt[0], list) else (prompt,)  # lm-eval sends a list of one
            return tuple(only)
        if self.behaviour.reads_special:
            (tokens,) = self.model.tokenise([prompt])
            ids = tokens.ids
        else:
            ids = tuple(self.model.tokenizer(prompt, add_special_tokens=False, split_special_tokens=True)["input_ids"])
        begin = self.model.tokenizer.convert_tokens_to_ids("<|endoftext|>")
        return (begin, *ids) if self.behaviour.adds_bos and not bare else ids

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        ids = self._ids(body["prompt"])
        if "prompt_logprobs" in body and self.behaviour.prompt_logprobs:
            return self._as_vllm(ids)
        made, values, alternatives = self._greedy(ids, body["max_tokens"] if body.get("logprobs") else 0, body)
        if not body.get("logprobs"):
            return self._written(Turn(str(body["prompt"])), body, chat=False)
        tokens = [self._text(token) for token in made]
        numbers: list[float | None] = list(values)
        if body.get("echo"):
            before = self.model.logprobs([Row(ModelInput(ids[:-1]), tuple(range(len(ids) - 1)), ids[1:])], exact=True)[
                0
            ]
            lie = -3.0 if self.behaviour.lies else 0.0
            tokens = [self._text(token) for token in ids] + tokens
            numbers = [None, *(float(value) + lie for value in before), *numbers]
            if self.behaviour.splits:
                tokens = [f"{token}x" for token in tokens]
            if self.behaviour.shorts:
                numbers = numbers[:-1]
        told = {"tokens": tokens, "token_logprobs": numbers, "top_logprobs": alternatives}
        choice = {
            "index": 0,
            "text": "",
            "finish_reason": "length",
            "logprobs": told if self.behaviour.logprobs else None,
        }
        if self.behaviour.prompt_logprobs:
            choice["prompt_logprobs"] = None  # vLLM always writes the field
        return {
            "choices": [choice],
            "usage": {"prompt_tokens": len(ids), "completion_tokens": len(made)},
        }

    def _as_vllm(self, ids: tuple[int, ...]) -> dict[str, Any]:
        """Nothing of the first token; of each other what it is and how likely, by its number."""
        values = self.model.logprobs([Row(ModelInput(ids[:-1]), tuple(range(len(ids) - 1)), ids[1:])], exact=True)[0]
        lie = -3.0 if self.behaviour.lies else 0.0
        told: list[Any] = [None]
        for token, value in zip(ids[1:], values, strict=True):
            told.append({str(token): {"logprob": float(value) + lie, "rank": 1, "decoded_token": self._text(token)}})
        choice = {"index": 0, "text": "", "finish_reason": "length", "logprobs": None, "prompt_logprobs": told}
        return {
            "choices": [choice],
            "prompt_logprobs": None,
            "usage": {"prompt_tokens": len(ids), "completion_tokens": 1},
        }

    def _greedy(
        self, ids: tuple[int, ...], count: int, body: dict[str, Any]
    ) -> tuple[list[int], list[float], list[Any]]:
        made: list[int] = []
        values: list[float] = []
        alternatives: list[dict[str, float]] = []
        for _ in range(count):
            fed = (*ids, *made)
            (best,) = self.model.top([Row(ModelInput(fed), (len(fed) - 1,), (0,))], max(1, body.get("logprobs") or 1))
            made.append(int(best[0][0]))
            values.append(float(best[1][0]))
            alternatives.append({self._text(int(t)): float(v) for t, v in zip(*best, strict=True)})
        return made, values, alternatives

    def _text(self, token: int) -> str:
        return str(self.model.tokenizer.decode([token]))

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        turn = Turn(messages=tuple((each["role"], each["content"]) for each in body["messages"]))
        reply = self._written(turn, body, chat=True)
        if body.get("logprobs") and self.behaviour.logprobs:
            ids = self._ids(self.model.apply_chat_template(turn))
            (best,) = self.model.top([Row(ModelInput(ids), (len(ids) - 1,), (0,))], body["top_logprobs"])
            told = [{"token": self._text(int(t)), "logprob": float(v)} for t, v in zip(*best, strict=True)]
            reply["choices"][0]["logprobs"] = {"content": [{**told[0], "top_logprobs": told}]}
        return reply

    def _written(self, turn: Turn, body: dict[str, Any], chat: bool) -> dict[str, Any]:
        sampling = Sampling(
            min(body.get("max_tokens") or body["max_completion_tokens"], _LONGEST_REPLY if chat else 10**6),
            body.get("temperature", 0.0),
            1,
            body.get("seed", 0),
        )
        ((said,),) = self.model.continuations([turn], sampling)
        finish = "stop" if chat and said.tokens >= _LONGEST_REPLY else said.finish
        choice: dict[str, Any] = {"finish_reason": finish, "logprobs": None}
        choice |= {"message": {"role": "assistant", "content": said.text}} if chat else {"text": said.text}
        return {"choices": [choice], "usage": {"prompt_tokens": said.prompt_tokens, "completion_tokens": said.tokens}}


def _last_question(body: dict[str, Any]) -> str:
    """The last message of a conversation; of a text what stands behind its last empty line."""
    if "messages" in body:
        return str(body["messages"][-1]["content"])
    return str(body.get("prompt", "")).rpartition("\n\n")[2]
