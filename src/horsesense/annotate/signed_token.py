"""A platform's signed token (JWT, RS256), checked with its public keys: who comes in was really sent by it.

Only checking is done here, and only by RSA with SHA-256: the token does not get to choose how it is checked.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import UserError
from horsesense.files import read_text

_LEAST_BITS = 2048
# The prefix of a SHA-256 digest in PKCS #1 v1.5 (RFC 8017, 9.2, note 1).
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")

Keys = Mapping[str, tuple[int, int]]
"""Modulus and exponent of each public key, by its id."""


class TokenError(Exception):
    """The token is not good."""


def read_keys(path: Path) -> Keys:
    """The RSA keys of a JWKS file."""
    try:
        listed = orjson.loads(read_text(path))["keys"]
        keys = {key["kid"]: (_number(key["n"]), _number(key["e"])) for key in listed if key.get("kty") == "RSA"}
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, TokenError):
        raise UserError(
            "this is not a file of public keys (JWKS)", file=path, fix="fetch it from the platform"
        ) from None
    weak = [name for name, (modulus, _) in keys.items() if modulus.bit_length() < _LEAST_BITS]
    if not keys or weak:
        raise UserError("there is no RSA key of 2048 bits or more", file=path, fix="fetch it from the platform")
    return keys


def checked_claims(token: str, keys: Keys, audience: str, now: float) -> dict[str, Any]:
    """What a token says, if it is signed, meant for us, and not too old; otherwise a `TokenError`."""
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenError("it has no three parts")
    try:
        head, claims = (orjson.loads(_decoded(part)) for part in parts[:2])
    except orjson.JSONDecodeError:
        raise TokenError("it is not JSON") from None
    if not isinstance(head, dict) or not isinstance(claims, dict) or head.get("alg") != "RS256":
        raise TokenError("it is not signed by RS256")
    if not isinstance(head.get("kid"), str) or head["kid"] not in keys:
        raise TokenError("its key is not known")
    _check_signature(f"{parts[0]}.{parts[1]}".encode(), _decoded(parts[2]), *keys[head["kid"]])
    ends, begins = claims.get("exp"), claims.get("nbf", 0)
    if not isinstance(ends, int | float) or not isinstance(begins, int | float) or not begins - 60 <= now <= ends:
        raise TokenError("it is too old")
    meant = claims.get("aud")
    if audience not in (meant if isinstance(meant, list) else [meant]):
        raise TokenError("it is meant for another")
    return claims


def _check_signature(message: bytes, signature: bytes, modulus: int, exponent: int) -> None:
    size = (modulus.bit_length() + 7) // 8
    if len(signature) != size:
        raise TokenError("its signature has the wrong length")
    # The whole block is made and compared; taking a block apart is where forgeries got through (RFC 8017, 8.2.2).
    opened = pow(int.from_bytes(signature, "big"), exponent, modulus).to_bytes(size, "big")
    digest = _SHA256 + hashlib.sha256(message).digest()
    expected = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    if not hmac.compare_digest(opened, expected):
        raise TokenError("its signature is wrong")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise TokenError("it is not base64") from None


def _number(text: str) -> int:
    return int.from_bytes(_decoded(text), "big")
