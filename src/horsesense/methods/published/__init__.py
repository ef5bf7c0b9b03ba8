"""Readers of published datasets by name, each imported when it is used, and their shared code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.data import disk_errors
from horsesense.errors import UserError
from horsesense.methods.published.pinned_files import check_fetched, published_people
from horsesense.registry import Reader, found, load, provided

if TYPE_CHECKING:
    from horsesense.core import Probe


_SHARED = {
    "sciq": Reader("horsesense.methods.published.science:read_sciq"),
    "arc": Reader("horsesense.methods.published.science:read_arc"),
    "watts": Reader("horsesense.methods.published.watts:read_watts"),
}
"""Datasets that belong to no method."""


def readers() -> dict[str, Reader]:
    """Return every reader of a published dataset by name."""
    return provided("readers") | _SHARED


def read_release(name: str, paths: Sequence[Path], *, skip_bad: bool = False) -> Probe:
    """Read the files of a published dataset into a probe.

    Known errors of the dataset are repaired and counted in the notes. Any other bad line is an error with file and
    line, or skipped and counted with ``skip_bad``. A name that is not in `readers` may be a plug-in's.
    """
    known = readers()
    if name not in known:
        from horsesense.core.probe import probe_of_plugin

        plugin = found("releases", name, [*known, "table"])
        for path in paths:  # a missing file is not the fault of the plug-in
            with disk_errors(path):
                path.stat()
        return probe_of_plugin(plugin, plugin.function(), list(paths), skip_bad)
    reader = known[name]
    if len(paths) < reader.fewest or (reader.most is not None and len(paths) > reader.most):
        files = "1 file was" if len(paths) == 1 else f"{len(paths)} files were"
        raise UserError(f"{files} given for {name}", fix=f"horsesense import {name} {reader.files} -o FILE")
    for path in paths:
        check_fetched(path)
    probe: Probe = load(reader.function)(paths, skip_bad)
    return replace(probe, card=replace(probe.card, human=published_people(name, probe.items)))
