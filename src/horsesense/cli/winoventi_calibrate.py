"""``horsesense winoventi calibrate``: how good the machine's filters are, by what people said for the release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import Json, people, print_json

if TYPE_CHECKING:
    from horsesense.methods.winoventi.calibration import Calibration
    from horsesense.stats import Estimate


def calibrate(
    registry: Annotated[Path, typer.Option(help="The release's registry: exceptions that people gave.")],
    schemas: Annotated[
        list[Path] | None, typer.Option(help="The release's evaluation collections: schemas that people judged.")
    ] = None,
    text: Annotated[
        list[Path] | None, typer.Option(help="Texts in which adjectives are looked up beside their nouns; repeatable.")
    ] = None,
    conceptnet: Annotated[Path | None, typer.Option(help="ConceptNet triples (relation, head, tail).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="How words are dealt out to other associations.")] = 0,
    json: Json = False,
) -> None:
    """Recall and precision of the filters of exceptions and of the checks of premises."""
    from horsesense.api.winoventi import calibrate as calibrate_filters

    found = calibrate_filters(registry, schemas=schemas or (), texts=text or (), conceptnet=conceptnet, seed=seed)
    if json:
        print_json(found)
    else:
        people().print(_in_words(found), markup=False, soft_wrap=True)


def _in_words(found: Calibration) -> str:
    """Tables as docs/results/winoventi.md has them."""
    lines = [
        f"{found.triplets:,} exceptions that people gave, and as many words dealt out to other associations:",
        "",
        "| evidence | people's kept | dealt-out words kept | precision | Zipf, kept and dropped |",
        "|---|---|---|---|---|",
    ]
    for row in found.filters:
        zipf = " and ".join(
            "-" if each is None else f"{each:.1f}" for each in (row.frequency_kept, row.frequency_dropped)
        )
        precision = "-" if row.precision is None else f"{row.precision:.3f}"
        lines.append(f"| {row.evidence} | {_cell(row.recall)} | {_cell(row.dealt)} | {precision} | {zipf} |")
    last = found.filters[-1].grounds
    lines += ["", "grounds in the last row: " + ", ".join(f"{name} {count:,}" for name, count in last.items())]
    if found.checks is not None:
        checks = found.checks
        lines += [
            "",
            f"{checks.schemas:,} schemas that people judged, of which they threw out {checks.failed:,}:",
            "",
            "| checks by rule | share |",
            "|---|---|",
            f"| precision: people pass what the checks let pass | {_cell(checks.precision)} |",
            f"| recall: the checks let pass what people pass | {_cell(checks.recall)} |",
            f"| objected to, of what people threw out | {_cell(checks.caught)} |",
        ]
    return "\n".join(lines)


def _cell(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"
