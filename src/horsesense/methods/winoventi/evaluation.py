"""Evaluating models on WinoVenti schemas (winoventi.txt, 3.1): the two tests, the filter, and the test turned round.

`ask_all` asks, `evaluate` counts; what it leans on beside the answers is its `background`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp
from pathlib import Path

from horsesense.core import BLANK, Answer, Facet, Item, Probe
from horsesense.errors import UserError
from horsesense.methods.winoventi.adversarial_filter import PRIOR, preferring_generic, prior_probe
from horsesense.methods.winoventi.background import Background
from horsesense.methods.winoventi.context_shift import (
    NEUTRAL,
    ContextShift,
    asked_schemas,
    context_shift,
    neutral_probe,
)
from horsesense.methods.winoventi.lexicon import Lexicon
from horsesense.methods.winoventi.measures import Outcome, Strongest, Subset, sliced, strongest, subset
from horsesense.methods.winoventi.schemas import VALIDATED
from horsesense.methods.winoventi.special_word import (
    REVERSE,
    differing,
    pairs_of,
    reversed_probe,
    special_facets,
    triplet_name,
)
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask import Settings, ask_models
from horsesense.runs.engine import LOCAL, Engine
from horsesense.runs.results import Answered, read_run
from horsesense.runs.shards import draw
from horsesense.stats.slices import Sliced

MAIN = "winoventi"
SLICES = ("k", "own", "third", "special_pos", "unequal_tokens", "origin", "twin")
"""Facets that results are cut by, where items have them."""
UNKNOWN = "items with an option that the tokenizer cannot spell"
EMPTY = "no schema is left: the models do not all prefer the generic of any"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one model makes of the schemas."""

    model: str
    subsets: tuple[Subset, ...]
    """``all``, ``individual`` (the headline), and ``intersection`` where there are several models."""
    shifts: tuple[ContextShift, ...]
    """What premises change, for the same subsets."""
    reverse: tuple[Subset, ...]
    """The same with the context word asked for; empty where that was not asked."""
    tokens: tuple[Subset, ...]
    """All and Individual, cut by whether the outcomes have as many tokens for every model that is asked."""
    slices: Mapping[str, Sliced]
    failures: Strongest
    successes: Strongest
    notes: Mapping[str, int]
    proposed: int = 0
    """Schemas that neither people nor a stated judge have passed; with any of them there is no headline."""


def check_probe(probe: Probe) -> None:
    """Schemas need both of their texts, and the facets that the reader and the builder of WinoVenti give."""
    wanted = {"bias", "alternative"}
    odd = next((item for item in probe.items if not wanted <= item.facets.keys() or item.form != "cloze"), None)
    if odd is not None or not pairs_of(probe.items):
        raise UserError(
            f"the probe {probe.card.name} has no WinoVenti schemas" + (f" (item {odd.id})" if odd else ""),
            fix="give what import winoventi or build winoventi wrote",
        )


def ask_all(
    models: Sequence[str],
    probe: Probe,
    folder: Path,
    settings: Settings,
    progress: Progress = NO_PROGRESS,
    reverse: bool = True,
    engine: Engine = LOCAL,
) -> list[dict[str, Answered]]:
    """Ask each model the schemas, the outcomes alone and after a neutral premise, and the schemas turned round.

    What the folder has already is not asked again.
    """
    check_probe(probe)
    drawn = replace(probe, items=draw(probe.items, settings.limit, settings.seed))
    probes = {MAIN: drawn, PRIOR: prior_probe(drawn), NEUTRAL: neutral_probe(drawn)}
    if reverse:
        probes[REVERSE] = reversed_probe(drawn)
        if not probes[REVERSE].items:
            raise UserError("no schema has two texts that differ in exactly one word", fix="check the probe")
    ask_models(models, probes, folder, replace(settings, limit=None), progress, engine)
    _, answered = read_run(folder, unfinished=True)  # another call's part may be half done
    parts = {(each.part.model.name, each.part.probe.name): each for each in answered}
    return [{name: parts[model, name] for name in probes} for model in models]


def evaluate(answered: Sequence[Mapping[str, Answered]], background: Background) -> list[Evaluation]:
    """Numbers of each model. The intersection is over these models and all others that are known."""
    passing = [preferring_generic(parts[PRIOR]) for parts in answered]
    shared = set.intersection(*passing, *(set(names) for names in background.others.values()))
    several = len(answered) + len(background.others) > 1
    equal = set.intersection(*(equal_tokens(parts[MAIN]) for parts in answered))
    return [
        _evaluation(parts, triplets, shared if several else None, equal, background)
        for parts, triplets in zip(answered, passing, strict=True)
    ]


def equal_tokens(answered: Answered) -> set[str]:
    """Schemas whose outcomes have as many tokens each for this model.

    A sum of log-probabilities favours the word of fewer tokens, whatever the premise says.
    """
    unequal = {
        item.family
        for item, answer in zip(answered.items, answered.answers, strict=True)
        if len({len(tokens) for tokens in answer.logprobs}) > 1
    }
    return {item.family for item in answered.items} - unequal


def _evaluation(
    parts: Mapping[str, Answered],
    passing: set[str],
    shared: set[str] | None,
    equal: set[str],
    background: Background,
) -> Evaluation:
    model = parts[MAIN].part.model.name
    outcomes = _outcomes(parts[MAIN], background, model, _special_words(parts[MAIN].items, background.lexicon))
    turned = _outcomes(parts[REVERSE], background, model, {}) if REVERSE in parts else []
    triplets = {item.family: triplet_name(item) for item in parts[MAIN].items}
    unknown = sum(any("unknown-token" in flag for flag in answer.flags) for answer in parts[MAIN].answers)
    notes = {UNKNOWN: unknown} if unknown else {}
    if shared is not None and not any(name in shared for name in triplets.values()):
        notes[EMPTY] = 0

    kinds = {"all": None, "individual": passing} | ({"intersection": shared} if shared is not None else {})

    def subsets(outcomes: Sequence[Outcome]) -> tuple[Subset, ...]:
        chosen = {
            name: [each for each in outcomes if among is None or triplets[each.family] in among]
            for name, among in kinds.items()
        }
        return tuple(subset(name, among) for name, among in chosen.items())

    def by_tokens() -> tuple[Subset, ...]:
        """All and Individual once more: outcomes of as many tokens for every model that is asked, and the others."""
        individual = [each for each in outcomes if triplets[each.family] in passing]
        return tuple(
            subset(f"{name}, {kind} tokens", [each for each in among if (each.family in equal) == (kind == "equal")])
            for name, among in (("all", outcomes), ("individual", individual))
            for kind in ("equal", "unequal")
        )

    shifts: tuple[ContextShift, ...] = ()
    if NEUTRAL in parts:  # an earlier version did not ask it
        others = {name: (parts[name].items, parts[name].answers) for name in (NEUTRAL, PRIOR)}
        schemas = asked_schemas((parts[MAIN].items, parts[MAIN].answers), others, triplets)
        shifts = tuple(
            context_shift(name, [each for each in schemas if among is None or triplets[each.family] in among])
            for name, among in kinds.items()
        )
    tables = {name: table for name in SLICES if (table := sliced(outcomes, name)) is not None}
    return Evaluation(
        model=model,
        subsets=subsets(outcomes),
        shifts=shifts,
        reverse=subsets(turned) if turned else (),
        tokens=by_tokens(),
        slices=tables,
        failures=strongest(outcomes, failures=True),
        successes=strongest(outcomes, failures=False),
        notes=notes,
        proposed=sum(not _is_passed(item) for item in parts[MAIN].items if item.member == "generic"),
    )


def _is_passed(item: Item) -> bool:
    """Whether somebody validated its schema; a released one has no status, since people did before it was released."""
    return str(item.facets.get("status", VALIDATED)).startswith(VALIDATED)


def _special_words(items: Sequence[Item], lexicon: Lexicon | None) -> dict[str, dict[str, Facet]]:
    """Item id → what is known of its special word, with its part of speech where there is a lexicon."""
    differences = [differing(m["generic"].text, m["exception"].text) for m in pairs_of(items).values()]
    words = {places[0].words for places in differences if len(places) == 1}
    return special_facets(
        items, None if lexicon is None else {pair: lexicon.pos(*(word.split()[-1] for word in pair)) for pair in words}
    )


def _outcomes(
    answered: Answered, background: Background, model: str, special: Mapping[str, Mapping[str, Facet]]
) -> list[Outcome]:
    credits = answered.credits("sum").values
    outcomes = []
    for item, answer, credit in zip(answered.items, answered.answers, credits, strict=True):
        assert item.answer is not None
        chances = [_probability(item, answer, place) for place in range(len(item.options))]
        right = chances[item.answer]
        outcomes.append(
            Outcome(
                item=item.id,
                family=item.family,
                test=item.member,
                noun=item.groups.get("noun", ""),
                frame=item.groups.get("frame", item.family),
                generic=str(item.facets["bias"]),
                credit=float(credit),
                margin=2 * right - sum(chances),
                mass=sum(chances),
                facets={**_facets(item, answer, background, model), **special.get(item.id, {})},
            )
        )
    return outcomes


def _probability(item: Item, answer: Answer, place: int) -> float:
    """Of the tokens of the option itself; a causal model is scored on what follows it, too."""
    end = item.text.index(BLANK) + len(item.options[place])
    tokens = zip(answer.starts[place], answer.logprobs[place], strict=True)
    return exp(sum(value for start, value in tokens if start < end))


def _facets(item: Item, answer: Answer, background: Background, model: str) -> dict[str, Facet]:
    pair = item.groups.get("noun", ""), str(item.facets["bias"])
    lengths = {len(tokens) for tokens in answer.logprobs}
    facets: dict[str, Facet] = {"unequal_tokens": len(lengths) > 1}
    facets |= {name: item.facets[name] for name in ("k", "origin", "twin") if name in item.facets}
    if pair in background.depths:
        facets["k"] = background.depths[pair]
    if model in background.own_depths:
        facets["own"] = pair in background.own_depths[model]
    return facets
