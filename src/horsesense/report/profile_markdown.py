"""A profile as Markdown, for a model card."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.profiling.document import ProfileDocument, ranged
from horsesense.report.profile_grid import NOT_JUDGED, rows_of
from horsesense.report.profile_wording import (
    command,
    compared,
    memory_sentence,
    methods_of,
    only_a_part,
    percent,
    spread,
    surer,
)


def markdown(profile: ProfileDocument) -> str:
    """Two sentences a model, the grid as a table, the number with its parts, memory, and how it was made."""
    return "\n".join(_lines(profile)) + "\n"


def _lines(profile: ProfileDocument) -> Iterator[str]:
    yield f"# horsesense profile {profile.version}, {profile.edition}{'' if profile.complete else ', a part of it'}"
    if part := only_a_part(profile):
        yield f"\n{part}"
    for model in profile.models:
        yield f"\n**{model.model}.** {' '.join(model.summary)}"
    yield (
        "\n| ability | "
        + " | ".join(f"{m.model}: right (95 %), n | verdict" for m in profile.models)
        + " | guessing | best cue | people |"
    )
    yield "|---|" + "---|---|" * len(profile.models) + "---|---|---|"
    for row in rows_of(profile):
        cells = []
        for cell in row.cells:
            cells += (
                ["–", "–"]
                if cell is None
                else [f"{spread(cell.finding.accuracy)}, {cell.finding.n:,}", cell.finding.verdict]
            )
        first = next((cell for cell in row.cells if cell is not None), None)
        beside = ["–"] * 3
        if first is not None:
            chance = first.finding.accuracy.chance
            beside = [
                "–" if chance is None else percent(chance),
                "–" if first.cue is None else percent(first.cue),
                "–" if first.people is None else percent(first.people),
            ]
        yield f"| {row.ability.title}{'' if row.ability.counts else ' ¹'} | {' | '.join([*cells, *beside])} |"
    yield f"\n{surer(profile)}"
    if any(not ability.counts for ability in profile.abilities):
        yield f"\n¹ Outside the one number: {NOT_JUDGED}."
    yield "\nFigures of people are of other items, of the papers' releases; each has its kind on the page."
    if any(model.verdicts.number is not None for model in profile.models):
        yield "\n| model | the one number | parts |"
        yield "|---|---|---|"
        for model in profile.models:
            if model.verdicts.number is not None:
                parts = "; ".join(
                    f"{methods_of(part, profile)} {ranged(part.beyond)}" for part in model.verdicts.number.parts
                )
                yield f"| {model.model} | {ranged(model.verdicts.number.value)} | {parts} |"
        yield "\n0 is guessing, 1 the best that can be reached; what cues or the bare options explain is taken off."
    for sentence in compared(profile):
        yield f"\n{sentence}"
    yield ""
    for model in profile.models:
        yield f"- {memory_sentence(model)}"
    yield f"\nMade by `{command(profile)}` (horsesense {profile.horsesense})."
