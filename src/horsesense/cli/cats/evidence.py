"""``horsesense cats evidence``: which tokens decided, over all pairs of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.output import Json, people, print_json

if TYPE_CHECKING:
    from horsesense.analysis import Estimate
    from horsesense.analysis.deciding import Deciding
    from horsesense.studies.suites.evidence_kept import EvidenceKept


def evidence(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Run folders with probes of pairs.")],
    json: Json = False,
) -> None:
    """How often the deciding token is the edited one, where it stands, and what other tokens carry."""
    from horsesense.errors import UserError
    from horsesense.runs.results import read_run
    from horsesense.studies.suites.evidence_kept import evidence_kept

    pairs = [
        one
        for folder in folders
        for one in read_run(folder)[1]
        if any(len(item.options) == 2 and item.answer is not None for item in one.items)
    ]
    if not pairs:
        raise UserError("no probe of these runs has judged pairs", file=folders[0], fix="give runs on ca, wsc, sm …")
    found = [evidence_kept(one) for one in pairs]
    if json:
        print_json({"evidence": [_told(each) for each in found]})
        return
    _print(found)


def _rate(e: Estimate) -> dict[str, Any]:
    return {"value": e.value, "ci": [e.low, e.high]}


def _deciding(found: Deciding | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "n": found.by_edit.n,
        "by_edit": _rate(found.by_edit),
        "carried_by_others": _rate(found.carried_by_others),
        "edit_share": _rate(found.edit_share),
        "position_quartiles": list(found.position),
        "position_thirds": list(found.thirds),
    }


def _told(each: EvidenceKept) -> dict[str, Any]:
    return {
        "model": each.model,
        "probe": each.probe,
        "all": _deciding(each.everything),
        "right": _deciding(each.right),
        "wrong": _deciding(each.wrong),
        "same_length": each.same_length,
        "left_out": each.left_out,
    }


def _print(found: list[EvidenceKept]) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0))
    for name in ("model", "probe", "pairs"):
        table.add_column(name)
    for name in ("n", "decided by the edit", "carried by others", "begin/middle/end"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found:
        for kind, part in (("all", each.everything), ("right", each.right), ("wrong", each.wrong)):
            if part is not None:
                named = (escape(each.model), escape(each.probe)) if kind == "all" else ("", "")
                rates = [f"{e.value:.2f} ({e.low:.2f}–{e.high:.2f})" for e in (part.by_edit, part.carried_by_others)]
                table.add_row(*named, kind, f"{part.by_edit.n:,}", *rates, "/".join(map(str, part.thirds)))
    people().print(table)
    for each in found:
        people().print(
            f"[dim]{escape(each.probe)}: {each.same_length:,} pairs of as many tokens, the others are aligned[/dim]",
            soft_wrap=True,
        )
