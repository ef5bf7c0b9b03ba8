"""Exchange formats by name, ours and those of plug-ins, each loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.core import Probe, ScoringSpec
from horsesense.core.document import Document
from horsesense.errors import UserError
from horsesense.registry import found, names

if TYPE_CHECKING:
    from horsesense.exchange.log_reading import LogReading


@dataclass(frozen=True, slots=True)
class ExportedProbe(Document):
    """A probe as another tool takes it."""

    out: Path
    """The folder."""
    to: str
    """The format."""
    items: int
    """Items that travel."""
    files: tuple[str, ...]
    """What lies in the folder."""
    notes: tuple[str, ...]
    """What the other tool cannot be told, and what was left out for it."""
    run: str
    """How the other tool is called on it."""


@dataclass(frozen=True, slots=True)
class Export:
    """What is to be written, and how it is meant to be asked."""

    probe: Probe
    folder: Path
    """Empty, and there."""
    probe_name: str
    """What runs call the probe, so that a log of it can be set beside them."""
    name: str
    """What the task or data set is called: letters, digits and underscores."""
    spec: ScoringSpec
    """How items become prompts."""
    by: str = ""
    """The facet that tasks are apart by; empty: one task."""
    seed: int = 0
    """Of an order that is drawn."""
    cues: bool = True
    """Whether the card of a data set tells of cues."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a format wrote."""

    items: int
    run: str
    """How the other tool is called; ``DIR`` stands for the folder."""
    notes: tuple[str, ...] = ()


Write = Callable[[Export], Written]
Read = Callable[[Sequence[Path], "LogReading"], None]


@dataclass(frozen=True, slots=True)
class Format:
    """Files of another tool; what a plug-in's entry point names."""

    name: str
    write: Write | None = None
    """Writes a probe into an empty folder."""
    read: Read | None = None
    """Reads logs, and gives each sample to the reading."""


_ROOM = "horsesense.exchange"
FORMATS = {
    "lm-eval": (f"{_ROOM}.lm_eval_task:write_lm_eval", f"{_ROOM}.lm_eval_log:read_lm_eval"),
    "inspect": (f"{_ROOM}.inspect_task:write_inspect", f"{_ROOM}.inspect_log:read_inspect"),
    "hf": (f"{_ROOM}.hub_dataset:write_hub", ""),
    "answers": ("", f"{_ROOM}.answer_table:read_answer_table"),
}
"""Format → what writes it and what reads its logs, as ``module:function``; empty where nothing does."""

WRITES = tuple(name for name, (write, _) in FORMATS.items() if write)
READS = tuple(name for name, (_, read) in FORMATS.items() if read)


def writer(name: str) -> Write:
    """What writes a format."""
    if name in FORMATS and FORMATS[name][0]:
        function: Write = _loaded(FORMATS[name][0])
        return function
    if name in FORMATS:
        raise UserError(f"the format {name!r} is only read", fix=f"use one of {', '.join(WRITES)}")
    plugin = found("formats", name, WRITES)
    made = plugin.load(Format, "a Format of horsesense.exchange.formats").write
    if made is None:
        raise UserError(f"the format {name!r} is only read", fix=f"use one of {', '.join(WRITES)}")
    return made


def reader(name: str) -> Read:
    """What reads the logs of a format."""
    if name in FORMATS and FORMATS[name][1]:
        function: Read = _loaded(FORMATS[name][1])
        return function
    if name in FORMATS:
        raise UserError(f"the format {name!r} has no logs", fix=f"use one of {', '.join(READS)}")
    plugin = found("formats", name, READS)
    made = plugin.load(Format, "a Format of horsesense.exchange.formats").read
    if made is None:
        raise UserError(f"the format {name!r} has no logs", fix=f"use one of {', '.join(READS)}")
    return made


def is_log_format(name: str, releases: Iterable[str] = ()) -> bool:
    """Whether a name that is no release is a format with logs."""
    if name in FORMATS:
        return bool(FORMATS[name][1])
    return name not in releases and name in names("formats")


def _loaded(where: str) -> Any:
    module, _, function = where.partition(":")
    return getattr(import_module(module), function)
