"""What training, inoculation and controls give: as tables, as pictures, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from horsesense.api.frames import Frame, columns_of
from horsesense.stats import Estimate
from horsesense.training.baseline import Baseline, BaselineDocument, Missed, baseline_document
from horsesense.training.curves import inoculation_curve, training_curves
from horsesense.training.inoculation_folder import InoculationDocument
from horsesense.training.training_document import TrainingDocument, training_document
from horsesense.training.training_results import Change, TrainingResults


def _estimate(name: str, e: Estimate | None) -> dict[str, Any]:
    if e is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: e.value, f"{name}_low": e.low, f"{name}_high": e.high}


@dataclass(frozen=True)
class Training(TrainingResults):
    """What a model gained under a setting, as a table and as curves."""

    @classmethod
    def of(cls, results: TrainingResults) -> Training:
        """The same, to be shown."""
        return cls(**{each.name: getattr(results, each.name) for each in fields(results)})

    def document(self) -> TrainingDocument:
        """All that is known of it, as plain data."""
        return training_document(self)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.document().to_json()

    def frame(self) -> Frame:
        """One row a test, whole and by the values of each facet, before and after."""
        rows = []
        for point in self.points:
            named = {"model": self.model, "setting": point.plan, "train": point.items}
            for test in point.tests:
                rows.append(named | _change(test.test, "", "", test.whole) | {"spread": test.spread})
                rows += [
                    named | _change(test.test, facet, value, change)
                    for facet, values in test.slices.items()
                    for value, change in values.items()
                ]
        return Frame(columns_of(rows), f"{self.model} before and after training")

    def plot(self, number: int = 0) -> Any:
        """A chart (Altair): accuracy over items trained on; 1 and more are those along each training, where looked."""
        from horsesense.report.drawing import curve_chart

        return curve_chart(training_curves(self.to_json())[number])

    def __repr__(self) -> str:
        return f"Training of {self.model} under {self.setting}: {len(self.points)} points, in {self.out}"

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


def _change(test: str, facet: str, value: str, change: Change) -> dict[str, Any]:
    return {
        "test": test,
        "facet": facet or None,
        "value": value or None,
        **_estimate("before", change.before),
        **_estimate("after", change.after),
        "chance": change.after.chance,
        "n": change.after.n,
    }


@dataclass(frozen=True)
class Inoculation(InoculationDocument):
    """What small doses of a probe teach a model and what they cost it, as a table and as curves."""

    @classmethod
    def of(cls, document: InoculationDocument) -> Inoculation:
        """The same, to be shown."""
        return cls(**{each.name: getattr(document, each.name) for each in fields(document)})

    def frame(self) -> Frame:
        """One row a setting, dose and seed: the tests of its best weights, and what they cost."""
        rows = [
            {
                "setting": dose.setting,
                "k": dose.k,
                "seed": dose.seed,
                "lr": dose.lr,
                "steps": dose.steps,
                "new": dose.test_new.accuracy,
                "new_low": dose.test_new.ci[0],
                "new_high": dose.test_new.ci[1],
                "new_chance": dose.test_new.chance,
                "original": dose.test_original.accuracy,
                "original_low": dose.test_original.ci[0],
                "original_high": dose.test_original.ci[1],
                "original_chance": dose.test_original.chance,
                "n": dose.test_new.n,
            }
            for dose in self.chosen
        ]
        return Frame(columns_of(rows), f"{self.model}, inoculated")

    def plot(self) -> Any:
        """A chart (Altair): accuracy on the probe and on the original task over doses (WordNetQA, figure 4)."""
        from horsesense.report.drawing import curve_chart

        return curve_chart(inoculation_curve(self.to_json()["chosen"]))

    def __repr__(self) -> str:
        return f"Inoculation of {self.model}: {len(self.curves)} points, in {self.out}"

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@dataclass(frozen=True)
class FittedControl(Baseline):
    """What a control earns on a probe, and models on the items where it fails."""

    others: tuple[str, ...] = ()
    """Controls among the runs that it was set against."""
    missed: tuple[Missed, ...] = ()
    """Each model that it was set against, on all items and where all controls fail."""

    @classmethod
    def of(cls, fitted: Baseline, others: Sequence[str] = (), missed: Sequence[Missed] = ()) -> FittedControl:
        """The same, to be shown beside models."""
        known = {each.name: getattr(fitted, each.name) for each in fields(Baseline)}
        return cls(**known, others=tuple(others), missed=tuple(missed))

    def document(self) -> BaselineDocument:
        """Its score and what it was set against, as plain data."""
        return baseline_document(self, self.others, self.missed)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.document().to_json()

    def frame(self) -> Frame:
        """The control, then each model on all items and where all controls fail."""
        parts = [(self.name, "all", self.estimate)]
        parts += [(each.model, "all", each.all) for each in self.missed]
        parts += [(each.model, "missed by controls", each.missed) for each in self.missed if each.missed]
        rows = [
            {
                "model": model,
                "items": items,
                "accuracy": e.value,
                "low": e.low,
                "high": e.high,
                "chance": e.chance,
                "n": e.n,
            }
            for model, items, e in parts
        ]
        return Frame(columns_of(rows), self.verdict)

    def plot(self) -> Any:
        """A chart (Altair): the control, and models where it fails, with intervals beside chance."""
        from horsesense.report.drawing import accuracies

        rows = [row | {"label": f"{row['model']}, {row['items']}"} for row in self.frame()]
        return accuracies(rows, "accuracy")

    def __repr__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()
