"""Other tools' files in and out: logs as runs, probes as tasks and data sets of others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.api.probes import PathLike, called, opened
from horsesense.core import Probe, ScoringSpec
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, translate_errors
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import ONE_OPTION

if TYPE_CHECKING:
    from horsesense.exchange.formats import ExportedProbe
    from horsesense.exchange.logged_run import ImportedLog


@translate_errors()
def import_log(
    format: str,
    *files: PathLike,
    out: PathLike,
    columns: str = "",
    model: str = "",
    cluster: str = "",
    filter: str = "",
    scorer: str = "",
    skip_bad: bool = False,
    progress: Progress = NO_PROGRESS,
) -> ImportedLog:
    """Import another tool's log as a run folder, to report, compare and show it like any other.

    Args:
        format: Format: lm-eval (samples_*.jsonl), inspect (.eval or .json), answers (any table), or that of a plug-in.
        files: Log, or folder of logs.
        out: Run folder to write; it must be new.
        columns: Columns of a table of answers, such as item=id,model=m,choice=said,options=opts,gold=key.
        model: Name of the model. By default, the name in the log.
        cluster: Column with the cluster of each item, for intervals.
        filter: Filter that counts (lm-eval). By default, the first.
        scorer: Scorer that counts (inspect). By default, the first.
        skip_bad: Skip and count samples that cannot be read.
        progress: Progress callback.

    Returns:
        Whose answers to what, what was left out, and what such a log does not tell.
    """
    from horsesense.data import disk_errors
    from horsesense.exchange.formats import reader
    from horsesense.exchange.log_reading import LogReading
    from horsesense.exchange.logged_run import write_logged_run

    read = reader(format)
    if not files:
        raise UserError("no log is given", fix="name a file")
    paths = [Path(file) for file in files]
    for path in paths:
        with disk_errors(path):
            path.stat()
    reading = LogReading(
        skip_bad=skip_bad, columns=_columns(format, columns), model=model, filter=filter, scorer=scorer
    )
    return write_logged_run(reading, read, paths, Path(out), format, cluster, progress)


def _columns(format: str, text: str) -> dict[str, str]:
    if format != "answers":
        if text:
            raise UserError("only a table of answers has columns to map", fix=f"leave them out for {format}")
        return {}
    from horsesense.exchange.answer_table import parse_answer_columns

    return parse_answer_columns(text)


@translate_errors()
def export(
    probe: Probe | PathLike,
    *,
    to: str,
    out: PathLike,
    name: str = "",
    spec: Annotated[str | ScoringSpec, ONE_OPTION] = "default",
    by: str = "",
    seed: Annotated[int, Ge(0)] = 0,
    cues: bool = True,
) -> ExportedProbe:
    """Export a probe as an lm-evaluation-harness or Inspect task, or as a Hugging Face dataset.

    The items keep their ids, so that a log of such a task can be imported and compared.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        to: Format: lm-eval, inspect, hf, or the format of a plug-in.
        out: Folder to write; it must be empty or new.
        name: Name of the task or dataset. By default, the name of the probe.
        spec: Scoring spec that turns items into prompts: a preset and fields, separated by commas. In Python, also a
            `ScoringSpec`.
        by: Facet whose values become the tasks of a group (lm-eval).
        seed: Random seed of the order of options (inspect).
        cues: Report cues on the dataset card (hf), which takes seconds.

    Returns:
        What was written, how the other tool is called on it, and what it cannot be told.
    """
    from horsesense.data import disk_errors, writing_folder
    from horsesense.exchange.formats import Export, ExportedProbe, writer

    write = writer(to)
    loaded = opened(probe)
    if not loaded.items:
        raise UserError("the probe is empty", fix="give one with items")
    known_as = name or called(probe)
    if not known_as.isprintable():
        raise UserError(f"the name {known_as!r} is not usable", fix="use letters, digits, dashes and underscores")
    folder = Path(out)
    with disk_errors(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError("the folder is there already", file=folder, fix="choose another, or remove it")
    meaning = parse_spec(spec) if isinstance(spec, str) else spec
    with disk_errors(folder), writing_folder(folder) as part:
        written = write(Export(loaded, part, known_as, _identifier(known_as), meaning, by, seed, cues))
        files = tuple(sorted(path.relative_to(part).as_posix() for path in part.rglob("*") if path.is_file()))
    run = written.run.replace("DIR", str(folder))
    return ExportedProbe(folder, to, written.items, files, tuple(written.notes), run)


def _identifier(name: str) -> str:
    """A name that YAML, Python and the hub all take.

    >>> _identifier("wordnetqa-hypernymy"), _identifier("2 sets")
    ('wordnetqa_hypernymy', 'probe_2_sets')
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "probe"
    return plain if plain[0].isalpha() else f"probe_{plain}"
