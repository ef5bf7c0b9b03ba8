"""Secrets that people hold: long, random, and kept only as hashes."""

from __future__ import annotations

import hashlib
import secrets

BYTES = 24
"""192 bits: nobody guesses one, so that a plain hash is enough to keep it by."""


def new_token() -> str:
    """A token that can stand in a link."""
    return secrets.token_urlsafe(BYTES)


def hashed(token: str) -> str:
    """What is kept of a token.

    >>> len(hashed("anything"))
    64
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
