"""The profile as plain data: abilities, findings per model, and a two-sentence summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core.document import Document
from horsesense.methods.ladders.thresholds import LadderResults
from horsesense.planting.effects import MovedByCues, PlantedEffect
from horsesense.profiling.abilities import Ability
from horsesense.profiling.conditions import Forecast
from horsesense.profiling.contamination import TELLING
from horsesense.profiling.finding import AbilityFinding, ModelDifference, Verdict, Verdicts
from horsesense.profiling.from_answers import ChatEffect, Mistake, OwnAssociations
from horsesense.profiling.material import Material, part_of
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.withheld import WithheldResult
from horsesense.stats import Estimate
from horsesense.stats.rungs import LadderAnalysis

ORDER: tuple[Verdict, ...] = (
    "knows",
    "partly",
    "not robust",
    "same answer",
    "reads cues",
    "contaminated",
    "not above chance",
    "inconclusive",
)
"""Verdicts from best to inconclusive."""
NAMED = 3
"""Maximum number of abilities of one bad verdict that are named."""


@dataclass(frozen=True, slots=True)
class ProfiledAbility(Document):
    """An ability as evaluated."""

    name: str
    """One word."""
    title: str
    """Title of its row."""
    sentence: str
    """Description of a model that has it."""
    method: str
    """Method that its questions come from."""
    group: str
    """Group of abilities."""
    counts: bool
    """Whether it is part of the overall score: people validated its keys, or they are proved."""
    judged: str
    """Validation of the keys; empty if no person validated them."""
    why: str
    """Reason for including it in the overall score, or not."""
    recipe: str
    """Recipe of its questions."""
    licence: str
    """Licence of their sources."""
    families: int
    """Number of frozen families asked."""
    items: int
    """Number of frozen items asked."""
    content: str
    """SHA-256 over the ids of these items."""
    twins: int
    """Number of items asked of the twin half; 0 without a twin."""
    cue: str
    """Answering rule of the best cue, chosen on groups without the item; empty if no cue applies."""
    people_from: str
    """Source of the human figure; otherwise empty."""
    label_quality: str
    """Result of a blind audit in words; empty if no sample was audited."""


@dataclass(frozen=True, slots=True)
class ModelProfile(Document):
    """Profile of one model."""

    model: str
    """Short name of the model."""
    summary: tuple[str, str]
    """Summary in two sentences: abilities and interpretation."""
    verdicts: Verdicts
    """Findings per ability with all explanations, contamination, scores per group and overall."""
    ladder: LadderAnalysis | None
    """Loss of known facts on the rungs to an inference; null if the ladder was not asked."""
    associations: OwnAssociations | None
    """Effect of its own associations when a text contradicts them; null if not asked."""
    planted_cues: tuple[PlantedEffect, ...]
    """Effect of each planted cue on answers to questions of all abilities; it changes no verdict."""
    moved_by_cues: MovedByCues | None
    """All planted cues in one row; null if no cue fits the questions."""
    withheld: tuple[WithheldResult, ...]
    """Abilities that were also asked without the options: what the options give away; it changes no verdict."""
    chat: ChatEffect | None
    """Effect of the chat template; null for a model without one, and for one that is asked inside it anyway."""
    mistakes: tuple[Mistake, ...]
    """Most confident errors by ability."""
    asked: str
    """Prompting of the model in words."""
    weights: str
    """SHA-256 of its weights, or identification reported by an API."""
    forecast: Forecast | None
    """Cost estimate; null if all answers were stored already."""


@dataclass(frozen=True, slots=True)
class Profile(Document):
    """Profile of one or several models."""

    version: int
    """Version of the frozen questions: only profiles of one version and edition are comparable."""
    edition: str
    """``quick`` or ``full``."""
    complete: bool
    """Whether every ability was evaluated as defined by the edition; otherwise scores are not those of the version."""
    adaptive: bool
    """Whether an ability was asked no further once its verdict was decided."""
    twin_seed: int
    """Seed of the draw of the twins."""
    horsesense: str
    """Version of horsesense."""
    abilities: tuple[ProfiledAbility, ...]
    """Abilities in the order of the page."""
    models: tuple[ModelProfile, ...]
    """One profile per model, in the order given."""
    differences: tuple[ModelDifference, ...]
    """All pairs of models in every ability, group and overall, corrected for multiple comparisons; on the twin half
    alone if one of the two is contaminated."""
    ladders: LadderResults | None = None
    """Thresholds on the ladders of inference steps and polarity; null unless a whole full edition was asked."""
    relatedness: tuple[str, ...] = ()
    """Encoders used to control relatedness; without any, no ability gets the verdict "knows"."""
    relatedness_note: str = ""
    """Caveat if relatedness was not controlled; otherwise empty."""
    out: Path | None = None
    """Output folder; omitted if nothing was written."""
    page: Path | None = None
    """Path of the HTML page."""
    pictures: tuple[Path, ...] | None = None
    """Paths of the grid as SVG and PNG."""
    markdown: Path | None = None
    """Path of the Markdown version."""

    def write(self, folder: str | Path, progress: Progress = NO_PROGRESS) -> Profile:
        """Write the page, the grid as SVG and PNG, Markdown and JSON into a folder; return the profile with paths."""
        from horsesense.report.profile_page import write_profile

        return write_profile(self, Path(folder), progress)

    def to_markdown(self) -> str:
        """Return the profile as a text for a model card."""
        from horsesense.report.profile_page import markdown

        return markdown(self)

    def _repr_html_(self) -> str:
        from horsesense.report.profile_picture import grid_svg

        return grid_svg(self)

    def __repr__(self) -> str:
        from horsesense.report.profile_view import partial_warning

        sentences = (sentence for model in self.models for sentence in model.summary)
        return "\n".join(filter(None, (partial_warning(self), *sentences)))


def described(material: Material, cue: str, label_quality: str) -> ProfiledAbility:
    """Describe an ability as evaluated."""
    from horsesense.profiling.material import recipe_in_words

    ability, part = material.ability, part_of(material.frozen.items)
    return ProfiledAbility(
        name=ability.name,
        title=ability.title,
        sentence=ability.sentence,
        method=ability.method,
        group=ability.group,
        counts=ability.counts,
        judged=ability.judged,
        why=ability.why,
        recipe=recipe_in_words(ability),
        licence=material.pool.card.licence,
        families=part.families,
        items=part.items,
        content=part.content,
        twins=0 if material.twin is None else len(material.twin.items),
        cue=cue,
        people_from=ability.source,
        label_quality=label_quality,
    )


# The two-sentence summary.


def summary(verdicts: Verdicts, abilities: Mapping[str, Ability]) -> tuple[str, str]:
    """Summarise the abilities of a model, and interpret them."""
    by_verdict: dict[Verdict, list[AbilityFinding]] = {}
    for found in verdicts.findings:
        by_verdict.setdefault(found.verdict, []).append(found)
    return _can(verdicts.model, by_verdict, abilities), _means(verdicts)


def _can(model: str, found: Mapping[Verdict, Sequence[AbilityFinding]], abilities: Mapping[str, Ability]) -> str:
    """Describe the abilities by verdict, best first."""
    total = sum(map(len, found.values()))
    if total > 1 and len(found.get("not above chance", ())) == total:
        return f"{model} is not above chance in any of {total} abilities."
    parts: list[str] = []
    for verdict in ORDER:
        own = [abilities[each.ability].title for each in found.get(verdict, ())]
        if own:
            parts.append(_clause(verdict, own, total, "it" if parts else model))
    sentence = "; ".join(parts)
    return f"{sentence if sentence.startswith(model) else sentence[:1].upper() + sentence[1:]}."


def _clause(verdict: Verdict, titles: Sequence[str], total: int, who: str) -> str:
    """Return the number of abilities with a verdict, and their titles if they are few."""
    named = f" ({'; '.join(titles)})" if len(titles) <= NAMED or verdict in ("knows", "partly") else ""
    where = titles[0] if total == 1 else f"{len(titles)} of {total} abilities{named}"
    match verdict:
        case "knows":
            return f"{who} shows knowledge in {where}"
        case "partly":
            return f"{who} shows part of the knowledge in {where}"
        case "not robust":
            return f"{who} is not robust in {where}"
        case "same answer":
            return f"{who} gives the same answer to a question and to its opposite in {where}"
        case "reads cues":
            return f"{who} reads cues in {where}"
        case "contaminated":
            return f"{who} is contaminated in {where}"
        case "not above chance":
            return f"{who} is not above chance in {where}"
        case _:
            return f"the result is inconclusive in {where}"


HOLLOW: Mapping[Verdict, str] = {
    "reads cues": "cues explain its answers",
    "not robust": "its score is not robust",
    "same answer": "it gives the same answer to a question and to its opposite",
    "contaminated": "it does better on the public items than on their twins",
}
"""What a verdict says instead of knowledge."""


def conclusion(verdicts: Verdicts) -> str:
    """State in how many abilities knowledge is shown, and what is shown instead elsewhere."""
    found = Counter(each.verdict for each in verdicts.findings)
    known, total = found["knows"] + found["partly"], len(verdicts.findings)
    sentences = [f"Knowledge is shown in {known} of {total} abilities." if known else "No knowledge is shown."]
    sentences += [f"In {found[verdict]} of {total}, {text}." for verdict, text in HOLLOW.items() if found[verdict]]
    if found["inconclusive"] and not known:
        sentences.append(f"{found['inconclusive']} of {total} are inconclusive.")
    return " ".join(sentences)


def _means(verdicts: Verdicts) -> str:
    """Interpret the scores, contamination, and the scores per group."""
    scores = _scores(verdicts)
    return " ".join([conclusion(verdicts), f"{_contamination(verdicts)}.", *([f"{scores}."] if scores else [])])


def _contamination(verdicts: Verdicts) -> str:
    seen = verdicts.contamination
    if seen.difference is None:
        return "Contamination was not tested"
    if seen.found or seen.contaminated:
        return "The public items were probably in its training data"
    if seen.detectable is None or seen.detectable > TELLING:
        return "There are too few questions to exclude contamination"
    part = f" in the {len(seen.abilities)} of {len(verdicts.findings)} abilities that can be tested"
    return f"No contamination was found{part if len(seen.abilities) < len(verdicts.findings) else ''}"


def _scores(verdicts: Verdicts) -> str:
    """List the score of each group; groups without human validation separately."""
    judged = [f"{each.group} {ranged(each.adjusted)}" for each in verdicts.groups if each.judged]
    others = [f"{each.group} {ranged(each.adjusted)}" for each in verdicts.groups if not each.judged]
    parts = []
    if judged:
        parts.append(f"Adjusted scores, from 0 (chance) to 1 (ceiling): {'; '.join(judged)}")
    if others:
        parts.append(f"Not validated by people: {'; '.join(others)}")
    return ". ".join(parts)


def ranged(estimate: Estimate) -> str:
    """Format a value with its interval; values that round to 0 have no sign."""
    return f"{estimate.value:z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f})".replace("-", "−")
