"""Dual instances: the same question after one edit (section "Robustness Test", table 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from horsesense.errors import UserError, unknown
from horsesense.methods.cats.dual_edits import insert_negation, remove_negation, substitute_antonym, swap_arguments
from horsesense.methods.cats.sentence_pairs import Dual, Pair, pair_of
from horsesense.records import Facet, Item, Probe, view

Rule = Callable[[Pair], Dual | None]

RULES: Mapping[str, Rule] = {
    "insert-negation": insert_negation,
    "remove-negation": remove_negation,
    "antonym": substitute_antonym,
    "swap-arguments": swap_arguments,
}


def make_duals(probe: Probe, rules: Sequence[str] = ()) -> Probe:
    """A family of two for each pair and each rule that applies: ``a`` the original, ``b`` the proposal."""
    names = rules or tuple(RULES)
    for name in names:
        if name not in RULES:
            raise unknown("rule", name, RULES)
    items: list[Item] = []
    notes: Counter[str] = Counter()
    for item in probe.items:
        pair = _pair(item)
        if pair is None:
            notes["items that are no judged pair of like sentences"] += 1
            continue
        duals = [(name, dual) for name in names if (dual := RULES[name](pair))]
        notes["pairs to which no rule applies"] += not duals
        for name, dual in duals:
            notes[f"proposals of {name}"] += 1
            items += _family(probe.card.name, item, pair, name, dual)
    if not items:
        raise UserError(
            "no rule applies to any pair of this probe", fix="use sentences that differ in one place, such as sm"
        )
    how = f"Duals proposed by rule ({', '.join(names)}) from {probe.card.name}; people have to accept them."
    card = replace(probe.card, name=f"{probe.card.name}-duals", made=how, normalise="mean", notes={}, human=())
    return Probe.of(items, card, dict(sorted((+notes).items())))


def _pair(item: Item) -> Pair | None:
    shown = item if item.form == "sentences" else view(item, "sentences")
    if shown is None or shown.answer is None or len(shown.options) != 2 or shown.premise:
        return None
    return pair_of((shown.options[0], shown.options[1]))


def _family(name: str, item: Item, pair: Pair, rule: str, dual: Dual) -> list[Item]:
    assert item.answer is not None  # the pair has one
    facets: dict[str, Facet] = {"perturbation": dual.method, "rule": rule, "edit": dual.rule, "flips": dual.flips}
    shared = replace(
        item,
        probe=f"{name}-duals",
        form="sentences",
        text="",
        premise="",
        concepts=(),
        family=f"{rule}: {item.id}",
        facets={**item.facets, **facets, "status": "proposed"},
        source=replace(item.source, id=item.id, file=item.source.file or name),
    )
    turned = 1 - item.answer if dual.flips else item.answer
    return [
        replace(shared, options=pair.texts, member="a"),
        replace(shared, options=dual.options, answer=turned, member="b"),
    ]
