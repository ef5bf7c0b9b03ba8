"""A suite: which sets it has, how they are read, and how they are scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UserError, unknown
from horsesense.files import cache_folder
from horsesense.records import Probe
from horsesense.studies.suites.finding import Found, find_sets
from horsesense.studies.suites.sets import read_sets


@dataclass(frozen=True, slots=True)
class Suite:
    """Several sets that are asked together."""

    name: str
    release: str
    """The reader of its files."""
    sets: tuple[str, ...]
    """In the order of the paper's table."""
    table: str
    """The published table it stands beside: accuracy or consistency."""
    spec: str = "paper:cats"
    """How the paper scores: mean over tokens; causal models from the second token on."""


SUITES = {
    "cats": Suite("cats", "cats", ("ca", "wsc", "sm", "smr", "swag", "hella_swag", "arct_1", "arct_2"), "accuracy"),
    "cats-robust": Suite("cats-robust", "cats-robust", ("add", "del", "swap", "sub"), "consistency"),
}


def find_suite(name: str) -> Suite:
    """A suite by its name."""
    if name not in SUITES:
        raise unknown("suite", name, SUITES)
    return SUITES[name]


@dataclass(frozen=True, slots=True)
class Opened:
    """A suite with what is there of it."""

    suite: Suite
    found: Found
    probes: Mapping[str, Probe]
    """By set, in the order of the suite."""


def open_suite(suite: Suite, folder: Path | None, skip_bad: bool = False) -> Opened:
    """Read the sets that lie in a folder, or in the release that was fetched."""
    if folder is None:
        folder = cache_folder("releases", "cats")
        if not folder.is_dir():
            raise UserError(
                f"the suite {suite.name} needs its sets", fix="give their folder with --data, or: horsesense fetch cats"
            )
    found = find_sets(folder, suite.sets)
    return Opened(suite, found, read_sets(suite.release, found.paths, skip_bad))
