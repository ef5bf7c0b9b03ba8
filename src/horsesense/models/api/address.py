"""Parse ``openai:URL#name``. It never contains a key."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from horsesense.errors import UserError, argument

PREFIX = "openai:"


@dataclass(frozen=True, slots=True)
class Address:
    """A server, and the name of a model there."""

    url: str
    """Without a trailing slash; most end with ``/v1``."""
    model: str
    """Empty: the only model of the server."""

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
    return name.startswith(PREFIX)


def parse_address(name: str) -> Address:
    """Parse the address in a model's name.

    >>> parse_address("openai:http://127.0.0.1:8000/v1#smollm2")
    Address(url='http://127.0.0.1:8000/v1', model='smollm2')
    """
    url, _, model = name.removeprefix(PREFIX).partition("#")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.username or parts.password or "@" in parts.netloc:
        raise UserError(
            "the address of a server has credentials in it, which would end up in manifests and logs",
            fix=f"put the key into OPENAI_API_KEY, or into the variable that {argument('key_from')} names",
        )
    if parts.query:
        raise UserError("the address of a server has a query in it, which may hold a key", fix="leave it out")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(
            f"{name!r} is not the address of a served model", fix="write openai:http://127.0.0.1:8000/v1#name"
        )
    return Address(url.rstrip("/"), model)
