"""Probes: items and card, their files, and the separation of proposed items."""

from __future__ import annotations

import gc
import gzip
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.core.card import SPLIT, Card, card_path, probe_name, read_card, writing_card
from horsesense.core.document import Document
from horsesense.core.item import NO_SOURCE, Item, check_item
from horsesense.core.item_file import MANY, StoredItems, iter_jsonl, iter_parquet, units_of, write_jsonl, write_parquet
from horsesense.data import disk_errors, numbered_lines
from horsesense.errors import UserError, argument, unknown
from horsesense.progress import warn
from horsesense.registry import Plugin

if TYPE_CHECKING:
    from horsesense.core.views import Overview
    from horsesense.cues.findings import Findings
    from horsesense.cues.harden import Hardened
    from horsesense.exchange.formats import ExportedProbe

_ENDINGS = ".jsonl, .jsonl.gz or .parquet"
_LEAST, _LEAST_PACKED = MANY * 100, MANY * 5
"""File size in bytes below which a file is small: as text, and compressed."""
_LOOKED_AT = 2_000
"""Number of lines used for an estimate."""
PROPOSED = "proposed"
"""Status of items that nobody has reviewed."""


@dataclass(frozen=True, slots=True)
class WrittenProbe(Document):
    """The file of a saved probe, and what it contains."""

    out: Path
    """File of the items."""
    items: int
    """Number of items."""
    families: int
    """Number of families."""
    group: str
    """Cluster that intervals are computed over."""
    notes: Mapping[str, int]
    """Counts from building the probe: lines repaired, items left out."""
    label_quality: str | None = None
    """Label quality from the card's audit."""
    unjudged: int = 0
    """Number of items without a gold answer."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Items of one probe, with their card."""

    items: Sequence[Item]
    """The questions."""
    card: Card
    """Metadata of the items."""
    skipped: Sequence[UserError] = field(default=(), compare=False)
    """Bad lines of the source, if they were skipped; not stored in a file."""
    called: str = field(default="", compare=False)
    """Name in a run: that of its file; empty for the card's name."""

    @classmethod
    def of(cls, items: Sequence[Item], card: Card, notes: Mapping[str, int] | None = None) -> Probe:
        """Make a probe whose card has the counts of its items and the notes of its building."""
        counted = replace(card, items=len(items), families=count_families(items))
        return cls(items, replace(counted, notes={**card.notes, **(notes or {})}))

    def save(self, path: str | Path) -> WrittenProbe:
        """Write the items and the card next to them: .jsonl, .jsonl.gz or .parquet."""
        write_probe(path, self)
        card = self.card
        quality = None if card.label_quality is None else card.label_quality.in_words()
        unjudged = sum(item.answer is None for item in self.items)
        return WrittenProbe(Path(path), card.items, card.families, card.group, dict(card.notes), quality, unjudged)

    def cues(self, **options: Any) -> Findings:
        """Measure how well surface cues answer this probe; `horsesense.cues.findings.find_cues` has the options."""
        from horsesense.cues.findings import find_cues

        return find_cues(self, **options)

    def harden(self, **options: Any) -> Hardened:
        """Find the largest subset on which every cue is at chance; `horsesense.cues.harden.harden` has the options."""
        from horsesense.cues.harden import harden

        return harden(self, **options)

    def export(self, out: str | Path, *, to: str, **options: Any) -> ExportedProbe:
        """Write this probe for another tool; `horsesense.exchange.formats.export` has the options."""
        from horsesense.exchange.formats import export

        return export(self, to=to, out=out, **options)

    def overview(self, samples: int | None = None, seed: int = 0) -> Overview:
        """Count items, families, facets and groups, and sample some items."""
        from horsesense.core.views import SAMPLES, overview

        return overview(self, SAMPLES if samples is None else samples, seed)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __repr__(self) -> str:
        forms = ", ".join(sorted({item.form for item in self.items}))
        counts = f"{len(self.items):,} items in {count_families(self.items):,} families"
        return f"Probe {self.called or self.card.name!r}: {counts} ({forms}), by {self.card.group}"


def count_families(items: Sequence[Item]) -> int:
    return len(set(units_of(items)))


def probe_of_plugin(plugin: Plugin, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Probe:
    """Return the probe of a plug-in's builder or reader; its card names the package."""
    probe = plugin.made(function, Probe, *arguments, **options)
    words = f"by the plug-in {plugin.name} of {plugin.origin}"
    description = f"{probe.card.made.rstrip('.')} ({words})" if probe.card.made else words
    return replace(probe, card=replace(probe.card, made=description))


def check_group(items: Sequence[Item], group: str, also: Sequence[str] = ()) -> None:
    """Raise an error for a group that no item has: each item would be its own cluster, and every interval too narrow.

    ``also`` has names that are valid for the caller without being a group of the items.
    """
    if group != "family" and group not in also and not any(group in item.groups for item in items):
        raise unknown("group", group, {"family", *also, *(name for item in items for name in item.groups)})


def _is_parquet(path: Path) -> bool:
    if path.suffix == ".parquet":
        return True
    if path.name.endswith((".jsonl", ".jsonl.gz", ".json", ".ndjson")):
        return False
    table = path.is_file() and path.name.endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz"))
    fix = f"use {_ENDINGS}" + (f", or import the table first: horsesense import table {path}" if table else "")
    raise UserError("the ending of the name is unknown", file=path, fix=fix)


def _numbered(path: Path) -> Iterator[tuple[int, Item]]:
    return iter_parquet(path) if _is_parquet(path) else iter_jsonl(path)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Pause the garbage collector: items have no cycles, and its scans would take a quarter of the time of reading a
    large probe, and more of writing it as Parquet."""
    at_work = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if at_work:
            gc.enable()


def read_probe(path: str | Path, expected: int = 0) -> Probe:
    """Read and check a probe and its card; warn if the card is missing although clusters depend on it.

    ``FILE:SPLIT`` selects the items with that value of the facet ``split``. If many items are ``expected``, they are
    stored compactly from the start.
    """
    called = probe_name(Path(path))
    path, split = _split_named(Path(path))
    with disk_errors(path):
        path.stat()  # report a missing file before a wrong ending
    with _collector_at_rest():
        items, repeated = _distinct(path, (expected or _expected(path)) >= MANY)
    if split:
        items = _of_split(items, split, path)
    if not items:
        raise UserError("the probe is empty", file=path, fix="give a file with at least one item")
    card_file = card_path(path)
    card = read_card(card_file) if card_file.is_file() else _without_card(items, path)
    try:
        check_group(items, card.group)
    except UserError as error:
        raise error.at(card_file) from None
    probe = Probe.of(items, card, {"repeated items": repeated} if repeated else None)
    return replace(probe, called=called)


def _without_card(items: Sequence[Item], path: Path) -> Card:
    """Return a card for a file without one; only a card could name the cluster variable of its items."""
    groups = sorted({name for item in items for name in item.groups})
    if groups:
        warn(
            f"{path}: it has no card, so intervals are clustered by family, although its items have groups "
            f"({', '.join(groups)}); copy its card to {card_path(path).name} too, "
            f"or give {argument('group')} where that is taken"
        )
    return Card(name=items[0].probe)


def _split_named(path: Path) -> tuple[Path, str]:
    """Return file and split of ``FILE:SPLIT``; an existing file of that name takes precedence."""
    named = SPLIT.fullmatch(path.name)
    return (path, "") if named is None or path.exists() else (path.with_name(named[1]), named[2])


def _of_split(items: Sequence[Item], split: str, path: Path) -> list[Item]:
    splits = {str(item.facets["split"]) for item in items if "split" in item.facets}
    if not splits:
        raise UserError("no item says which split it is in", file=path, fix=f"leave :{split} out")
    if split not in splits:
        raise unknown("split", split, sorted(splits)).at(path)
    return [item for item in items if item.facets.get("split") == split]


def _expected(path: Path) -> int:
    """Estimate how many items a large file has from its first lines; 0 if it is small."""
    packed = path.suffix == ".gz"
    with disk_errors(path):
        size = path.stat().st_size
    if size < (_LEAST_PACKED if packed or _is_parquet(path) else _LEAST):
        return 0
    if _is_parquet(path):
        import pyarrow as pa
        from pyarrow import parquet

        with suppress(pa.ArrowException, OSError):  # the reader reports errors
            return int(parquet.read_metadata(path).num_rows)
        return 0
    lines = [text.encode() for _, text in islice(numbered_lines(path), _LOOKED_AT)]
    first = b"\n".join(lines)
    return int(size / max(1, len(gzip.compress(first, 6)) if packed else len(first)) * len(lines))


def _distinct(path: Path, many: bool) -> tuple[Sequence[Item], int]:
    """Return the distinct items of a file, and the number of duplicates."""
    items: list[Item] | StoredItems = StoredItems() if many else []
    lines = array("q")
    indices: dict[str, int] = {}
    source_ids: dict[str, int] = {}
    repeated = 0
    for line, item in _numbered(path):
        if item.id in indices:
            index = indices[item.id]
            if not _same(item, items[index]):
                raise UserError(
                    f"the item {item.id} is already in line {lines[index]}, with other facets or groups",
                    file=path,
                    line=line,
                    fix="keep one of the two",
                )
            repeated += 1
            continue
        written = item.source.id
        # Ids of a published dataset may repeat (mcqa's do); an id written into the file by hand may not.
        if written and not item.source.file and source_ids.setdefault(written, line) != line:
            raise UserError(
                f"the id {written!r} is already in line {source_ids[written]}, with other content",
                file=path,
                line=line,
                fix="give each item an id of its own, or none",
            )
        indices[item.id] = len(items)
        items.append(item)
        if len(items) == MANY and isinstance(items, list):
            items = StoredItems(items)
        lines.append(line)
    return items if len(items) >= MANY else list(items), repeated


def _same(item: Item, other: Item) -> bool:
    return replace(item, source=NO_SOURCE) == replace(other, source=NO_SOURCE)


def write_probe(path: str | Path, probe: Probe) -> None:
    """Write items and card, both or neither; items that could not be read back are refused."""
    path = Path(path)
    write = write_parquet if _is_parquet(path) else write_jsonl
    for item in probe.items:
        try:
            check_item(item)
        except UserError as error:
            raise UserError(f"item {item.id}: {error.problem}", file=path, fix=error.fix) from error
    # The card is moved into place only after the items.
    with _collector_at_rest(), writing_card(card_path(path), probe.card):
        write(path, probe.items)


def is_proposed(item: Item) -> bool:
    """Return whether an item is unreviewed (facet ``status``); others are proved, or asserted by people or a source."""
    return item.facets.get("status") == PROPOSED


def apart(name: str, probe: Probe) -> dict[str, Probe]:
    """Split off proposed items under a separate name, so that they are never mixed with the others.

    A probe with only proposals, or without any, is not split.
    """
    proposed = [item for item in probe.items if is_proposed(item)]
    if len(proposed) in (0, len(probe.items)):
        return {name: probe}
    rest = [item for item in probe.items if not is_proposed(item)]
    card = replace(probe.card, name=f"{probe.card.name}-{PROPOSED}")
    return {name: Probe.of(rest, probe.card), f"{name}-{PROPOSED}": Probe.of(proposed, card)}
