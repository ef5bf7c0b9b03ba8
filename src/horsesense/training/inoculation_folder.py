"""The folder of an inoculation: every trial, the selected ones with their tests, and answers."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Answer, Probe
from horsesense.data import read_bytes, read_text
from horsesense.data.checksums import check_sum, summed
from horsesense.errors import UserError, argument
from horsesense.runs.controls import keep_control
from horsesense.stats import Estimate, accuracy, chance, family_accuracy
from horsesense.training.curves import SELECTED
from horsesense.training.inoculation_trials import SHOWN, BestTrial, InoculationSets, InoculationTrial
from horsesense.training.trainer import credit_of

TRIALS = "trials.jsonl"
STUDY = "study.json"


@dataclass(frozen=True, slots=True)
class InoculationFolder:
    """Stores trials as they are done; each file is complete, so that a killed study resumes."""

    path: Path

    def bind(self, values: Mapping[str, Any]) -> None:
        """Raise an error if the folder holds another study: another model, other items or another grid.

        ``values`` identify the study. Training-set sizes, settings and seeds may be added to it.
        """
        path = self.path / STUDY
        if not path.is_file():
            with summed(self.path, path) as temporary:
                temporary.write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            return
        check_sum(self.path, path, "remove the folder")
        try:
            stored = orjson.loads(read_text(path))
            for name, value in values.items():
                if name != "model":  # the same model may be in another folder now
                    self._check(name, stored[name], value)
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise UserError("the record of the study is damaged", file=path, fix="remove the folder") from error

    def _check(self, name: str, stored: Any, value: Any) -> None:
        if stored == value:
            return
        what = f"{name} {stored}"
        if name in ("identity", "model"):
            what = "another model"
        elif name in ("train", "dev", "test", "original_dev", "original_test", "natural"):
            what = f"other {name.replace('_', ' ')} items"
        fix = f"choose another {argument('out')}"
        raise UserError(f"the folder holds a study with {what}", file=self.path, fix=fix)

    def store_trials(self, trials: Sequence[InoculationTrial]) -> None:
        """Add trials on the development sets."""
        self._add(TRIALS, [asdict(trial) for trial in trials], ("setting", "k", "lr", "steps", "seed"))

    def store_best(self, best: BestTrial, sets: InoculationSets, seen: Mapping[str, bool]) -> dict[str, Any]:
        """Add the tests of selected weights, and store their answers for a few training-set sizes."""
        trial = best.trial
        tests = {"new": (sets.test, best.answers), "original": (sets.original_test, best.original_answers)}
        values: dict[str, Any] = asdict(trial)
        for name, (probe, answers) in tests.items():
            values[f"test_{name}"] = _accuracy(probe, answers)
        values["seen"] = _by_seen(sets.test, best.answers, seen)
        if trial.k in SHOWN:
            who = f"{trial.model} after {trial.k:,} examples ({trial.setting}, seed {trial.seed})"
            method = f"learning rate {trial.lr:g}, step {trial.steps}"
            for name, (probe, answers) in tests.items():
                run = f"{trial.setting.replace(' ', '-')}-{trial.k}-seed-{trial.seed}-{name}"
                folder = self.path / "answers" / run
                # A study that was stopped before it wrote the line may have left one.
                shutil.rmtree(folder, ignore_errors=True)
                keep_control(folder, who, method, probe.card.name, probe, answers, trial.seed, family="multiple-choice")
        self._add(SELECTED, [values], ("setting", "k", "seed"))
        return values

    def _add(self, name: str, rows: Sequence[dict[str, Any]], key: Sequence[str]) -> None:
        """Add rows; a row with the same key is replaced."""
        path = self.path / name
        new = {tuple(row[part] for part in key) for row in rows}
        others = [row for row in self._rows(path) if tuple(row.get(part) for part in key) not in new]
        ordered = sorted([*others, *rows], key=_order)
        with summed(self.path, path) as temporary:
            temporary.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ordered))

    def _rows(self, path: Path) -> list[dict[str, Any]]:
        if not path.is_file():
            return []
        check_sum(self.path, path, "get a copy of the folder that is whole")
        try:
            return [orjson.loads(line) for line in read_bytes(path).splitlines() if line]
        except orjson.JSONDecodeError as error:
            raise UserError("a line is not a trial", file=path, fix="remove it") from error


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Sort the base model first, then by seed, setting, k, learning rate and step."""
    setting = row.get("setting", "")
    return (
        setting != "none",
        row.get("seed"),
        setting != "plain",
        setting,
        row.get("k"),
        row.get("lr"),
        row.get("steps"),
    )


def _accuracy(probe: Probe, answers: Sequence[Answer]) -> dict[str, Any]:
    items = probe.items
    credit = credit_of(answers, items)
    guess = chance([len(item.options) for item in items])
    values = _plain(accuracy(credit, [item.unit(probe.card.group) for item in items], chance=guess))
    if any(item.family for item in items):
        counts = [len(item.options) for item in items]
        values["strict"] = _plain(
            family_accuracy(credit, [item.unit() for item in items], option_counts=counts)[0].strict
        )
    return values


def _by_seen(probe: Probe, answers: Sequence[Answer], seen: Mapping[str, bool]) -> dict[str, Any]:
    """Return accuracy by whether the word of the concept occurs in the text of the original task."""
    credit = credit_of(answers, probe.items)
    by_seen = {}
    for name, value in (("seen", True), ("unseen", False)):
        rows = [row for row, item in enumerate(probe.items) if seen.get(item.id) is value]
        if rows:
            items = [probe.items[row] for row in rows]
            guess = chance([len(item.options) for item in items])
            by_seen[name] = _plain(
                accuracy(credit[rows], [item.unit(probe.card.group) for item in items], chance=guess)
            )
    return by_seen


def _plain(e: Estimate) -> dict[str, Any]:
    return {"accuracy": e.value, "ci": [e.low, e.high], "n": e.n, "chance": e.chance}


@dataclass(frozen=True, slots=True)
class InoculationAccuracy:
    """Accuracy of selected weights on a test."""

    accuracy: float
    """Share of items right."""
    ci: tuple[float, float]
    """95% interval of the accuracy."""
    n: int
    """Items with a gold."""
    chance: float | None
    """Chance level."""
    strict: InoculationAccuracy | None = None
    """Share of whole families right, if there are families."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> InoculationAccuracy:
        strict = line.get("strict")
        return cls(**{**line, "strict": None if strict is None else cls.of(strict)})


@dataclass(frozen=True, slots=True)
class SelectedTrial(InoculationTrial):
    """The best weights of a setting, training-set size and seed, with their tests."""

    test_new: InoculationAccuracy
    """The probe's test."""
    test_original: InoculationAccuracy
    """The original task's test."""
    seen: Mapping[str, InoculationAccuracy]
    """The probe's test by whether the word of the concept occurs in the text of the original task."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> SelectedTrial:
        tests = {name: InoculationAccuracy.of(line[name]) for name in ("test_new", "test_original")}
        seen = {name: InoculationAccuracy.of(values) for name, values in line["seen"].items()}
        return cls(**{**line, **tests, "seen": seen})
