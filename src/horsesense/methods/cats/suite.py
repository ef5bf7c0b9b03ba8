"""The suites of CATs: their sets, blind cues, and tables 3 and 6 of measured and published rows.

Table 3 has accuracy on each set, and their average with an interval of its own; table 6 whether the two halves of a
pair are right or wrong together. Published figures are stored as data; averages are recomputed from their rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Card, Probe, read_probe
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.cues.battery import Number, battery
from horsesense.cues.findings import Finding, measure_cues
from horsesense.data import shipped_toml
from horsesense.errors import UserError
from horsesense.methods.cats.dataset import with_sources
from horsesense.methods.ledger import printed_table
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
from horsesense.runs.probe_answers import ProbeAnswers, result_of
from horsesense.stats import Consistency, Estimate, chance, consistency
from horsesense.stats.intervals import rate_interval, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, spread, totals

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
    groups = ({name: unit for name, unit in item.groups.items() if name != "source"} for item in everything)
    linked = iter(with_sources([replace(item, groups=own) for item, own in zip(everything, groups, strict=True)]))
    return {
        name: replace(probe, items=tuple(next(linked) for _ in probe.items), card=_card(probe.card, name))
        for name, probe in probes.items()
    }


def _card(card: Card, name: str) -> Card:
    return replace(card, name=card.name if card.name not in SETS else f"{card.name}-{name}", group="source")


_GENERAL = ("ca", "wsc", "sm", "smr", "swag", "hella_swag", "arct_1", "arct_2")
_ROBUST = ("add", "del", "swap", "sub")
SETS = {"cats": _GENERAL, "cats-robust": _ROBUST, "cats-raw": _GENERAL, "cats-robust-raw": _ROBUST}
"""Sets by suite, in the order of the paper's table; a suite is also the reader of its files. The raw ones keep each
sentence as the published script scores it."""


def open_suite(name: str, folder: Path | None, skip_bad: bool = False) -> OpenedData:
    """Read the sets of a suite in a folder, or in the fetched dataset."""
    paths, missing = find_sets(data_folder(folder, "cats", name), SETS[name])
    return OpenedData(read_sets(name, paths, skip_bad), paths, missing)


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


# The tables.


HUMAN, RANDOM = "HUMAN", "RANDOM"
_PLACES = {"accuracy": "table 3", "consistency": "table 6"}


_DIRECTIONS = {"left to right": "unidirectional", "both sides": "bidirectional"}
"""The paper's names of model directions."""


def direction_of(answered: ProbeAnswers) -> str:
    """Return the paper's name of a model's direction."""
    return _DIRECTIONS[answered.part.model.direction]


def accuracy_row(answered: Mapping[str, ProbeAnswers]) -> tuple[dict[str, Estimate], Estimate]:
    """Return the accuracy of one model by set, and the mean over these sets, each counting once."""
    sets = {name: result_of(run, None).accuracy for name, run in answered.items()}
    earned = {name: run.credits(run.primary()).values for name, run in answered.items()}
    # Names, not numbers: a cluster that two sets share must have one name.
    units = {name: [item.unit(run.probe.card.group) for item in run.items] for name, run in answered.items()}
    chances = [estimate.chance for estimate in sets.values()]
    guess = float(np.mean([chance for chance in chances if chance is not None]))
    return sets, average_of(earned, units, guess)


def average_of(
    credits: Mapping[str, Floats],
    units: Mapping[str, Sequence[str]],
    chance: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Estimate:
    """Return the mean accuracy over several sets, whose items may share clusters.

    Clusters are resampled once for all sets, so that a statement in two of them is drawn for both.

    >>> sets = {"a": np.array([1.0, 1.0, 0.0, 1.0]), "b": np.array([0.0, 1.0])}
    >>> average = average_of(sets, {"a": list("wxyz"), "b": list("wx")})
    >>> average.value, average.n, average.clusters
    (0.625, 6, 4)
    """
    names = list(credits)
    judged = {name: ~np.isnan(credits[name]) for name in names}
    rows = [(name, index) for name in names for index in np.flatnonzero(judged[name]).tolist()]
    columns = []
    for wanted in names:
        right = [credits[name][index] if name == wanted else 0.0 for name, index in rows]
        count = [1.0 if name == wanted else 0.0 for name, _ in rows]
        columns += [np.array(right), np.array(count)]
    table = totals(columns, [units[name][index] for name, index in rows])
    value = float(_mean(table.total[None, :])[0])
    ends = rate_interval(value, spread(_mean, table, seed, resamples), table.number, level)
    return Estimate(
        n=len(rows),
        clusters=table.number,
        value=value,
        ci=ends,
        level=level,
        chance=chance,
        method="cluster bootstrap over all sets, beta",
        seed=seed,
        note=unit_note(table.number),
    )


def _mean(drawn: Floats) -> Floats:
    right, count = drawn[:, 0::2], drawn[:, 1::2]
    # A resample without any item of a small set leaves the set out of its mean.
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.nanmean(np.where(count > 0, right / count, np.nan), axis=1)
    return means


def pairs_of_set(answered: ProbeAnswers) -> Consistency:
    """Return whether the originals and their edited versions are right or wrong together."""
    return consistency(
        answered.credits(answered.primary()).values,
        [item.unit() for item in answered.items],
        [item.member for item in answered.items],
        [item.unit(answered.probe.card.group) for item in answered.items],
        [len(item.options) for item in answered.items],
    )


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a published table."""

    model: str
    values: Mapping[str, float]
    """By set, as printed."""
    printed: float | None
    """The average as printed; None where the table has none."""
    direction: str = ""
    """unidirectional or bidirectional; empty where it is not a model."""

    @property
    def human(self) -> bool:
        return self.model == HUMAN

    @property
    def average(self) -> float:
        """Return the mean over the sets."""
        return math.fsum(self.values.values()) / len(self.values)

    @property
    def follows(self) -> bool:
        """Return whether the printed average follows from the row, rounded or truncated to three digits.

        >>> PublishedRow("a", {"x": 0.5, "y": 0.6}, 0.55).follows, PublishedRow("b", {"x": 0.5}, 0.6).follows
        (True, False)
        """
        if self.printed is None:
            return True
        # Single values are rounded too, so half a unit of the last digit is tolerated.
        return abs(self.average - self.printed) < 0.001


def _published() -> dict[str, Any]:
    return shipped_toml(Path(__file__).with_name("published.toml"))


def published_rows(table: str) -> list[PublishedRow]:
    """Return the rows of a table: ``accuracy`` (table 3) or ``consistency`` (table 6)."""
    directions, sets = _published()["directions"], {title: name for name, title in titles().items()}
    rows = []
    for model, printed in printed_table("cats", _PLACES[table]).items():
        if model != RANDOM:
            values = {sets[title]: value for title, value in printed.items() if title in sets}
            rows.append(PublishedRow(model, values, printed.get("Average"), directions.get(model, "")))
    return rows


def titles() -> dict[str, str]:
    """Return the paper's name of each set."""
    return dict(_published()["titles"])


def released_counts() -> dict[str, int]:
    """Return the number of instances per published set; a robust line counts as two."""
    return dict(_published()["released"])


def source() -> str:
    """Return the citation of the figures."""
    return str(_published()["source"])


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


_PARTS: tuple[tuple[str, Callable[[Consistency], Estimate]], ...] = (
    ("both halves right", lambda pairs: pairs.both),
    ("consistent (both right or both wrong)", lambda pairs: pairs.consistent),
    ("consistent by chance of the two accuracies", lambda pairs: pairs.expected),
    ("accuracy, original", lambda pairs: pairs.first[1]),
    ("accuracy, edited", lambda pairs: pairs.second[1]),
)


def _suite(name: str) -> PaperSuite:
    return PaperSuite(
        name,
        source(),
        "paper:cats",
        partial(open_suite, name),
        _accuracy_tables if SETS[name] == _GENERAL else _pair_tables,
        results=lambda opened, progress: BlindCues(name, blind_cues(opened.probes, progress)),
        render="horsesense.methods.cats.render:print_suite",
    )


CATS, CATS_ROBUST, CATS_RAW, CATS_ROBUST_RAW = map(_suite, SETS)
