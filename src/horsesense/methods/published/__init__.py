"""Readers of published files by name, each loaded when it is asked for; what readers share lies beside this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.data import disk_errors
from horsesense.errors import UserError
from horsesense.methods.published.pinned_files import check_fetched, published_people
from horsesense.registry import found

if TYPE_CHECKING:
    from horsesense.core import Probe


@dataclass(frozen=True, slots=True)
class Reader:
    """Where the reader of a release lives, and which files it wants."""

    where: str
    """``module:function``, loaded when it is asked for; the function takes paths and ``skip_bad``."""
    files: str = "FILE…"
    """The files as a user would write them."""
    fewest: int = 1
    most: int | None = None


_METHODS = "horsesense.methods"

READERS = {
    "cats": Reader(f"{_METHODS}.cats.released:read_cats"),
    "cats-robust": Reader(f"{_METHODS}.cats.released:read_cats_robust"),
    "rica": Reader(f"{_METHODS}.rica.released:read_rica", "SENTENCES MASK_WORDS [CONFIG]", 2, 3),
    "rica-axioms": Reader(f"{_METHODS}.rica.released_axioms:read_rica_axioms"),
    "winoventi": Reader(f"{_METHODS}.winoventi.released:read_winoventi"),
    "partwhole": Reader(f"{_METHODS}.partwhole.released:read_partwhole"),
    "partwhole-nli": Reader(f"{_METHODS}.partwhole.released:read_partwhole_nli"),
    "mcqa": Reader(f"{_METHODS}.wordnetqa.released:read_mcqa"),
    "sciq": Reader(f"{_METHODS}.published.science:read_sciq"),
    "arc": Reader(f"{_METHODS}.published.science:read_arc"),
    # The sources that CATs was made from, in their own formats.
    "winograd": Reader(f"{_METHODS}.cats.winograd:read_winograd"),
    "sense-making": Reader(f"{_METHODS}.cats.sources:read_sense_making", "STATEMENTS ANSWERS", 2, 2),
    "sense-reasons": Reader(f"{_METHODS}.cats.sources:read_sense_reasons", "REASONS ANSWERS", 2, 2),
    "swag": Reader(f"{_METHODS}.cats.sources:read_swag"),
    "hellaswag": Reader(f"{_METHODS}.cats.sources:read_hellaswag"),
    "arct": Reader(f"{_METHODS}.cats.sources:read_arct"),
    "arct-neutral": Reader(f"{_METHODS}.cats.sources:read_arct_neutral"),
}


def read_release(name: str, paths: Sequence[Path], *, skip_bad: bool = False) -> Probe:
    """Read the published files of a release into a probe.

    What the release is known to have wrong is repaired and counted in the notes; any other bad
    line is an error with file and line, or skipped and counted with ``skip_bad``. A name that
    is not in `READERS` may be a plug-in's.
    """
    if name not in READERS:
        from horsesense.core.probe import probe_of_plugin

        plugin = found("releases", name, [*READERS, "table"])
        for path in paths:  # a file that is not there is no fault of the plug-in
            with disk_errors(path):
                path.stat()
        return probe_of_plugin(plugin, plugin.function(), list(paths), skip_bad)
    reader = READERS[name]
    if len(paths) < reader.fewest or (reader.most is not None and len(paths) > reader.most):
        files = "1 file was" if len(paths) == 1 else f"{len(paths)} files were"
        raise UserError(f"{files} given for {name}", fix=f"horsesense import {name} {reader.files} -o FILE")
    for path in paths:
        check_fetched(path)
    module, _, function = reader.where.partition(":")
    probe: Probe = getattr(import_module(module), function)(paths, skip_bad)
    return replace(probe, card=replace(probe.card, human=published_people(name, probe.items)))
