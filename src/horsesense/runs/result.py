"""The result of a model on a probe, and how much the prompt format matters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from horsesense.core.answer import UNANSWERED
from horsesense.core.audit import LabelQuality
from horsesense.core.document import Document
from horsesense.models.api.address import is_served
from horsesense.runs.replies import ReplyStatistics
from horsesense.stats import Estimate
from horsesense.stats.intervals import against_chance

_PATH = re.compile(r"(\.{0,2}|~\w*)/|[A-Za-z]:[\\/]|[^:]*(/[^:]*/|\.gguf$)")
"""A path; ``org/name`` is a name on the Hugging Face Hub, and a colon marks a server or a plug-in."""

TOO_FEW = "too few answered"
"""The verdict where there are too few answers."""
LEAST_ANSWERED = 0.9
"""Share of the items that must be answered for a verdict, a comparison or a regression check."""

_ANY_MODEL = re.compile(r"model|final|best|last|checkpoint-\d+")
"""Folder names that mean nothing without the parent folder."""


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Return the names of models in tables and charts: of a path the last parts, as many as make it unique.

    >>> list(shown_names(["/data/a/tuned", "/data/b/tuned", "./half", "org/name", "runs/doses/model"]).values())
    ['a/tuned', 'b/tuned', 'half', 'org/name', 'doses/model']
    >>> list(shown_names(["litellm/openai/gpt-5"]).values())
    ['litellm/openai/gpt-5']
    """
    names = list(names)
    stems = {name.partition(" (")[0] for name in names}  # the folder of a run may stand behind, in brackets
    paths = {stem for stem in stems if _PATH.match(stem) and not is_served(stem)}
    parts = {stem: re.findall(r"[^/\\]+", stem) if stem in paths else [stem] for stem in stems}
    names_to_print: dict[str, str] = {}
    for name in names:
        stem, bracket, folder = name.partition(" (")
        whole = parts[stem]
        least = 2 if len(whole) > 1 and _ANY_MODEL.fullmatch(whole[-1]) else 1
        tails = ["/".join(whole[-count:]) for count in range(least, len(whole) + 1)]
        others = [f"/{'/'.join(other)}" for each, other in parts.items() if each != stem]
        tail = next((tail for tail in tails if not any(other.endswith(f"/{tail}") for other in others)), stem)
        names_to_print[name] = f"{tail}{bracket}{folder}"
    return names_to_print


@dataclass(frozen=True, slots=True)
class Result(Document):
    """Accuracy of a model on a probe."""

    model: str
    """Name of the model."""
    probe: str
    """Name of the probe: its file name without the ending."""
    metric: str
    """What ``accuracy`` is: the share of items, or the average over clusters."""
    normalise: str
    """Score normalisation; ``by form``: that of each item's form, where they differ. Without log-probabilities, the
    prompt format, or ``score``."""
    accuracy: Estimate
    """The metric on the items with a gold answer that were answered; a tie counts as 1/n. The interval is clustered by
    the card's group. Where no item was answered, n is 0, and value and interval are null."""
    plain: Estimate | None
    """Share of items, where the metric is the average over clusters."""
    effective_units: float
    """Effective number of clusters (Kish)."""
    strict: Estimate | None
    """Share of families with every item right, with n families; null where no item has a family or is answered."""
    ties: int
    """Items with more than one best option."""
    unjudged: int
    """Items without a gold answer, left out."""
    sensitivity: Mapping[str, float]
    """Accuracy under each other normalisation that the answers allow."""
    spec: Mapping[str, str | int | float | bool]
    """Scoring spec, and the special tokens around each text."""
    format: str
    """Prompt format: loglikelihood, pmi, letters or generate."""
    asked: str
    """Template, examples, option orders, and the formats that ``auto`` skipped."""
    outcomes: Mapping[str, int] | None = None
    """Letters and generate: outcome → items: right, wrong, tie, refused, filtered, cut off, unparsed, empty, failed."""
    bounds: tuple[float, float] | None = None
    """Share of all items that is right if every unanswered item counts as wrong, and if it counts as right; null where
    all were answered."""
    replies: ReplyStatistics | None = None
    """Replies and position bias, for letters and generate."""
    label_quality: LabelQuality | None = None
    """Label quality of the items, from the probe's card."""
    verdict: str | None = None
    """``above chance``, ``near chance``, ``below chance`` or ``inconclusive``, by the interval; ``too few
    answered`` where less than 90% of the items were answered; null where chance is not known."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", TOO_FEW if self.too_few else against_chance(self.accuracy))

    @property
    def answered(self) -> int:
        """Number of answered items."""
        lost = sum((self.outcomes or {}).get(outcome, 0) for outcome in UNANSWERED)
        return self.asked_items - lost

    @property
    def asked_items(self) -> int:
        """Number of items with a gold answer."""
        return sum(self.outcomes.values()) if self.outcomes else self.accuracy.n

    @property
    def too_few(self) -> bool:
        """Whether there are too few answers for a verdict."""
        return self.answered < LEAST_ANSWERED * self.asked_items

    @property
    def unanswered(self) -> bool:
        """Whether no item was answered, so that there is no score."""
        return not self.answered

    @property
    def compared_by(self) -> str:
        """The normalisation, in words."""
        return "the score of each form" if self.normalise == "by form" else self.normalise

    def beyond(self) -> str:
        """Return a sentence if another normalisation gives an accuracy outside the interval; else an empty string."""
        low, high = self.accuracy.ci
        outside = {name: value for name, value in self.sensitivity.items() if not low <= value <= high}
        if not outside:
            return ""
        others = ", ".join(f"{value:.3f} by {name}" for name, value in outside.items())
        return (
            "the normalisation moves the score outside its interval: "
            f"{self.accuracy:v.3f} by {self.compared_by}, {others}"
        )


@dataclass(frozen=True, slots=True)
class Spread(Document):
    """One model on one probe in several prompt formats: uncertainty that no interval shows."""

    model: str
    """Name of the model."""
    probe: str
    """Name of the probe."""
    formats: Mapping[str, float]
    """Accuracy by prompt format."""
    low: float
    """Lowest accuracy."""
    high: float
    """Highest accuracy."""
    spread: float
    """High minus low."""


def spreads(results: Sequence[Result]) -> tuple[Spread, ...]:
    """Return the spread of each model and probe that was asked in at least two prompt formats."""
    by_pair: dict[tuple[str, str], dict[str, float]] = {}
    for result in results:
        if result.unanswered:
            continue
        by_pair.setdefault((result.model, result.probe), {})[result.format] = result.accuracy.value
    return tuple(
        Spread(
            model,
            probe,
            by_format,
            min(by_format.values()),
            max(by_format.values()),
            max(by_format.values()) - min(by_format.values()),
        )
        for (model, probe), by_format in by_pair.items()
        if len(by_format) > 1
    )
