"""What is asked: a probe by name or file, a published release, or one that is built here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from horsesense.core import Probe, card_path, probe_name, read_probe
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.registry import found, load, provided

if TYPE_CHECKING:
    from horsesense.core.overview import Overview

PathLike = str | Path


@translate_errors()
def load_probe(name: PathLike) -> Probe:
    """A probe by its name or its file.

    Args:
        name: ``"starter"``, ``"winoventi-own"`` or ``"partwhole-own"``, the probes that ship with the package, or a
            file: .jsonl, .jsonl.gz or .parquet.

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

        probe: Probe = load(function)()
        return with_audit(probe)
    if not Path(name).exists() and not Path(name).suffix:
        _say_where(str(name))
    return read_probe(name)


def opened(probe: Probe | PathLike) -> Probe:
    """A probe in hand, or by its name or its file."""
    return probe if isinstance(probe, Probe) else load_probe(probe)


def called(probe: Probe | PathLike) -> str:
    """What a probe is called: as its file, wherever it was read, else as its card says."""
    return probe.called or probe.card.name if isinstance(probe, Probe) else probe_name(Path(probe))


def _say_where(name: str) -> NoReturn:
    """A bare name that is no file may be one of a release, which is fetched and read before it is asked."""
    from horsesense.methods.published.pinned_files import published_files

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
def read_release(dataset: str, *files: PathLike, skip_bad: bool = False, columns: str = "", name: str = "") -> Probe:
    """Read a published dataset or a table (CSV, JSONL, Parquet, Hugging Face) into a probe.

    Args:
        dataset: Dataset (cats, rica, winoventi, partwhole, mcqa …), dataset of a plug-in, or ``table``.
        files: One or more files, plain or gzipped; where a dataset needs several, in its documented order. A table
            can also be hf:org/name:config.
        skip_bad: Skip and count lines that cannot be read.
        columns: Columns of a table, such as question=q,options=a+b,answer=gold. By default, guessed.
        name: Name of the probe (table).

    Returns:
        The probe; its card's notes count what was repaired, and `Probe.skipped` has the lines that were skipped. A run
        calls it as its file (``wsc.txt``: ``wsc``), and by the release's name where there are several.

    >>> read_release("catz", "wsc.txt")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    horsesense.errors.UserError: there is no release 'catz'; did you mean 'cats'?
    """
    paths = [Path(file) for file in files]
    if not paths:
        raise UserError(f"no file was given for {dataset}", fix="name the files of the dataset")
    if dataset == "table":
        from horsesense.data.table_formats import is_hub_name, of_hub
        from horsesense.methods.published.layouts import parse_map
        from horsesense.methods.published.reading import names_of
        from horsesense.methods.published.table import read_table

        with of_hub(paths) as laid:
            found = read_table(laid, skip_bad, parse_map(columns) if columns else None, name)
        if not any(is_hub_name(path) for path in paths):
            return found
        made = found.card.made.replace(names_of(laid), " and ".join(map(str, paths)))
        return replace(found, card=replace(found.card, made=made))
    if columns or name:
        raise UserError(
            f"{argument('columns')} and {argument('name')} are for a table",
            fix="leave them out, or use: horsesense import table",
        )
    from horsesense.exchange.formats import is_log_format
    from horsesense.methods import published
    from horsesense.methods.published.reading import stem_of

    if is_log_format(dataset, published.readers()):
        raise UserError(f"{dataset} is a format of logs", fix=f"use: horsesense import-log {dataset}")
    probe = published.read_release(dataset, paths, skip_bad=skip_bad)
    return replace(probe, called=stem_of(paths[0])) if len(paths) == 1 else probe


@translate_errors()
def overview(probe: Probe | PathLike, *, samples: int = 3, seed: int = 0) -> Overview:
    """What is in a probe: counts, facets, samples.

    Args:
        probe: A probe, its name or its file.
        samples: How many items to draw.
        seed: Which ones.

    Returns:
        Counts of items, families, forms, options, answers, facets and groups, and the items drawn.

    >>> overview("starter", samples=0).answers
    {'0': 120, '1': 120}
    """
    from horsesense.core.overview import overview as look

    return look(opened(probe), samples, seed)


@translate_errors()
def build(name: str, /, **options: Any) -> Probe:
    """Build a probe with a builder of a method or of an installed package.

    Args:
        name: Builder: wordnetqa, dictionaryqa, rica, winoventi, partwhole, conjunctions, duals or a plug-in's.
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

        plugin = found("builders", name, builders)
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
    """A keyword that a function does not take is told with the nearest that it does."""
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


def probes_named(
    given: Probe | PathLike | Sequence[Probe | PathLike] | Mapping[str, Probe],
) -> dict[str, Probe]:
    """Probes by the name they have in a run."""
    from horsesense.scoring.normalise import parse_normalisation

    if isinstance(given, Mapping):
        return dict(given)
    probes: dict[str, Probe] = {}
    for each in [given] if isinstance(given, Probe | str | Path) else given:
        probe = each if isinstance(each, Probe) else load_probe(each)
        name = called(each)
        if name in probes:
            if isinstance(each, Probe):
                raise UserError(f"two probes are called {name!r}", fix="give them by name: {name: probe}")
            raise UserError(f"two probes are called {name!r}", file=each, fix="rename one of the files")
        if probe.card.normalise:
            try:
                parse_normalisation(probe.card.normalise)
            except UserError as error:  # told before hours of asking
                raise (error if isinstance(each, Probe) else error.at(card_path(Path(each)))) from None
        probes[name] = probe
    return probes
