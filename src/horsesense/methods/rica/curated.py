"""The human-curated set asked otherwise: about people with names (figure 5b), and with the fact told (figure 6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from horsesense.core import Item, Probe
from horsesense.core.views import fill_blank
from horsesense.errors import UserError
from horsesense.methods.rica.items import SETTINGS, fact_of
from horsesense.methods.rica.notation import read_statement
from horsesense.methods.rica.released_units import CONNECTIVE, entities
from horsesense.methods.rica.statements import entities_of

SOCIAL = "social"


def with_names(probe: Probe, pairs: int | None = None, seed: int = 0) -> Probe:
    """The statements about people, each about several pairs of first names (section 4.3): three, as in the paper.

    The same statement about novel entities stands beside them, in the same family, so that no limit parts them.
    """
    drawn = entities_of("names", pairs, seed)
    items = []
    for item in probe.items:
        if item.facets.get("category") == SOCIAL:
            items.append(replace(item, facets={**item.facets, "entities": "novel"}))
            names = entities(fill_blank(item.text, item.options[item.answer or 0]))
            for number, pair in enumerate(drawn.draw(f"{item.family} {item.member}")):
                text = renamed(item.text, dict(zip(names, (pair["A"], pair["B"]), strict=True)))
                groups = {**item.groups, "entities": " ".join(sorted(pair.values()))}
                about = {**item.facets, "entities": "names"}
                member = f"{item.member}_{number + 1}"
                items.append(replace(item, text=text, member=member, groups=groups, facets=about))
    return _derived(
        probe, items, "named", f"Social statements, as they are and about {drawn.pairs} pairs of names.", seed
    )


def with_facts(probe: Probe) -> Probe:
    """The unperturbed statement of each axiom about two, and its negation, without and with the fact (appendix C)."""
    plain = {
        item.family: item
        for item in probe.items
        if (item.facets.get("perturbation"), item.facets.get("asymmetry")) == ("original", "none")
    }
    left: Counter[str] = Counter()
    items = list(_told(probe, plain, left))
    return _derived(
        probe, items, "told", "Unperturbed statements and their negations, as they are and with the fact told.", 0, left
    )


def _told(probe: Probe, plain: Mapping[str, Item], left: Counter[str]) -> Iterator[Item]:
    facts = {family: _fact(item) for family, item in plain.items()}
    for item in probe.items:
        setting = SETTINGS.get(str(item.facets.get("perturbation")))
        if setting is None or item.facets.get("asymmetry") != "none" or item.family not in facts:
            continue
        fact = facts[item.family]
        if not fact:
            left["statements without a fact to tell"] += 1
            continue
        premise, so, conclusion = item.text.rpartition(CONNECTIVE)
        about = {**item.facets, "background": setting}
        yield replace(item, facets={**item.facets, "background": "none"})
        told = f"{premise}, and {fact}{so}{conclusion}"
        yield replace(item, text=told, member=f"{item.member}_background", facets=about)


def _fact(item: Item) -> str:
    """The fact behind a statement about two; empty where it cannot be read."""
    statement = fill_blank(item.text, item.options[item.answer or 0])
    names = entities(statement)
    if item.facets.get("category") == "temporal" or names[0] == names[1]:
        return ""
    try:
        axiom = read_statement(renamed(statement, dict(zip(names, "AB", strict=True))))
    except UserError:
        return ""
    return fact_of(axiom, item.facets.get("category") == SOCIAL)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A text about others.

    >>> renamed("wob is zim's boss, so wob is ___ busy than zim", {"wob": "Ann", "zim": "Bob"})
    "Ann is Bob's boss, so Ann is ___ busy than Bob"
    """
    either = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    return either.sub(lambda name: names[name[0]], text)


def _derived(
    probe: Probe, items: list[Item], name: str, made: str, seed: int, left: Mapping[str, int] | None = None
) -> Probe:
    called = f"{probe.card.name}-{name}"
    card = replace(probe.card, name=called, made=f"{probe.card.made} {made}", seed=seed)
    return Probe.of([replace(item, probe=called) for item in items], card, dict(left or {}))
