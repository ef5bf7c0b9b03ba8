"""Recipes of the abilities: from bundled or downloaded knowledge to a probe, reproducible by seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from horsesense.core import Probe
from horsesense.profiling.abilities import Ability

AXIOMS = 2
"""Maximum number of axioms about one property in the ladder: more would be redundant."""


def pool_of(ability: Ability, seed: int = 0) -> Probe:
    """Return all items of an ability's recipe; frozen and twin are drawn from it."""
    probe = RECIPES[ability.recipe](seed, ability.options)
    return replace(probe, card=replace(probe.card, metric="accuracy"))


def _starter(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.methods.starter.probe import starter_probe

    return starter_probe()


def _wordnetqa(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.builder import build_wordnetqa
    from horsesense.methods.wordnetqa.plan import WordNetPlan

    return build_wordnetqa(open_graph("wordnet"), WordNetPlan(options["relation"], seed, options.get("limit")))


def _dictionaryqa(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.lexicons.sources import open_graph
    from horsesense.methods.wordnetqa.dictionaryqa import DictionaryPlan, build_dictionaryqa

    return build_dictionaryqa(open_graph("gcide"), DictionaryPlan(seed), open_graph("wordnet"))


def _duals(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.methods.cats.duals import DualPlan, make_duals
    from horsesense.methods.cats.orders import orders_probe

    return make_duals([orders_probe(None, seed)], DualPlan((), (), None, seed))


def _ladder(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.lexicons.wordnet import find_wordnet, read_words
    from horsesense.methods.rica.builder import RicaPlan, build_rica
    from horsesense.methods.rica.lexicon import whole_lexicon
    from horsesense.methods.rica.statements import entities_of
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


def _winoventi(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.methods.winoventi.builder import own_probe

    return own_probe()


def _partwhole(seed: int, options: Mapping[str, Any]) -> Probe:
    from horsesense.methods.partwhole.own_probe import own_probe

    return own_probe()


RECIPES: Mapping[str, Callable[[int, Mapping[str, Any]], Probe]] = {
    "starter": _starter,
    "wordnetqa": _wordnetqa,
    "dictionaryqa": _dictionaryqa,
    "duals": _duals,
    "ladder": _ladder,
    "winoventi-own": _winoventi,
    "partwhole-own": _partwhole,
}
"""Recipes by name; bundled ones ignore the seed."""
