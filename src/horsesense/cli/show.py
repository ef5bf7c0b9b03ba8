"""``horsesense show``: look at a probe, at one item of it, or at what models answered to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, print_json

if TYPE_CHECKING:
    from horsesense.api.showing import ShownAnswers
    from horsesense.core import Item
    from horsesense.core.overview import FacetCounts, ItemInForms, ItemLine, Overview
    from horsesense.report.item_answers import ItemAnswer

SHADES = " ░▒▓█"


def show(
    file: Annotated[Path, typer.Argument(help="A probe (.jsonl, .jsonl.gz or .parquet) or a run folder.")],
    item: Annotated[str | None, typer.Argument(help="An id, a release's own id, or the start of one.")] = None,
    samples: Annotated[int, typer.Option(min=0, help="How many items to print.")] = 3,
    seed: Annotated[int, typer.Option(help="Which ones.")] = 0,
    json: Json = False,
) -> None:
    """Counts, facets and samples of a probe, one item in all its forms, or what models answered to one."""
    from horsesense.api.showing import ShownAnswers
    from horsesense.api.showing import show as look_at
    from horsesense.core.overview import ItemInForms

    if file.is_dir():
        from horsesense.cli.progress import Bars

        with Bars() as progress:
            shown = look_at(file, item, progress=progress)
    else:
        shown = look_at(file, item, samples=samples, seed=seed)
    if json:
        print_json(shown.document() if isinstance(shown, ShownAnswers) else shown)
    elif isinstance(shown, ShownAnswers):
        _print_answers(shown)
    elif isinstance(shown, ItemInForms):
        _print_item(shown)
    else:
        _print_overview(file, shown)


def _print_overview(file: Path, whole: Overview) -> None:
    card = whole.card
    print(f"{card['name']}  {whole.items:,} items in {whole.families:,} families  {file}")
    for name in ("made", "licence"):
        if card[name]:
            print(f"{name:9}{card[name]}")
    for figure in card["human"]:
        about = f" of {figure['part']}" if figure["part"] else ""
        print(f"people   {figure['value']:.3f}{about} ({figure['kind'] or 'kind not told'}; {figure['source']})")
    if whole.soundness is not None:
        print(f"sound    {whole.soundness}")
    counted = {name: getattr(whole, name) for name in ("forms", "options", "answers", "groups")}
    for name, counts in (counted | {"notes": card["notes"]}).items():
        if counts:
            print(f"{name:9}{_counts(counts)}")
    _print_facets(whole.facets)
    if whole.heat_map:
        cells = {(cell.hops, cell.distractor_kind): cell.items for cell in whole.heat_map}
        print("", *heat_map(cells, "hops", "distractors"), sep="\n")
    for sample in whole.samples:
        print()
        _print_line(sample)


def _counts(counts: dict[str, int]) -> str:
    return "  ".join(f"{name} {n:,}" for name, n in counts.items())


def _print_facets(facets: dict[str, FacetCounts]) -> None:
    if not facets:
        return
    width = max(len("facet"), *map(len, facets))
    print(f"\n{'facet':{width}}  values  counts")
    for name, facet in facets.items():
        more = "  …" if facet.values > len(facet.counts) else ""
        print(f"{name:{width}}  {facet.values:6,}  {_counts(facet.counts)}{more}")


def heat_map(counts: Mapping[tuple[str, str], int], down: str, across: str) -> list[str]:
    """The lines of a map of counts in plain characters; each cell has its count and a shade of five.

    >>> print("\\n".join(heat_map({("1", "sister"): 40, ("2", "sister"): 10, ("1", "random"): 20}, "hops", "kind")))
    hops \\ kind  random  sister
    1              20 ▒    40 █
    2               0      10 ░
    """
    rows, columns = (sorted({key[place] for key in counts}) for place in (0, 1))
    most = max(counts.values())
    corner = f"{down} \\ {across}"
    widths = {name: max(len(name), len(f"{most:,}") + 2) for name in columns}
    lines = [corner + "".join(f"  {name:>{widths[name]}}" for name in columns)]
    for row in rows:
        cells = (f"  {_cell(counts.get((row, name), 0), most):>{widths[name]}}" for name in columns)
        lines.append(f"{row:{len(corner)}}" + "".join(cells))
    return [line.rstrip() for line in lines]


def _cell(count: int, most: int) -> str:
    # A cell that is not empty has a shade, however few it holds.
    return f"{count:,} {SHADES[-(-count * (len(SHADES) - 1) // most)]}"


def _print_line(line: ItemLine) -> None:
    print(line.id)
    _print_question(line.premise, line.text, line.options, line.answer)


def _print_question(premise: str | None, text: str | None, options: Sequence[str], answer: int | None) -> None:
    """The texts of an item and its options, the right one marked."""
    for part in (premise, text):
        if part:
            print(f"  {part}")
    for number, option in enumerate(options):
        print(f"  {'✓' if number == answer else ' '} {number}  {option}")


def _print_item(shown: ItemInForms) -> None:
    from horsesense.core.document import plain

    _print_line(shown.item)
    fields = plain(shown.item)
    for name in ("family", "member", "concepts", "groups", "facets", "source"):
        value = fields.get(name)
        if value:
            listed = "  ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
            print(f"  {name:8}  {listed}")
    for form, seen in shown.views.items():
        print(f"\nas {form}")
        _print_question(seen.premise, seen.text, seen.options, shown.item.answer)


def _print_answers(shown: ShownAnswers) -> None:
    from horsesense.core.overview import ItemLine

    _print_line(ItemLine.of(shown.item))
    for answer in shown.answers:
        print()
        _print_answer(shown.item, answer)


def _print_answer(item: Item, answer: ItemAnswer) -> None:
    from horsesense.cli.score import print_evidence

    print(f"{answer.model} on {answer.probe}: {_verdict(answer)}, by {answer.normalise}")
    for number, (option, text) in enumerate(zip(item.options, answer.texts, strict=True)):
        marks = f"{'→' if number in answer.chosen else ' '}{'✓' if number == item.answer else ' '}"
        print(f" {marks} {number}  {answer.scores[number]:9.4f}  {option}")
        if text:
            print(f"        {'  '.join(f'{token.token!r} {token.logprob:z.2f}' for token in text.tokens)}")
    if answer.compared:
        print()
        print_evidence([answer.compared[0]], answer.compared[1])


def _verdict(answer: ItemAnswer) -> str:
    if answer.credit is None:
        return "not judged"
    return {1.0: "right", 0.0: "wrong"}.get(answer.credit, "a tie")
