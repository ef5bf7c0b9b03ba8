"""APIs of providers, as strict as their documentation: what they refuse, and in which words; how a reply looks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from horsesense.core import Item

Body = dict[str, Any]
Reply = tuple[int, Any]
Says = Callable[[str], str | None]

THOUGHTS = "The question asks which option is right. " * 12
"""About 100 tokens."""
_CHAT = {
    *("model", "messages", "temperature", "seed", "max_tokens", "max_completion_tokens", "logprobs", "top_logprobs"),
    *("response_format", "reasoning_effort", "stop", "chat_template_kwargs"),
}
_MESSAGES = {
    *("model", "messages", "max_tokens", "system", "thinking", "output_config", "stop_sequences"),
    *("cache_control", "metadata", "service_tier", "stream", "tool_choice", "tools"),
}
_SHARED = {
    "temperature",
    "maxOutputTokens",
    "stopSequences",
    "topP",
    "topK",
    "thinkingConfig",
    "responseMimeType",
}
_CONFIG = {*_SHARED, "responseJsonSchema"}
_OLD_CONFIG = {*_SHARED, "seed", "responseSchema"}
_RESPONSES = {
    *("model", "input", "instructions", "max_output_tokens", "temperature", "top_p", "reasoning", "text", "store"),
    *("include", "metadata", "tools", "tool_choice", "truncation", "parallel_tool_calls", "stream", "user"),
}
_VLLM = {"structured_outputs", "guided_choice", "top_k", "min_p", "repetition_penalty"}


@dataclass(frozen=True)
class Style:
    """What one kind of server does."""

    api: str
    """``chat``, ``responses``, ``messages`` or ``gemini``."""
    path: str = "/v1/chat/completions"
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers that it wants, with their values."""
    refuses: tuple[str, ...] = ()
    """Parameters that it refuses."""
    thinks: str = ""
    """Where thoughts go: ``hidden``, ``field`` (``reasoning_content``), ``bare`` (closed by a tag only), or nowhere."""
    logprobs: bool = False
    structured: str = "schema"
    """What holds its replies: ``schema``, ``choice`` (vLLM's), ``tool`` (of older Claude), or nothing."""
    knows: frozenset[str] = frozenset()
    """Parameters beyond those of its API; a server with any ignores unknown ones, as vLLM does."""
    lists: tuple[str, ...] = ("fake",)
    """Models that it lists; a server that forbids it lists none."""


_KEY = "sk-test-key"
_DEPLOYMENT = "/openai/deployments/fake/chat/completions"
STYLES = {
    "openai": Style("chat", logprobs=True),
    "openai-without-logprobs": Style("chat", refuses=("logprobs",)),
    "gpt-5": Style("chat", refuses=("max_tokens", "temperature", "logprobs", "stop"), thinks="hidden"),
    "azure": Style(
        "chat",
        "/openai/deployments/fake/chat/completions?api-version=2024-10-21",
        {"api-key": "sk-test-key"},
        logprobs=True,
    ),
    "gpt-5-pro": Style("responses", "/v1/responses", refuses=("temperature",), thinks="hidden"),
    "vllm-thinking": Style("chat", thinks="field", logprobs=True, structured="choice", knows=frozenset(_VLLM)),
    "sglang-thinking": Style("chat", thinks="bare", logprobs=True, structured="", knows=frozenset({"top_k"})),
    "anthropic-2023": Style(
        "messages",
        "/v1/messages",
        {"x-api-key": _KEY, "anthropic-version": "2023-06-01"},
        structured="tool",
        knows=frozenset({"temperature"}),
    ),
    "google-1": Style(
        "gemini", "/v1beta/models/fake:generateContent", {"x-goog-api-key": _KEY}, knows=frozenset(_OLD_CONFIG)
    ),
    "anthropic": Style("messages", "/v1/messages", {"x-api-key": _KEY, "anthropic-version": "2026-10-21"}),
    "google": Style("gemini", "/v1beta/models/fake:generateContent", {"x-goog-api-key": _KEY}, thinks="hidden"),
}


def models(style: Style, path: str) -> Reply:
    """What it says about its models."""
    if style.api == "gemini":
        return 200, {"name": "models/fake", "version": "1", "thinking": True}
    return 200, {"data": [{"id": name, "object": "model"} for name in style.lists]}


def answer(style: Style, path: str, headers: Mapping[str, str], body: Body, says: Says, filters: str) -> Reply:
    """Answer one question, or refuse it."""
    for name, value in style.headers.items():
        bearer = name == "x-api-key" and headers.get("authorization") == f"Bearer {value}"
        if headers.get(name) != value and not bearer:
            return 401, {"error": {"message": f"{name} is missing or wrong"}}
    if style.api == "responses" and path == "/v1/chat/completions":
        told = "This model is only supported in v1/responses and not in v1/chat/completions."
        return 404, _openai_error(told, "model", None)
    if path not in (style.path, style.path.replace("/v1beta/", "/v1/")):
        return 404, {"error": {"message": f"no {path}"}}
    return _APIS[style.api](style, body, says, filters)


def _size(text: str) -> int:
    return max(1, len(text) // 4)


def _schema_answer(schema: Body, said: str) -> str:
    allowed = schema["properties"]["answer"]["enum"]
    letter = said.strip("* ")[0]
    return json.dumps({"answer": letter if letter in allowed else allowed[0]})


def _chat(style: Style, body: Body, says: Says, filters: str) -> Reply:
    if (unknown := body.keys() - _CHAT) and not style.knows:
        return 400, _openai_error(f"Unrecognized request argument supplied: {min(unknown)}", None, None)
    if error := _refused(style, body):
        return error
    question = _content(body["messages"][-1]["content"])
    if filters and filters in question:
        inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"violence": {"filtered": True}}}
        told = "The response was filtered due to the prompt triggering our content management policy."
        return 400, {"error": {"message": told, "code": "content_filter", "param": "prompt", "innererror": inner}}
    said = says(question) or "I'm sorry, I can't help with that."
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
    if schema and style.structured == "schema":
        said = _schema_answer(schema, said)
    allowed = body.get("structured_outputs", {}).get("choice")
    if allowed and style.structured == "choice":
        said = said[0] if said[0] in allowed else allowed[0]
    thinks = style.thinks and body.get("chat_template_kwargs", {}).get("enable_thinking", True)
    room = body.get("max_completion_tokens") or body.get("max_tokens") or 10**6
    thoughts = THOUGHTS if thinks else ""
    cut = room < _size(thoughts) + _size(said) if thoughts else room < _size(said)
    message: Body = {"role": "assistant", "content": "" if cut and thoughts else said[: room * 4], "refusal": None}
    usage = {"prompt_tokens": _size(question), "completion_tokens": min(room, _size(thoughts) + _size(said))}
    if style.thinks == "field" and thoughts:
        message["reasoning_content"] = thoughts[: room * 4]
    if style.thinks == "bare" and thoughts:
        message["content"] = (thoughts + "</think>\n\n" + said)[: room * 4]
    if style.thinks == "hidden" and thoughts:
        usage["completion_tokens_details"] = {"reasoning_tokens": min(room, _size(thoughts))}
    choice: Body = {"message": message, "finish_reason": "length" if cut else "stop", "logprobs": None}
    if said.startswith("I'm sorry"):
        message |= {"content": None, "refusal": said}
    if body.get("logprobs") and style.logprobs:
        choice["logprobs"] = {"content": [_next_tokens("<think>" if thoughts else said, body.get("top_logprobs", 0))]}
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"]}
    return 200, head | {"choices": [choice | {"index": 0}], "usage": usage}


def _refused(style: Style, body: Body) -> Reply | None:
    for name in style.refuses:
        if name == "temperature" and body.get(name, 1) != 1:
            told = f"Unsupported value: '{name}' does not support {body[name]} with this model."
            return 400, _openai_error(told, name, "unsupported_value")
        if name in body and name != "temperature":
            instead = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            told = f"Unsupported parameter: '{name}' is not supported with this model.{instead}"
            return 400, _openai_error(told, name, "unsupported_parameter")
    return None


def _responses(style: Style, body: Body, says: Says, filters: str) -> Reply:
    """The Responses API: no seed, no messages, at least 16 tokens; thoughts are counted and summarised on request."""
    if unknown := body.keys() - _RESPONSES:
        return 400, _openai_error(f"Unknown parameter: '{min(unknown)}'.", min(unknown), "unknown_parameter")
    if error := _refused(style, body):
        return error
    if body.get("max_output_tokens", 16) < 16:
        told = "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16."
        return 400, _openai_error(told, "max_output_tokens", "integer_below_min_value")
    given = body["input"]
    question = given if isinstance(given, str) else _content(given[-1]["content"])
    said = says(question)
    held = body.get("text", {}).get("format", {})
    if held.get("type") == "json_schema" and said:
        if not (held.get("name") and held.get("strict") is True):
            return 400, _openai_error("Missing required parameter: 'text.format.name'.", "text.format.name", None)
        said = _schema_answer(held["schema"], said)
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": body["model"], "error": None}
    head |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": 1.0, "top_p": 1.0}
    head |= {"instructions": None, "metadata": {}, "truncation": "disabled", "text": {"format": {"type": "text"}}}
    summary = [{"type": "summary_text", "text": THOUGHTS}] if body.get("reasoning", {}).get("summary") else []
    output: list[Body] = [{"id": "rs_1", "type": "reasoning", "summary": summary}]
    used = _size(THOUGHTS) + _size(said or "")
    cut = used > body.get("max_output_tokens", 10**6)
    reason = "content_filter" if filters and filters in question else "max_output_tokens" if cut else None
    if reason is None:
        part: Body = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
        part = part if said else {"type": "refusal", "refusal": "I'm sorry, I can't help with that."}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        output.append(message)
    usage = {"input_tokens": _size(question), "output_tokens": used, "total_tokens": used + _size(question)}
    usage |= {"input_tokens_details": {"cached_tokens": 0}}  # type: ignore[dict-item]
    usage |= {"output_tokens_details": {"reasoning_tokens": _size(THOUGHTS)}}  # type: ignore[dict-item]
    details = {"reason": reason} if reason else None
    status = "incomplete" if reason else "completed"
    return 200, head | {"status": status, "incomplete_details": details, "output": output, "usage": usage}


def _content(content: Any) -> str:
    """Text of a message, which may be a list of parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _next_tokens(said: str, most: int) -> Body:
    first = re.match(r"<think>|\*\*|\w+", said)
    token = first[0] if first else said[:1]
    others = [letter for letter in "ABCDE" if letter != token][:4]
    listed = [{"token": token, "logprob": -0.1}, *({"token": each, "logprob": -4.0} for each in others)]
    return {**listed[0], "top_logprobs": listed[:most]}


def _openai_error(told: str, parameter: str | None, code: str | None) -> Body:
    return {"error": {"message": told, "type": "invalid_request_error", "param": parameter, "code": code}}


def _messages(style: Style, body: Body, says: Says, filters: str) -> Reply:
    def invalid(told: str) -> Reply:
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": told}}

    if unknown := body.keys() - _MESSAGES - style.knows:
        return invalid(f"{min(unknown)}: Extra inputs are not permitted")
    if "max_tokens" not in body:
        return invalid("max_tokens: Field required")
    if any(each["role"] not in ("user", "assistant") for each in body["messages"]):
        return invalid('messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter')
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled" and not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
        return invalid("`max_tokens` must be greater than `thinking.budget_tokens`")
    if "format" in body.get("output_config", {}) and style.structured == "tool":
        return invalid("output_config.format: Extra inputs are not permitted")
    question = _content(body["messages"][-1]["content"])
    said = says(question)
    content: list[Body] = [{"type": "thinking", "thinking": THOUGHTS, "signature": "x"}] if thinking else []
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    if schema and said:
        said = _schema_answer(schema, said)
    refused = said is None or (filters and filters in question)
    if not refused and (tools := body.get("tools")):
        if body.get("tool_choice") != {"type": "tool", "name": tools[0]["name"]}:
            return invalid("tool_choice: this model calls no tool by itself")
        called = json.loads(_schema_answer(tools[0]["input_schema"], str(said)))
        content.append({"type": "tool_use", "id": "toolu_1", "name": tools[0]["name"], "input": called})
    elif not refused:
        content.append({"type": "text", "text": str(said)})
    used = sum(_size(each.get("thinking") or each.get("text") or "") for each in content)
    usage = {"input_tokens": _size(question), "output_tokens": used, "cache_read_input_tokens": 0}
    stop = "refusal" if refused else "end_turn"
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
    return 200, head | {"content": content, "stop_reason": stop, "usage": usage}


def _gemini(style: Style, body: Body, says: Says, filters: str) -> Reply:
    config = {_camel(name): value for name, value in body["generationConfig"].items()}  # it takes both
    if unknown := config.keys() - (style.knows or _CONFIG):
        told = (
            f"Invalid JSON payload received. Unknown name \"{min(unknown)}\" at 'generation_config': Cannot find field."
        )
        return 400, [{"error": {"code": 400, "message": told, "status": "INVALID_ARGUMENT"}}]
    if any(each["role"] not in ("user", "model") for each in body["contents"]):
        return 400, {"error": {"code": 400, "message": "Please use a valid role: user, model."}}
    question = str(body["contents"][-1]["parts"][0]["text"])
    if filters and filters in question:
        return 200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}
    said = str(says(question))
    if schema := config.get("responseJsonSchema"):
        said = _schema_answer(schema, said)
    if schema := config.get("responseSchema"):
        if config.get("responseMimeType") != "text/x.enum" or schema["type"] != "STRING":
            return 400, {"error": {"code": 400, "message": "response_schema is not supported for this mime type"}}
        said = said[0] if said[0] in schema["enum"] else schema["enum"][0]
    thinking = config.get("thinkingConfig", {})
    thoughts = "" if thinking.get("thinkingBudget") == 0 else THOUGHTS
    usage = {"promptTokenCount": _size(question), "thoughtsTokenCount": _size(thoughts)}
    if config.get("maxOutputTokens", 10**6) < _size(thoughts) + _size(said):
        candidate: Body = {"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}
        return 200, {"candidates": [candidate], "usageMetadata": usage}
    parts: list[Body] = [{"text": thoughts, "thought": True}] if thinking.get("includeThoughts") else []
    parts.append({"text": said})
    usage["candidatesTokenCount"] = _size(said)
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    return 200, {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake-001"}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


_APIS = {"chat": _chat, "responses": _responses, "messages": _messages, "gemini": _gemini}


def knowing(items: Sequence[Item], known: int, form: str = "{letter}") -> Says:
    """Answer the first ``known`` items rightly and all others wrongly; ``form`` says in which words.

    The trial's question about ice is answered rightly, and what offers no letters in a sentence.
    """
    right = {item.text: item.options[item.answer or 0] for item in items}
    order = [item.text for item in items]

    def says(question: str) -> str:
        text = max((each for each in right if each in question), key=len, default="")
        if not text:
            return form.format(letter="B", option="cold") if "A. " in question else "It feels cold and hard."
        shown = re.findall(r"^([A-Z])[.)] (.*)$", question, re.M)  # Inspect writes A)
        knows = order.index(text) < known
        letter, option = next(pair for pair in shown if (pair[1] == right[text]) is knows)
        return form.format(letter=letter, option=option)

    return says
