"""From stored answers to item scores per ability, and to the further results of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horsesense.core import Item
from horsesense.core.audit import LabelQuality
from horsesense.core.document import Document
from horsesense.core.spec import Normalisation
from horsesense.cues.artefact_control import ChosenCue, chosen_cue
from horsesense.cues.relatedness import Related, picked
from horsesense.lexicons.graph import Graph
from horsesense.profiling.abilities import Ability, recipe_of
from horsesense.profiling.conditions import RETEST_OF, Role, withheld_key, withheld_option
from horsesense.profiling.item_scores import BadShare, ExplanationColumn, ItemScores
from horsesense.profiling.material import Material
from horsesense.profiling.retention import REPHRASED
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.withheld import ShownItems, WithheldResult, withheld_result
from horsesense.scoring.normalise import BY_FORM, parse_normalisation
from horsesense.stats import Credits, Estimate, accuracy, credits
from horsesense.stats.mistakes import confident_errors
from horsesense.stats.paired import compare
from horsesense.stats.resampling import Floats
from horsesense.stats.rungs import LadderAnalysis, analyse_ladder

Answers = Mapping[tuple[Role, str], ProbeAnswers]
"""Answers of a model on one ability, by role and prompt format."""
REWORDED = ("paraphrase", "antonym", "paraphrase_inversion")
"""Rewordings, in the order in which a question's counterpart is looked up."""


@dataclass(frozen=True, slots=True)
class Mistake(Document):
    """A confident error of a model."""

    ability: str
    """Name of the ability."""
    item: str
    """Id of the item."""
    question: str
    """Question text; empty if the options are whole sentences."""
    options: tuple[str, ...]
    """Options of the item."""
    right: int
    """Index of the correct option."""
    chosen: int
    """Index of the option chosen."""
    shares: tuple[float, ...]
    """Probabilities of the options, from the scores compared."""


@dataclass(frozen=True, slots=True)
class OwnAssociations(Document):
    """A model's prior associations, and the effect of a contradicting text."""

    schemas: int
    """Number of pairs of texts."""
    generic: Estimate
    """Accuracy where the text requires the word that the model prefers without it."""
    exception: Estimate
    """Accuracy where the text requires the other word."""


@dataclass(frozen=True, slots=True)
class ChatEffect(Document):
    """What the chat template does to a local model that is scored in plain text, on some questions of all abilities."""

    plain: Estimate
    """Accuracy in plain text, as in the verdicts."""
    chat: Estimate
    """Accuracy inside the chat template."""
    difference: Estimate
    """Accuracy inside the chat template minus accuracy in plain text."""


def cue_of(material: Material, taxonomy: Graph | None) -> ChosenCue:
    """Return the best cue of the pool, chosen for each item on groups without it."""
    return chosen_cue(judged(material.pool.items), material.pool.card.group, taxonomy)


def judged(items: Sequence[Item]) -> list[Item]:
    """Return the items with a gold; of a ladder only the inferences."""
    return [i for i in items if i.answer is not None and i.facets.get("rung", "inference") == "inference"]


def bad_share(reading: LabelQuality | None) -> BadShare | None:
    """What a blind audit found, as item scores have it."""
    if reading is None:
        return None
    share = reading.final.corrected or reading.final.bad
    return BadShare(share.value, share.ci, reading.n, reading.auditor.name)


@dataclass(frozen=True, slots=True)
class Explained:
    """Possible explanations of answers to an ability, independent of the model."""

    cue: ChosenCue
    """Best surface cue."""
    related: Mapping[str, Mapping[str, tuple[float, ...]]]
    """Shares of each item's options by answering rule of each encoder; empty if relatedness is not controlled."""


def explained(material: Material, related: Related, items: Sequence[Item], taxonomy: Graph | None) -> Explained:
    """Collect the possible explanations; ``related`` has the cosines of ``items``."""
    near = {}
    for encoder, cosines in related.values():
        shares = picked(cosines)
        near[encoder.pick] = {item.id: share for item, share in zip(items, shares, strict=True)}
    return Explained(cue_of(material, taxonomy), near)


def asked_items(material: Material) -> list[Item]:
    """Return the items of both halves that have item scores."""
    return judged([*material.frozen.items, *(() if material.twin is None else material.twin.items)])


def item_scores_of(model: str, material: Material, answers: Answers, by: Explained, bad: BadShare | None) -> ItemScores:
    """Compute the item scores of one model on one ability."""
    ability, group, cue = material.ability, material.pool.card.group, by.cue
    halves = [half for role in ("main", "twin") if (half := _half(answers, role)) is not None]
    places = [_places(half.answered) for half in halves]
    items = [half.answered.items[place] for half, own in zip(halves, places, strict=True) for place in own]

    def joined(column: str) -> Floats | None:
        values = [getattr(half, column) for half in halves]
        if any(value is None for value in values):
            return None
        return np.concatenate([value[own] for value, own in zip(values, places, strict=True)])

    def earned(shares: Mapping[str, tuple[float, ...]]) -> Floats:
        return np.array([shares[item.id][item.answer or 0] for item in items])

    right = joined("right")
    assert right is not None, "there is always a main condition"
    families = np.array([item.unit() for item in items])
    formats = {name: value for name in ("pmi",) if (value := joined(name)) is not None}
    formats |= _letters(answers, items)
    facts = None
    if any("rung" in item.facets for item in items):
        facts, reworded = (_below(halves, items, rung) for rung in ("fact", "reworded"))
        formats |= {REPHRASED: reworded} if not np.isnan(reworded).all() else {}
    picks = {answer.item: answer.scores for answer in cue.answers}
    return ItemScores(
        model=model,
        ability=ability.name,
        method=ability.method,
        items=np.array([item.id for item in items]),
        right=right,
        options=np.array([len(item.options) for item in items], dtype=np.int64),
        clusters=np.array([item.unit(group) for item in items]),
        group=ability.group,
        prompt_format=_main_format(answers),
        answered=_answered_share(halves, places),
        families=families if len(set(families.tolist())) < len(families) else None,
        same_knowledge=ability.same_knowledge,
        contrasts={kind: contrast_pairs_of(items, facets) for kind, facets in ability.contrast.items()},
        cues=(ExplanationColumn(cue.rule, earned(picks), cue.tried),) if cue.picks else (),
        relatedness=relatedness_columns({pick: earned(shares) for pick, shares in by.related.items()}),
        blind=joined("blind") if (prior := _without_question(material.ability, answers, items)) is None else prior,
        retest=_retest(answers, items),
        formats=formats,
        facts=facts,
        fact_chance=None if facts is None else np.full(len(items), 0.5),
        twin=_twins(halves, places) if len(halves) > 1 else None,
        people=ability.people,
        bad=bad,
        judged=ability.judged,
    )


def relatedness_columns(columns: Mapping[str, Floats]) -> tuple[ExplanationColumn, ...]:
    """Return a column per encoder, or a single one if all are right on the same items, as for near distractors."""
    first, *rest = columns.values() or [np.empty(0)]
    if rest and all(np.array_equal(first, other) for other in rest):
        vectors = [pick.rpartition(" by ")[2] for pick in columns]
        name = f"{next(iter(columns))} or {' or '.join(vectors[1:])}"
        return (ExplanationColumn(name, first, kind="relatedness"),)
    return tuple(ExplanationColumn(pick, column, kind="relatedness") for pick, column in columns.items())


def contrast_pairs_of(items: Sequence[Item], facets: Sequence[str]) -> np.ndarray:
    """Name each item's pair: two of a family with opposite keys and the same facets; empty without a pair.

    >>> a = Item("p", "cloze", text="It is ___.", options=("hot", "cold"), answer=0, family="f", member="a")
    >>> b = Item("p", "cloze", text="It is not ___.", options=("hot", "cold"), answer=1, family="f", member="b")
    >>> [bool(name) for name in contrast_pairs_of([a, b], ())], contrast_pairs_of([a, a], ()).tolist()
    ([True, True], ['', ''])
    """
    names = ["\t".join([item.unit(), *(str(item.facets.get(facet, "")) for facet in facets)]) for item in items]
    keys: dict[str, list[int | None]] = {}
    for name, item in zip(names, items, strict=True):
        keys.setdefault(name, []).append(item.answer if len(item.options) == 2 else None)
    return np.array([name if sorted(map(str, keys[name])) == ["0", "1"] else "" for name in names])


@dataclass(frozen=True, slots=True)
class _Half:
    """The main condition of one half."""

    answered: ProbeAnswers
    """Answers in the first prompt format."""
    right: Floats
    pmi: Floats | None
    blind: Floats | None
    """Credit without the question."""


FORMATS = ("loglikelihood", "pmi", "letters", "generate")
"""Prompt formats of the main condition, in the order in which they are looked up."""


def _of(answers: Answers, role: Role) -> ProbeAnswers | None:
    """Return the answers of a condition in its first prompt format."""
    return next((answers[role, name] for name in FORMATS if (role, name) in answers), None)


def _main_format(answers: Answers) -> str:
    main = _of(answers, "main")
    return "loglikelihood" if main is None or main.format == "pmi" else main.format


def _answered_share(halves: Sequence[_Half], places: Sequence[Sequence[int]]) -> float:
    """Return the share of the questions that were answered."""
    lost = np.concatenate([half.answered.unanswered[own] for half, own in zip(halves, places, strict=True)])
    return 1 - float(lost.mean()) if len(lost) else 1.0


def _right(answered: ProbeAnswers) -> Floats:
    """Return the credit of each item; a question without an answer earns what a guess does."""
    values = answered.credits(how_of(answered)).values
    return np.where(answered.unanswered, answered.columns.guesses, values)


def _half(answers: Answers, role: Role) -> _Half | None:
    main = _of(answers, role)
    if main is None:
        return None
    beside = answers.get((role, "pmi"))
    has_alone = beside is not None and any(answer.baseline for answer in beside.answers)
    return _Half(
        main,
        _right(main),
        beside.credits("pmi").values if beside is not None and has_alone else None,
        _alone(beside).values if beside is not None and has_alone else None,
    )


def how_of(answered: ProbeAnswers) -> Normalisation | None:
    """Return the normalisation of the main condition, as defined by the card."""
    card = answered.probe.card
    return parse_normalisation(card.normalise) if card.normalise else None


def _alone(answered: ProbeAnswers) -> Credits:
    """Compute credits by the likelihood of each option without its question, with the same normalisation."""
    scores = []
    for answer, item in zip(answered.answers, answered.items, strict=True):
        how = how_of(answered) or BY_FORM[item.form]
        lengths = [len(tokens) if how == "mean" else 1 for tokens in answer.logprobs]
        scores.append(tuple(score / length for score, length in zip(answer.baseline, lengths, strict=True)))
    return credits(scores, [item.answer for item in answered.items])


def _places(answered: ProbeAnswers) -> list[int]:
    kept = {item.id for item in judged(answered.items)}
    return [place for place, item in enumerate(answered.items) if item.id in kept]


def _twins(halves: Sequence[_Half], places: Sequence[Sequence[int]]) -> np.ndarray:
    return np.concatenate([np.full(len(own), number > 0) for number, own in enumerate(places)])


def _retest(answers: Answers, items: Sequence[Item]) -> Floats | None:
    retest = _of(answers, "retest")
    if retest is None:
        return None
    values = retest.credits(how_of(retest)).values.tolist()
    return _by_id({str(i.facets[RETEST_OF]): v for i, v in zip(retest.items, values, strict=True)}, items)


def _letters(answers: Answers, items: Sequence[Item]) -> dict[str, Floats]:
    shown = answers.get(("letters", "letters"))
    if shown is None:
        return {}
    values = shown.credits(None).values.tolist()
    return {"letters": _by_id({i.id: v for i, v in zip(shown.items, values, strict=True)}, items)}


def _by_id(values: Mapping[str, float], items: Sequence[Item]) -> Floats:
    return np.array([values.get(item.id, np.nan) for item in items])


def _without_question(ability: Ability, answers: Answers, items: Sequence[Item]) -> Floats | None:
    """What the option that is preferred without the question, or without the premise, earns; None if not asked."""
    if (prior := _of(answers, "prior")) is not None:
        return _agreement(ability, items, prior)
    withheld = _of(answers, "withheld")
    if withheld is None:
        return None
    chosen = withheld.credits(how_of(withheld)).predicted
    picks = {withheld_key(item): (item, picked) for item, picked in zip(withheld.items, chosen, strict=True)}
    earned = []
    for item in items:
        seen, picked = picks.get(withheld_key(item), (item, ()))
        own = {withheld_option(seen, index) for index in picked}
        earned.append((withheld_option(item, item.answer or 0) in own) / len(own) if own else np.nan)
    return np.array(earned)


def _agreement(ability: Ability, items: Sequence[Item], prior: ProbeAnswers) -> Floats:
    """Return by item whether the key is the word preferred without the text; 0.5 for a tie, nan where not asked."""
    chosen = prior.credits(how_of(prior)).predicted
    preferred = {
        item.family: [item.options[index] for index in indices]
        for item, indices in zip(prior.items, chosen, strict=True)
    }
    found = []
    for item in items:
        words = preferred.get(recipe_of(ability).association(item), [])
        found.append((item.options[item.answer or 0] in words) / len(words) if words else np.nan)
    return np.array(found)


def _below(halves: Sequence[_Half], items: Sequence[Item], rung: str) -> Floats:
    """Return the credit on another rung of each inference's counterpart: the same order and polarity."""
    earned: dict[tuple[str, str, str], float] = {}
    for half in halves:
        for item, value in zip(half.answered.items, half.right.tolist(), strict=True):
            if item.facets.get("rung") == rung:
                earned[item.family, str(item.facets["perturbation"]), str(item.facets["asymmetry"])] = value
    found = []
    for item in items:
        said, order = str(item.facets["perturbation"]), str(item.facets["asymmetry"])
        kinds = [said] if rung == "fact" else [f"{'negation_' * (said == 'negation')}{kind}" for kind in REWORDED]
        values = [earned[key] for kind in kinds if (key := (item.family, kind, order)) in earned]
        found.append(values[0] if values else np.nan)
    return np.array(found)


# Further results for the page.


def ladder_of(answers: Answers) -> LadderAnalysis | None:
    """Analyse the loss of knowledge on the rungs of the frozen half."""
    main = _half(answers, "main")
    if main is None:
        return None
    predicted = main.answered.credits(how_of(main.answered)).predicted
    return analyse_ladder(main.answered.items, main.right, predicted)


def associations_of(material: Material, answers: Answers) -> OwnAssociations | None:
    """How the model does where a text agrees with its own association, and where it does not."""
    main, prior = _half(answers, "main"), _of(answers, "prior")
    if main is None or prior is None:
        return None
    items, group = main.answered.items, material.pool.card.group
    agrees = _agreement(material.ability, items, prior)
    sides = [agrees == 1, agrees == 0]
    if not all(side.any() for side in sides):
        return None
    units = np.array([item.unit(group) for item in items])
    generic, exception = (accuracy(main.right[side], units[side], 0.5) for side in sides)
    return OwnAssociations(len({item.family for item in items}), generic, exception)


def withheld_of(scores: ItemScores, answers: Answers) -> WithheldResult | None:
    """Compare question and options, the options alone and the question alone; None if the options were not withheld.

    A question without an answer earns what a guess does.
    """
    alone = _of(answers, "open")
    if alone is None:
        return None
    ids, hidden = scores.items.tolist(), None
    if scores.blind is not None:
        hidden = {id: credit for id, credit in zip(ids, scores.blind.tolist(), strict=True) if credit == credit}
    whole = ShownItems(
        model=scores.model,
        probe=scores.ability,
        format=alone.format,
        ids=ids,
        earned=scores.right,
        chance=scores.chance,
        clusters=scores.clusters.tolist(),
    )
    return withheld_result(whole, hidden, alone)


def chat_effect_of(scores: Sequence[ItemScores], answers: Mapping[str, Answers]) -> ChatEffect | None:
    """Compare answers inside the chat template with those in plain text; None if no question was asked inside it."""
    rows: list[tuple[float, float, str]] = []
    for own in scores:
        if (inside := answers[own.ability].get(("chat", "loglikelihood"))) is not None:
            places = {id: place for place, id in enumerate(own.items.tolist())}
            earned = inside.credits(how_of(inside)).values.tolist()
            for item, credit in zip(inside.items, earned, strict=True):
                if (place := places.get(item.id)) is not None:  # an adaptive profile asks fewer questions in plain text
                    rows.append((credit, float(own.right[place]), f"{own.ability} {own.clusters[place]}"))
    if not rows:
        return None
    chat, plain, clusters = zip(*rows, strict=True)
    test = compare(chat, plain, clusters)
    return ChatEffect(test.b, test.a, test.difference)


def mistakes_of(ability: Ability, answers: Answers, most: int) -> tuple[Mistake, ...]:
    """Return the errors with the widest margins."""
    main = _half(answers, "main")
    if main is None or main.answered.format in ("letters", "generate"):
        return ()
    answered = main.answered
    earned, scores = answered.credits(how_of(answered)), answered.scores(how_of(answered))
    inside = set(_places(answered))
    margins = np.array([m if place in inside else np.nan for place, m in enumerate(earned.margins.tolist())])
    return tuple(
        Mistake(
            ability=ability.name,
            item=item.id,
            question=f"{item.premise} {item.text}".strip(),
            options=item.options,
            right=item.answer or 0,
            chosen=earned.predicted[place][0],
            shares=_shares(scores[place]),
        )
        for place in confident_errors(margins, most)
        for item in (answered.items[place],)
    )


def _shares(scores: Sequence[float]) -> tuple[float, ...]:
    values = np.exp(np.array(scores) - max(scores))
    return tuple(round(float(share), 4) for share in values / values.sum())
