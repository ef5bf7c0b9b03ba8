"""A profile as plain data: what was asked, what is found of each model, and two sentences that say what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.core.document import Document
from horsesense.methods.rica.ladder import LadderAnalysis
from horsesense.profiling.abilities import Ability
from horsesense.profiling.conditions import Forecast
from horsesense.profiling.contamination import TELLING
from horsesense.profiling.finding import Finding, ModelDifference, Verdict, Verdicts
from horsesense.profiling.from_answers import Mistake, OwnAssociations
from horsesense.profiling.material import Material, part_of
from horsesense.stats import Estimate

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
"""From the best to what says nothing."""
NAMED = 3
"""More abilities of one bad verdict than this are counted and not named."""


@dataclass(frozen=True, slots=True)
class ProfiledAbility(Document):
    """An ability as it was asked."""

    name: str
    """One word."""
    title: str
    """What stands at the head of its row."""
    sentence: str
    """What a model that has it does."""
    method: str
    """The method that its questions come from."""
    group: str
    """The group of abilities that it belongs to."""
    counts: bool
    """Whether it is part of the overall score: people stand behind its keys, or they are proved."""
    judged: str
    """Who stands behind the keys; empty where no person does."""
    why: str
    """Why it counts, or why not."""
    recipe: str
    """How its questions were made."""
    licence: str
    """Of what they were made from."""
    families: int
    """Frozen families that were asked."""
    items: int
    """Frozen items that were asked."""
    content: str
    """SHA-256 over the ids of these."""
    twins: int
    """Items of the twin half that were asked; 0 where there is none."""
    cue: str
    """How the best cue picks, chosen on other groups than the item's; empty where no cue has anything to say."""
    people_from: str
    """Where the figure of people is from; empty where there is none."""
    sound: str
    """What a blind reading found, in words; empty where nobody has read any."""


@dataclass(frozen=True, slots=True)
class ModelProfile(Document):
    """What is found of one model."""

    model: str
    """The model's short name."""
    summary: tuple[str, str]
    """Two plain sentences: what it can do, and what to make of that."""
    verdicts: Verdicts
    """Each ability with everything that could explain it away, contamination, scores per group and overall."""
    ladder: LadderAnalysis | None
    """Where facts that are known get lost on the way to an inference; null where the ladder was not asked."""
    associations: OwnAssociations | None
    """What its own associations do when a text goes against them; null where they were not asked for."""
    mistakes: tuple[Mistake, ...]
    """What it gets wrong with most confidence, by ability."""
    asked: str
    """How it was asked, in words."""
    weights: str
    """SHA-256 of its weights, or of what a server reports."""
    forecast: Forecast | None
    """What was foretold; null where everything was kept already."""


@dataclass(frozen=True, slots=True)
class ProfileDocument(Document):
    """The profile of one or several models."""

    version: int
    """Of the frozen questions: only profiles of one version and edition can be compared."""
    edition: str
    """``quick`` or ``full``."""
    complete: bool
    """Whether every ability was asked as the edition has it; otherwise figures are not those of the version."""
    twin_seed: int
    """Of the draw of the twins."""
    horsesense: str
    """The version of the program."""
    abilities: tuple[ProfiledAbility, ...]
    """What was asked, in the order of the page."""
    models: tuple[ModelProfile, ...]
    """One a model, in the order given."""
    differences: tuple[ModelDifference, ...]
    """Every two models in every ability, group and overall, corrected for many comparisons; on the twin half alone
    where one of the two is contaminated."""
    relatedness: tuple[str, ...] = ()
    """The encoders by which relatedness was controlled; without any no ability is said to be known."""
    relatedness_note: str = ""
    """What to mind where relatedness was not controlled; empty where it was."""
    out: Path | None = None
    """The folder that keeps it; left out where nothing is kept."""
    page: Path | None = None
    """The page."""
    pictures: tuple[Path, ...] | None = None
    """The grid as SVG and PNG."""
    markdown: Path | None = None
    """The same as Markdown."""


def described(material: Material, cue: str, sound: str) -> ProfiledAbility:
    """An ability with what was asked of it."""
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
        sound=sound,
    )


# Two plain sentences.


def summary(verdicts: Verdicts, abilities: Mapping[str, Ability]) -> tuple[str, str]:
    """What a model can do, and what to make of it."""
    by_verdict: dict[Verdict, list[Finding]] = {}
    for found in verdicts.findings:
        by_verdict.setdefault(found.verdict, []).append(found)
    return _can(verdicts.model, by_verdict, abilities), _means(verdicts, by_verdict)


def _can(model: str, found: Mapping[Verdict, Sequence[Finding]], abilities: Mapping[str, Ability]) -> str:
    """By verdict, the best first: what it does, and where it fails."""
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
    """In how many abilities a verdict holds, and in which where they are few."""
    named = f" ({'; '.join(titles)})" if len(titles) <= NAMED or verdict in ("knows", "partly") else ""
    where = titles[0] if total == 1 else f"{len(titles)} of {total} abilities{named}"
    match verdict:
        case "knows":
            return f"{who} shows knowledge in {where}"
        case "partly":
            return f"{who} shows part of the knowledge in {where}"
        case "not robust":
            return f"what {who} shows in {where} does not hold in other conditions"
        case "same answer":
            return f"{who} gives the same answer whichever way it is asked in {where}"
        case "reads cues":
            return f"{who} reads cues in {where}"
        case "contaminated":
            return f"{who} is contaminated in {where}"
        case "not above chance":
            return f"{who} is not above chance in {where}"
        case _:
            return f"the result is inconclusive in {where}"


def _means(verdicts: Verdicts, found: Mapping[Verdict, Sequence[Finding]]) -> str:
    """What the scores rest on, contamination, and the scores per group."""
    known = sum(len(found.get(verdict, ())) for verdict in ("knows", "partly"))
    hollow = sum(len(found.get(v, ())) for v in ("reads cues", "not robust", "same answer", "contaminated"))
    open_ones = len(found.get("inconclusive", ()))
    if known and hollow:
        sense = "Part of its score is knowledge, and part is explained by something else"
    elif known:
        sense = "No control explains what it shows"
    elif hollow:
        sense = "Its score is explained by something other than knowledge"
    elif 2 * open_ones >= len(verdicts.findings):
        sense = "Too few questions were asked to separate knowledge from guessing"
    else:
        sense = f"No knowledge is shown{' where enough was asked' if open_ones else ''}"
    seen = _contamination(verdicts)
    scores = _scores(verdicts)
    return f"{sense}; {seen}. {scores}." if scores else f"{sense}; {seen}."


def _contamination(verdicts: Verdicts) -> str:
    seen = verdicts.contamination
    if seen.difference is None:
        return "contamination was not tested"
    if seen.found or seen.contaminated:
        return "the frozen questions were in its training data, or it was tuned on them"
    if seen.detectable is None or seen.detectable > TELLING:
        return "too few questions were asked to exclude contamination"
    part = f" in the {len(seen.abilities)} of {len(verdicts.findings)} abilities that can be tested"
    return f"no contamination was found{part if len(seen.abilities) < len(verdicts.findings) else ''}"


def _scores(verdicts: Verdicts) -> str:
    """The score of each group, by its name; those whose items nobody has judged apart."""
    judged = [f"{each.group} {ranged(each.adjusted)}" for each in verdicts.groups if each.judged]
    others = [f"{each.group} {ranged(each.adjusted)}" for each in verdicts.groups if not each.judged]
    parts = []
    if judged:
        parts.append(f"From 0 (guessing) to 1 (ceiling): {'; '.join(judged)}")
    if others:
        parts.append(f"{'not judged by people: ' if judged else 'Not judged by people: '}{'; '.join(others)}")
    return "; ".join(parts)


def so_many(abilities: int) -> str:
    """
    >>> so_many(1), so_many(3)
    ('1 ability', '3 abilities')
    """
    return "1 ability" if abilities == 1 else f"{abilities} abilities"


def listed(words: Sequence[str]) -> str:
    """
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def ranged(estimate: Estimate) -> str:
    """A number with its interval; what rounds to 0 has no sign."""
    return f"{estimate.value:z.2f} ({estimate.low:z.2f} to {estimate.high:z.2f})".replace("-", "−")


def signed(estimate: Estimate) -> str:
    """A difference with its interval."""
    return f"{estimate.value:+z.2f} ({estimate.low:+z.2f} to {estimate.high:+z.2f})".replace("-", "−")
