"""Models that a library or an object in this process asks: LiteLLM, Inspect, and plug-ins.

The contract of a plug-in is a single method, `Generates` or `ScoresText`; torch is not needed. Everything else (storing
replies, resuming, budgets, concurrency) is as for a server.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import Any, ClassVar, Protocol, cast, runtime_checkable

import numpy as np

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.api.address import Address
from horsesense.models.api.capabilities import ReplyTrial, ServerFindings
from horsesense.models.api.client import Client
from horsesense.models.api.http import Answer, Transport, classified, parse_json
from horsesense.models.api.logprobs import ServedPrompt
from horsesense.models.api.providers import Ask, Body, Provider, openai_reply
from horsesense.models.api.request_errors import TemporaryError
from horsesense.models.api.served_model import ServedModel
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import DEFAULT_BUDGET, Ability, Continuation, Identity, Likelihood
from horsesense.progress import NO_PROGRESS, Progress


@runtime_checkable
class Generates(Protocol):
    """A model that replies."""

    def generate(
        self, messages: Sequence[dict[str, str]], *, max_tokens: int, temperature: float, seed: int
    ) -> str | Continuation:
        """Reply to a conversation, a list of ``{"role": …, "content": …}``; it may be called by several threads."""


@runtime_checkable
class ScoresText(Protocol):
    """A model that scores text."""

    def loglikelihood(self, context: str, continuation: str) -> float:
        """Return the log-probability of a continuation (with its leading space) after a context."""


class _Library(Provider):
    """A provider that a library asks, with keys and addresses of its own."""

    keys = ()
    has_logprobs = False
    structured: ClassVar[tuple[str, ...]] = ("response_format",)
    batches = ""
    module = ""
    """The library."""

    def address(self, named: Address, name: str) -> Address:
        return named

    def entries(self, reply: Body) -> dict[str, Body]:
        return {}

    def transport(self, address: Address) -> Transport:
        raise NotImplementedError  # an object in this process is given its transport, and has no address

    def imported(self) -> Any:
        try:
            return import_module(self.module)
        except ImportError as error:
            raise UserError(f"this needs {self.module}", fix=f"pip install {self.module}") from error


class LiteLLM(_Library):
    """LiteLLM: ``litellm/NAME``, for the hundred providers that it knows."""

    module = "litellm"

    def transport(self, address: Address) -> Transport:
        library = self.imported()
        library.suppress_debug_info = True  # it prints advertisements of its help pages otherwise
        completion = library.completion

        def call(body: Body) -> Body:
            more = {"api_base": address.url} if address.url else {}
            reply = completion(**body, **more, num_retries=0, timeout=self.settings.timeout)
            return cast(Body, parse_json(reply.model_dump_json()))

        return CallTransport(self, call)


class Inspect(_Library):
    """Inspect: ``inspect/PROVIDER/MODEL``, with the settings of its provider."""

    module = "inspect_ai.model"
    optional: ClassVar[Mapping[str, str]] = {"temperature": "", "seed": ""}

    def chat(self, ask: Ask) -> tuple[str, Body]:
        settings = self.settings
        config: Body = {"temperature": ask.sampling.temperature, "seed": ask.seed, "max_tokens": ask.tokens}
        if settings.effort:
            config["reasoning_effort"] = settings.effort
        if settings.thinking_tokens:
            config["reasoning_tokens"] = settings.thinking_tokens
        if settings.extra_body:
            config["extra_body"] = settings.extra()
        if ask.schema:
            config["response_schema"] = {"name": "answer", "json_schema": ask.schema, "strict": True}
        messages = [{"role": role, "content": content} for role, content in ask.turn.messages]
        return "generate", {"messages": messages, **config}

    def transport(self, address: Address) -> Transport:
        return InspectTransport(self, address)


@dataclass
class CallTransport:
    """Calls a function in threads, as many at once as there may be requests in flight."""

    provider: Provider
    call: Callable[[Body], Body]

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.provider.settings.concurrency, "horsesense-model")

    async def send(self, path: str, body: Body | None, key: str = "") -> Answer:
        if body is None:
            return {}, {}
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, partial(self.call, body)), {}
        except Exception as error:  # whatever a library or a plug-in raises
            raise _error(error, self.provider) from error

    async def close(self) -> None:
        """Leave the threads for the next call."""


@dataclass
class InspectTransport:
    """Asks a model of Inspect."""

    provider: Inspect
    address: Address
    _model: Any = None

    def _opened(self) -> Any:
        library = self.provider.imported()
        more = {"base_url": self.address.url} if self.address.url else {}
        try:
            return library.get_model(self.address.model, memoize=False, **more)
        except Exception as error:  # a provider that it does not know, or whose library or key is missing
            why = " ".join(re.sub(r"\[/?[a-z]+\]", "", str(error)).split())[:300]  # it writes colours as tags
            raise UserError(f"Inspect cannot open {self.address.model} ({why})") from error

    async def send(self, path: str, body: Body | None, key: str = "") -> Answer:
        if body is None:
            return {}, {}
        library, settings = self.provider.imported(), dict(body)
        self._model = self._model or self._opened()
        kinds = {"system": "ChatMessageSystem", "user": "ChatMessageUser", "assistant": "ChatMessageAssistant"}
        messages = [getattr(library, kinds[each["role"]])(content=each["content"]) for each in settings.pop("messages")]
        settings |= {"max_retries": 0, "timeout": int(self.provider.settings.timeout)}
        try:
            output = await self._model.generate(messages, config=library.GenerateConfig(**settings))
        except Exception as error:  # of the provider's own library
            raise _error(error, self.provider) from error
        if output.error:
            raise classified(400, output.error, {}, f"inspect/{self.address.model}", "a key of the provider")
        return _from_inspect(parse_json(output.model_dump_json())), {}

    async def close(self) -> None:
        if self._model is not None:
            model, self._model = self._model, None
            await model.__aexit__(None, None, None)


def _from_inspect(output: Body) -> Body:
    """Return an output of Inspect in OpenAI's form."""
    (choice,) = output["choices"][:1] or [{"message": {"content": ""}, "stop_reason": "unknown"}]
    finish = {"max_tokens": "length", "model_length": "length"}.get(choice["stop_reason"], choice["stop_reason"])
    usage = output.get("usage") or {}
    tokens = usage.get("input_tokens"), usage.get("output_tokens"), usage.get("reasoning_tokens")
    return openai_reply(choice["message"], finish, tokens)


def _error(error: Exception, provider: Provider) -> Exception:
    """Classify what a library raised by the status that it carries."""
    if isinstance(error, UserError | TemporaryError):
        return error
    chain: list[BaseException] = [error]
    while cause := chain[-1].__cause__:
        chain.append(cause)
    codes = [getattr(each, "status_code", getattr(each, "code", None)) for each in chain]
    status = next((code for code in codes if isinstance(code, int)), None)
    message = " ".join(f"{type(error).__name__}: {error}".split())
    if status is None:
        return TemporaryError(message[:300], away=False)
    # What a library says of an error may repeat the whole request; the body is what the server says.
    bodies = [getattr(each, "body", None) for each in chain]
    body = next((each for each in reversed(bodies) if isinstance(each, dict)), None)
    text = message if body is None else json.dumps({"error": body})
    return classified(status, text, {}, type(provider).__name__, "a key of the provider")


class PluginProvider(_Library):
    """An object with `Generates` or `ScoresText`."""

    structured = ()
    optional: ClassVar[Mapping[str, str]] = {}


@dataclass(frozen=True)
class PluginModel(ServedModel):
    """An object of somebody else's as a model."""

    plugin: object = None

    def can(self, ability: Ability) -> bool:
        if ability == "likelihood":
            return isinstance(self.plugin, ScoresText)
        return ability in ("text", "chat") and super().can(ability)

    def why_not(self, ability: Ability) -> str:
        needs = "loglikelihood" if ability == "likelihood" else "generate"
        return (
            f"it has no method {needs}" if ability in ("likelihood", "text", "chat") else "a plug-in does not offer it"
        )

    @property
    def at_once(self) -> int:
        """Only replies are asked for by several threads."""
        return 1 if isinstance(self.plugin, ScoresText) else super().at_once

    def describe_frame(self, spec: ScoringSpec) -> str:
        return "chosen by the plug-in"

    def likelihoods(
        self,
        encoded: Sequence[ServedPrompt],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        assert isinstance(self.plugin, ScoresText)
        scored = []
        for done, each in enumerate(encoded):
            prompt = each.prompt
            context = prompt.text[: prompt.start].rstrip(" ")
            scored_text = prompt.text[len(context) : prompt.end]
            value = float(self.plugin.loglikelihood(context, scored_text))
            if not value <= 0 or value == float("-inf"):
                raise UserError(f"{self.name} gives {value} as the log-probability of {prompt.text!r}")
            values = np.array([value], dtype=np.float32)
            scored.append(Likelihood(values, (prompt.start,), (prompt.end,), (), (scored_text,)))
            progress.update("texts", done + 1, len(encoded))
        return scored


def is_plugin(model: object) -> bool:
    """Whether an object is a model of somebody else's: it replies or scores text, and is neither ours nor a network."""
    return isinstance(model, Generates | ScoresText) and not hasattr(model, "parameters")


def wrap_plugin(plugin: object, name: str = "", settings: ServedSettings | None = None) -> PluginModel:
    """Return an object with ``generate`` or ``loglikelihood`` as a model.

    ``name`` and ``version`` of the object, where it has them, are its identity.
    """
    if not isinstance(plugin, Generates | ScoresText):
        raise UserError(f"{type(plugin).__name__} is not a model", fix="give it a method generate or loglikelihood")
    called = name or str(getattr(plugin, "name", "") or type(plugin).__name__)
    reported = {"plugin": called, "class": type(plugin).__qualname__, "version": str(getattr(plugin, "version", ""))}
    content = hashlib.sha256(json.dumps(reported, sort_keys=True).encode()).hexdigest()
    provider = PluginProvider(settings or ServedSettings())

    def call(body: Body) -> Body:
        assert isinstance(plugin, Generates)
        asked = {key: body[key] for key in ("max_tokens", "temperature", "seed")}
        answered = plugin.generate(body["messages"], **asked)
        text = str(answered).encode("utf-8", "replace").decode()
        reply = answered if isinstance(answered, Continuation) else Continuation(text, "stop", 0, 0)
        message = {"content": reply.text, "reasoning_content": reply.reasoning}
        return openai_reply(message, reply.finish, (reply.prompt_tokens, reply.tokens, reply.reasoning_tokens))

    client: Client[Any] = Client(Address("", called, "plug-in"), provider, CallTransport(provider, call), content)
    findings = ServerFindings(client, called)
    model = PluginModel(called, called, client, Identity("server", content, reported), findings, plugin=plugin)
    if not isinstance(plugin, Generates):
        findings.chat = ReplyTrial(False, why_not="it has no method generate")
    return model
