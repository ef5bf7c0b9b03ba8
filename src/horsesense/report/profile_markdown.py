"""A profile as Markdown, for a model card."""

from __future__ import annotations

from collections.abc import Iterator

from horsesense.profiling.document import ProfileDocument, ranged
from horsesense.report.profile_grid import NOT_JUDGED, rows_of
from horsesense.report.profile_wording import (
    command,
    compared,
    contamination_sentence,
    only_a_part,
    percent,
    spread,
    surer,
)


def markdown(profile: ProfileDocument) -> str:
    """Two sentences a model, the grid as a table, scores per group, contamination, and how it was made."""
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
        yield f"\n¹ Outside the overall score: {NOT_JUDGED}."
    yield "\nFigures of people are of other items, of the papers' releases; each has its kind on the page."
    yield "\n| model | score of | adjusted score (95%) | judged by people or proved |"
    yield "|---|---|---|---|"
    for model in profile.models:
        for each in model.verdicts.groups:
            yield f"| {model.model} | {each.group} | {ranged(each.adjusted)} | {'yes' if each.judged else 'no'} |"
        if model.verdicts.overall is not None:
            overall = model.verdicts.overall
            yield f"| {model.model} | **overall** ({overall.name}) | **{ranged(overall.value)}** | yes |"
    yield "\n0 is guessing, 1 the ceiling; what cues, relatedness or the bare options explain is taken off."
    if profile.relatedness_note:
        yield f"\n{profile.relatedness_note[:1].upper()}{profile.relatedness_note[1:]}."
    for sentence in compared(profile):
        yield f"\n{sentence}"
    yield ""
    for model in profile.models:
        yield f"- {contamination_sentence(model)}"
    yield f"\nMade by `{command(profile)}` (horsesense {profile.horsesense})."
