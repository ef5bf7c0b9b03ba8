"""The conditions in which a model is evaluated, from the main questions to the chat template.

Each is a probe of the run that stores the answers, so an interrupted profile can be resumed. With PMI, every option is
scored with its question and alone: the same call gives the main score, the PMI score and the model's choice without the
question. A model without likelihoods is asked by letters or replies, and once more with the question withheld. Replies
to the main questions come in two option orders each; the retest, in another wording, has an order of its own. Cues are
planted in some questions of all abilities together, each asked with the cue and with a placebo. Some questions whose
key is a word are asked without options, and some of all abilities in the chat template of a local model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

from horsesense.core import Card, Item, Probe, ScoringSpec
from horsesense.core.document import Document
from horsesense.lexicons.novel_names import rename_entities
from horsesense.models.api.served_model import ServedModel
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import Model, Sampling
from horsesense.planting.experiment import find_cue
from horsesense.planting.planted_cues import PLANTED_IN, planted_probe
from horsesense.profiling.abilities import Edition, recipe_of
from horsesense.profiling.material import SEED, Material, by_turns
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.withheld import WITHHELD_FROM, withheld_form, without_options, without_question
from horsesense.scoring.generate import REPLY_TOKENS
from horsesense.scoring.prompt_formats import Call, PromptFormat, get_prompt_format

Role = Literal["main", "twin", "retest", "letters", "prior", "withheld", "open", "planted", "chat", "ladder"]
Variant = Literal["", "in-orders", "with-chat"]

RETEST: Mapping[str, Mapping[str, int]] = {
    "loglikelihood": {"quick": 24, "full": 200},
    "generate": {"quick": 12, "full": 200},
}
"""Families of the frozen half in the retest; fewer by letters and replies, where a question is a request or more."""
LETTERS: Mapping[str, int] = {"quick": 0, "full": 60}
"""Families of the frozen half that are also asked in the letters format."""
LEAD = {
    "cloze": "Here is a short text. ",
    "sentences": "Here is a sentence. ",
    "choice": "Here is a question. ",
    "pair": "Here are two sentences. ",
}
"""Neutral text before a question in the retest."""
WITHHELD = "withheld"
"""Facet of a question that is withheld, and its form."""
BOTH_ORDERS = 2
"""Option orders of the main questions, where a model replies."""
VARIANTS: Mapping[Variant, Mapping[str, Any]] = {
    "": {},
    "in-orders": {"orders": BOTH_ORDERS},
    "with-chat": {"chat": "on"},
}
"""Fields of the scoring spec that some conditions change; each variant has a run of its own."""
RETEST_OF = "retest_of"
"""Facet that identifies the question of the main condition."""
PLANTED = "planted"
"""Name of the questions in which cues are planted; that of a cue follows after a dot."""
PLANTED_CUES: Mapping[str, tuple[str, ...]] = {
    "professor": ("cloze", "sentences"),
    "asterisk": ("choice",),
    "length": ("choice",),
}
"""Planted cues with the forms of their items. Naming all options of a placebo is short where there are two."""
FEW: Mapping[str, int] = {"quick": 8, "full": 40}
"""Families of each ability in which cues are planted, and that are asked in the chat template, by one item each."""
OPEN: Mapping[str, Mapping[str, int]] = {
    "loglikelihood": {"quick": 0, "full": 20},
    "generate": {"quick": 12, "full": 60},
}
"""Families of each ability that are asked with the options withheld, by one item each. Without replies, each item takes
the likelihoods of 200 concepts: with 12 families per ability, a quick profile would have twice as many tokens."""
_SAMPLE = 400
"""Tokens on which the speed of a model is measured on a CPU; on a GPU a whole batch is used."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One probe of a profile, and its prompt formats."""

    ability: str
    """Name of its ability; with a planted cue, which concerns all, the name of its probe."""
    role: Role
    name: str
    """Name of the probe in the run."""
    probe: Probe
    ways: tuple[str, ...]
    variant: Variant = ""

    def spec(self, spec: ScoringSpec) -> ScoringSpec:
        """Return the scoring spec of this condition."""
        return replace(spec, **VARIANTS[self.variant])


def conditions(material: Material, edition: Edition, prompt_format: str = "loglikelihood") -> Iterator[Condition]:
    """Yield all conditions of an ability.

    ``prompt_format``: ``loglikelihood``, or ``letters`` or ``generate`` for a model without likelihoods.
    """
    ability, frozen = material.ability.name, material.frozen
    likelihood = prompt_format == "loglikelihood"
    way = "loglikelihood" if likelihood else "generate"
    main = _ways(frozen) if likelihood else (prompt_format,)
    variant: Variant = "in-orders" if prompt_format == "generate" else ""
    yield Condition(ability, "main", ability, frozen, main, variant)
    asked = list(frozen.items)
    if material.twin is not None:
        twin = replace(material.twin, items=_on_rungs(material.twin.items, "inference", "fact"))
        yield Condition(ability, "twin", f"{ability}-twin", twin, main, variant)
        asked += twin.items
    retest = _retest_probe(frozen, _on_rungs(_first(frozen, RETEST[way][edition]), "inference"))
    yield Condition(ability, "retest", f"{ability}-retest", retest, (prompt_format,))
    if likelihood and (shown := _on_rungs(_first(frozen, LETTERS[edition]), "inference")):
        card = replace(frozen.card, name=f"{ability}-letters")
        yield Condition(ability, "letters", f"{ability}-letters", Probe.of(shown, card), ("letters",))
    if (without_text := recipe_of(material.ability).without_text) is not None:
        yield Condition(ability, "prior", f"{ability}-prior", without_text(frozen), (prompt_format,))
    elif not likelihood:
        hidden = {withheld_key(item): withheld_item(item) for item in _on_rungs(asked, "inference")}
        card = Card(name=f"{ability}-withheld", made=f"The options of {ability} without their questions.")
        yield Condition(
            ability, "withheld", f"{ability}-withheld", Probe.of(list(hidden.values()), card), (prompt_format,)
        )
    if material.ability.open and (families := OPEN[way][edition]):
        name = f"{ability}-open"
        opened = without_options(frozen, _one_each(frozen, families), free=not likelihood)
        yield Condition(ability, "open", name, Probe.of(opened, replace(frozen.card, name=name)), (way,))


def conditions_in(
    clusters: Collection[str], material: Material, edition: Edition, prompt_format: str
) -> Iterator[Condition]:
    """Yield the conditions of an ability for some clusters; the retest, letters and open questions keep their share."""
    group = material.pool.card.group

    def inside(probe: Probe) -> Probe:
        return Probe.of([item for item in probe.items if item.unit(group) in clusters], probe.card)

    part = replace(
        material, frozen=inside(material.frozen), twin=None if material.twin is None else inside(material.twin)
    )
    asked = {item.id for item in part.frozen.items}
    whole = {each.role: each.probe for each in conditions(material, edition, prompt_format)}
    for each in conditions(part, edition, prompt_format):
        if each.role in ("retest", "letters", "open"):
            again = [item for item in whole[each.role].items if original_id(item) in asked]
            each = replace(each, probe=Probe.of(again, whole[each.role].card))
        if each.probe.items:
            yield each


def planted_conditions(
    materials: Sequence[Material], edition: Edition, prompt_format: str = "loglikelihood"
) -> Iterator[Condition]:
    """Yield a condition per planted cue, over all abilities; none if no cue fits their items."""
    items = [item for material in materials for item in _one_each(material.frozen, FEW[edition])]
    card = Card(name=PLANTED, made="Questions of all abilities.")
    for cue, forms in PLANTED_CUES.items():
        if fitting := [item for item in items if item.form in forms]:
            planted = planted_probe(Probe.of(fitting, card), find_cue(cue), SEED)
            yield Condition(planted.card.name, "planted", planted.card.name, planted, (prompt_format,))


def chat_conditions(materials: Sequence[Material], edition: Edition) -> Iterator[Condition]:
    """Yield a condition per ability for a local model with a chat template: some main questions inside the template."""
    for material in materials:
        frozen, ability = material.frozen, material.ability.name
        name, few = f"{ability}-chat", _one_each(frozen, FEW[edition])
        probe = Probe.of(few, replace(frozen.card, name=name))
        yield Condition(ability, "chat", name, probe, ("loglikelihood",), "with-chat")


def original_id(item: Item) -> str:
    """Return the id of the main question that a question of another condition is."""
    facets = (item.facets.get(name) for name in (RETEST_OF, PLANTED_IN, WITHHELD_FROM))
    return str(next(filter(None, facets), item.id))


def withheld_key(item: Item) -> tuple[str, ...]:
    """Return what a model sees of an item without its question: the options, in any order."""
    return tuple(sorted(withheld_form(item).options))


def withheld_option(item: Item, index: int) -> str:
    """Return an option as it is shown without the question."""
    return withheld_form(item).options[index]


def withheld_item(item: Item) -> Item:
    """Withhold the question and the key of an item; questions with the same options become one item."""
    seen = without_question(item)
    return Item(
        WITHHELD, seen.form, text=seen.text, options=seen.options, ordered=seen.ordered, facets={WITHHELD: True}
    )


def _ways(probe: Probe) -> tuple[str, ...]:
    """Return PMI, which includes the likelihood given the question, except for whole sentences."""
    return ("loglikelihood", "pmi") if any(item.form == "sentences" for item in probe.items) else ("pmi",)


def _on_rungs(items: Sequence[Item], *rungs: str) -> list[Item]:
    """Select the items on some rungs of a ladder; all items of other abilities."""
    return [item for item in items if item.facets.get("rung", rungs[0]) in rungs]


def _first(probe: Probe, families: int) -> list[Item]:
    return [item for family in by_turns(probe.items, probe.card.group, SEED)[:families] for item in family]


def _one_each(probe: Probe, families: int) -> list[Item]:
    """Return the first judged item of each of some families."""
    first: dict[str, Item] = {}
    for item in _on_rungs(_first(probe, families), "inference"):
        if item.answer is not None:
            first.setdefault(item.unit(), item)
    return list(first.values())


def _retest_probe(probe: Probe, items: Sequence[Item]) -> Probe:
    """Put a neutral sentence before each question; statements about novel entities get other names."""
    names = list(dict.fromkeys(item.groups["entities"] for item in items if item.groups.get("entities")))
    others = dict(zip(names, names[1:] + names[:1], strict=True))
    return Probe.of(
        [_retest_item(item, others) for item in items], replace(probe.card, name=f"{probe.card.name}-retest")
    )


def _retest_item(item: Item, others: Mapping[str, str]) -> Item:
    again = replace(item, member=f"{item.member}_retest", facets={**item.facets, RETEST_OF: item.id})
    if before := item.groups.get("entities"):
        pairs = zip(before.split(), others[before].split(), strict=True)
        return replace(again, text=rename_entities(item.text, dict(pairs)))
    lead = LEAD[item.form]
    if item.premise:
        return replace(again, premise=f"{lead}{item.premise}")
    if item.form == "sentences":
        return replace(again, options=tuple(f"{lead}{option}" for option in item.options))
    return replace(again, text=f"{lead}{item.text}")


# Cost estimates.


@dataclass(frozen=True, slots=True)
class Forecast(Document):
    """Estimated cost of evaluating a model."""

    model: str
    """Name of the model."""
    items: int
    """Number of questions in all conditions."""
    tokens: int
    """Number of tokens to compute or to send."""
    received: int | None
    """Maximum number of tokens of the replies; None for a local model."""
    seconds: float | None
    """Estimated time, by the speed on a few questions; None for an API, or if too few questions are left."""
    requests: int | None
    """Maximum number of requests to an API; None for a local model."""
    cost: float | None
    """Estimated cost, if a price is set."""

    def in_words(self) -> str:
        """Describe the estimate in one sentence."""
        size = f"{self.model}: {self.items:,} questions, about {self.tokens:,} tokens"
        if self.seconds is not None:
            return f"{size}; about {_duration(self.seconds)}, plus computing the verdicts"
        if self.requests is None:  # too few questions are left to measure the speed
            return size
        back = f" to send and up to {self.received:,} back" if self.received else ""
        price = "" if self.cost is None else f", at most {self.cost:.2f} at the given price"
        return f"{size}{back}, at most {self.requests:,} requests{price}"


def _duration(seconds: float) -> str:
    """
    >>> _duration(34), _duration(200), _duration(9000)
    ('34 s', '3 min', '2.5 h')
    """
    if seconds < 5400:
        return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def forecast(
    model: Model,
    plan: Sequence[Condition],
    spec: ScoringSpec,
    budget: int,
    price: tuple[float, float] | None = None,
    progress: Progress = NO_PROGRESS,
) -> Forecast:
    """Render and count all questions, and time a small sample of a local model."""
    tokens = items = requests = received = 0
    served = model.who.kind == "server"
    tried: list[tuple[int, float]] = []
    for number, condition in enumerate(plan):
        progress.update("forecast", number, len(plan))
        for name in condition.ways:
            prompt_format = get_prompt_format(name)
            meant = prompt_format.spec(condition.spec(spec))
            made = prompt_format.prepare(model, condition.probe.items, meant, condition.probe.items)
            items += len(made)
            samples = meant.samples if name == "generate" else 1
            asked = samples * sum(len(each.questions if hasattr(each, "questions") else each.turns) for each in made)
            tokens += samples * sum(each.cost for each in made)
            requests += asked
            received += asked * (_room(model, meant) if name == "generate" else 1)
            if not served and name in ("loglikelihood", "pmi") and condition.role == "main" and len(tried) < 2:
                tried.append(_tried(prompt_format, made, Call(model, meant, budget, NO_PROGRESS)))
    if served:
        cost = None if price is None else (tokens * price[0] + received * price[1]) / 1e6
        return Forecast(model.name, items, tokens, received, None, requests, cost)
    counted = tried[1:] or tried  # the first call on a device is slow
    rate = sum(size for size, _ in counted) / max(sum(taken for _, taken in counted), 1e-6)
    return Forecast(model.name, items, tokens, None, tokens / rate if tried else None, None, None)


def _room(model: Model, spec: ScoringSpec) -> int:
    """Return the maximum number of tokens of a reply; a served model that thinks takes more."""
    sampling = Sampling(REPLY_TOKENS + spec.reason, room=spec.room)
    return model.room(sampling) if isinstance(model, ServedModel) else sampling.room or sampling.tokens


def _tried(prompt_format: PromptFormat, made: Sequence[Any], call: Call) -> tuple[int, float]:
    """A few questions asked: their tokens, and the seconds that they took."""
    on_gpu = isinstance(call.model, LanguageModel) and call.model.device.type == "cuda"
    some, tokens = [], 0
    for each in sorted(made, key=lambda prepared: (prepared.longest, prepared.item.id))[len(made) // 2 :]:
        some.append(each)
        tokens += each.cost
        if tokens >= (call.budget if on_gpu else _SAMPLE):
            break
    prompt_format.answer(some[:1], call)  # what comes first takes longer
    began = perf_counter()
    prompt_format.answer(some, call)
    return tokens, perf_counter() - began
