"""Export a probe as a task of Inspect: a Python file, and the samples as JSON lines.

The options are shown with letters in an order drawn by seed, Inspect parses the reply, and the standard error is
clustered. The card is the task's metadata.
"""

from __future__ import annotations

import json
from string import ascii_uppercase

import orjson

from horsesense import __version__
from horsesense.core import Item
from horsesense.core.card import card_values
from horsesense.core.document import plain
from horsesense.errors import UserError
from horsesense.exchange.formats import Export, WrittenExport
from horsesense.scoring.prompts import asked

DATA = "samples.jsonl"
CARD = "card.json"

_TASK = '''"""{title} Written by horsesense {version}."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import accuracy, choice, stderr
from inspect_ai.solver import multiple_choice

HERE = Path(__file__).parent


@task
def {name}(seed: int = {seed}, cot: bool = False) -> Task:
    """Multiple choice; ``seed`` draws the order of the options, ``cot`` lets the model reason first."""
    dataset = json_dataset(str(HERE / "{data}"), name="{name}")
    dataset.shuffle_choices(seed=seed)
    return Task(
        dataset=dataset,
        solver=multiple_choice(cot=cot),
        scorer=choice(),
        metrics=[accuracy(), stderr(cluster="unit")],
        metadata={{"horsesense": json.loads((HERE / "{card}").read_text(encoding="utf-8"))}},
        version=1,
    )
'''


def write_inspect(export: Export) -> WrittenExport:
    """Write the task folder, for ``inspect eval``."""
    if export.by:
        raise UserError("a task of Inspect is not split by a facet", fix="every facet is in its metadata")
    items = [item for item in export.probe.items if item.answer is not None and 1 < len(item.options) <= 26]
    if not items:
        raise UserError("no item has a gold and 2 to 26 options, as Inspect needs", fix="export another probe")
    group = export.probe.card.group
    with (export.folder / DATA).open("wb") as handle:
        for item in items:
            handle.write(orjson.dumps(_sample(item, export.probe_name, group), option=orjson.OPT_APPEND_NEWLINE))
    card = json.dumps(plain(card_values(export.probe.card)), ensure_ascii=False, indent=2)
    (export.folder / CARD).write_text(card + "\n", encoding="utf-8")
    title = (export.probe.card.made or export.probe.card.name).replace("\\", " ").replace('"', "'").rstrip(".") + "."
    text = _TASK.format(title=title, version=__version__, name=export.name, seed=export.seed, data=DATA, card=CARD)
    (export.folder / f"{export.name}.py").write_text(text, encoding="utf-8")
    notes = ["Inspect uses replies, not likelihoods: its accuracy is that of generation, and no normalisation applies"]
    if left_out := len(export.probe.items) - len(items):
        notes.append(f"{left_out:,} items without a gold, or with fewer than 2 or more than 26 options, are left out")
    return WrittenExport(len(items), f"cd DIR && inspect eval {export.name}.py --model MODEL", tuple(notes))


def _sample(item: Item, probe: str, group: str) -> dict[str, object]:
    assert item.answer is not None
    # Facets are separate fields, for slices; everything else is in the item.
    facets = {name: value for name, value in item.facets.items() if name not in ("item", "unit", "group", "probe")}
    return {
        "id": item.id,
        "input": "\n".join(asked(item)),
        "choices": list(item.options),
        "target": ascii_uppercase[item.answer],
        "metadata": {
            **facets,
            "unit": item.unit(group),
            "group": group,
            "probe": probe,
            "item": orjson.dumps(item.to_json()).decode(),
        },
    }
