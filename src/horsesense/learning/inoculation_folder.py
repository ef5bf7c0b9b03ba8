"""What a study of inoculation leaves: every dose tried, the chosen ones with their tests, answers, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from horsesense.analysis import Estimate, accuracy, chance, family_accuracy
from horsesense.files import disk_errors
from horsesense.learning.curves import CHOSEN, CurvePoint, curves
from horsesense.learning.inoculation import SHOWN, BestDose, Sets
from horsesense.learning.leaks import LeakCounts, Leaks
from horsesense.learning.training import credit_of
from horsesense.records import Answer, Dose, Probe
from horsesense.records.document import Document
from horsesense.runs.controls import keep_control

TRIED = "doses.jsonl"


@dataclass(frozen=True, slots=True)
class Folder:
    """Where a study is kept. Lines are only ever added, so that a killed study goes on where it was."""

    path: Path

    def tried(self, doses: Sequence[Dose]) -> None:
        self._add(TRIED, [asdict(dose) for dose in doses])

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
                method = f"rate {best.dose.lr:g}, step {best.dose.steps}"
                keep_control(
                    place, who, method, probe.card.name, probe, answers, best.dose.seed, family="multiple-choice"
                )
        self._add(CHOSEN, [values])
        return values

    def _add(self, name: str, rows: Sequence[dict[str, Any]]) -> None:
        with disk_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            with (self.path / name).open("ab") as handle:
                handle.write(b"".join(orjson.dumps(row) + b"\n" for row in rows))


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
