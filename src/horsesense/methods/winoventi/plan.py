"""What a pipeline is to do, and the models that its steps share.

The plan is the one thing that all steps are given.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from horsesense.methods.winoventi.asking import Asking
from horsesense.methods.winoventi.model_checks import LEAST_MEAN
from horsesense.methods.winoventi.nouns import Noun
from horsesense.models.contract import Model
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.opening import open_model, refuse_served


@dataclass(frozen=True, slots=True)
class PipelinePlan:
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


@dataclass(slots=True)
class LoadedModels:
    """The models of a pipeline by name, each loaded when it is first needed, and once.

    A step that was done before loads none.
    """

    device: str = "auto"
    dtype: str = "float32"
    _by_name: dict[str, Model] = field(default_factory=dict)

    def get(self, name: str) -> Model:
        if name not in self._by_name:
            self._by_name[name] = open_model(name, device=self.device, dtype=self.dtype)
        return self._by_name[name]

    def local(self, name: str, why: str) -> LanguageModel:
        """One whose weights are needed; ``why`` says for what."""
        refuse_served(name, why)
        model = self.get(name)
        assert isinstance(model, LanguageModel)
        return model
