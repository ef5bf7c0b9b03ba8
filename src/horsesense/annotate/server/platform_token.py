"""Signed tokens of a platform (JWT, RS256), verified with its public keys.

PyJWT and cryptography check; this module states what must hold. The token does not get to choose how it is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.types import Options

from horsesense.data import read_text
from horsesense.errors import UserError

_LEAST_BITS = 2048
_EARLY_SECONDS = 60
"""Tolerance for the platform's clock, in seconds."""
_RULES: Options = {
    "require": ["exp", "aud"],
    "enforce_minimum_key_length": True,
    # Times are compared with the study's clock below; PyJWT knows only the machine's.
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
}

Keys = Mapping[str, RSAPublicKey]
"""The platform's public keys, by their ids."""


class TokenError(Exception):
    """The token is not valid."""


def read_keys(path: Path) -> Keys:
    """Read the RSA keys of a JWKS file."""
    try:
        listed = orjson.loads(read_text(path))["keys"]
        keys = {key["kid"]: jwt.PyJWK(key, "RS256").key for key in listed if key.get("kty") == "RSA"}
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, jwt.PyJWTError):
        raise UserError(
            "this is not a file of public keys (JWKS)", file=path, fix="fetch it from the platform"
        ) from None
    public = {name: key for name, key in keys.items() if isinstance(key, RSAPublicKey)}
    weak = [name for name, key in public.items() if key.key_size < _LEAST_BITS]
    if not public or weak:
        raise UserError("there is no RSA key of 2048 bits or more", file=path, fix="fetch it from the platform")
    return public


def checked_claims(token: str, keys: Keys, audience: str, now: float) -> dict[str, Any]:
    """Return the claims of a token if it is signed, for this audience and not expired, or raise a `TokenError`."""
    try:
        key = keys.get(jwt.get_unverified_header(token).get("kid", ""))
        if key is None:
            raise TokenError("its key is not known")
        claims = jwt.decode(token, key, algorithms=["RS256"], audience=audience, options=_RULES)
    except (jwt.PyJWTError, UnicodeEncodeError) as error:
        raise TokenError(_why(error)) from None
    ends, begins = claims["exp"], claims.get("nbf", 0)
    if not isinstance(ends, int | float) or not isinstance(begins, int | float):
        raise TokenError("it does not say from when to when it is good")
    if not begins - _EARLY_SECONDS <= now <= ends:
        raise TokenError("it is too old, or not good yet")
    return claims


def _why(error: Exception) -> str:
    """Describe what is wrong with a token."""
    match error:
        case jwt.InvalidSignatureError():
            return "its signature is wrong: it does not fit the text and the key"
        case jwt.InvalidAlgorithmError():
            return "it is not signed by RS256"
        case jwt.InvalidAudienceError() | jwt.MissingRequiredClaimError(claim="aud"):
            return "it is meant for another"
        case jwt.MissingRequiredClaimError():
            return "it does not say when it is too old"
        case _:
            return "it is not three parts in base64, or its signature has the wrong length"
