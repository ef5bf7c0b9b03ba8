"""``horsesense annotate performance``: how well people do, the kind of each figure beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.annotate.inputs import (
    AnnotatorOption,
    Files,
    InstrumentOption,
    LastOption,
    ProbeOption,
    RoundOption,
    collected,
)
from horsesense.cli.output import Json, print_json
from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.analysis.people.human_performance import HumanScore
    from horsesense.annotate.judgement_files import Collected


def performance(
    files: Files,
    probe: ProbeOption = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="Hold votes against labels that they are part of.")
    ] = None,
    by: Annotated[str, typer.Option("--by", help="A facet of the probe: one figure a value.")] = "",
    instrument: InstrumentOption = "",
    annotator: AnnotatorOption = "",
    round: RoundOption = None,
    last: LastOption = False,
    to_card: Annotated[
        bool, typer.Option("--to-card", help="Keep the figures in the probe's card: reports show them.")
    ] = False,
    json: Json = False,
) -> None:
    """Human performance: one person and the majority, against the probe's answers; or against one another."""
    from horsesense.annotate.study_figures import human_scores
    from horsesense.cli.annotate.tables import human_json, print_human
    from horsesense.records import read_labels

    found = collected(files, probe, instrument, round, last, annotator)
    settled = [label for _, label in read_labels(labels)] if labels is not None else []
    slices = _by_facet(found, by) if by else {"": found}
    scores = [(name, score) for name, part in slices.items() for score in human_scores(part, settled)]
    if to_card:
        _keep(probe, by, scores, files)
    if json:
        told: dict[str, Any] = {"by": by or None, "instrument": found.instrument.name}
        print_json(told | {"human": [human_json(score) | {"slice": name or None} for name, score in scores]})
        return
    print_human(scores)


def _keep(probe: Path | None, by: str, scores: Sequence[tuple[str, HumanScore]], files: Sequence[Path]) -> None:
    """Put the figures into the card beside the probe; those of the same files take the place of earlier ones."""
    from horsesense.records import HumanFigure, add_human_figures

    if probe is None:
        raise UserError("--to-card needs the probe whose card it is", fix="give it with -p")
    source = f"judgements in {', '.join(file.name for file in files)}"
    figures = [
        HumanFigure(
            score.estimate.value,
            score.name,
            source,
            f"{by}={value}" if value else "",
            score.estimate.n,
            score.people or None,
        )
        for value, score in scores
    ]
    add_human_figures(probe, figures)


def _by_facet(found: Collected, facet: str) -> dict[str, Collected]:
    if found.probe is None:
        raise UserError("--by needs the probe whose facet it is", fix="give it with -p")
    values = {item.id: str(item.facets[facet]) for item in found.probe.items if facet in item.facets}
    if not values:
        raise UserError(f"no item of the probe has the facet {facet!r}", fix="horsesense show lists the facets")
    return {
        value: replace(found, judgements=tuple(each for each in found.judgements if values.get(each.item) == value))
        for value in sorted({values[each.item] for each in found.judgements if each.item in values})
    }
