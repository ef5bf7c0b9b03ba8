"""Published datasets by name: their readers, each imported when it is used, and published human figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import HumanFigure, Item, Probe
from horsesense.core.catalogue import PathLike
from horsesense.core.probe import probe_of_plugin
from horsesense.data import disk_errors, tables
from horsesense.data.downloads import check_fetched
from horsesense.errors import UserError, argument, translate_errors
from horsesense.registry import Reader, load, provided, require_plugin

_PEOPLE_COLUMNS = ("release", "part", "value", "kind", "n", "people", "source")


def readers() -> dict[str, Reader]:
    """Return every reader of a published dataset by name: those of methods, and one per file of ``datasets``."""
    names = (path.stem for path in Path(__file__).with_name("datasets").glob("[a-z]*.py"))
    ours = {name.replace("_", "-"): Reader(f"{__name__}.datasets.{name}:read") for name in sorted(names)}
    return provided("readers") | ours


@translate_errors()
def read_release(dataset: str, *files: PathLike, skip_bad: bool = False, columns: str = "", name: str = "") -> Probe:
    """Read a published dataset or a table (CSV, JSONL, Parquet, Hugging Face) into a probe.

    Args:
        dataset: Name of a published dataset (cats, rica, winoventi, partwhole, mcqa …) or of a plug-in's dataset;
            or ``table``, to read a table of your own.
        files: One or more files, plain or gzipped, in the order that the documentation of the dataset gives. A table
            can also be on the Hugging Face Hub: hf:org/name:config.
        skip_bad: Skip and count lines that cannot be read.
        columns: Columns of a table, such as question=q,options=a+b,answer=gold. By default, guessed from their names.
        name: Name of the probe; only for a table.

    Returns:
        The probe; its card's notes count what was repaired, and `Probe.skipped` has the lines that were skipped. Its
        name is that of its file (``wsc.txt``: ``wsc``), or that of the dataset if there are several files.

    >>> read_release("catz", "wsc.txt")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no release 'catz'; did you mean 'cats'?
    """
    paths = [Path(file) for file in files]
    if not paths:
        fix = f"for a table: horsesense import table {dataset}" if Path(dataset).is_file() else "name its files"
        raise UserError(f"no file was given for {dataset}", fix=fix)
    if dataset == "table":
        from horsesense.data.table_formats import is_hub_name, of_hub
        from horsesense.methods.published.import_table import parse_map, read_table
        from horsesense.methods.published.reading import names_of

        with of_hub(paths) as laid:
            table = read_table(laid, skip_bad, parse_map(columns) if columns else None, name)
        if not any(is_hub_name(path) for path in paths):
            return table
        description = table.card.made.replace(names_of(laid), " and ".join(map(str, paths)))
        return replace(table, card=replace(table.card, made=description))
    if columns or name:
        raise UserError(
            f"{argument('columns')} and {argument('name')} are for a table",
            fix="leave them out, or use: horsesense import table",
        )
    from horsesense.exchange.formats import is_log_format
    from horsesense.methods.published.reading import stem_of

    if is_log_format(dataset, readers()):
        raise UserError(f"{dataset} is a format of logs", fix=f"use: horsesense import-log {dataset}")
    probe = read_files(dataset, paths, skip_bad=skip_bad)
    return replace(probe, called=stem_of(paths[0])) if len(paths) == 1 else probe


def read_files(name: str, paths: Sequence[Path], *, skip_bad: bool = False) -> Probe:
    """Read the files of a published dataset into a probe.

    Known errors of the dataset are repaired and counted in the notes. Any other bad line is an error with file and
    line, or skipped and counted with ``skip_bad``. A name that is not in `readers` may be a plug-in's.
    """
    known = readers()
    if name not in known:
        plugin = require_plugin("releases", name, [*known, "table"])
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


def published_people(release: str, items: Sequence[Item]) -> tuple[HumanFigure, ...]:
    """Return the published human figures for the parts of a dataset that are among the items.

    >>> [figure.part for figure in published_people("cats", [Item("cats", "sentences", options=("a", "b"))])]
    []
    """
    parts = {f"{name}={value}" for item in items for name, value in item.facets.items()} | {""}
    return tuple(figure for figure in _figures(release) if figure.part in parts)


def _figures(release: str) -> list[HumanFigure]:
    figures = []
    for _, row in tables.read_table(Path(__file__).with_name("people.tsv"), _PEOPLE_COLUMNS):
        name, part, value, kind, n, people, source = (row[column] for column in _PEOPLE_COLUMNS)
        if name == release:
            counts = (int(n) if n else None, int(people) if people else None)
            figures.append(HumanFigure(float(value), kind, source, part, *counts))
    return figures
