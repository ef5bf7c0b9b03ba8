"""What a pipeline is to do, the models that its steps share, and step 3, the adversarial filter (2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from horsesense.errors import UserError
from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.model_checks import LEAST_MEAN
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.schemas import Triplet, prior_item
from horsesense.methods.winoventi.special_word import PRIOR
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model
from horsesense.records import Card, Probe
from horsesense.runs.ask import Settings, ask_models
from horsesense.runs.results import read_run
from horsesense.watching import Watcher

# What a pipeline is to do: the one thing that all its steps are given.


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pipeline is to do."""

    model: str
    nouns: tuple[Noun, ...]
    ranker: str = "smollm2"
    writer: str = "smollm2"
    """A causal model that writes premises; ``none``: only frames, which need a masked model."""
    asking: Asking = field(default_factory=Asking)
    judged: tuple[Path, ...] = ()
    """Exceptions that people wrote: filled task files, or the release's outcome collection."""
    conceptnet: Path | None = None
    written: tuple[Path, ...] = ()
    """Premises that people wrote."""
    most: int = 3
    """Exceptions an association, the most trusted first."""
    write: int = 60
    """Triplets that premises are written for by machine."""
    samples: int = 4
    """Premises that the writer tries for each."""
    least: float = LEAST_MEAN
    """Mean log-probability of a token, by the ranker, that a machine's sentence needs to count as English."""
    entailment: str = ""
    """A model of entailment for the check of ambiguity; empty: no such check."""
    vectors: str = "minilm"
    """A model of word vectors for the check of nearness in meaning; ``none``: no such check."""
    seed: int = 0
    device: str = "auto"


# Models of a pipeline, each loaded when it is first needed, and once.


@dataclass(slots=True)
class Loaded:
    """Keeps models by name; a step that was done before loads none."""

    device: str = "auto"
    dtype: str = "float32"
    _kept: dict[str, LanguageModel] = field(default_factory=dict)

    def get(self, name: str) -> LanguageModel:
        if name not in self._kept:
            self._kept[name] = load_model(name, device=self.device, dtype=self.dtype)
        return self._kept[name]


# Step 3, the adversarial filter (winoventi.txt, 2.4): triplets of which the model prefers the generic word.


def adversarial(
    plan: Plan, triplets: Sequence[Triplet], nouns: Mapping[str, Noun], folder: Path, watcher: Watcher
) -> list[Triplet]:
    """Those that pass; a tie does not. An exception of several tokens is scored as several."""
    items = [prior_item(each, nouns[each.noun], literal=plan.asking.literal) for each in triplets]
    probe = Probe.of(items, Card(name=PRIOR, method="winoventi", normalise="sum", group="noun"))
    ask_models([plan.model], {PRIOR: probe}, folder, Settings(spec=plan.asking.spec, device=plan.device), watcher)
    (answered,) = read_run(folder)[1]
    unspelt = sum(any("unknown-token" in flag for flag in answer.flags) for answer in answered.answers)
    if unspelt:
        watcher.say(f"triplets with a word that the tokenizer cannot spell: {unspelt:,}")
    credits = dict(zip((item.family for item in answered.items), answered.credits("sum").values, strict=True))
    kept = [each for each in triplets if credits[each.name] == 1]
    watcher.say(f"{len(kept):,} of {len(triplets):,} triplets pass: {plan.model} prefers the generic word")
    if not kept:
        raise UserError("no triplet passes the adversarial filter", fix="give more nouns or other exceptions")
    return kept
