"""Export a probe as a Hugging Face dataset: one Parquet file per split, and a dataset card.

``datasets.load_dataset(DIR)`` opens the folder, and it can be uploaded as it is. The card has a header for the Hugging
Face Hub, how the items were made, label quality, cues, human performance, licence and citation.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from horsesense import __version__
from horsesense.core import Item, Probe
from horsesense.core.card import writing_card
from horsesense.errors import UserError
from horsesense.exchange.formats import Export, WrittenExport
from horsesense.registry import citation_of

_SPLITS = {"dev": "validation", "valid": "validation", "eval": "validation"}
"""Split names that differ on the Hugging Face Hub."""
_LICENCES = {
    "apache-2.0": "apache-2.0", "mit": "mit", "cc0": "cc0-1.0", "cc0-1.0": "cc0-1.0", "cc-by-4.0": "cc-by-4.0",
    "cc-by-sa-4.0": "cc-by-sa-4.0", "cc-by-sa-3.0": "cc-by-sa-3.0", "cc-by-3.0": "cc-by-3.0",
    "cc-by-nc-4.0": "cc-by-nc-4.0",
    "gpl-2.0": "gpl-2.0", "gpl-3.0": "gpl-3.0", "bsd-3-clause": "bsd-3-clause", "odc-by": "odc-by",
}  # fmt: skip
"""Licence → its identifier on the Hugging Face Hub."""
_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))

_FIELDS = """| field | meaning |
|---|---|
| `id` | the probe's name and a hash of the content |
| `form` | `cloze` (options fill the blank `___`), `sentences` (options are whole), `choice`, `pair` (labels) |
| `premise`, `text` | the premise; the question, the cloze or the hypothesis |
| `options`, `answer` | the options, and the index of the right one from 0; null without a gold |
| `family`, `member` | the items that the strict metric takes together, and the role in it |
| `facet_…`, `group_…` | facets to slice by; clusters |
| `item` | the whole item as JSON |"""


def write_hub(export: Export) -> WrittenExport:
    """Write the folder of the dataset."""
    if export.by:
        raise UserError("a dataset is not split by a facet", fix="every facet is a column")
    by_split: dict[str, list[Item]] = {}
    for item in export.probe.items:
        by_split.setdefault(_split(item), []).append(item)
    facets = _columns(export.probe.items, "facets")
    groups = _columns(export.probe.items, "groups")
    files: dict[str, str] = {}
    (export.folder / "data").mkdir()
    for split, items in by_split.items():
        files[split] = f"data/{split}-00000-of-00001.parquet"
        _write_split(export.folder / files[split], items, facets, groups)
    text = "".join(f"{line}\n" for line in [*_header(export, files), *_body(export, by_split)])
    (export.folder / "README.md").write_text(text, encoding="utf-8")
    with writing_card(export.folder / f"{export.name}.card.json", export.probe.card):
        pass
    return WrittenExport(len(export.probe.items), 'datasets.load_dataset("DIR")')


def _split(item: Item) -> str:
    written = str(item.facets.get("split", "test"))
    name = re.sub(r"\W+", "_", written).strip("_") or "test"
    return _SPLITS.get(name, name)


def _columns(items: Sequence[Item], field: str) -> dict[str, type]:
    """Return the names of facets or groups with their type; str if values have several types."""
    kinds: dict[str, set[type]] = {}
    for item in items:
        for name, value in getattr(item, field).items():
            kinds.setdefault(name, set()).add(type(value))
    return {
        name: next(iter(seen)) if len(seen) == 1 else float if seen == {int, float} else str
        for name, seen in sorted(kinds.items())
    }


def _write_split(path: Any, items: Sequence[Item], facets: Mapping[str, type], groups: Mapping[str, type]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    arrow = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    texts = pa.list_(pa.string())
    fields = [("id", pa.string()), ("form", pa.string()), ("premise", pa.string()), ("text", pa.string())]
    fields += [("options", texts), ("answer", pa.int64()), ("family", pa.string()), ("member", pa.string())]
    fields += [(f"facet_{name}", arrow[kind]) for name, kind in facets.items()]
    fields += [(f"group_{name}", arrow[kind]) for name, kind in groups.items()]
    schema = pa.schema([*fields, ("item", pa.string())])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for start in range(0, len(items), 20_000):
            rows = [_row(item, facets, groups) for item in items[start : start + 20_000]]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _row(item: Item, facets: Mapping[str, type], groups: Mapping[str, type]) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(item, name) for name in ("id", "form", "premise", "text", "answer")}
    row |= {"options": list(item.options), "family": item.family, "member": item.member}
    row |= {f"facet_{name}": kind(item.facets[name]) for name, kind in facets.items() if name in item.facets}
    row |= {f"group_{name}": kind(item.groups[name]) for name, kind in groups.items() if name in item.groups}
    return row | {"item": orjson.dumps(item.to_json()).decode()}


def _header(export: Export, files: Mapping[str, str]) -> Iterator[str]:
    card, items = export.probe.card, len(export.probe.items)
    known = _LICENCES.get(card.licence.strip().lower())
    yield "---"
    yield f"license: {known or 'other'}"
    if not known:
        yield f"license_name: {json.dumps(card.licence or 'not stated', ensure_ascii=False)}"
    yield "language:\n- en"
    yield f"pretty_name: {json.dumps(card.name, ensure_ascii=False)}"
    yield "task_categories:\n- multiple-choice"
    yield f"size_categories:\n- {next((name for most, name in _SIZES if items < most), 'n>10M')}"
    yield "tags:\n- commonsense\n- probing\n- horsesense"
    yield "configs:\n- config_name: default\n  data_files:"
    for split, path in files.items():
        yield f"  - split: {split}\n    path: {path}"
    yield "---\n"


def _body(export: Export, by_split: Mapping[str, Sequence[Item]]) -> Iterator[str]:
    probe, card = export.probe, export.probe.card
    yield f"# {card.name}\n"
    shape = Counter(item.form for item in probe.items)
    forms = ", ".join(f"{count:,} {form}" for form, count in shape.most_common())
    yield f"{len(probe.items):,} commonsense questions in {card.families:,} families ({forms}).\n"
    yield "| split | items |\n|---|---|"
    for split, items in by_split.items():
        yield f"| {split} | {len(items):,} |"
    yield "\n## How it was made\n"
    description = card.made.strip().rstrip(".") or "not stated"
    yield f"{description[:1].upper()}{description[1:]}.{'' if card.seed is None else f' Seed {card.seed}.'}\n"
    for note, count in card.notes.items():
        yield f"- {note}: {count:,}"
    yield "\n## Label quality\n"
    yield from _label_quality(probe)
    yield "\n## Surface cues\n"
    yield from _cues(export)
    yield "\n## Human performance\n"
    if not card.human:
        yield "Not measured."
    for figure in card.human:
        part = f" on {figure.part}" if figure.part else ""
        yield f"- {figure.value:.3f}{part} ({figure.kind or 'kind not stated'}; {figure.source})"
    yield "\n## How it is scored\n"
    yield (
        f"The primary metric is {card.metric}; intervals should be clustered by `{card.group}`. A tie among n options "
        f"scores 1/n. Chance is {_chance(probe):.3f}."
    )
    yield "\n## Fields\n"
    yield _FIELDS
    yield "\n## An item\n"
    yield f"```json\n{json.dumps(probe.items[0].to_json(), ensure_ascii=False, indent=2)}\n```"
    yield "\n## Licence and citation\n"
    yield f"Licence: {card.licence or 'not stated'}. {_licences(probe)}".rstrip()
    if citation := citation_of(card.method):
        yield f"\nThe method is from: {citation}"
    yield "\n## How to use it\n"
    yield "```python\nimport datasets\n"
    yield f"datasets.load_dataset({json.dumps(export.name)})  # this folder, or its name on the Hugging Face Hub\n```\n"
    yield f"`horsesense import table FOLDER -o {export.name}.jsonl` gives the same items with the same ids.\n"
    yield f"Written by horsesense {__version__}."


def _chance(probe: Probe) -> float:
    judged = [1 / len(item.options) for item in probe.items if item.answer is not None]
    return sum(judged) / max(1, len(judged))


def _licences(probe: Probe) -> str:
    """Return the licences of the items' sources."""
    licences = sorted({item.source.licence for item in probe.items if item.source.licence})
    return f"Licences of the sources: {', '.join(licences)}." if licences else ""


def _label_quality(probe: Probe) -> Iterator[str]:
    status = Counter(str(item.facets["status"]) for item in probe.items if "status" in item.facets)
    if status:
        yield ("Items by status: " + ", ".join(f"{n:,} {name}" for name, n in status.most_common()) + ".\n")
    quality = probe.card.label_quality
    if quality is None:
        yield "Not audited, so the share of bad items is not known."
        return
    yield f"{quality.in_words()[:1].upper()}{quality.in_words()[1:]} ({quality.date})."
    for note in quality.notes:
        yield f"- {note}"


def _cues(export: Export) -> Iterator[str]:
    if not export.cues:
        yield "Not searched."
        return
    from horsesense.cues import measure_cues
    from horsesense.cues.relatedness import NOT_CONTROLLED, related
    from horsesense.lexicons.sources import find_wordnet_graph

    probe = export.probe
    try:
        cues = measure_cues(
            probe.items,
            probe.card.group,
            find_wordnet_graph(),
            encoded=list(related(probe.items).values()),
        )
    except UserError as error:
        yield f"Not available: {error.problem}."
        return
    yield f"{cues.verdict}\n"
    yield "| cue | accuracy [95% interval] | coverage | p |\n|---|---|---|---|"
    for cue in cues.cues[:5]:
        e = cue.accuracy
        yield f"| {cue.pick} | {e:.3f} | {cue.coverage:.0%} | {cue.p:.3f} |"
    for near in cues.relatedness:
        yield f"\nRelatedness: the option nearest to the question by {near.encoder} is right in {near.accuracy:.3f}."
    if not cues.relatedness:
        yield f"\n{NOT_CONTROLLED[:1].upper()}{NOT_CONTROLLED[1:]}."
