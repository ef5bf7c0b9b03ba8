"""``horsesense show``: look at a probe, at one item of it, or at what models answered to one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, print_json
from horsesense.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.records import Item, Probe

MOST_VALUES = 12
"""A facet with more values than this is summed up, not listed."""


def show(
    file: Annotated[Path, typer.Argument(help="A probe (.jsonl, .jsonl.gz or .parquet) or a run folder.")],
    item: Annotated[str | None, typer.Argument(help="An id, a release's own id, or the start of one.")] = None,
    samples: Annotated[int, typer.Option(min=0, help="How many items to print.")] = 3,
    seed: Annotated[int, typer.Option(help="Which ones.")] = 0,
    json: Json = False,
) -> None:
    """Counts, facets and samples of a probe, one item in all its forms, or what models answered to one."""
    if file.is_dir():
        from horsesense.cli.show_run import show_run

        show_run(file, item, json)
        return
    from horsesense.records import read_probe

    probe = read_probe(file)
    if item is not None:
        found = find_item(probe.items, item, file)
        if json:
            print_json(_item_document(found))
        else:
            _print_item(found)
        return
    document = _summary(probe, samples, seed)
    if json:
        print_json(document)
    else:
        _print_summary(file, document)


def find_item(items: Sequence[Item], wanted: str, file: Path) -> Item:
    """The item with this id, with this id in its release, or whose id begins like this."""
    found = [i for i in items if wanted in (i.id, i.source.id)]
    if not found:
        names = ((i, (i.id, i.id.rpartition("-")[2], i.source.id)) for i in items)
        found = [i for i, called in names if any(name.startswith(wanted) for name in called)]
    if not found:
        raise UserError(f"there is no item {wanted!r}", file=file, fix=_near(items, wanted))
    if len(found) > 1:
        raise UserError(f"{len(found)} items are called {wanted!r}", file=file, fix=f"use an id, such as {found[0].id}")
    return found[0]


def _near(items: Sequence[Item], wanted: str) -> str:
    from difflib import get_close_matches

    known = [name for item in items for name in (item.id, item.source.id) if name]
    near = get_close_matches(wanted, known, n=1, cutoff=0.7)
    return f"did you mean {near[0]!r}?" if near else f"use an id, such as {items[0].id}"


def _item_document(item: Item) -> dict[str, Any]:
    from horsesense.records import FORMS, item_to_dict, view

    views = {form: view(item, form) for form in FORMS if form != item.form}
    return {
        "item": item_to_dict(item),
        "views": {
            form: {"premise": v.premise, "text": v.text, "options": list(v.options)} for form, v in views.items() if v
        },
    }


def _summary(probe: Probe, samples: int, seed: int) -> dict[str, Any]:
    import random
    from collections import Counter
    from dataclasses import asdict

    from horsesense.records import item_to_dict

    items = probe.items
    facets: dict[str, Counter[str]] = {}
    groups: dict[str, set[str]] = {}
    cells: Counter[tuple[str, str]] = Counter()
    for item in items:
        if "hops" in item.facets and "distractor_kind" in item.facets:
            cells[str(item.facets["hops"]), str(item.facets["distractor_kind"])] += 1
        for name, value in item.facets.items():
            facets.setdefault(name, Counter())[str(value)] += 1
        for name, unit in item.groups.items():
            groups.setdefault(name, set()).add(unit)
    drawn = random.Random(seed).sample(range(len(items)), min(samples, len(items)))
    return {
        "card": asdict(probe.card),
        "items": len(items),
        "families": probe.card.families,
        "forms": dict(Counter(item.form for item in items)),
        "options": {str(n): k for n, k in sorted(Counter(len(item.options) for item in items).items())},
        "answers": {
            "none" if a is None else str(a): n
            for a, n in sorted(Counter(item.answer for item in items).items(), key=lambda p: (p[0] is None, p[0] or 0))
        },
        "facets": {
            name: {
                "values": len(counts),
                "counts": dict(counts.most_common(MOST_VALUES)),
            }
            for name, counts in sorted(facets.items())
        },
        "heat_map": [{"hops": h, "distractor_kind": kind, "items": n} for (h, kind), n in sorted(cells.items())],
        "groups": {name: len(units) for name, units in sorted(groups.items())},
        "samples": [item_to_dict(items[place]) for place in sorted(drawn)],
    }


def _print_summary(file: Path, document: dict[str, Any]) -> None:
    card = document["card"]
    print(f"{card['name']}  {document['items']:,} items in {document['families']:,} families  {file}")
    for name in ("made", "licence"):
        if card[name]:
            print(f"{name:9}{card[name]}")
    for figure in card["human"]:
        about = f" of {figure['part']}" if figure["part"] else ""
        print(f"people   {figure['value']:.3f}{about} ({figure['kind'] or 'kind not told'}; {figure['source']})")
    told = {name: document[name] for name in ("forms", "options", "answers", "groups")} | {"notes": card["notes"]}
    for name, counts in told.items():
        if counts:
            print(f"{name:9}{_counts(counts)}")
    _print_facets(document["facets"])
    if document["heat_map"]:
        from horsesense.cli.heat_map import heat_map

        counts = {(cell["hops"], cell["distractor_kind"]): cell["items"] for cell in document["heat_map"]}
        print("", *heat_map(counts, "hops", "distractors"), sep="\n")
    for sample in document["samples"]:
        print()
        print_question(sample)


def _counts(counts: dict[str, int]) -> str:
    return "  ".join(f"{name} {n:,}" for name, n in counts.items())


def _print_facets(facets: dict[str, Any]) -> None:
    if not facets:
        return
    width = max(len("facet"), *map(len, facets))
    print(f"\n{'facet':{width}}  values  counts")
    for name, facet in facets.items():
        more = "  …" if facet["values"] > len(facet["counts"]) else ""
        print(f"{name:{width}}  {facet['values']:6,}  {_counts(facet['counts'])}{more}")


def print_question(values: dict[str, Any]) -> None:
    """An item as a line of a probe has it: its texts and its options, the right one marked."""
    if "id" in values:
        print(values["id"])
    for name in ("premise", "text"):
        if values.get(name):
            print(f"  {values[name]}")
    for number, option in enumerate(values["options"]):
        print(f"  {'✓' if number == values['answer'] else ' '} {number}  {option}")


def _print_item(item: Item) -> None:
    document = _item_document(item)
    print_question(document["item"])
    for name in ("family", "member", "concepts", "groups", "facets", "source"):
        value = document["item"].get(name)
        if value:
            told = "  ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
            print(f"  {name:8}  {told}")
    for form, values in document["views"].items():
        print(f"\nas {form}")
        print_question({"answer": item.answer, **values})
