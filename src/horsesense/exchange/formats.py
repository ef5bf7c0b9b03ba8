"""Exchange formats by name, built in and of plug-ins, loaded on use; and the export of a probe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge

from horsesense.core import Probe, ScoringSpec
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, translate_errors
from horsesense.registry import ONE_OPTION, load, names, require_plugin

if TYPE_CHECKING:
    from horsesense.exchange.log_reader import LogReader


@dataclass(frozen=True, slots=True)
class ExportedProbe(Document):
    """A probe in the format of another tool."""

    out: Path
    """The folder."""
    to: str
    """The format."""
    items: int
    """Number of items."""
    files: tuple[str, ...]
    """The files in the folder."""
    notes: tuple[str, ...]
    """What the format cannot express, and what was left out."""
    run: str
    """Command of the other tool."""


@dataclass(frozen=True, slots=True)
class Export:
    """A probe to write, and its settings."""

    probe: Probe
    folder: Path
    """An existing, empty folder."""
    probe_name: str
    """Name of the probe in runs, so that a log can be compared with them."""
    name: str
    """Name of the task or dataset: letters, digits and underscores."""
    spec: ScoringSpec
    """How items become prompts."""
    by: str = ""
    """Facet whose values become tasks; empty: one task."""
    seed: int = 0
    """Random seed of the order of options."""
    cues: bool = True
    """Whether the dataset card reports cues."""


@dataclass(frozen=True, slots=True)
class WrittenExport:
    """The result of a writer."""

    items: int
    run: str
    """Command of the other tool; ``DIR`` is the folder."""
    notes: tuple[str, ...] = ()


Write = Callable[[Export], WrittenExport]
Read = Callable[[Sequence[Path], "LogReader"], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of another tool; a plug-in's entry point names one."""

    name: str
    write: Write | None = None
    """Writes a probe into an empty folder."""
    read: Read | None = None
    """Reads logs, and passes each sample to the reader."""


_HERE = "horsesense.exchange"
FORMATS = {
    "lm-eval": (f"{_HERE}.lm_eval_task:write_lm_eval", f"{_HERE}.lm_eval_log:read_lm_eval"),
    "inspect": (f"{_HERE}.inspect_task:write_inspect", f"{_HERE}.inspect_log:read_inspect"),
    "hf": (f"{_HERE}.hub_dataset:write_hub", ""),
    "answers": ("", f"{_HERE}.logged_run:read_answer_table"),
    "watts": ("", f"{_HERE}.watts_log:read_watts_log"),
}
"""Format → its writer and its log reader, as ``module:function``; empty if there is none."""

WRITES = tuple(name for name, (write, _) in FORMATS.items() if write)
READS = tuple(name for name, (_, read) in FORMATS.items() if read)


def format_function(name: str, kind: Literal["write", "read"]) -> Any:
    """Return the writer or the log reader of a format, built in or a plug-in's."""
    known, problem = (WRITES, "can only be imported") if kind == "write" else (READS, "has no logs")
    if name in known:
        return load(FORMATS[name][0 if kind == "write" else 1])
    if name not in FORMATS:
        plugin = require_plugin("formats", name, known).load(Format, "a Format of horsesense.exchange.formats")
        if (function := getattr(plugin, kind)) is not None:
            return function
    raise UserError(f"the format {name!r} {problem}", fix=f"use one of {', '.join(known)}")


def is_log_format(name: str, releases: Iterable[str] = ()) -> bool:
    """Whether a name is a format with logs, and not a published dataset."""
    if name in releases:
        return False
    return bool(FORMATS[name][1]) if name in FORMATS else name in names("formats")


@translate_errors()
def export(
    probe: Probe | str | Path,
    *,
    to: str,
    out: str | Path,
    name: str = "",
    spec: Annotated[str | ScoringSpec, ONE_OPTION] = "default",
    by: str = "",
    seed: Annotated[int, Ge(0)] = 0,
    cues: bool = True,
) -> ExportedProbe:
    """Export a probe to another tool, with the item ids, so that the logs of that tool can be imported.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        to: Format: lm-eval (a task folder), inspect (a task and its samples), hf (a Hugging Face dataset), or a
            plug-in's.
        out: Folder to write; it must not exist, or be empty.
        name: Name of the task or dataset. By default, the name of the probe.
        spec: Scoring spec.
        by: lm-eval: facet whose values become tasks of one group.
        seed: Inspect: random seed of the order of options.
        cues: Search for cues for the dataset card (hf; some seconds).

    Returns:
        The files, the command of the other tool, and what the format cannot express.
    """
    from horsesense.core.catalogue import as_probe, name_in_run
    from horsesense.data import disk_errors, writing_folder

    write: Write = format_function(to, "write")
    loaded = as_probe(probe)
    if not loaded.items:
        raise UserError("the probe is empty", fix="give one with items")
    known_as = name or name_in_run(probe)
    if not known_as.isprintable():
        raise UserError(f"the name {known_as!r} is not usable", fix="use letters, digits, dashes and underscores")
    folder = Path(out)
    with disk_errors(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError("the folder already exists", file=folder, fix="choose another, or remove it")
    meaning = parse_spec(spec)
    with disk_errors(folder), writing_folder(folder) as part:
        written = write(Export(loaded, part, known_as, _identifier(known_as), meaning, by, seed, cues))
        files = tuple(sorted(path.relative_to(part).as_posix() for path in part.rglob("*") if path.is_file()))
    run = written.run.replace("DIR", str(folder))
    return ExportedProbe(folder, to, written.items, files, tuple(written.notes), run)


def _identifier(name: str) -> str:
    """Return a name that is valid in YAML, Python and on the Hugging Face Hub.

    >>> _identifier("hard-questions"), _identifier("2 sets")
    ('hard_questions', 'probe_2_sets')
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "probe"
    return plain if plain[0].isalpha() else f"probe_{plain}"
