"""``horsesense check``: which items of WordNetQA or DictionaryQA break a rule of soundness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, table

if TYPE_CHECKING:
    from horsesense.methods.wordnetqa.checking import CheckDocument

MOST_SHOWN = 10
"""Broken items that are shown unless all are asked for."""


def check(
    file: Annotated[Path, typer.Argument(help="A probe: .jsonl, .jsonl.gz or .parquet.")],
    source: Annotated[str, typer.Option(help="The knowledge source that its concepts are from.")] = "wordnet",
    seed: Annotated[int, typer.Option(min=0, help="Which draws the interval comes from.")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="Show every broken item.")] = False,
    json: Json = False,
) -> None:
    """Which questions grown from knowledge break a rule of soundness."""
    from horsesense.api.wordnetqa import check as check_probe
    from horsesense.cli.progress import Bars

    with Bars() as progress:
        checked = check_probe(file, source=source, seed=seed, progress=progress)
    if json:
        print_json(checked)
    else:
        _print_checked(checked, None if everything else MOST_SHOWN)


def _print_checked(checked: CheckDocument, most: int | None) -> None:
    from rich.markup import escape

    console = people()
    if checked.rules:
        frame = table("rule that is broken", "items", "share", left=1)
        for rule, count in checked.rules.items():
            frame.add_row(rule, f"{count:,}", f"{count / checked.n:.1%}")
        console.print(frame)
    for item in checked.items[:most]:
        console.print(escape(f"{item.id}  {item.text}"), soft_wrap=True, highlight=False)
        told = "; ".join(item.rules) + "".join(f"\n    {option}" for option in item.options)
        console.print(f"[dim]  {escape(told)}[/dim]", soft_wrap=True, highlight=False)
    if most is not None and len(checked.items) > most:
        console.print(f"[dim]{len(checked.items) - most:,} more with --all[/dim]")
    for reason, count in checked.unchecked.items():
        console.print(f"[dim]{count:,} not checked: {reason}[/dim]", soft_wrap=True)
    e = checked.broken
    console.print(
        f"{len(checked.items):,} of {checked.n:,} items break a rule: {e.value:.3f} ({e.low:.3f} to {e.high:.3f})",
        style="bold",
        soft_wrap=True,
    )
