"""CATs from Python: a paper's sets asked together, and the row of its table beside the published ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.asking import ask
from horsesense.api.run import Run
from horsesense.methods.cats.suite import OpenedSuite, find_suite, open_suite
from horsesense.methods.cats.suite_table import SuiteTable, suite_table
from horsesense.records import ScoringSpec
from horsesense.watching import UNWATCHED, Watcher

if TYPE_CHECKING:
    from horsesense.models.local.language_model import LanguageModel

PathLike = str | Path

__all__ = ["AskedSuite", "ask_suite"]


@dataclass(frozen=True)
class AskedSuite:
    """A suite as models answered it."""

    run: Run
    """The answers."""
    table: SuiteTable
    """A row a model, the published rows, and the best blind cue of each set."""


def ask_suite(
    model: str | LanguageModel | Sequence[str | LanguageModel],
    name: str = "cats",
    *,
    data: PathLike | None = None,
    out: PathLike | None = None,
    spec: str | ScoringSpec | None = None,
    normalise: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    skip_bad: bool = False,
    device: str = "auto",
    watcher: Watcher = UNWATCHED,
) -> AskedSuite:
    """Ask a paper's sets together.

    Args:
        model: One or several, by name or loaded.
        name: ``"cats"`` or ``"cats-robust"``.
        data: The folder of its sets; by default what was fetched.
        out: A folder that keeps every answer; without one nothing is kept.
        spec: What a score means; by default the paper's own definition.
        normalise: How options are compared; by default as each card says.
        limit: Of each set, ask about this many items.
        seed: Of the draw.
        skip_bad: Skip and count bad lines.
        device: Where models by name are put.
        watcher: Told how far it has come.

    Returns:
        The run, and its table.
    """
    opened: OpenedSuite = open_suite(find_suite(name), None if data is None else Path(data), skip_bad)
    run = ask(
        model,
        opened.probes,
        out=out,
        spec=opened.suite.spec if spec is None else spec,
        normalise=normalise,
        limit=limit,
        seed=seed,
        device=device,
        watcher=watcher,
    )
    return AskedSuite(run, suite_table(opened, list(run.answered), run.normalise, watcher))
