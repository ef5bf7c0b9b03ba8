"""Read published votes: the judgements of people before they became labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core import Judgement, Probe
from horsesense.errors import UserError, unknown
from horsesense.registry import load, provided


@dataclass(frozen=True, slots=True)
class ReleasedVotes:
    """Published judgements, and the items that they are about."""

    probe: Probe
    """The items as people saw them; its card's notes count what was repaired."""
    judgements: tuple[Judgement, ...]


def read_votes(name: str, paths: Sequence[Path], *, skip_bad: bool = False) -> ReleasedVotes:
    """Read published judgements; a bad line is reported with file and line, or skipped and counted."""
    known = provided("votes")
    if name not in known:
        raise unknown("release of judgements", name, known)
    if not paths:
        raise UserError(f"no file was given for {name}")
    votes: ReleasedVotes = load(known[name])(paths, skip_bad)
    return votes
