"""``horsesense cats``: what CATs asks beyond accuracy, read from kept runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json, table

if TYPE_CHECKING:
    from horsesense.methods.cats.evidence import EvidenceKept
    from horsesense.methods.cats.step_accuracy import Counted, StepsOfRuns
    from horsesense.methods.cats.who_gets_what import WhoGetsWhat
    from horsesense.stats import Estimate

cats = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="CATs: evidence, who gets what, inference steps.")


@cats.command("evidence")
def evidence(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders with probes of pairs.")],
    json: Json = False,
) -> None:
    """How often the deciding token is the edited one, where it stands, and what other tokens carry."""
    from horsesense.api.cats import evidence as evidence_of

    document = evidence_of(*folders)
    if json:
        print_json(document)
        return
    _print_evidence(document.evidence)


def _print_evidence(probes: Sequence[EvidenceKept]) -> None:
    from rich.markup import escape

    numbers = ("n", "decided by the edit", "carried by others", "begin/middle/end")
    frame = table("model", "probe", "pairs", *numbers, left=3, padding=0)
    for each in probes:
        for kind, part in (("all", each.all), ("right", each.right), ("wrong", each.wrong)):
            if part is not None:
                named = (escape(each.model), escape(each.probe)) if kind == "all" else ("", "")
                rates = [f"{e.value:.2f} ({e.low:.2f}–{e.high:.2f})" for e in (part.by_edit, part.carried_by_others)]
                frame.add_row(*named, kind, f"{part.n:,}", *rates, "/".join(map(str, part.position_thirds)))
    people().print(frame)
    for each in probes:
        people().print(
            f"[dim]{escape(each.probe)}: {each.same_length:,} pairs of as many tokens, the others are aligned[/dim]",
            soft_wrap=True,
        )


@cats.command("who")
def who(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders; one with two models will do.")],
    items: Annotated[int, typer.Option(min=0, help="Show so many items of each side.")] = 3,
    json: Json = False,
) -> None:
    """Which items one model gets and another misses, with the place of the key word (CATs, table 4)."""
    from horsesense.api.cats import who as who_gets_what

    document = who_gets_what(*folders)
    if json:
        print_json(document)
        return
    for pair in document.pairs:
        _print_who(pair, items)


def _print_who(pair: WhoGetsWhat, items: int) -> None:
    console = people()
    console.print(f"{pair.probe}: {pair.n:,} common items", markup=False, style="bold")
    console.print(f"  key words, all items: {_thirds(pair.key_word_thirds)}", markup=False)
    for side in pair.only:
        middle = side.in_the_middle
        share = f"; in the middle {middle.value:.2f} ({middle.low:.2f} to {middle.high:.2f})" if middle else ""
        counts = f"{side.n:,} items; {_thirds(side.key_word_thirds)}{share}"
        console.print(f"  only {side.model} ({side.direction}): {counts}", markup=False, soft_wrap=True)
        for each in side.items[:items]:
            console.print(f"    right: {each.right}", markup=False, soft_wrap=True)
            console.print(f"    wrong: {each.wrong}  [{each.key}]", markup=False, soft_wrap=True)


def _thirds(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


@cats.command("steps")
def steps(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders.")],
    judgements: Annotated[
        list[Path] | None,
        typer.Option(help="Filled task files of the instrument steps; without them a rule counts. Repeatable."),
    ] = None,
    json: Json = False,
) -> None:
    """Accuracy by inference steps, as the share of wrong options that the right one beats (CATs, figure 2)."""
    from horsesense.api.cats import steps as accuracy_by_steps

    found = accuracy_by_steps(*folders, judgements=judgements or ())
    if json:
        print_json(found.steps)
        return
    _print_steps(found.steps, found.counted)


def _print_steps(found: StepsOfRuns, counts: Counted | None) -> None:
    from rich.markup import escape

    console = people()
    if counts is None:
        console.print("steps counted by rule: logical operations", markup=False)
    else:
        pairs = f"{counts.agreement:.0%} of {counts.pairs:,} pairs of people agree"
        console.print(f"steps counted by people: {len(counts.means):,} items, {pairs}", markup=False)
    if found.rule is not None:
        rule = f"the rule agrees with {found.rule.agreement:.0%} of {found.rule.counts:,} counts of people"
        by_probe = ", ".join(f"{probe} {share:.0%}" for probe, share in found.rule.by_probe.items())
        console.print(f"{rule} ({by_probe}); {found.rule.more:+z.2f} steps", markup=False, soft_wrap=True)
    for model in found.models:
        numbers = ("mean steps", "two-choice accuracy", "95 % interval", "n")
        frame = table("probe, or steps", *numbers, title=model.model)
        for each in model.sets:
            frame.add_row(escape(each.probe), f"{each.mean_steps:.2f}", *_cells(each.accuracy))
        frame.add_section()
        for number in model.by_steps:
            frame.add_row(f"{number.steps:g} step{'' if number.steps == 1 else 's'}", "", *_cells(number.accuracy))
        console.print(frame)


def _cells(e: Estimate) -> tuple[str, str, str]:
    return f"{e.value:.3f}", f"{e.low:.3f} to {e.high:.3f}", f"{e.n:,}"
