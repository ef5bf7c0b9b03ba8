"""What packages of others add here."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.errors import naming_extras
from horsesense.plugins import Kind, every
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class InstalledPlugin(Document):
    """One thing that a package adds."""

    kind: Kind
    """What it adds: the group of its entry point, without ``horsesense.``"""
    name: str
    """What a user asks for."""
    package: str
    """Who adds it."""
    version: str
    """Which version of the package is installed."""


@dataclass(frozen=True, slots=True)
class InstalledPlugins(Document):
    """What packages of others add here."""

    plugins: tuple[InstalledPlugin, ...]
    """By kind and name."""


@naming_extras()
def list_plugins() -> InstalledPlugins:
    """What installed packages add: builders, releases, models, cues, controls, exchange formats.

    Returns:
        Each with its kind, name, package and version. None of them is loaded, so a broken one is listed too.
    """
    return InstalledPlugins(tuple(InstalledPlugin(p.kind, p.name, p.package, p.version) for p in every()))
