"""Read published votes: the judgements of people before they became labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from horsesense.core import Judgement, Probe
from horsesense.errors import UserError, unknown

_METHODS = "horsesense.methods"

VOTE_READERS = {
    "partwhole": f"{_METHODS}.partwhole.dataset:read_partwhole_votes",
    "winoventi-schemas": f"{_METHODS}.winoventi.published_dataset:read_winoventi_schemas",
    "winoventi-answers": f"{_METHODS}.winoventi.published_dataset:read_winoventi_answers",
}
"""Released judgements by name; each function takes paths and ``skip_bad``."""


@dataclass(frozen=True, slots=True)
class ReleasedVotes:
    """Published judgements, and the items that they are about."""

    probe: Probe
    """The items as people saw them; its card's notes count what was repaired."""
    judgements: tuple[Judgement, ...]


def read_votes(name: str, paths: Sequence[Path], *, skip_bad: bool = False) -> ReleasedVotes:
    """Read published judgements; a bad line is reported with file and line, or skipped and counted."""
    if name not in VOTE_READERS:
        raise unknown("release of judgements", name, VOTE_READERS)
    if not paths:
        raise UserError(f"no file was given for {name}")
    module, _, function = VOTE_READERS[name].partition(":")
    votes: ReleasedVotes = getattr(import_module(module), function)(paths, skip_bad)
    return votes
