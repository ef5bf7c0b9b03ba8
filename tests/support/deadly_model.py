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

from horsesense.models.contract import DEFAULT_BUDGET, Likelihood
from horsesense.models.local.language_model import LanguageModel
from horsesense.models.local.load import load_model
from horsesense.records import ScoringSpec
from horsesense.watching import UNWATCHED, Watcher


@dataclass(frozen=True)
class Deadly(LanguageModel):
    words: str = ""
    file: Path = Path()
    times: int = 0

    def likelihoods(
        self,
        readings: Sequence[Any],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        watcher: Watcher = UNWATCHED,
    ) -> list[Likelihood]:
        deaths = self.file.stat().st_size if self.file.exists() else 0
        texts = (self.tokenizer.decode(reading.question.ids) for reading in readings)
        if deaths < self.times and any(self.words in text for text in texts):
            with self.file.open("ab") as file:
                file.write(b"x")
            os._exit(1)
        return super().likelihoods(readings, spec, budget, watcher)


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
        readings: Sequence[Any],
        spec: ScoringSpec,
        budget: int = DEFAULT_BUDGET,
        watcher: Watcher = UNWATCHED,
    ) -> list[Likelihood]:
        return super().likelihoods(readings, spec, budget, _Waiting(watcher, self.file))


class _Waiting(Watcher):
    def __init__(self, watcher: Watcher, file: Path) -> None:
        self.watcher, self.file = watcher, file

    def at(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.watcher.at(stage, done, total, unit, note)
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
