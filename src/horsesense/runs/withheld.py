"""The options or the question withheld: three ways to ask the same items, and what the differences mean.

With the question withheld, the options alone are left. With the options withheld, the question alone is left: a model
that replies answers freely (`horsesense.scoring.free_answers`), and a model with likelihoods ranks a closed set of
concepts of the same part of speech, of which only the key is right.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from horsesense.core import BLANK, Item, Probe, view
from horsesense.core.document import Document
from horsesense.core.item import FIXED_ORDER, OPEN
from horsesense.errors import UserError, argument
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.words import zipf
from horsesense.scoring.free_answers import is_definition, knowledge
from horsesense.stats import Estimate, accuracy
from horsesense.stats.intervals import difference_interval, unit_note
from horsesense.stats.resampling import RESAMPLES, Floats, mean_spread

if TYPE_CHECKING:
    from horsesense.runs.probe_answers import ProbeAnswers

CANDIDATES = 200
"""Concepts in the closed set, the key among them."""
RANKS = (1, 5, 10)
"""Ranks for which recall is reported."""
HIDDEN = {
    "choice": "The question is hidden. Guess which option answers it.",
    "cloze": f"The rest of the sentence is hidden. Guess the word: {BLANK}",
    "pair": "The sentences are hidden. Guess which option holds.",
}
"""Text in place of a question that is withheld."""
WITHHELD_FROM = "withheld_from"
"""Facet: the id of the item that was asked with question and options."""
_RARE = 2.0
"""Zipf frequency below which a word is not added to the closed set."""


def withheld_form(item: Item) -> Item:
    """Sentences become the words in which they differ: whole sentences have no question apart from them."""
    return (view(item, "cloze") or item) if item.form == "sentences" and not item.premise else item


def without_question(item: Item) -> Item:
    """Withhold the question of an item: what a model answers now is its prior for the options.

    >>> hidden = without_question(Item("p", "choice", text="What is cold?", options=("ice", "fire"), answer=0))
    >>> hidden.text, hidden.options
    ('The question is hidden. Guess which option answers it.', ('ice', 'fire'))
    """
    seen = withheld_form(item)
    return replace(seen, premise="", text=HIDDEN.get(seen.form, ""), facets={**item.facets, WITHHELD_FROM: item.id})


def with_withheld(probes: Mapping[str, Probe], withhold: Sequence[str], formats: Sequence[str]) -> dict[str, Probe]:
    """Add to each probe the same items with the options or the question withheld.

    Args:
        probes: Probes by name.
        withhold: ``options``, ``question`` or both.
        formats: Prompt formats of the run, which decide between free answers and a closed set.
    """
    variants = dict(probes)
    for name, probe in probes.items():
        if "question" in withhold:
            items = [without_question(item) for item in probe.items]
            variants[f"{name}.no-question"] = _probe(probe, f"{name}.no-question", "the question withheld", items)
        if "options" in withhold:
            free = list(formats) == ["generate"]
            if not free and not set(formats) <= {"loglikelihood", "auto"}:
                raise UserError(
                    f"options cannot be withheld in the prompt formats {', '.join(formats)}",
                    fix=f"use {argument('formats', 'generate')} or {argument('formats', 'loglikelihood')}",
                )
            items = without_options(probe, probe.items, free)
            if not items:
                raise UserError(
                    f"{name}: the options cannot be withheld, since no key is a concept of WordNet",
                    fix=f"use a probe of WordNet's words, or {argument('withhold', 'question')} alone",
                )
            variants[f"{name}.no-options"] = _probe(probe, f"{name}.no-options", "the options withheld", items)
    return variants


def _probe(probe: Probe, name: str, how: str, items: Sequence[Item]) -> Probe:
    left_out = len(probe.items) - len(items)
    notes = {"items whose key is not a concept": left_out} if left_out else {}
    card = replace(probe.card, name=name, made=f"{probe.card.made or name}, {how}", label_quality=None, human=())
    return Probe.of([replace(item, probe=name) for item in items], card, notes)


def _keyed(items: Sequence[Item], graph: Graph) -> list[tuple[Item, int]]:
    """Return the items that a free answer can be compared with, and the concepts of their keys."""
    keyed = []
    for item in items:
        if item.form == "choice" and item.answer is not None and item.concepts:
            concept = graph.number.get(item.concepts[item.answer])
            if concept is not None:
                keyed.append((item, concept))
    return keyed


def without_options(probe: Probe, items: Sequence[Item], free: bool) -> list[Item]:
    """Withhold the options of those items whose key is a concept of WordNet.

    Args:
        probe: Their probe, whose concepts are preferred as candidates.
        items: Some or all of its items.
        free: Whether the answer is free; otherwise the options are a closed set of concepts.
    """
    if not free:
        return _closed_items(probe, items)
    return [
        replace(
            item,
            options=(item.options[item.answer or 0], OPEN),
            answer=0,
            concepts=(item.concepts[item.answer or 0], ""),
            facets={**item.facets, WITHHELD_FROM: item.id, FIXED_ORDER: True},
        )
        for item, _ in _keyed(items, knowledge())
    ]


def _closed_items(probe: Probe, asked_items: Sequence[Item]) -> list[Item]:
    """Return the items with a closed set of concepts as options: those of the probe's options, then others.

    A concept above or below the key or the concept that is asked about may be right as well, and is left out.
    """
    graph = knowledge()
    mentioned = (name for item, _ in _keyed(probe.items, graph) for name in item.concepts)
    own = {graph.number[name] for name in mentioned if name in graph.number}
    pools: dict[str, tuple[list[int], list[int]]] = {}
    items = []
    for item, key in _keyed(asked_items, graph):
        pos = graph.pos[key]
        if pos not in pools:
            same = [concept for concept in range(len(graph)) if graph.pos[concept] == pos]
            common = [c for c in same if c not in own and zipf(graph.lemmas[c][0].lower()) >= _RARE]
            pools[pos] = [concept for concept in same if concept in own], common
        asked = graph.number.get(item.groups.get("asked", ""), key)
        shut = {key, asked}.union(*(links.reached(each) for each in (key, asked) for links in (graph.up, graph.down)))
        defined = is_definition(item.options[item.answer or 0], key, graph)
        text = graph.definitions if defined else [lemmas[0] for lemmas in graph.lemmas]
        rng = np.random.default_rng(np.frombuffer(hashlib.sha256(item.id.encode()).digest(), dtype=np.uint32))
        chosen, texts = [key], {text[key].lower()} | {lemma.lower() for lemma in graph.lemmas[key]}
        for pool in pools[pos]:
            for index in rng.permutation(len(pool)).tolist():
                concept = pool[index]
                if len(chosen) < CANDIDATES and concept not in shut and text[concept].lower() not in texts:
                    chosen.append(concept)
                    texts.add(text[concept].lower())
        order = rng.permutation(len(chosen)).tolist()
        items.append(
            replace(
                item,
                options=tuple(text[chosen[index]] for index in order),
                concepts=tuple(graph.ids[chosen[index]] for index in order),
                answer=order.index(0),
                facets={**item.facets, WITHHELD_FROM: item.id},
            )
        )
    return items


@dataclass(frozen=True, slots=True)
class WithheldResult(Document):
    """One model on the same items with and without options or question: those with a gold answer. An item that the
    model did not answer earns nothing."""

    model: str
    """Name of the model."""
    probe: str
    """Name of the probe."""
    format: str
    """Prompt format."""
    n: int
    """Items with a gold answer, asked in each of the ways."""
    with_both: Estimate
    """Accuracy with question and options."""
    options_alone: Estimate | None
    """Accuracy with the question withheld; null where it was not."""
    question_alone: Estimate | None
    """Accuracy with the options withheld; null where they were not."""
    from_question: Estimate | None
    """What the question adds: score with both minus score of the options alone; scores are corrected for chance."""
    from_options: Estimate | None
    """What the options give away: score with both minus score of the question alone; corrected for chance."""
    grades: Mapping[str, int] | None = None
    """Free answers by grade."""
    recall: Mapping[int, float] | None = None
    """Share of keys among the first 1, 5 and 10 of the closed set."""
    median_rank: float | None = None
    """Median rank of the key in the closed set."""


def withheld_results(answered: Sequence[ProbeAnswers]) -> tuple[WithheldResult, ...]:
    """Compare the three askings for each model and probe of a run that was asked with something withheld."""
    asked = {(each.part.model.name, each.part.probe.name, each.format): each for each in answered}
    results = []
    for (model, name, how), whole in asked.items():
        parts = [asked.get((model, f"{name}.no-{part}", how)) for part in ("question", "options")]
        if any(parts) and whole.judged:
            results.append(_result(whole, *parts))
    return tuple(results)


@dataclass(frozen=True, slots=True)
class ShownItems:
    """A model on items that were asked with question and options."""

    model: str
    probe: str
    format: str
    ids: Sequence[str]
    earned: Floats
    """Credit of each item."""
    chance: Floats
    """Credit of a guess."""
    clusters: Sequence[str]


def _result(whole: ProbeAnswers, hidden: ProbeAnswers | None, alone: ProbeAnswers | None) -> WithheldResult:
    judged = np.flatnonzero(whole.columns.judged)
    items = [whole.items[index] for index in judged.tolist()]
    asked = ShownItems(
        model=whole.part.model.name,
        probe=whole.part.probe.name,
        format=whole.format,
        ids=[item.id for item in items],
        earned=_earned(whole)[judged],
        chance=whole.columns.guesses[judged],
        clusters=[item.unit(whole.probe.card.group) for item in items],
    )
    return withheld_result(asked, None if hidden is None else _credits(hidden), alone)


def withheld_result(
    asked: ShownItems, hidden: Mapping[str, float] | None, alone: ProbeAnswers | None
) -> WithheldResult:
    """Compare the three askings of the same items.

    Args:
        asked: The items with question and options.
        hidden: Credit of items with the question withheld, by the id of the item; None if it was not.
        alone: Answers with the options withheld; None if they were not.
    """
    credits = {"hidden": hidden} if hidden is not None else {}
    if alone is not None:
        credits["alone"] = _credits(alone)
    common = [index for index, id in enumerate(asked.ids) if all(id in each for each in credits.values())]
    clusters = [asked.clusters[index] for index in common]
    values, guess = asked.earned[common], asked.chance[common]

    def earned(part: str) -> Floats:
        return np.array([credits[part][asked.ids[index]] for index in common])

    def difference(part: str, chance: Floats | float) -> Estimate | None:
        if part not in credits:
            return None
        gained = (values - guess) / (1 - guess) - (earned(part) - chance) / (1 - chance)
        variance, number = mean_spread(gained, np.asarray(clusters), None, 0, RESAMPLES)
        value = float(gained.mean())
        ends, method = difference_interval(value, variance, number), "paired cluster bootstrap, t"
        return Estimate(value, ends, len(gained), number, None, 0.95, method, 0, unit_note(number))

    def estimate(part: str, chance: float) -> Estimate | None:
        return accuracy(earned(part), clusters, chance=chance) if part in credits else None

    free = alone is not None and alone.format == "generate"
    few = 0.0 if free or alone is None else float(np.mean([1 / len(item.options) for item in alone.items]))
    ranks = None if free or alone is None else _ranks(alone)
    return WithheldResult(
        model=asked.model,
        probe=asked.probe,
        format=asked.format,
        n=len(common),
        with_both=accuracy(values, clusters, chance=float(guess.mean())),
        options_alone=estimate("hidden", float(guess.mean())),
        question_alone=estimate("alone", few),
        from_question=difference("hidden", guess),
        from_options=difference("alone", few),
        grades=_grades(alone) if free and alone is not None else None,
        recall=None if ranks is None else {rank: float((ranks <= rank).mean()) for rank in RANKS},
        median_rank=None if ranks is None else float(np.median(ranks)),
    )


def _earned(answered: ProbeAnswers) -> Floats:
    return np.nan_to_num(answered.credits(answered.primary()).values)


def _credits(answered: ProbeAnswers) -> dict[str, float]:
    """Return the credit of each item under the id of the item that was asked whole."""
    pairs = zip(answered.items, _earned(answered).tolist(), strict=True)
    return {str(item.facets[WITHHELD_FROM]): credit for item, credit in pairs}


def _grades(answered: ProbeAnswers) -> dict[str, int]:
    counts = Counter(reply.why.partition(":")[0] for reply in answered.replies)
    return dict(counts.most_common())


def _ranks(answered: ProbeAnswers) -> Floats:
    """Return the rank of each key in its closed set; ties take the middle."""
    ranks = []
    for row, item in zip(answered.scores(answered.primary()), answered.items, strict=True):
        scores = np.asarray(row)
        key = scores[item.answer or 0]
        ranks.append(1 + float((scores > key).sum()) + float((scores == key).sum() - 1) / 2)
    return np.array(ranks)
