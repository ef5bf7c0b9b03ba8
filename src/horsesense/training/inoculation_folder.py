"""What a study of inoculation leaves: every dose tried, the chosen ones with their tests, answers, curves."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Answer, Dose, Probe
from horsesense.core.document import Document
from horsesense.data import read_bytes, read_text
from horsesense.data.checksums import check_sum, summed
from horsesense.errors import UserError, argument
from horsesense.runs.controls import keep_control
from horsesense.stats import Estimate, accuracy, chance, family_accuracy
from horsesense.training.curves import CHOSEN, CurvePoint, curves, read_chosen
from horsesense.training.doses import SHOWN, BestDose, Sets
from horsesense.training.leaks import LeakCounts, Leaks
from horsesense.training.one_training import credit_of

TRIED = "doses.jsonl"
STUDY = "study.json"


@dataclass(frozen=True, slots=True)
class Folder:
    """Where a study is kept, dose by dose, each file whole: a killed study goes on where it was."""

    path: Path

    def bind(self, values: Mapping[str, Any]) -> None:
        """A folder holds one study; one of another model, on other items, or with another grid is refused.

        ``values`` are what it is made from. More doses, settings and seeds may be added to it.
        """
        path = self.path / STUDY
        if not path.is_file():
            for dose in read_chosen(self.path):  # of an earlier version, which kept no such file
                self._check("model", dose.get("model"), values["model"])
            with summed(self.path, path) as temporary:
                temporary.write_bytes(orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            return
        check_sum(self.path, path, "remove the folder")
        try:
            kept = orjson.loads(read_text(path))
            for name, value in values.items():
                if name != "model":  # the same model may lie elsewhere now
                    self._check(name, kept[name], value)
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise UserError("the record of the study is damaged", file=path, fix="remove the folder") from error

    def _check(self, name: str, kept: Any, wanted: Any) -> None:
        if kept == wanted:
            return
        told = f"{name} {kept}"
        if name in ("identity", "model"):
            told = "another model"
        elif name in ("train", "dev", "test", "original_dev", "original_test", "natural"):
            told = f"other {name.replace('_', ' ')} items"
        fix = f"choose another {argument('out')}"
        raise UserError(f"the folder holds a study with {told}", file=self.path, fix=fix)

    def tried(self, doses: Sequence[Dose]) -> None:
        self._add(TRIED, [asdict(dose) for dose in doses], ("setting", "k", "lr", "steps", "seed"))

    def chosen(self, best: BestDose, sets: Sets, seen: Mapping[str, bool]) -> dict[str, Any]:
        """Measure the chosen weights of a dose, and keep their answers where the dose is one that is shown."""
        tests = {"new": (sets.test, best.answers), "original": (sets.original_test, best.original_answers)}
        values: dict[str, Any] = asdict(best.dose)
        for name, (probe, answers) in tests.items():
            values[f"test_{name}"] = _measured(probe, answers)
        values["seen"] = _by_seen(sets.test, best.answers, seen)
        if best.dose.k in SHOWN:
            who = f"{best.dose.model} after {best.dose.k:,} examples ({best.dose.setting}, seed {best.dose.seed})"
            for name, (probe, answers) in tests.items():
                place = (
                    self.path
                    / "answers"
                    / f"{best.dose.setting.replace(' ', '-')}-{best.dose.k}-seed-{best.dose.seed}-{name}"
                )
                # What lies there is of a study that was stopped before it kept the line.
                shutil.rmtree(place, ignore_errors=True)
                method = f"rate {best.dose.lr:g}, step {best.dose.steps}"
                keep_control(
                    place, who, method, probe.card.name, probe, answers, best.dose.seed, family="multiple-choice"
                )
        self._add(CHOSEN, [values], ("setting", "k", "seed"))
        return values

    def _add(self, name: str, rows: Sequence[dict[str, Any]], key: Sequence[str]) -> None:
        """Add lines, each once; one that was cut, or is done again, goes."""
        path = self.path / name
        new = {tuple(row[part] for part in key) for row in rows}
        kept = [row for row in self._rows(path) if tuple(row.get(part) for part in key) not in new]
        ordered = sorted([*kept, *rows], key=_place)
        with summed(self.path, path) as temporary:
            temporary.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ordered))

    def _rows(self, path: Path) -> list[dict[str, Any]]:
        if not path.is_file():
            return []
        check_sum(self.path, path, "get a copy of the folder that is whole")
        *whole, _ = read_bytes(path).split(b"\n")  # behind the last line there is nothing, or one that was cut
        try:
            return [orjson.loads(line) for line in whole if line]
        except orjson.JSONDecodeError as error:
            raise UserError("a line is no dose", file=path, fix="remove it") from error


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where a dose stands, whichever was done first: the model as it is, then by seed, setting, k, rate and step."""
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


def _measured(probe: Probe, answers: Sequence[Answer]) -> dict[str, Any]:
    items = probe.items
    credit = credit_of(answers, items)
    guess = chance([len(item.options) for item in items])
    measured = _plain(accuracy(credit, [item.unit(probe.card.group) for item in items], chance=guess))
    if any(item.family for item in items):
        counts = [len(item.options) for item in items]
        measured["strict"] = _plain(
            family_accuracy(credit, [item.unit() for item in items], option_counts=counts)[0].strict
        )
    return measured


def _by_seen(probe: Probe, answers: Sequence[Answer], seen: Mapping[str, bool]) -> dict[str, Any]:
    """Accuracy by whether the concept's word stands in the original task's text."""
    credit = credit_of(answers, probe.items)
    by_seen = {}
    for name, wanted in (("seen", True), ("unseen", False)):
        rows = [row for row, item in enumerate(probe.items) if seen.get(item.id) is wanted]
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
class MeasuredDose(Document):
    """A test as the line of a chosen dose keeps it."""

    accuracy: float
    """Share of items right."""
    ci: tuple[float, float]
    """Interval of the accuracy."""
    n: int
    """Items with a gold."""
    chance: float | None
    """What guessing earns."""
    strict: MeasuredDose | None = None
    """Whole families right, where there are families."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> MeasuredDose:
        strict = line.get("strict")
        return cls(**{**line, "strict": None if strict is None else cls.of(strict)})


@dataclass(frozen=True, slots=True)
class ChosenDose(Document):
    """The best weights of a setting, dose and seed: a dose record (development sets) and the tests."""

    model: str
    """The model before."""
    setting: str
    """none, plain, add-some x1, add-some x2."""
    k: int
    """Examples of the probe."""
    lr: float
    """Learning rate."""
    steps: int
    """Steps trained."""
    seed: int
    """Which examples were drawn."""
    new: float
    """Accuracy on the probe's development set."""
    original: float
    """Accuracy on the original task's development set."""
    cost: float
    """Original accuracy before minus after."""
    test_new: MeasuredDose
    """The probe's test."""
    test_original: MeasuredDose
    """The original task's test."""
    seen: Mapping[str, MeasuredDose]
    """The probe's test by whether the concept's word stands in the original task's text."""

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> ChosenDose:
        tests = {name: MeasuredDose.of(line[name]) for name in ("test_new", "test_original")}
        seen = {name: MeasuredDose.of(values) for name, values in line["seen"].items()}
        return cls(**{**line, **tests, "seen": seen})


@dataclass(frozen=True, slots=True)
class InoculationDocument(Document):
    """What small doses of a probe teach a model, and what they cost it."""

    model: str
    """The model before."""
    out: Path
    """Folder of doses, answers and curves."""
    curves: tuple[CurvePoint, ...]
    """Means over seeds, one for each setting and dose."""
    chosen: tuple[ChosenDose, ...]
    """The best weights of each setting, dose and seed."""
    leaks: LeakCounts
    """What the doses have seen of the tests."""


def inoculation_document(
    model: str, out: Path, chosen: Sequence[Mapping[str, Any]], leaks: Leaks
) -> InoculationDocument:
    """An inoculation from the lines that its folder keeps of the chosen doses."""
    return InoculationDocument(
        model=model,
        out=out,
        curves=tuple(curves(chosen)),
        chosen=tuple(map(ChosenDose.of, chosen)),
        leaks=LeakCounts.of(leaks),
    )
