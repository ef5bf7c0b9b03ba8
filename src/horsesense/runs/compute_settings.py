"""Where a run computes, and how much at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.models.load_settings import LoadSettings

if TYPE_CHECKING:
    from horsesense.runs.engine import Engine


@dataclass(frozen=True)
class EngineSettings:
    """Workers."""

    engine: str | Engine = "here"
    """Engine: here (this process), ray (started on this machine) or ray:ADDRESS (a running cluster)."""
    workers: Annotated[int, Ge(1)] | None = None
    """Number of Ray workers. By default, one per GPU, or one per machine without a GPU."""
    gpus: Annotated[float, Ge(0)] | None = None
    """Number of GPUs per Ray worker. By default, 1 if there is a GPU."""
    threads: Annotated[int, Ge(1)] | None = None
    """Number of threads per Ray worker. By default, the cores of the machine, shared among its workers."""

    def chosen_engine(self) -> Engine:
        """The engine with its workers."""
        from horsesense.runs.engine import engine_named

        if not isinstance(self.engine, str):
            return self.engine
        return engine_named(self.engine, workers=self.workers, gpus=self.gpus, threads=self.threads)


@dataclass(frozen=True)
class ComputeSettings(EngineSettings, LoadSettings):
    """Compute."""

    batch_tokens: Annotated[int, Ge(1)] | None = None
    """Maximum number of tokens per batch. By default, chosen for the device."""
    cache: bool = True
    """Reuse scores that another run has stored in the cache."""
