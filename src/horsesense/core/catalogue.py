"""Probes, builders and plug-ins by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from horsesense.core import Probe, probe_name, read_probe
from horsesense.core.document import Document
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.registry import Kind, every, load, provided, require_plugin

PathLike = str | Path


@translate_errors()
def load_probe(name: PathLike) -> Probe:
    """Load a probe by its name or from its file.

    Args:
        name: ``"starter"`` or another probe that ships with the package, or a file: .jsonl, .jsonl.gz or .parquet.

    Returns:
        The items with their card.

    >>> load_probe("starter")
    Probe 'starter': 240 items in 120 families (sentences), by family
    >>> starter = load_probe("starter")
    >>> len(starter), len({item.id for item in starter})
    (240, 240)
    """
    if not Path(name).exists() and (function := provided("probes").get(str(name))):
        from horsesense.methods.audits import with_audit

        return with_audit(load(function)())
    if not Path(name).exists() and not Path(name).suffix:
        _refuse_name(str(name))
    return read_probe(name)


def as_probe(probe: Probe | PathLike) -> Probe:
    """Return a probe; a name or a file is loaded."""
    return probe if isinstance(probe, Probe) else load_probe(probe)


def name_in_run(probe: Probe | PathLike) -> str:
    """Return the name of a probe in a run: that of its file, or of its card."""
    return probe.called or probe.card.name if isinstance(probe, Probe) else probe_name(Path(probe))


def _refuse_name(name: str) -> NoReturn:
    """Raise an error for a name without a file; a published dataset has to be fetched and imported first."""
    from horsesense.data.downloads import published_files

    written = next((path for path in map(Path, (f"{name}.jsonl", f"{name}.jsonl.gz")) if path.exists()), None)
    if written is not None:
        raise UserError(f"there is no probe called {name!r}", fix=f"give the file: {written}")
    for release, files in published_files().items():
        path = next((f.path for f in files if name.lower() in (release, Path(f.path).stem.lower())), None)
        if path is not None:
            raise UserError(
                f"{name!r} is a published release, or a part of one, and no probe yet",
                fix=f"get it by horsesense fetch {release}, read it by horsesense import {release} FOLDER/{path} "
                f"-o {name}.jsonl (fetch prints the FOLDER), and give {name}.jsonl",
            )
    raise UserError(
        f"there is no file and no probe called {name!r}",
        fix=f"give a file (.jsonl, .jsonl.gz or .parquet), or one of {', '.join(provided('probes'))}",
    )


@translate_errors()
def build(name: str, /, **options: Any) -> Probe:
    """Build a probe with a builder of a method or of an installed package.

    Args:
        name: Builder, as in ``horsesense build --help``, or a plug-in's.
        options: Parameters of the builder, such as ``relation="hypernymy", limit=500`` for wordnetqa.

    Returns:
        The probe; the same options and seed give the same items.

    >>> build("wordnetqa", relation="hypernymi")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no relation 'hypernymi'; did you mean 'hypernymy'?
    """
    builders = provided("builders")
    if name not in builders:
        from horsesense.core.probe import probe_of_plugin

        plugin = require_plugin("builders", name, builders)
        function = plugin.function()
        check_options(f"the builder {name}", function, options)
        return probe_of_plugin(plugin, function, **options)
    builder = load(builders[name])
    check_options(f"the builder {name}", builder, options)
    probe: Probe = builder(**options)
    return probe


@translate_errors()
def build_plugin(name: str, *, options: Sequence[str] = ()) -> Probe:
    """Build a probe with a builder of another package.

    Args:
        name: Builder of an installed package.
        options: Parameter of the builder as KEY=VALUE, with numbers and lists as JSON.

    Returns:
        The probe.
    """
    return build(name, **_key_values(options))


def _key_values(pairs: Sequence[str]) -> dict[str, Any]:
    """Parse ``KEY=VALUE``; a value that is not JSON is text."""
    from json import loads

    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise UserError(f"{argument('options')} {pair!r} is not KEY=VALUE", fix="write it as limit=10")
        try:
            values[key] = loads(value)
        except ValueError:
            values[key] = value
    return values


def check_options(what: str, function: Any, options: dict[str, Any]) -> None:
    """Raise an error for an option that a function does not take, or for one that is missing."""
    import inspect

    every = inspect.signature(function).parameters
    parameters = {n: p for n, p in every.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in every.values())
    for option in options:
        if option not in parameters and not takes_any:
            raise unknown(f"option of {what} called", option, parameters)
    missing = [n for n, p in parameters.items() if p.default is p.empty and n not in options]
    if missing:
        raise UserError(f"{what} needs {', '.join(missing)}", fix=f"give {missing[0]}=…")


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


@translate_errors()
def list_plugins() -> InstalledPlugins:
    """List the builders, datasets, models, cues, controls and formats that installed packages add.

    Returns:
        Each with its kind, name, package and version. None of them is loaded, so a broken one is listed too.
    """
    return InstalledPlugins(tuple(InstalledPlugin(p.kind, p.name, p.package, p.version) for p in every()))
