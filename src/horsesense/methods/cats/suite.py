"""The suites of CATs: their sets, blind cues, and tables of measured and published rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from horsesense.core import Card, Probe, read_probe
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.cues.battery import Number, battery
from horsesense.cues.findings import Finding, measure_cues
from horsesense.errors import UserError
from horsesense.methods.cats.dataset import with_sources
from horsesense.methods.cats.table import (
    accuracy_row,
    direction_of,
    pairs_of_set,
    published_rows,
    released_counts,
    source,
    titles,
)
from horsesense.methods.published import read_files
from horsesense.methods.suites.frame import (
    OpenedData,
    PaperRow,
    PaperSuite,
    PaperTable,
    by_model,
    data_folder,
    with_published,
)
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Consistency, Estimate, chance

_ENDINGS = (".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".parquet")
_ALIASES = {"hellaswag": "hella_swag", "arct1": "arct_1", "arct": "arct_1", "arct2": "arct_2", "delete": "del"}
_ALIASES |= {"substitute": "sub"}
SEEING_CUES = frozenset(
    (
        *("shared words", "overlap", "shared bigrams", "first word shared", "like the others", "offered"),
        *("stem", "edit distance", "derivation"),
    )
)
"""Cues that compare options with their common part, which is the question."""


def find_sets(folder: Path, names: Sequence[str]) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Find one file per set in the folder or below it, named after the set; return them, and the missing sets."""
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
            f"none of the sets {', '.join(names)} was found",
            file=folder,
            fix="give a folder with files such as ca.txt, or: horsesense fetch cats",
        )
    return {name: paths[name] for name in names if name in paths}, tuple(n for n in names if n not in paths)


def read_sets(release: str, paths: Mapping[str, Path], skip_bad: bool = False) -> dict[str, Probe]:
    """Open one probe per set: published files, or probes that were imported or built.

    Clusters span all sets, so that an average accounts for what they share: a conjunction pair and its schema are
    in two sets, and so are a statement and its reasons.
    """
    probes = {
        name: read_files(release, [path], skip_bad=skip_bad) if ".txt" in path.suffixes else read_probe(path)
        for name, path in paths.items()
    }
    if release not in ("cats", "cats-raw"):
        return probes
    everything = [item for probe in probes.values() for item in probe.items]
    if any("candidates" not in item.groups or "task" not in item.facets for item in everything):
        return probes  # a user's own probe has its own clusters
    plain = [replace(item, groups=_without_source(item.groups)) for item in everything]
    linked = iter(with_sources(plain))
    return {
        name: replace(probe, items=tuple(next(linked) for _ in probe.items), card=_card(probe.card, name))
        for name, probe in probes.items()
    }


def _without_source(groups: Mapping[str, str]) -> dict[str, str]:
    return {name: unit for name, unit in groups.items() if name != "source"}


def _card(card: Card, name: str) -> Card:
    return replace(card, name=card.name if card.name not in SUITES else f"{card.name}-{name}", group="source")


@dataclass(frozen=True, slots=True)
class Suite:
    """Several sets that are asked together."""

    name: str
    """Also the reader of its files."""
    sets: tuple[str, ...]
    """In the order of the paper's table."""
    table: str
    """The published table: accuracy or consistency."""
    spec: str = "paper:cats"
    """How the paper scores: mean over tokens; causal models from the second token on."""


_GENERAL = ("ca", "wsc", "sm", "smr", "swag", "hella_swag", "arct_1", "arct_2")
_ROBUST = ("add", "del", "swap", "sub")
SUITES = {
    suite.name: suite
    for suite in (
        Suite("cats", _GENERAL, "accuracy"),
        Suite("cats-robust", _ROBUST, "consistency"),
        Suite("cats-raw", _GENERAL, "accuracy"),
        Suite("cats-robust-raw", _ROBUST, "consistency"),
    )
}
"""The raw ones keep each sentence as the published script scores it."""


def open_suite(suite: Suite, folder: Path | None, skip_bad: bool = False) -> OpenedData:
    """Read the sets in a folder, or in the fetched dataset."""
    paths, missing = find_sets(data_folder(folder, "cats", suite.name), suite.sets)
    return OpenedData(read_sets(suite.name, paths, skip_bad), paths, missing)


# Blind cues.


@dataclass(frozen=True, slots=True)
class CuesOfSet:
    """The best cues of one set that ignore the question."""

    rule: Finding | None
    """The best cue that needs no learning."""
    learnt: Finding | None
    """The best of all cues, including those that learn words from other items."""
    chance: float
    """Accuracy of guessing."""
    searched: bool = True
    """False where the set is too small: cues are chosen on one half of its clusters and measured on the other."""


def blind_cues(probes: Mapping[str, Probe], progress: Progress = NO_PROGRESS) -> dict[str, CuesOfSet]:
    """Return the best cues per set that ignore the question; a set with one cluster has none."""
    blind = {cue.name for cue in battery()} - SEEING_CUES
    rules = {cue.name for cue in battery() if isinstance(cue, Number)} & blind
    best = {}
    for name, probe in probes.items():
        if _units(probe) < 2:
            guessing = chance([len(item.options) for item in probe.items])
            best[name] = CuesOfSet(None, None, guessing, searched=False)
            continue
        cues = measure_cues(probe.items, probe.card.group, rounds=99, progress=progress)
        ranked = [cue for cue in cues.cues if cue.name in blind]
        best[name] = CuesOfSet(
            rule=next((cue for cue in ranked if cue.name in rules), None),
            learnt=next(iter(ranked), None),
            chance=cues.chance,
        )
    return best


def _units(probe: Probe) -> int:
    """Return the clusters of items that cues can be measured on."""
    usable = (item for item in probe.items if item.answer is not None and len(item.options) > 1)
    return len({item.unit(probe.card.group) for item in usable})


@dataclass(frozen=True, slots=True)
class BlindCues(Document):
    """What cues achieve on the sets of a suite without their questions."""

    name: str
    """Name of the suite."""
    cues: Mapping[str, CuesOfSet]
    """By set, for comparison with a score."""


_PARTS: tuple[tuple[str, Callable[[Consistency], Estimate]], ...] = (
    ("both halves right", lambda pairs: pairs.both),
    ("consistent (both right or both wrong)", lambda pairs: pairs.consistent),
    ("consistent by chance of the two accuracies", lambda pairs: pairs.expected),
    ("accuracy, original", lambda pairs: pairs.first[1]),
    ("accuracy, edited", lambda pairs: pairs.second[1]),
)


def _open(suite: Suite) -> PaperSuite:
    return PaperSuite(
        suite.name,
        source(),
        suite.spec,
        partial(open_suite, suite),
        _accuracy_tables if suite.table == "accuracy" else _pair_tables,
        results=lambda opened, progress: BlindCues(suite.name, blind_cues(opened.probes, progress)),
        render="horsesense.methods.cats.render:print_suite",
    )


def _is_papers(answered: Sequence[ProbeAnswers], sets: Sequence[str]) -> bool:
    """Return whether all sets were asked in full with the paper's scoring."""
    counts, spec = released_counts(), parse_spec("paper:cats")
    scored = all(run.spec.pll == spec.pll and run.spec.bos == spec.bos for run in answered)
    asked = {run.part.probe.name: len(run.items) for run in answered}
    return scored and all(asked.get(name) == counts[name] for name in sets)


def _accuracy_tables(
    answered: Sequence[ProbeAnswers], controls: Sequence[ProbeAnswers], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """Compute table 3: accuracy per set and their mean."""
    sets = _GENERAL
    names = titles()
    ours = []
    for model, runs in by_model(answered, sets).items():
        by_set, average = accuracy_row(runs)
        cells: list[Estimate | float | None] = [by_set.get(name) for name in sets]
        ours.append(PaperRow(model, "ours", (*cells, average), direction_of(next(iter(runs.values())))))
    known = published_rows("accuracy")
    printed = [
        PaperRow(
            row.model,
            "published",
            (*(row.values[name] for name in sets), row.average),
            "people" if row.human else row.direction,
        )
        for row in known
    ]
    columns = [*(names[name] for name in sets), "average"]
    same = _is_papers(answered, sets)
    wrong = ", ".join(f"{row.model} ({row.printed:.3f})" for row in known if not row.follows)
    again = (
        f"Published averages are computed again from their rows; those printed for {wrong} do not follow from them. "
        "The paper's CA had 189 instances and its WSC 273; the published files have 183 and 283. An average of "
        "measured rows is over the sets that were asked."
    )
    return with_published("CATs, table 3: accuracy", columns, ours, printed, same, source(), notes=(again,))


def _pair_tables(
    answered: Sequence[ProbeAnswers], controls: Sequence[ProbeAnswers], others: Mapping[str, Path]
) -> tuple[PaperTable, ...]:
    """Compute table 6: both halves right first, then consistency, which also counts pairs that are both wrong."""
    sets = _ROBUST
    columns = [titles()[name] for name in sets]
    ours = []
    for model, runs in by_model(answered, sets).items():
        pairs = {name: pairs_of_set(run) for name, run in runs.items()}
        for meaning, part in _PARTS:
            cells = tuple(part(pairs[name]) if name in pairs else None for name in sets)
            ours.append(PaperRow(f"{model}: {meaning}", "ours", cells, model))
    printed = [
        PaperRow(f"{row.model}: consistent", "published", tuple(row.values[name] for name in sets), row.direction)
        for row in published_rows("consistency")
    ]
    same = _is_papers(answered, sets)
    sizes = "The paper states 75 pairs per method; the files have 92, 82, 74 and 75. It prints consistency only."
    return with_published("CATs, table 6: pairs of duals", columns, ours, printed, same, source(), notes=(sizes,))


CATS = _open(SUITES["cats"])
CATS_ROBUST = _open(SUITES["cats-robust"])
CATS_RAW = _open(SUITES["cats-raw"])
CATS_ROBUST_RAW = _open(SUITES["cats-robust-raw"])
