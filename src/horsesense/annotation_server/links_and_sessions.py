"""Personal links, crowd links, and the session cookies that they are exchanged for.

From a crowd each comes with the name that the platform gives them, which its signed token can prove.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.types import Options
from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from horsesense.annotate.database import tables
from horsesense.annotate.database.connections import reading, writing
from horsesense.annotate.database.participants import (
    COLUMNS,
    WITHDRAWN,
    Person,
    add_person,
    hashed,
    new_token,
    note,
    person_of,
)
from horsesense.annotate.database.served_study import ServedStudy
from horsesense.annotation_server.answering import RejectedAnswerError
from horsesense.data import read_text
from horsesense.errors import UserError, unknown

DAYS = 14
COOKIE = "horsesense"
CROWDS: Mapping[str, str] = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "open": "name"}
"""Platforms, and the parameter with the id of a person."""
PROLIFIC_TOKEN = "prolific_token"

_joins = tables.joins.c


def new_join(served: ServedStudy, crowd: str, most: int) -> str:
    """Make a link by which up to ``most`` people enter, and return its token."""
    if crowd not in CROWDS:
        raise unknown("crowd", crowd, CROWDS)
    token = new_token()
    with writing(served.engine) as connection:
        values = {"token": hashed(token), "crowd": crowd, "most": most, "joined": 0, "revoked": False}
        connection.execute(insert(tables.joins).values(values))
        note(connection, served, "crowd invited", detail=f"{crowd}, {most} people")
    return token


def end_joins(served: ServedStudy) -> int:
    """Revoke all crowd links, and return their number."""
    with writing(served.engine) as connection:
        ended = update(tables.joins).where(~_joins.revoked).values(revoked=True)
        note(connection, served, "crowd links ended")
        return connection.execute(ended).rowcount


def find_join(served: ServedStudy, token: str) -> Row[int, str] | None:
    """Return the row of a crowd link if it is valid; looking does not use it up."""
    with reading(served.engine) as connection:
        return _find(connection, token)


def _find(connection: Connection, token: str) -> Row[int, str] | None:
    query = select(_joins.id, _joins.crowd).where(_joins.token == hashed(token), ~_joins.revoked)
    return connection.execute(query).first()


def proven(served: ServedStudy, keys: Keys | None, crowd: str, fields: Mapping[str, str]) -> bool:
    """Whether the platform itself says who this is. With keys in the study, nobody comes in from Prolific without.

    Prolific's token says who somebody is on Prolific, and nothing about a name elsewhere.
    """
    if keys is None or crowd != "prolific":
        return False
    audience = served.study.crowd.audience or served.study.address
    try:
        claims = checked_claims(fields.get(PROLIFIC_TOKEN, ""), keys, audience, served.clock())
    except TokenError:
        raise RejectedAnswerError(403, "Please come in from the platform: its token is missing or wrong.") from None
    by_platform = claims.get("prolific")
    named = {**claims, **by_platform} if isinstance(by_platform, dict) else claims
    same = ("PROLIFIC_PID", "participant_id"), ("STUDY_ID", "study_id"), ("SESSION_ID", "session_id")
    for parameter, other in same:
        value = named.get(parameter, named.get(other))
        if fields.get(parameter, "") != (value if isinstance(value, str) else ""):
            raise RejectedAnswerError(403, "The platform's token is for somebody else.")
    return True


def join(served: ServedStudy, token: str, name: str, is_proven: bool) -> tuple[str, str]:
    """A cookie for somebody from a crowd, and the token of a personal link where they are new.

    Somebody who is there already comes in again only where the platform proves who it is: a name alone is
    known to others too.
    """
    if not name.strip():
        raise RejectedAnswerError(422, "Please say who you are: the name is empty.")
    with writing(served.engine) as connection:
        link = _find(connection, token)
        if link is None:
            raise RejectedAnswerError(401, "This link has ended.")
        full = f"{link.crowd}:{name}"
        person = connection.execute(
            select(tables.people.c.id, tables.people.c.state).where(tables.people.c.name == full)
        ).first()
        if person is not None:
            if not is_proven or person.state == WITHDRAWN:
                message = "Somebody with this name takes part already. Please use your personal link."
                raise RejectedAnswerError(409, message)
            return new_session(connection, served, person.id), ""
        room = update(tables.joins).where(_joins.id == link.id, _joins.joined < _joins.most)
        if not connection.execute(room.values(joined=_joins.joined + 1)).rowcount:
            raise RejectedAnswerError(409, "Thank you, there are enough people already.")
        try:
            newcomer, personal = add_person(connection, served, full)
        except UserError:
            raise RejectedAnswerError(422, "This name cannot be used. Please check it.") from None
        return new_session(connection, served, newcomer), personal


@dataclass(frozen=True, slots=True)
class Visitor:
    """A person with a session."""

    person: Person
    session: str
    """Hash of their cookie."""
    study_paused: bool

    def form(self, served: ServedStudy) -> str:
        """The CSRF token of their forms."""
        return served.signed("form", self.session)


def who_holds(served: ServedStudy, token: str) -> Person | None:
    """Return the person of a personal link; looking does not use it up."""
    with reading(served.engine) as connection:
        row = connection.execute(select(*COLUMNS).where(tables.people.c.token == hashed(token))).first()
    return None if row is None else person_of(row)


def enter(served: ServedStudy, token: str) -> str | None:
    """Exchange a personal link for a cookie; the link stays valid for another browser."""
    with writing(served.engine) as connection:
        row = connection.execute(select(*COLUMNS).where(tables.people.c.token == hashed(token))).first()
        return None if row is None else new_session(connection, served, person_of(row).id)


def new_session(connection: Connection, served: ServedStudy, person: int) -> str:
    """Make a cookie for a person, and delete expired ones."""
    now, cookie = served.clock(), new_token()
    connection.execute(delete(tables.sessions).where(tables.sessions.c.expires < now))
    ends = now + DAYS * 24 * 3600
    connection.execute(insert(tables.sessions).values(key=hashed(cookie), person=person, expires=ends))
    note(connection, served, "entered", person)
    return cookie


_VISITOR = (
    select(*COLUMNS, tables.study.c.paused.label("study_paused"))
    .join_from(tables.sessions, tables.people, tables.sessions.c.person == tables.people.c.id)
    .join(tables.study, tables.study.c.id == 1)
    .where(tables.sessions.c.key == bindparam("key_"), tables.sessions.c.expires > bindparam("now_"))
)


def visitor_with(served: ServedStudy, cookie: str) -> Visitor | None:
    """Return the person of a cookie, if it is valid."""
    key = hashed(cookie)
    with reading(served.engine) as connection:
        row = connection.execute(_VISITOR, {"key_": key, "now_": served.clock()}).first()
    return None if row is None else Visitor(person_of(row), key, row.study_paused)


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
