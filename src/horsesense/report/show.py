"""Show a probe, one item of it in all its forms, or the answers of models to one."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge

from horsesense.core import Item, Probe
from horsesense.core.catalogue import PathLike, as_probe
from horsesense.core.views import SAMPLES, ItemInForms, Overview, item_in_forms, overview
from horsesense.errors import UserError, translate_errors
from horsesense.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from horsesense.report.item_answers import ItemAnswers
    from horsesense.runs.probe_answers import ProbeAnswers
    from horsesense.runs.run import Run


@translate_errors()
def show(
    what: Probe | Run | PathLike,
    item: str | None = None,
    /,
    *,
    samples: Annotated[int, Ge(0)] = SAMPLES,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Overview | ItemInForms | ItemAnswers:
    """Show what a probe contains, one item in every prompt format, or every model's answer to one item of a run.

    Args:
        what: Name or file of a probe, or a run folder. In Python, also a `Probe` or a `Run`.
        item: Id of an item, or the start of one; required for a run.
        samples: Number of sample items.
        seed: Random seed of the samples.
        progress: Progress callback.

    Returns:
        Of a probe, what is in it; with ``item``, this one; of a run, this one with all answers to it.

    >>> show("starter", samples=0).items
    240
    """
    # To look at a probe loads nothing that a run needs, so a run is what is neither probe nor name.
    if not isinstance(what, Probe | str | Path):
        return _shown(what.answered, item, what.folder)
    if not isinstance(what, Probe) and Path(what).is_dir():
        return _of_folder(Path(what), item, progress)
    probe = as_probe(what)
    if item is None:
        return overview(probe, samples, seed)
    return item_in_forms(_find_item(probe.items, item, None if isinstance(what, Probe) else Path(what)))


def _of_folder(folder: Path, name: str | None, progress: Progress) -> ItemAnswers:
    """Return the item of a name with all answers to it; incomplete parts of a run are left out."""
    from horsesense.runs.probe_answers import read_run

    manifest, answered = read_run(folder, unfinished=True)
    result = _shown(answered, name, folder)
    if len(answered) < len(manifest.parts):
        unfinished = f"{len(manifest.parts) - len(answered)} of {len(manifest.parts)}"
        progress.log(f"{unfinished} parts of the run are not finished")
    return result


def _shown(answered: Sequence[ProbeAnswers], name: str | None, folder: Path | None) -> ItemAnswers:
    from horsesense.report.item_answers import item_answers

    items = list({item.id: item for each in answered for item in each.items}.values())
    if not items:
        raise UserError("no part of the run is finished", file=folder, fix="run the same command again to finish it")
    if name is None:
        fix = f"give its id, such as {items[0].id}, or make a report"
        raise UserError("of a run folder one item is shown", file=folder, fix=fix)
    return item_answers(answered, _find_item(items, name, folder))


def _find_item(items: Sequence[Item], text: str, file: Path | None) -> Item:
    """Return the item with this id, with this id in its dataset, or whose id begins like this."""
    matches = [item for item in items if text in (item.id, item.source.id)]
    if not matches:
        names = ((item, (item.id, item.id.rpartition("-")[2], item.source.id)) for item in items)
        matches = [item for item, called in names if any(name.startswith(text) for name in called)]
    if not matches:
        raise UserError(f"there is no item {text!r}", file=file, fix=_near(items, text))
    if len(matches) > 1:
        fix = f"use an id, such as {matches[0].id}"
        raise UserError(f"{len(matches)} items are called {text!r}", file=file, fix=fix)
    return matches[0]


def _near(items: Sequence[Item], text: str) -> str:
    known = [name for item in items for name in (item.id, item.source.id) if name]
    near = get_close_matches(text, known, n=1, cutoff=0.7)
    return f"did you mean {near[0]!r}?" if near else f"use an id, such as {items[0].id}"
