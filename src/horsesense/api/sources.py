"""The sources that probes are built from, and one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.api.probes import PathLike
from horsesense.errors import naming_extras

if TYPE_CHECKING:
    from horsesense.knowledge.sources import AddedSource, KeptSources


@naming_extras()
def add_source(name: str, file: PathLike) -> AddedSource:
    """Check a file and keep it as a knowledge source.

    Args:
        name: What to call the source; builders take it by this name.
        file: Triples (relation, concept, target, with tabs between them), or a wordnet in LMF (.xml, .xml.gz, .xml.xz).

    Returns:
        The source, with its licence and how many concepts it has.
    """
    from horsesense.knowledge.sources import add_file

    return add_file(name, Path(file))


@naming_extras()
def list_sources() -> KeptSources:
    """The knowledge sources that are kept.

    Returns:
        Each with its name, version and licence.
    """
    from horsesense.knowledge.sources import kept_sources

    return kept_sources()
