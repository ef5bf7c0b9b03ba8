"""A plug-in with models that end their process, or that wait: what happens to workers, as often as a test wants it.

``deadly:FOLDER:WORDS:FILE:TIMES`` is the model in a folder; asked a question with these words it ends its process,
until the file has so many bytes: one for each time. ``patient:FOLDER:FILE`` waits after each batch until the file is
there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from horsesense.core import ScoringSpec
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.protocol import DEFAULT_BUDGET, Likelihood
from horsesense.progress import NO_PROGRESS, Progress


@dataclass(frozen=True)
class Deadly(LanguageModel):
    words: str = ""
    file: Path = Path()
    times: int = 0

    def likelihoods(
        self,
        encoded: Sequence[Any],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        deaths = self.file.stat().st_size if self.file.exists() else 0
        texts = (self.tokenizer.decode(encoded_prompt.question.ids) for encoded_prompt in encoded)
        if deaths < self.times and any(self.words in text for text in texts):
            with self.file.open("ab") as file:
                file.write(b"x")
            os._exit(1)
        return super().likelihoods(encoded, spec, budget, progress)


def deadly(rest: str) -> LanguageModel:
    folder, words, file, times = rest.split(":")
    model = load_model(folder, device="cpu")
    values = {each.name: getattr(model, each.name) for each in fields(LanguageModel)}
    return Deadly(**values, words=words, file=Path(file), times=int(times))


@dataclass(frozen=True)
class Patient(LanguageModel):
    file: Path = Path()

    def likelihoods(
        self,
        encoded: Sequence[Any],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        progress: Progress = NO_PROGRESS,
    ) -> list[Likelihood]:
        return super().likelihoods(encoded, spec, budget, _Waiting(progress, self.file))


class _Waiting(Progress):
    def __init__(self, progress: Progress, file: Path) -> None:
        self.progress, self.file = progress, file

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.progress.update(stage, done, total, unit, note)
        until = time.monotonic() + 60
        while not self.file.exists() and time.monotonic() < until:
            time.sleep(0.05)


def patient(rest: str) -> LanguageModel:
    folder, file = rest.split(":")
    model = load_model(folder, device="cpu")
    return Patient(**{each.name: getattr(model, each.name) for each in fields(LanguageModel)}, file=Path(file))


def install_deadly(folder: Path) -> None:
    """Make the models such that are found from this folder on the path."""
    about = folder / "deadly-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: deadly\nVersion: 1.0\n", encoding="utf-8")
    entry = "[horsesense.models]\n"
    entry += "".join(f"{name} = tests.support.deadly_model:{name}\n" for name in ("deadly", "patient"))
    (about / "entry_points.txt").write_text(entry, encoding="utf-8")
