"""One HTML file that opens from disk and asks nothing of a network."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from horsesense import __version__
from horsesense.files import writing
from horsesense.records import BLANK
from horsesense.report.summary import family_verdict, summarise
from horsesense.runs.manifest import Manifest
from horsesense.runs.results import read_run


def write_page(folder: Path, path: Path | None = None, unfinished: bool = False) -> Path:
    """Write the report of a run folder; its path. ``unfinished`` leaves out what is not finished."""
    manifest, answered = read_run(folder, unfinished)
    environment = Environment(
        loader=PackageLoader("horsesense.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    html = environment.get_template("page.html.j2").render(
        manifest=manifest,
        summaries=[summarise(one) for one in answered if one.judged],
        cards={one.part.probe.name: one.probe.card for one in answered},
        blank=BLANK,
        family_verdict=family_verdict,
        repeat=repeat_command(manifest),
        version=__version__,
    )
    path = path or folder / "report.html"
    with writing(path) as temporary:
        temporary.write_text(html, encoding="utf-8")
    return path


def repeat_command(manifest: Manifest) -> str:
    """A command that asks the same again."""
    words = ["horsesense", "run"]
    for flag, names in (
        ("-m", dict.fromkeys(part.model.name for part in manifest.parts)),
        ("-p", dict.fromkeys(part.probe.name for part in manifest.parts)),
    ):
        for name in names:
            words += [flag, name if flag == "-m" or name == "starter" else f"{name}.jsonl"]
    if manifest.limit is not None:
        words += ["--limit", str(manifest.limit), "--seed", str(manifest.seed)]
    settings = _changed_settings(manifest)
    if settings:
        words += ["--spec", ",".join(settings)]
    return shlex.join(words)


def _changed_settings(manifest: Manifest) -> Sequence[str]:
    from horsesense.records import ScoringSpec

    usual = ScoringSpec().to_dict()
    changed = {name: value for name, value in manifest.spec.items() if value != usual.get(name)}
    return [f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed.items()]
