"""What a model got right of a probe: as it is worked with, as plain data, and how much the way of asking matters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from horsesense.core.audit import Soundness
from horsesense.core.document import Document
from horsesense.runs.replies import RepliesDocument
from horsesense.stats import Estimate

_PATH = re.compile(r"(\.{0,2}|~\w*)/|[A-Za-z]:[\\/]|[^:]*(/[^:]*/|\.gguf$)")
"""How the path of a model begins; ``org/name`` is a name on the hub, and what has a colon a server or a plug-in."""

_ANY_MODEL = re.compile(r"model|final|best|last|checkpoint-\d+")
"""What folders are called that say nothing without the one above."""


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """What tables and pictures call models: of a path the last part, or as many as tell it from the others.

    >>> list(shown_names(["/data/a/tuned", "/data/b/tuned", "./half", "org/name", "runs/doses/model"]).values())
    ['a/tuned', 'b/tuned', 'half', 'org/name', 'doses/model']
    """
    names = list(names)
    stems = {name.partition(" (")[0] for name in names}  # the folder of a run may stand behind, in brackets
    parts = {stem: re.findall(r"[^/\\]+", stem) if _PATH.match(stem) else [stem] for stem in stems}
    shown: dict[str, str] = {}
    for name in names:
        stem, bracket, place = name.partition(" (")
        whole = parts[stem]
        least = 2 if len(whole) > 1 and _ANY_MODEL.fullmatch(whole[-1]) else 1
        tails = ["/".join(whole[-count:]) for count in range(least, len(whole) + 1)]
        others = [f"/{'/'.join(other)}" for each, other in parts.items() if each != stem]
        tail = next((tail for tail in tails if not any(other.endswith(f"/{tail}") for other in others)), stem)
        shown[name] = f"{tail}{bracket}{place}"
    return shown


@dataclass(frozen=True, slots=True)
class ResultDocument(Document):
    """What a model got right of a probe, as plain data."""

    model: str
    """Who was asked."""
    probe: str
    """The name of its file, without the ending."""
    n: int
    """Items with a gold."""
    metric: str
    """What is counted."""
    normalise: str
    """How scores were made of tokens; ``by form``: as the form of each item has it."""
    accuracy: float
    """The metric: share of the items that are right, where a tie counts as its part, or the average over units."""
    ci: tuple[float, float]
    """Interval of the accuracy, clustered by the card's group."""
    level: float
    """How often such intervals hold the true value."""
    clusters: int
    """Units of dependence."""
    chance: float | None
    """What guessing earns."""
    plain: Estimate | None
    """Share of all items that are right, beside an average over units; null where that is the metric itself."""
    effective_units: float
    """How many units of equal size would say as much (Kish)."""
    strict: Estimate | None
    """Families with every item right; null where each item stands alone."""
    ties: int
    """Items with more than one best option."""
    unjudged: int
    """Items without a gold, left out."""
    sensitivity: Mapping[str, float]
    """Accuracy under each other normalisation that the answers allow."""
    spec: Mapping[str, str | int | float | bool]
    """What a score means: all fields of the scoring spec, and the tokens around each text in words."""
    format: str
    """Prompt format: loglikelihood, pmi, letters or generate."""
    asked: str
    """The same in words: template, examples, orders, what was fallen back from."""
    replies: RepliesDocument | None = None
    """What was said and made out, where it was asked in letters or words."""
    soundness: Soundness | None = None
    """How sound the items are, as the probe's card has it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a model got right of a probe."""

    model: str
    probe: str
    metric: str
    normalise: str
    estimate: Estimate
    strict: Estimate | None
    """Whole families right; None where there are no families. Its n counts families."""
    ties: int
    unjudged: int
    sensitivity: dict[str, float]
    """Accuracy under each other normalisation that the answers allow."""
    spec: dict[str, Any]
    effective_units: float
    """How many units of equal size would say as much (Kish)."""
    plain: Estimate | None = None
    """Share of all items, beside an average over units."""
    format: str = "loglikelihood"
    asked: str = ""
    replies: RepliesDocument | None = None
    soundness: Soundness | None = None
    """How sound the items are, where somebody has read a sample."""

    @property
    def compared_by(self) -> str:
        """What options are compared by, in words."""
        return "the score of each form" if self.normalise == "by form" else self.normalise

    def beyond(self) -> str:
        """Where another way to compare options lies outside the interval, a sentence that says so; else nothing."""
        e = self.estimate
        outside = {name: value for name, value in self.sensitivity.items() if not e.low <= value <= e.high}
        if not outside:
            return ""
        told = ", ".join(f"by {name} {value:.3f}" for name, value in outside.items())
        return f"how options are compared moves it beyond its interval: {e.value:.3f} by {self.compared_by}, {told}"

    def document(self) -> ResultDocument:
        """The same with its estimate spread out, for those who read it elsewhere."""
        e = self.estimate
        return ResultDocument(
            model=self.model,
            probe=self.probe,
            n=e.n,
            metric=self.metric,
            normalise=self.normalise,
            accuracy=e.value,
            ci=e.ci,
            level=e.level,
            clusters=e.clusters,
            chance=e.chance,
            plain=self.plain,
            effective_units=self.effective_units,
            strict=self.strict,
            ties=self.ties,
            unjudged=self.unjudged,
            sensitivity=self.sensitivity,
            spec=self.spec,
            format=self.format,
            asked=self.asked,
            replies=self.replies,
            soundness=self.soundness,
        )


@dataclass(frozen=True, slots=True)
class Spread(Document):
    """One model on one probe in several prompt formats: the part of the uncertainty that no interval shows."""

    model: str
    """Who was asked."""
    probe: str
    """What was asked."""
    formats: Mapping[str, float]
    """Accuracy by prompt format."""
    low: float
    """The lowest of them."""
    high: float
    """The highest of them."""
    spread: float
    """What they are apart."""


def spreads(results: Sequence[Result]) -> tuple[Spread, ...]:
    """Return the spread of each model and probe that was asked in at least two prompt formats."""
    by_pair: dict[tuple[str, str], dict[str, float]] = {}
    for result in results:
        by_pair.setdefault((result.model, result.probe), {})[result.format] = result.estimate.value
    return tuple(
        Spread(model, probe, found, min(found.values()), max(found.values()), max(found.values()) - min(found.values()))
        for (model, probe), found in by_pair.items()
        if len(found) > 1
    )
