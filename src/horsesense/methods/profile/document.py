"""A profile as plain data: what was asked, what is found of each model, and two sentences that say what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.analysis import Estimate
from horsesense.methods.profile.abilities import Ability
from horsesense.methods.profile.finding import Finding, ModelDifference, Verdict, Verdicts
from horsesense.methods.profile.material import Material, part_of
from horsesense.methods.profile.conditions import Forecast
from horsesense.methods.profile.from_answers import Mistake, OwnAssociations
from horsesense.methods.rica.ladder_analysis import LadderAnalysis
from horsesense.records.document import Document

ORDER: tuple[Verdict, ...] = (
    "knows",
    "partly",
    "not robust",
    "knows the facts but does not use them",
    "reads cues",
    "not to be told from guessing",
    "too few items",
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
    """The method it belongs to."""
    counts: bool
    """Whether it is part of the one number: people stand behind its keys, or they are proved."""
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
    """Each ability with everything that could explain it away, memory, and the one number."""
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
    """Every two models in every ability and in the one number, corrected for many comparisons."""
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
    from horsesense.methods.profile.material import recipe_in_words

    ability, part = material.ability, part_of(material.frozen.items)
    return ProfiledAbility(
        name=ability.name,
        title=ability.title,
        sentence=ability.sentence,
        method=ability.method,
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
    if total > 1 and len(found.get("not to be told from guessing", ())) == total:
        return f"{model} cannot be told from guessing in any of {total} abilities."
    parts: list[str] = []
    for verdict in ORDER:
        own = [abilities[each.ability].title for each in found.get(verdict, ())]
        if own:
            parts.append(_clause(verdict, own, total, "it" if parts else model))
    sentence = "; ".join(parts)
    return f"{sentence if sentence.startswith(model) else sentence[:1].upper() + sentence[1:]}."


def _clause(verdict: Verdict, titles: Sequence[str], total: int, who: str) -> str:
    """Of how many abilities a verdict is, and of which where they are few."""
    named = f" ({'; '.join(titles)})" if len(titles) <= NAMED or verdict in ("knows", "partly") else ""
    where = titles[0] if total == 1 else f"{len(titles)} of {total} abilities{named}"
    match verdict:
        case "knows":
            return f"{who} shows knowledge in {where}"
        case "partly":
            return f"{who} shows part of the knowledge in {where}"
        case "not robust":
            return f"what {who} shows in {where} does not hold over whole families or when asked otherwise"
        case "knows the facts but does not use them":
            return f"{who} has the facts and does not use them in {where}"
        case "reads cues":
            return f"{who} reads cues in {where}"
        case "not to be told from guessing":
            return f"{who} cannot be told from guessing in {where}"
        case _:
            return f"of {where} too little was asked"


def _means(verdicts: Verdicts, found: Mapping[Verdict, Sequence[Finding]]) -> str:
    """Sense or cues, memory or not, and the number."""
    known = sum(len(found.get(verdict, ())) for verdict in ("knows", "partly"))
    hollow = sum(len(found.get(verdict, ())) for verdict in ("reads cues", "not robust"))
    open_ones = len(found.get("too few items", ()))
    if known and hollow:
        sense = "So part of it is sense and part is clever Hans"
    elif known:
        sense = "So what it shows is sense, which no cue explains"
    elif hollow:
        sense = "So what it shows is clever Hans"
    elif 2 * open_ones >= len(verdicts.findings):
        sense = "So too little was asked to tell sense from guessing"
    else:
        sense = f"So no common sense is shown{' where enough was asked' if open_ones else ''}"
    memory = verdicts.memory
    if memory.difference is None:
        seen = "memory was not looked for"
    elif not memory.told:
        seen = "too little was asked to tell whether it has met the questions before"
        if "too little" in sense:
            seen = "whether it has met the questions before cannot be told either"
    else:
        seen = f"{'it has met the frozen' if memory.found else 'nothing says that it has met the'} questions before"
        if len(memory.abilities) < len(verdicts.findings) and not memory.found:
            seen += f" ({len(memory.abilities)} of {len(verdicts.findings)} abilities can tell)"
    number = verdicts.number
    if number is None:
        return f"{sense}, and {seen}."
    scale = "from 0 (guessing) to 1 (the best that can be reached)"
    return f"{sense}, and {seen}; {scale} it stands at {ranged(number.value)}."


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
