"""A suite: several sets found in a folder, read as probes, asked together, each beside its best blind cue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.core import Card, Probe, read_probe
from horsesense.cues.battery import Number, battery
from horsesense.cues.findings import Finding, find_cues
from horsesense.data import cache_folder
from horsesense.errors import UserError, argument, unknown
from horsesense.methods.cats.released import with_sources
from horsesense.methods.published import read_release
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats import chance

_ENDINGS = (".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".parquet")
_ALIASES = {"hellaswag": "hella_swag", "arct1": "arct_1", "arct": "arct_1", "arct2": "arct_2", "delete": "del"}
_ALIASES |= {"substitute": "sub"}
SEEING_CUES = frozenset(
    ("shared words", "overlap", "shared bigrams", "first word shared", "like the others", "offered")
)
"""Cues that compare options with what they have in common, which is the question."""


@dataclass(frozen=True, slots=True)
class SetFiles:
    """The sets of a suite in a folder."""

    paths: Mapping[str, Path]
    """By set, in the order of the suite."""
    missing: tuple[str, ...]


def find_sets(folder: Path, names: Sequence[str]) -> SetFiles:
    """Look for one file a set, in the folder or below it; the file's name is the set's."""
    if not folder.is_dir():
        raise UserError(
            "there is no such folder", file=folder, fix=f"give the folder of the sets with {argument('data')}"
        )
    paths: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        ending = next((ending for ending in reversed(_ENDINGS) if path.name.endswith(ending)), None)
        if ending is None or not path.is_file():
            continue
        name = path.name.removesuffix(ending).lower().replace("-", "_")
        name = _ALIASES.get(name, name)
        if name in names and paths.setdefault(name, path) != path:
            raise UserError(
                f"{paths[name]} and {path.relative_to(folder)} are both the set {name!r}",
                file=folder,
                fix="leave one of them in the folder",
            )
    if not paths:
        raise UserError(
            f"none of the sets {', '.join(names)} is here",
            file=folder,
            fix="give a folder with files such as ca.txt, or: horsesense fetch cats",
        )
    return SetFiles({name: paths[name] for name in names if name in paths}, tuple(n for n in names if n not in paths))


def read_sets(release: str, paths: Mapping[str, Path], skip_bad: bool = False) -> dict[str, Probe]:
    """One probe a set: released files, or probes that were imported or built before.

    Units of dependence are told over all of them, so that an average knows what it shares:
    a conjunction pair and the schema it was made from stand in two sets, and so do a statement and its reasons.
    """
    probes = {
        name: read_release(release, [path], skip_bad=skip_bad) if ".txt" in path.suffixes else read_probe(path)
        for name, path in paths.items()
    }
    if release != "cats":
        return probes
    everything = [item for probe in probes.values() for item in probe.items]
    if any("candidates" not in item.groups or "task" not in item.facets for item in everything):
        return probes  # a probe of one's own has units of its own
    plain = [replace(item, groups=_without_source(item.groups)) for item in everything]
    linked = iter(with_sources(plain))
    return {
        name: replace(probe, items=tuple(next(linked) for _ in probe.items), card=_card(probe.card, name))
        for name, probe in probes.items()
    }


def _without_source(groups: Mapping[str, str]) -> dict[str, str]:
    return {name: unit for name, unit in groups.items() if name != "source"}


def _card(card: Card, name: str) -> Card:
    return replace(card, name=card.name if card.name != "cats" else f"cats-{name}", group="source")


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
class OpenedSuite:
    """A suite with what is there of it."""

    suite: Suite
    files: SetFiles
    """Where its sets lie."""
    probes: Mapping[str, Probe]
    """By set, in the order of the suite."""


def open_suite(suite: Suite, folder: Path | None, skip_bad: bool = False) -> OpenedSuite:
    """Read the sets that lie in a folder, or in the release that was fetched."""
    if folder is None:
        folder = cache_folder("releases", "cats")
        if not folder.is_dir():
            raise UserError(
                f"the suite {suite.name} needs its sets",
                fix=f"give their folder with {argument('data')}, or: horsesense fetch cats",
            )
    files = find_sets(folder, suite.sets)
    return OpenedSuite(suite, files, read_sets(suite.release, files.paths, skip_bad))


# Blind cues.


@dataclass(frozen=True, slots=True)
class BlindCue:
    """What cues earn on one set."""

    rule: Finding | None
    """The best cue that a person could apply at once: most negations, fewest words …"""
    learnt: Finding | None
    """The best of all, those included that learn words from other items of the set."""
    chance: float
    searched: bool = True
    """False where the set is too small: cues are chosen on one half of its units and measured on the other."""


def blind_cues(probes: Mapping[str, Probe], progress: Progress = NO_PROGRESS) -> dict[str, BlindCue]:
    """For each set, the best cues that do not look at the question; a set of one unit has none, and is no error."""
    blind = {cue.name for cue in battery()} - SEEING_CUES
    rules = {cue.name for cue in battery() if isinstance(cue, Number)} & blind
    best = {}
    for name, probe in probes.items():
        if _units(probe) < 2:
            guessing = chance([len(item.options) for item in probe.items])
            best[name] = BlindCue(None, None, guessing, searched=False)
            continue
        cues = find_cues(probe.items, probe.card.group, rounds=99, progress=progress)
        ranked = [cue for cue in cues.cues if cue.name in blind]
        best[name] = BlindCue(
            rule=next((cue for cue in ranked if cue.name in rules), None),
            learnt=next(iter(ranked), None),
            chance=cues.chance,
        )
    return best


def _units(probe: Probe) -> int:
    """Units of dependence among the items that say something about cues."""
    usable = (item for item in probe.items if item.answer is not None and len(item.options) > 1)
    return len({item.unit(probe.card.group) for item in usable})
