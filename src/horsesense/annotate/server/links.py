"""Links for people, the codes they are shown at the end, and who takes part."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from horsesense.annotate.server.links_and_sessions import CROWDS, new_join
from horsesense.annotate.server.participants import ANNOTATOR, RESEARCHER, all_people, invite
from horsesense.annotate.server.served_study import Served
from horsesense.annotate.server.study_progress import finished, state_told
from horsesense.core.document import Document


@dataclass(frozen=True, slots=True)
class Link:
    """Who may come in, and by which link."""

    name: str
    """The person, or the crowd."""
    code: str
    """What the person is called in exports; empty for a crowd."""
    link: str
    """Shown once: only a hash of it is kept."""


@dataclass(frozen=True, slots=True)
class Links(Document):
    """New links of a study."""

    study: Path
    """Its folder."""
    people: tuple[Link, ...]
    """One link a person, or one for a crowd."""
    out: Path | None
    """The file they were written to; null where none was named."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One person and the code that they were shown."""

    name: str
    code: str
    """What the person is called in exports."""
    state: str
    """New, working, done, nothing left (others have answered it all), failed, stopped or withdrawn."""
    answered: int
    completion: str
    """To be held against what they gave to a platform."""


@dataclass(frozen=True, slots=True)
class Completions(Document):
    """Who finished, and with which code."""

    study: Path
    """Its folder."""
    people: tuple[Completion, ...]
    """In order of names."""
    out: Path | None
    """The file they were written to; null where none was named."""


@dataclass(frozen=True, slots=True)
class Standing(Document):
    """What was changed about who takes part."""

    study: Path
    """Its folder."""
    people: tuple[str, ...]
    """Whom it is about; empty for the whole study."""
    state: str
    """What they are now: paused, resumed, revoked or withdrawn."""
    judgements: int | None = None
    """Judgements that were taken out; left out where none could be."""


@dataclass(frozen=True, slots=True)
class Serving(Document):
    """A study that is being served."""

    study: Path
    """Its folder."""
    address: str
    """Where it listens."""
    database: str
    """SQLite or PostgreSQL."""
    processes: int
    """How many answer."""


def personal_links(served: Served, names: list[str], researcher: bool, queue: str, renew: bool) -> tuple[Link, ...]:
    """A link for each name."""
    tokens = invite(served, names, RESEARCHER if researcher else ANNOTATOR, queue, renew)
    address = served.study.address.rstrip("/")
    return tuple(
        Link(name, served.code(name), f"{address}/in/{token}") for name, token in zip(names, tokens, strict=True)
    )


def crowd_link(served: Served, crowd: str, most: int) -> Link:
    """One link for up to ``most`` people, with the parameters that the platform fills in."""
    link = f"{served.study.address.rstrip('/')}/join/{new_join(served, crowd, most)}"
    if crowd == "prolific":
        link += "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in (CROWDS[crowd], "STUDY_ID", "SESSION_ID"))
    return Link(crowd, "", link)


def completions(served: Served) -> tuple[Completion, ...]:
    """The code of everybody who judges."""
    everybody = [each for each in all_people(served) if each.role == ANNOTATOR]
    done = finished(served, everybody)
    return tuple(
        Completion(each.name, each.code, state_told(each, done), each.answered, served.completion(each.name))
        for each in everybody
    )
