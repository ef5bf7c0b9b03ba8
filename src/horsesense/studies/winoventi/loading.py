"""Models of a pipeline, each loaded when it is first needed, and once."""

from __future__ import annotations

from dataclasses import dataclass, field

from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model


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
