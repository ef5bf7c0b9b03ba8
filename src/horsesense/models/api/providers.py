"""Providers: how each API wants a question, and how its reply reads in the form of OpenAI's chat completions.

One small class per provider. Everything above works on OpenAI's form, so a provider only translates: address, headers,
the body of a question (`Ask`), and the reply. Pure; nothing is sent here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from horsesense.errors import UserError
from horsesense.models.api.address import PROVIDERS, Address, checked_url
from horsesense.models.api.logprobs import (
    as_dict,
    bad_reply,
    choices_among,
    count,
    next_body,
    objects_in,
    only_choice,
    read_alternatives,
    tokens_sent,
)
from horsesense.models.api.settings import ServedSettings
from horsesense.models.protocol import Choices, Continuation, Outcome, Sampling, Turn
from horsesense.registry import load

if TYPE_CHECKING:
    from horsesense.models.api.http import Transport

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to a model, whatever its provider."""

    model: str
    turn: Turn
    sampling: Sampling
    sample: int = 0
    room: int = 0
    """Maximum number of tokens of the reply, thoughts included; 0: those of the answer."""
    structured: str = ""
    """How the server is made to keep to ``turn.allowed``: one of the provider's styles."""

    @property
    def tokens(self) -> int:
        return self.room or self.sampling.tokens

    @property
    def seed(self) -> int:
        return self.sampling.seed + self.sample

    @property
    def schema(self) -> Body | None:
        """JSON schema of a structured reply."""
        if not self.structured:
            return None
        answer = {"type": "string", "enum": list(self.turn.allowed)}
        return {
            "type": "object",
            "properties": {"answer": answer},
            "required": ["answer"],
            "additionalProperties": False,
        }


class Provider:
    """Any server with OpenAI's chat completions: llama.cpp, SGLang, DeepSeek, Mistral and many others."""

    url: ClassVar[str] = ""
    """Address, unless the user gives one."""
    url_variable: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ("OPENAI_API_KEY",)
    """Environment variables with the key; the first that is set counts."""
    room: ClassVar[str] = "max_tokens"
    """Name of the parameter for the length of a chat reply."""
    optional: ClassVar[Mapping[str, str]] = {
        "temperature": "",
        "seed": "",
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
    }
    """Parameters that are dropped, or replaced, if the server refuses them; dots separate levels."""
    has_logprobs: ClassVar[bool] = True
    """Whether the API can give log-probabilities and complete plain text, so that it is worth a trial."""
    structured: ClassVar[tuple[str, ...]] = ("response_format", "structured_outputs", "guided_choice")
    """Styles of structured output, tried in this order: OpenAI's, vLLM's since 0.12, and vLLM's before."""

    batches: ClassVar[str] = "openai"
    """Kind of its batch API, ``openai`` or ``anthropic``; empty: none."""

    def __init__(self, settings: ServedSettings) -> None:
        self.settings = settings

    def address(self, named: Address, name: str) -> Address:
        """Return the address with the server's URL: given, from the environment, or the provider's own."""
        url = named.url or (os.environ.get(self.url_variable, "") if self.url_variable else "") or self.url
        if not url:
            raise UserError(
                f"{name} needs the address of a server", fix=f"write {name}@URL, or set {self.url_variable}"
            )
        return Address(checked_url(url, name), named.model, named.provider)

    def transport(self, address: Address) -> Transport:
        """Return what sends its requests."""
        from horsesense.models.api.http import HttpTransport

        return HttpTransport(address, self)

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def path(self, path: str, model: str) -> str:
        """Return the path of a request, where it depends on the model or an API version."""
        return path

    def reported_path(self, model: str) -> str:
        """Path of what the server says about its models."""
        return "/models"

    def entries(self, reply: Body) -> dict[str, Body]:
        """Return what the server says about each model, by name."""
        return {str(each.get("id")): each for each in objects_in(reply.get("data"))}

    def chat(self, ask: Ask) -> tuple[str, Body]:
        """Return path and body of a request for a reply in a conversation."""
        body: Body = {
            "model": ask.model,
            "messages": [{"role": role, "content": content} for role, content in ask.turn.messages],
            "temperature": ask.sampling.temperature,
            "seed": ask.seed,
            self.room: ask.tokens,
        }
        if ask.structured == "response_format":
            named = {"name": "answer", "strict": True, "schema": ask.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif ask.structured == "structured_outputs":
            body["structured_outputs"] = {"choice": list(ask.turn.allowed)}
        elif ask.structured == "guided_choice":
            body["guided_choice"] = list(ask.turn.allowed)
        return "/chat/completions", merged(body | self.reasoning(), self.settings.extra())

    def switch(self, why: str) -> bool:
        """Use another API if the server says so; whether that changes anything."""
        return False

    def reasoning(self) -> Body:
        """Return the part of a body that says how much a model thinks.

        There is no common name for a budget of thoughts: here it only raises the token limit of the reply.
        """
        if self.settings.thinking_tokens == 0:
            return {"chat_template_kwargs": {"enable_thinking": False}}
        return {"reasoning_effort": self.settings.effort} if self.settings.effort else {}

    def completion(self, ask: Ask) -> tuple[str, Body]:
        """Return path and body of a request to continue a plain text."""
        body = {
            "model": ask.model,
            "prompt": ask.turn.text,
            "temperature": ask.sampling.temperature,
            "seed": ask.seed,
            "max_tokens": ask.tokens,
        }
        return "/completions", merged(body, self.settings.extra())

    def next_tokens(self, model: str, turn: Turn, most: int) -> tuple[str, Body]:
        """Return path and body of a request for the alternatives of the next token."""
        path, body = next_body(model, turn, most, self.room)
        return path, merged(body | (self.reasoning() if turn.messages else {}), self.settings.extra())

    def as_openai(self, reply: Body) -> Body:
        """Return a reply in the form of OpenAI's chat completions."""
        return reply


class OpenAI(Provider):
    """OpenAI: chat completions, or the Responses API on request and for models that have no other.

    Reasoning models refuse ``max_tokens``, so the new name is tried first.
    """

    url = "https://api.openai.com/v1"
    url_variable = "OPENAI_BASE_URL"
    room = "max_completion_tokens"
    structured = ("response_format",)
    optional: ClassVar[Mapping[str, str]] = {**Provider.optional, "reasoning.summary": ""}

    def __init__(self, settings: ServedSettings) -> None:
        super().__init__(settings)
        self.responses = settings.api == "responses"

    def switch(self, why: str) -> bool:
        changes = not self.responses and "v1/responses" in why
        self.responses = self.responses or changes
        return changes

    def reasoning(self) -> Body:
        if self.settings.thinking_tokens is not None:
            raise UserError("OpenAI has no budget of tokens for thoughts", fix="set the reasoning effort")
        return {"reasoning_effort": self.settings.effort} if self.settings.effort else {}

    def chat(self, ask: Ask) -> tuple[str, Body]:
        if not self.responses:
            return super().chat(ask)
        body: Body = {
            "model": ask.model,
            "input": [{"role": role, "content": content} for role, content in ask.turn.messages],
            "temperature": ask.sampling.temperature,
            "max_output_tokens": max(16, ask.tokens),  # it refuses less
            "store": False,
        }
        if ask.schema:
            named = {"type": "json_schema", "name": "answer", "strict": True, "schema": ask.schema}
            body["text"] = {"format": named}
        if effort := self.reasoning().get("reasoning_effort"):
            body["reasoning"] = {"effort": effort, "summary": "auto"}
        return "/responses", merged(body, self.settings.extra())

    def as_openai(self, reply: Body) -> Body:
        return from_responses(reply) if reply.get("object") == "response" else reply


def from_responses(reply: Body) -> Body:
    """Return a reply of the Responses API in the form of chat completions."""
    output = objects_in(reply.get("output"))
    parts = [part for each in output if each.get("type") == "message" for part in objects_in(each.get("content"))]
    summaries = [
        str(part.get("text") or "")
        for each in output
        if each.get("type") == "reasoning"
        for part in [*objects_in(each.get("summary")), *objects_in(each.get("content"))]
    ]
    reason = as_dict(reply.get("incomplete_details")).get("reason")
    finish = {"max_output_tokens": "length", "content_filter": "content_filter"}.get(str(reason), "stop")
    usage = as_dict(reply.get("usage"))
    message: Body = {
        "content": "".join(str(part.get("text") or "") for part in parts if part.get("type") == "output_text"),
        "refusal": "".join(str(part.get("refusal") or "") for part in parts if part.get("type") == "refusal") or None,
        "reasoning_content": "\n".join(summaries),
    }
    reasoning = as_dict(usage.get("output_tokens_details")).get("reasoning_tokens")
    return openai_reply(
        message, finish, (usage.get("input_tokens"), usage.get("output_tokens"), reasoning), reply.get("model")
    )


class Azure(OpenAI):
    """Azure OpenAI: a deployment's name, ``api-key``, and the API version in the query; without one, the v1 API."""

    url = ""
    url_variable = "AZURE_OPENAI_ENDPOINT"
    keys = ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")

    @property
    def version(self) -> str:
        return self.settings.api_version or os.environ.get("OPENAI_API_VERSION", "")

    def address(self, named: Address, name: str) -> Address:
        whole = super().address(named, name)
        url = whole.url.removesuffix("/v1").removesuffix("/openai") + "/openai"
        return Address(url if self.version else f"{url}/v1", whole.model, whole.provider)

    def headers(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}

    def path(self, path: str, model: str) -> str:
        if not self.version:
            return path
        before = f"/deployments/{model}" if path.endswith("completions") else ""
        return f"{before}{path}?api-version={self.version}"

    def entries(self, reply: Body) -> dict[str, Body]:
        return {}  # it lists the models of the region, and a deployment has a name of its own


class OpenRouter(Provider):
    """OpenRouter: OpenAI's form for the models of others; thoughts under ``reasoning``."""

    url = "https://openrouter.ai/api/v1"
    keys = ("OPENROUTER_API_KEY",)
    structured = ("response_format",)

    def reasoning(self) -> Body:
        settings = self.settings
        wish: Body = {}
        if settings.effort:
            wish["effort"] = settings.effort
        if settings.thinking_tokens:
            wish["max_tokens"] = settings.thinking_tokens
        elif settings.thinking_tokens == 0:
            wish["enabled"] = False
        return {"reasoning": wish} if wish else {}


class VLLM(Provider):
    """vLLM: OpenAI's form, with ``chat_template_kwargs`` for models whose template can turn thoughts off."""

    url = "http://127.0.0.1:8000/v1"
    url_variable = "VLLM_BASE_URL"
    keys = ("VLLM_API_KEY",)
    structured = ("structured_outputs", "response_format", "guided_choice")


class Anthropic(Provider):
    """Anthropic: messages. The API gives no log-probabilities, and since version 2026-10-21 takes no temperature."""

    url = "https://api.anthropic.com"
    url_variable = "ANTHROPIC_BASE_URL"
    keys = ("ANTHROPIC_API_KEY",)
    optional: ClassVar[Mapping[str, str]] = {"temperature": ""}
    has_logprobs = False
    structured = ("output_config", "tool")
    batches = "anthropic"

    def headers(self, key: str) -> dict[str, str]:
        version = {"anthropic-version": self.settings.api_version or "2026-10-21"}
        return version | ({"x-api-key": key} if key else {})

    def reported_path(self, model: str) -> str:
        return "/v1/models?limit=1000"

    def chat(self, ask: Ask) -> tuple[str, Body]:
        system = "\n".join(content for role, content in ask.turn.messages if role == "system")
        body: Body = {
            "model": ask.model,
            "messages": [{"role": role, "content": content} for role, content in ask.turn.messages if role != "system"],
            "max_tokens": ask.tokens,
            "temperature": ask.sampling.temperature,
        }
        if system:
            body["system"] = system
        if ask.structured == "output_config":
            body["output_config"] = {"format": {"type": "json_schema", "schema": ask.schema}}
        elif ask.structured == "tool":
            body["tools"] = [{"name": "answer", "description": "Give the answer.", "input_schema": ask.schema}]
            body["tool_choice"] = {"type": "tool", "name": "answer"}
        body = merged(body, self.reasoning())
        if body.get("thinking", {}).get("type") in ("enabled", "adaptive"):
            del body["temperature"]  # thinking works at temperature 1 only
        return "/v1/messages", merged(body, self.settings.extra())

    def reasoning(self) -> Body:
        if self.settings.thinking_tokens:
            return {"thinking": {"type": "enabled", "budget_tokens": self.settings.thinking_tokens}}
        if self.settings.thinking_tokens == 0:
            return {"thinking": {"type": "disabled"}}
        if self.settings.effort:
            return {"thinking": {"type": "adaptive"}, "output_config": {"effort": self.settings.effort}}
        return {}

    def as_openai(self, reply: Body) -> Body:
        blocks = objects_in(reply.get("content"))
        texts = [str(each.get("text") or "") for each in blocks if each.get("type") == "text"]
        called = [json.dumps(each.get("input")) for each in blocks if each.get("type") == "tool_use"]
        thoughts = [str(each.get("thinking") or "") for each in blocks if "thinking" in str(each.get("type"))]
        stop = str(reply.get("stop_reason") or "")
        finish = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refusal"}
        usage = as_dict(reply.get("usage"))
        cached = sum(count(usage.get(f"cache_{kind}_input_tokens")) for kind in ("creation", "read"))
        message: Body = {"role": "assistant", "content": called[0] if called else "".join(texts)}
        if thoughts:
            message["reasoning_content"] = "\n".join(thoughts)
        reasoning = as_dict(usage.get("output_tokens_details")).get("thinking_tokens")
        tokens = count(usage.get("input_tokens")) + cached, count(usage.get("output_tokens")), reasoning
        return openai_reply(message, finish.get(stop, "stop"), tokens, reply.get("model"))


_GEMINI_FILTERS = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")


class Google(Provider):
    """Google: Gemini's ``generateContent``. Thoughts are counted apart from the answer, and shown as summaries."""

    url = "https://generativelanguage.googleapis.com/v1beta"
    url_variable = "GOOGLE_GEMINI_BASE_URL"
    keys = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    optional: ClassVar[Mapping[str, str]] = {
        "generationConfig.temperature": "",
        "generationConfig.seed": "",
        "generationConfig.thinkingConfig.includeThoughts": "",
    }
    has_logprobs = False
    structured = ("responseJsonSchema", "responseSchema")
    batches = ""

    def address(self, named: Address, name: str) -> Address:
        whole = super().address(named, name)
        url = whole.url if whole.url.rpartition("/")[2].startswith("v1") else f"{whole.url}/v1beta"
        return Address(url, whole.model.removeprefix("models/"), whole.provider)

    def headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def reported_path(self, model: str) -> str:
        return f"/models/{model}"

    def entries(self, reply: Body) -> dict[str, Body]:
        name = str(reply.get("name") or "").removeprefix("models/")
        return {name: reply} if name else {}

    def chat(self, ask: Ask) -> tuple[str, Body]:
        turns = [(role, [{"text": content}]) for role, content in ask.turn.messages]
        config: Body = {
            "temperature": ask.sampling.temperature,
            "seed": ask.seed,
            "maxOutputTokens": ask.tokens,
        }
        if ask.structured == "responseJsonSchema":
            config |= {"responseMimeType": "application/json", "responseJsonSchema": ask.schema}
        elif ask.structured == "responseSchema":  # of older models: a part of OpenAPI, with an enumeration as a text
            schema = {"type": "STRING", "enum": list(ask.turn.allowed)}
            config |= {"responseMimeType": "text/x.enum", "responseSchema": schema}
        body: Body = {
            "contents": [
                {"role": "model" if role == "assistant" else role, "parts": parts}
                for role, parts in turns
                if role != "system"
            ],
            "generationConfig": config,
        }
        if system := [part for role, parts in turns if role == "system" for part in parts]:
            body["systemInstruction"] = {"parts": system}
        body = merged(body, self.reasoning())
        return f"/models/{ask.model}:generateContent", merged(body, self.settings.extra())

    def reasoning(self) -> Body:
        settings = self.settings
        wish: Body = {"includeThoughts": True} if settings.effort or settings.thinking_tokens else {}
        if settings.thinking_tokens is not None:
            wish["thinkingBudget"] = settings.thinking_tokens
        elif settings.effort:
            wish["thinkingLevel"] = settings.effort
        return {"generationConfig": {"thinkingConfig": wish}} if wish else {}

    def as_openai(self, reply: Body) -> Body:
        first = next(iter(objects_in(reply.get("candidates"))), {})
        parts = objects_in(as_dict(first.get("content")).get("parts"))
        blocked = as_dict(reply.get("promptFeedback")).get("blockReason")
        reason = str(blocked or first.get("finishReason") or "")
        filtered = bool(blocked) or reason in _GEMINI_FILTERS
        finish = "content_filter" if filtered else "length" if reason == "MAX_TOKENS" else "stop"
        usage = as_dict(reply.get("usageMetadata"))
        thoughts = count(usage.get("thoughtsTokenCount"))
        message: Body = {
            "role": "assistant",
            "content": "".join(str(each.get("text") or "") for each in parts if not each.get("thought")),
            "reasoning_content": "".join(str(each.get("text") or "") for each in parts if each.get("thought")),
        }
        tokens = count(usage.get("promptTokenCount")), count(usage.get("candidatesTokenCount")) + thoughts, thoughts
        written = openai_reply(message, finish, tokens, reply.get("modelVersion"))
        if finish == "content_filter":
            written["choices"][0]["reported"] = reason
        return written


def provider_of(address: Address, settings: ServedSettings) -> Provider:
    """Return the provider that an address names; any OpenAI-compatible server if it names none."""
    kind: type[Provider] = load(PROVIDERS[address.provider]) if address.provider else Provider
    return kind(settings)


def merged(body: Body, more: Body) -> Body:
    """Merge an object into another, level by level.

    >>> merged({"a": {"b": 1}}, {"a": {"c": 2}})
    {'a': {'b': 1, 'c': 2}}
    """
    both = dict(body)
    for name, value in more.items():
        old = both.get(name)
        both[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return both


# Replies in OpenAI's form.


def openai_reply(message: Body, finish: str, tokens: tuple[Any, Any, Any], model: Any = None) -> Body:
    """Return a reply in the form of chat completions; ``tokens`` are those of prompt, reply and thoughts."""
    sent, received, reasoning = tokens
    details = {"reasoning_tokens": reasoning}
    usage = {"prompt_tokens": sent, "completion_tokens": received, "completion_tokens_details": details}
    return {"model": model, "choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def read_reply(reply: Body, request: str = "", sent: Body | None = None, allowed: tuple[str, ...] = ()) -> Continuation:
    """Return a reply with its thoughts apart from the answer; ``request`` and ``sent`` are its key and its body."""
    choice = only_choice(reply)
    message = choice.get("message")
    text, reasoning = _text_and_reasoning(message) if isinstance(message, dict) else (choice.get("text"), "")
    if not isinstance(text, str):
        raise bad_reply("its reply has no text")
    finish = str(choice.get("finish_reason") or "")
    refusal = str(as_dict(message).get("refusal") or "")
    usage = as_dict(reply.get("usage"))
    details = as_dict(usage.get("completion_tokens_details"))
    more: Body = {
        "request": request,
        "reasoning": reasoning,
        "reasoning_tokens": count(details.get("reasoning_tokens") or usage.get("reasoning_tokens")),
        "sent": as_sent(sent) if sent else "",
        "reported": refusal or str(choice.get("reported") or ""),
    }
    if outcome := _declined(finish, refusal):
        more["outcome"] = outcome
    if allowed:
        text = structured_answer(text, allowed)
    tokens = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    return Continuation.of_text(text or refusal, finish, *tokens, **more)


def read_choices(reply: Body, words: tuple[str, ...], request: str, sent: Body) -> Choices:
    """Return the log-probability of each word as the next one; a filter or a refusal leaves none."""
    choice = only_choice(reply)
    refusal = str(as_dict(choice.get("message")).get("refusal") or "")
    if outcome := _declined(str(choice.get("finish_reason") or ""), refusal):
        return no_choices(request, sent, outcome, refusal or str(choice.get("reported") or ""))
    return choices_among(read_alternatives(reply), words, request, tokens_sent(reply), as_sent(sent))


def no_choices(request: str, sent: Body, outcome: Outcome, reported: str) -> Choices:
    """Return choices without an answer."""
    return Choices((), (), request, outcome=outcome, sent=as_sent(sent), reported=reported)


def as_sent(body: Body) -> str:
    """Return a request as it is stored with its reply."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True)


def _declined(finish: str, refusal: str) -> Outcome | None:
    """Return the outcome of a reply that a model refuses or a filter stops."""
    if refusal or finish == "refusal":
        return "refused"
    return "filtered" if finish == "content_filter" else None


def _text_and_reasoning(message: Body) -> tuple[Any, str]:
    """Return text and thoughts of a message; some servers send a list of parts, or thoughts under another name."""
    content = message.get("content")
    reasoning = next((message[name] for name in ("reasoning_content", "reasoning") if message.get(name)), "")
    if isinstance(content, list):
        parts = objects_in(content)
        thoughts = [each for each in parts if each.get("type") in ("thinking", "reasoning")]
        reasoning = reasoning or "".join(_part_text(each) for each in thoughts)
        content = "".join(_part_text(each) for each in parts if each not in thoughts)
    # A refusal, or nothing but thoughts, has no content.
    return "" if content is None else content, str(reasoning)


def _part_text(part: Body) -> str:
    inner = part.get("text") or part.get("thinking") or part.get("reasoning") or ""
    if isinstance(inner, list):
        return "".join(map(_part_text, objects_in(inner)))
    return inner if isinstance(inner, str) else ""


def structured_answer(text: str, allowed: tuple[str, ...]) -> str:
    """Return the answer in a structured reply; otherwise the text itself.

    >>> structured_answer('{"answer": "B"}', ("A", "B")), structured_answer("B it is", ("A", "B"))
    ('B', 'B it is')
    """
    try:
        answer = as_dict(json.loads(text)).get("answer")
    except (ValueError, RecursionError):
        return text
    return str(answer) if answer in allowed else text
