"""What a study of inoculation leaves: every dose tried, the chosen ones with their tests, answers, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from horsesense.analysis import Estimate, accuracy, chance, family_accuracy
from horsesense.files import disk_errors
from horsesense.learning.curves import CHOSEN
from horsesense.learning.inoculation import SHOWN, Chosen, Sets
from horsesense.learning.training import credit_of
from horsesense.records import Answer, Dose, Probe
from horsesense.runs.controls import keep_control

TRIED = "doses.jsonl"


@dataclass(frozen=True, slots=True)
class Folder:
    """Where a study is kept. Lines are only ever added, so that a killed study goes on where it was."""

    path: Path

    def tried(self, doses: Sequence[Dose]) -> None:
        self._add(TRIED, [asdict(dose) for dose in doses])

    def chosen(self, chosen: Chosen, sets: Sets, seen: Mapping[str, bool]) -> dict[str, Any]:
        """Measure the chosen weights of a dose, and keep their answers where the dose is one that is shown."""
        tests = {"new": (sets.test, chosen.answers), "original": (sets.original_test, chosen.original_answers)}
        values: dict[str, Any] = asdict(chosen.dose)
        for name, (probe, answers) in tests.items():
            values[f"test_{name}"] = _measured(probe, answers)
        values["seen"] = _by_seen(sets.test, chosen.answers, seen)
        if chosen.dose.k in SHOWN:
            who = (
                f"{chosen.dose.model} after {chosen.dose.k:,} examples ({chosen.dose.setting}, seed {chosen.dose.seed})"
            )
            for name, (probe, answers) in tests.items():
                place = (
                    self.path
                    / "answers"
                    / f"{chosen.dose.setting.replace(' ', '-')}-{chosen.dose.k}-seed-{chosen.dose.seed}-{name}"
                )
                method = f"rate {chosen.dose.lr:g}, step {chosen.dose.steps}"
                keep_control(
                    place, who, method, probe.card.name, probe, answers, chosen.dose.seed, family="multiple-choice"
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
