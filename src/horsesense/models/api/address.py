"""Parse the name of a served model: ``PROVIDER/MODEL``, ``PROVIDER/MODEL@URL`` or ``openai:URL#name``.

It never contains a key.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from horsesense.errors import UserError, argument

PREFIX = "openai:"
_HERE = "horsesense.models.api"
PROVIDERS = {
    "openai": f"{_HERE}.providers:OpenAI",
    "anthropic": f"{_HERE}.providers:Anthropic",
    "google": f"{_HERE}.providers:Google",
    "azure": f"{_HERE}.providers:Azure",
    "openrouter": f"{_HERE}.providers:OpenRouter",
    "vllm": f"{_HERE}.providers:VLLM",
    "litellm": f"{_HERE}.adapters:LiteLLM",
    "inspect": f"{_HERE}.adapters:Inspect",
}
"""What may precede the slash -> its class."""
_HUB_MODELS = {
    "openai": ("gpt-oss", "privacy-filter", "whisper", "clip-", "shap-e", "diffusers-", "imagegpt"),
}
"""Models of the Hugging Face Hub that begin with a provider's name, and are not served by it."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server, and the name of a model there."""

    url: str
    """Without a trailing slash; most end with ``/v1``. Empty: the provider's own."""
    model: str
    """Empty: the only model of the server."""
    provider: str = ""
    """One of `PROVIDERS`; empty for any OpenAI-compatible server."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def loopback(self) -> bool:
        """Whether it is this machine, which needs no proxy."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def root(self) -> str:
        """The URL without its version: where vLLM and llama.cpp tokenise."""
        return self.url.removesuffix("/v1")


def is_served(name: str) -> bool:
    """Whether a name means a served model; names on the Hugging Face Hub may begin like a provider.

    >>> is_served("openai/gpt-5"), is_served("openai/gpt-oss-20b"), is_served("google/gemma-3-1b-it")
    (True, False, False)
    """
    if name.startswith(PREFIX):
        return True
    provider, slash, model = name.partition("/")
    if not slash or not model or provider not in PROVIDERS:
        return False
    if "@http" in model:
        return True
    return model.startswith("gemini") if provider == "google" else not model.startswith(_HUB_MODELS.get(provider, ()))


def parse_address(name: str) -> Address:
    """Parse the address in a model's name.

    >>> parse_address("openai:http://127.0.0.1:8000/v1#smollm2")
    Address(url='http://127.0.0.1:8000/v1', model='smollm2', provider='')
    >>> parse_address("vllm/Qwen/Qwen3-8B@http://127.0.0.1:8000/v1")
    Address(url='http://127.0.0.1:8000/v1', model='Qwen/Qwen3-8B', provider='vllm')
    """
    if name.startswith(PREFIX):
        url, _, model = name.removeprefix(PREFIX).partition("#")
        return Address(checked_url(url, name), model)
    provider, _, rest = name.partition("/")
    model, _, url = rest.partition("@http")
    return Address(checked_url(f"http{url}", name) if url else "", model, provider)


def checked_url(url: str, name: str) -> str:
    """Return the URL of a server without a trailing slash; ``name`` is what the user wrote."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if not url.isprintable() or " " in url:  # which urlsplit leaves out
        parts = urlsplit("")
    if parts.username or parts.password or "@" in parts.netloc:
        raise UserError(
            "the address of a server has credentials in it, which would end up in manifests and logs",
            fix=f"put the key into OPENAI_API_KEY, or into the variable that {argument('key_from')} names",
        )
    if parts.query:
        raise UserError(
            "the address of a server has a query in it, which may hold a key",
            fix=f"leave it out; for an API version there is {argument('api_version')}",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(
            f"{name!r} is not the address of a served model", fix="write openai:http://127.0.0.1:8000/v1#name"
        )
    return url.rstrip("/")
