"""Tables of a suite for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

_NONE = "–"


def _table(title: str, columns: list[str], first: str = "model") -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0), title=title, title_justify="left")
    table.add_column(first)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _titled(document: dict[str, Any]) -> dict[str, str]:
    from horsesense.studies.suites.published import titles

    known = titles()
    sets = [*document["found"], *document["missing"]]
    return {name: title for name, title in known.items() if name in sets}


def accuracy_tables(document: dict[str, Any]) -> Iterator[Table]:
    """What was measured, set by set; then the row of table 3 above the paper's own rows."""
    from rich.markup import escape

    sets = _titled(document)
    for row in document["rows"]:
        table = _table(
            escape(row["model"]), ["accuracy", "95 % interval", "chance", "n", "units", "best blind rule"], "set"
        )
        for name in document["found"]:
            cell, rule = row["sets"].get(name), document["cues"][name]["rule"]
            told = f"{rule['accuracy']:.3f}" if rule else ""
            table.add_row(sets[name], _value(cell), _interval(cell), _chance(cell), _count(cell), _units(cell), told)
        cell = row["average"]
        table.add_section()
        table.add_row(
            f"mean of {cell['sets']}", _value(cell), _interval(cell), _chance(cell), _count(cell), _units(cell)
        )
        yield table
    table = _table("CATs, table 3", [*sets.values(), "average"])
    for row in document["rows"]:
        cells = [row["sets"].get(name) for name in sets] + [row["average"]]
        table.add_row(f"[bold]{escape(row['model'])}[/bold]", *(_value(cell) for cell in cells))
    for row in _published(table, document):
        table.add_row(
            _sized(row), *(f"{row['sets'][each]:.3f}" for each in sets), f"{row['average']['recomputed']:.3f}"
        )
    yield table


def _published(table: Table, document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The paper's rows, each under a line that says whose they are: by direction, then people (figure 1)."""
    kind = ""
    for row in document["published"]["rows"]:
        own = f"published, {row['direction'] or 'people'}:"
        if own != kind:
            kind = own
            table.add_section()
            table.add_row(kind, style="dim")
        yield row


def _sized(row: dict[str, Any]) -> str:
    size = row["parameters_in_millions"]
    return f"  {row['model']}" + (f" {size}M" if size else "")


def consistency_tables(document: dict[str, Any]) -> Iterator[Table]:
    """Consistency, what would follow from the two accuracies alone, and both right."""
    from rich.markup import escape

    sets = _titled(document)
    table = _table("Pairs consistent, 95 % interval below (CATs, table 6)", list(sets.values()))
    names = (
        ("consistent", "both right or both wrong"),
        ("expected", "  expected of the two accuracies"),
        ("both_right", "  both right"),
        ("accuracy_a", "  accuracy, original"),
        ("accuracy_b", "  accuracy, edited"),
    )
    for row in document["rows"]:
        for part, told in names:
            cells = [row["sets"].get(name, {}).get(part) for name in sets]
            label = f"[bold]{escape(row['model'])}[/bold]: {told}" if part == "consistent" else told
            table.add_row(label, *(_value(cell) for cell in cells))
            table.add_row("", *(_interval(cell) for cell in cells), style="dim")
        table.add_row("  pairs", *(str(row["sets"].get(name, {}).get("pairs", _NONE)) for name in sets), style="dim")
    for row in _published(table, document):
        table.add_row(_sized(row), *(f"{row['sets'][each]:.2f}" for each in sets))
    yield table


def _value(cell: dict[str, Any] | None) -> str:
    return _NONE if cell is None else f"{cell['value']:.3f}"


def _interval(cell: dict[str, Any] | None) -> str:
    return "" if cell is None else f"{cell['ci'][0]:.3f}–{cell['ci'][1]:.3f}"


def _chance(cell: dict[str, Any] | None) -> str:
    return "" if cell is None or cell["chance"] is None else f"{cell['chance']:.3f}"


def _count(cell: dict[str, Any] | None) -> str:
    return "" if cell is None else f"{cell['n']:,}"


def _units(cell: dict[str, Any] | None) -> str:
    return "" if cell is None else f"{cell['clusters']:,}"


def cue_lines(document: dict[str, Any]) -> Iterator[str]:
    """What can be had of each set without its question, and what of the paper's figures does not add up."""
    for name, cues in document["cues"].items():
        rule, learnt = cues["rule"], cues["learnt"]
        told = [f"{cue['accuracy']:.3f} by picking {cue['pick']}" for cue in (rule, learnt) if cue]
        told = told[:1] if rule == learnt else told
        none = "nothing" if cues["searched"] else "not looked for in fewer than two units"
        yield f"{name}, without its question: {'; '.join(told) or none} (chance {cues['chance']:.3f})"
    wrong = document["published"]["averages_that_do_not_follow"]
    if wrong:
        printed = {row["model"]: row["average"]["printed"] for row in document["published"]["rows"]}
        listed = ", ".join(f"{model} ({printed[model]:.3f})" for model in wrong)
        yield f"published averages are computed again from their rows; those printed for {listed} do not follow"
    if document["missing"] and document["measure"] == "accuracy":
        yield f"an average of a measured row is over the {len(document['found'])} sets that are here"
