"""The abilities of a profile: definition, source of the questions, validation of the keys, and the recipe of the probe.

An ability counts in the overall score if people validated its keys or if they are proved. Abilities whose items only
language models have written and audited are marked, shown separately and excluded from it. Recipes go from bundled or
downloaded knowledge to a probe, reproducible by seed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from scipy.special import betaincinv

from horsesense.core import Item, Probe
from horsesense.errors import unknown
from horsesense.profiling.item_scores import HumanReference

Edition = Literal["quick", "full"]
EDITIONS: tuple[Edition, ...] = ("quick", "full")


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability and the questions that measure it."""

    name: str
    """One word, as passed to ``--ability``."""
    sentence: str
    """Description of a model that has it: "distinguishes the senses of one word"."""
    title: str
    """Title of its row."""
    method: str
    """Method that its questions come from."""
    group: str
    """Group of abilities; groups have equal weight in the overall score."""
    recipe: str
    """Name of its recipe in `RECIPES`."""
    options: Mapping[str, Any]
    """Arguments of the recipe."""
    why: str
    """Reason for including it in the overall score, or not."""
    sizes: Mapping[str, tuple[int, int]]
    """Number of families per edition: of the frozen half and of the twin."""
    judged: str = ""
    """Validation of the keys; empty if no person validated them, which excludes the ability from the overall score."""
    same_knowledge: bool = False
    """Whether knowledge of one member of a family implies knowledge of all."""
    open: bool = False
    """Whether the keys are names of concepts, so that questions can be asked without their options."""
    contrast: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Contrast pairs of a family with opposite keys: the kind of contrast, and the facets that both members share."""
    reading: str = ""
    """Card under whose name a blind audit of such items is stored; otherwise empty."""
    people: HumanReference | None = None
    """Human performance, if known."""
    source: str = ""
    """Source of the human figure."""

    @property
    def counts(self) -> bool:
        """Whether it is part of the overall score."""
        return bool(self.judged)

    @property
    def has_twin(self) -> bool:
        """Whether frozen and twin are random halves of one draw; a dataset published as a whole has no twin."""
        return any(twin for _, twin in self.sizes.values())


@cache
def abilities() -> Mapping[str, Ability]:
    """Return all abilities by name, in the order of the page.

    >>> abilities()["turned"].judged, abilities()["parts"].counts
    ('proved', False)
    """
    text = Path(__file__).with_name("abilities.toml").read_text(encoding="utf-8")
    return {name: _ability(name, values) for name, values in tomllib.loads(text).items()}


def chosen(names: Sequence[str]) -> tuple[Ability, ...]:
    """Return abilities by name; all if no name is given."""
    known = abilities()
    for name in names:
        if name not in known:
            raise unknown("ability", name, known)
    return tuple(each for name, each in known.items() if not names or name in names)


def _ability(name: str, values: Mapping[str, Any]) -> Ability:
    plain = {key: values[key] for key in ("sentence", "title", "method", "group", "recipe", "why")}
    figure = values.get("people")
    return Ability(
        name=name,
        **plain,
        options={key: values[key] for key in ("relation", "distractors", "limit") if key in values},
        sizes={edition: (values[edition][0], values[edition][1]) for edition in EDITIONS},
        judged=values.get("judged", ""),
        same_knowledge=values.get("same_knowledge", False),
        open=values.get("open", False),
        contrast={kind: tuple(facets) for kind, facets in values.get("contrast", {}).items()},
        reading=values.get("reading", ""),
        people=None if figure is None else _judges(figure),
        source="" if figure is None else figure["source"],
    )


def _judges(figure: Mapping[str, Any]) -> HumanReference:
    """Return a published figure; its interval is Jeffreys' if n is reported, otherwise [0, 1]."""
    value, n = float(figure["value"]), int(figure.get("n", 0))
    if not n:
        return HumanReference(value, (0.0, 1.0), 0, f"{figure['kind']}, n not reported")
    right = value * n
    low, high = (float(betaincinv(right + 0.5, n - right + 0.5, tail)) for tail in (0.025, 0.975))
    return HumanReference(value, (low, high), n, figure["kind"])


# Recipes.


@dataclass(frozen=True, slots=True)
class AbilityRecipe:
    """How the questions of an ability are made, and what only they can be asked."""

    pool: Callable[[Ability, int], Probe]
    """All items, by seed; bundled ones ignore it."""
    without_text: Callable[[Probe], Probe] | None = None
    """Makes the questions that ask for a model's own association, without the text that decides."""
    association: Callable[[Item], str] = Item.unit
    """Family of the question without text that belongs to an item."""


def recipe_of(ability: Ability) -> AbilityRecipe:
    """Return the recipe of an ability."""
    return RECIPES[ability.recipe]


AXIOMS = 2
"""Maximum number of axioms about one property in the ladder: more would be redundant."""


def pool_of(ability: Ability, seed: int = 0) -> Probe:
    """Return all items of an ability's recipe; frozen and twin are drawn from it."""
    probe = recipe_of(ability).pool(ability, seed)
    return replace(probe, card=replace(probe.card, metric="accuracy"))


def _starter(ability: Ability, seed: int) -> Probe:
    from horsesense.methods.starter.probe import starter_probe

    return starter_probe()


def _wordnetqa(ability: Ability, seed: int) -> Probe:
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.builder import build_wordnetqa
    from horsesense.methods.wordnetqa.plan import WordNetPlan

    return build_wordnetqa(open_graph("wordnet"), WordNetPlan(seed=seed, **ability.options))


def _dictionaryqa(ability: Ability, seed: int) -> Probe:
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, dictionaryqa_probe

    plan = DictionaryPlan(seed=seed, **ability.options)
    return dictionaryqa_probe(open_graph("gcide"), plan, open_graph("wordnet"))


def _duals(ability: Ability, seed: int) -> Probe:
    from horsesense.methods.cats.duals import make_duals
    from horsesense.methods.cats.orders import orders_probe

    return make_duals([orders_probe(None, seed)], seed=seed)


def _ladder(ability: Ability, seed: int) -> Probe:
    from horsesense.lexicons.wordnet import find_wordnet, read_words
    from horsesense.methods.rica.builder import RicaPlan, build_rica
    from horsesense.methods.rica.english_statements import entities_of
    from horsesense.methods.rica.lexicon import whole_lexicon
    from horsesense.methods.rica.strategies import AxiomSources, strategies_of

    sources, folder = AxiomSources([], {}, {}, True), find_wordnet()
    words = frozenset() if folder is None else read_words(folder)
    plan = RicaPlan(
        strategies=strategies_of(sources),
        sources=sources,
        lexicon=whole_lexicon(None),
        entities=entities_of("novel", None, seed, words),
        task="ladder",
        cap=AXIOMS,
        alternate=True,
        seed=seed,
    )
    return build_rica(plan)


def _winoventi(ability: Ability, seed: int) -> Probe:
    from horsesense.methods.winoventi.builder import own_probe

    return own_probe()


def _partwhole(ability: Ability, seed: int) -> Probe:
    from horsesense.methods.partwhole.own_probe import own_probe

    return own_probe()


def _outcomes_alone(probe: Probe) -> Probe:
    from horsesense.methods.winoventi.measures import prior_probe

    return prior_probe(probe)


def _association(item: Item) -> str:
    from horsesense.methods.winoventi.schemas import triplet_name

    return triplet_name(item)


RECIPES: Mapping[str, AbilityRecipe] = {
    "starter": AbilityRecipe(_starter),
    "wordnetqa": AbilityRecipe(_wordnetqa),
    "dictionaryqa": AbilityRecipe(_dictionaryqa),
    "duals": AbilityRecipe(_duals),
    "ladder": AbilityRecipe(_ladder),
    "winoventi-own": AbilityRecipe(_winoventi, _outcomes_alone, _association),
    "partwhole-own": AbilityRecipe(_partwhole),
}
"""Recipes by name."""
