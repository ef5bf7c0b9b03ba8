"""The strategies of table 4 and measured quantities: where the axioms of each template come from.

Shipped axioms come from tables, the order of grades, the latitudes of places and the scales of quantities. From
knowledge bases an axiom is taken only if both of its sides are known: a missing fact is not a false one. A person gets
traits that several people named and nobody denied, each under the one property and pole of ``traits.tsv``. A material
is compared with one of the opposite pole. An animal is compared with classes that lack the ability (``abilities.tsv``),
that cannot live there, or of which the knowledge base denies it. A thing is compared with one that has other uses, by
the knowledge base and by its dictionary entry. An occupation is compared with one that its dictionary entry does not
define so. Where there is no such evidence, the axiom is *proposed*. Every fact that is not taken is counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import md5
from itertools import combinations, islice
from pathlib import Path

from horsesense.data import read_table
from horsesense.errors import UserError, unknown
from horsesense.lexicons.triples import SAYS, Fact, Facts
from horsesense.lexicons.word_forms import OPPOSITES, gerund, with_article
from horsesense.lexicons.words import listed
from horsesense.methods.rica import type_constraints as constraints
from horsesense.methods.rica.knowledge_tables import (
    DATA,
    TEMPLATES,
    SourcedAxiom,
    fill,
    quantity_axioms,
    read_axioms,
    shipped_list,
)

SECONDS = 3
"""Number of entities without the property that are compared with one that has it."""
SECONDS_OF_USE = 5
"""The same for things that serve a purpose."""
FEWEST_USES = 3
"""Minimum number of known uses of a thing that is not for another use."""
MOST_THINGS = 12
"""Maximum number of things that serve a purpose: more of them show that nearly anything does."""
SUPPORT = 2
"""Minimum number of people who named a trait."""
TOWARDS = frozenset(("considerate", "polite", "generous", "honest", "aggressive"))
"""Properties of how one treats another, so that the two can be compared."""
GENERAL = frozenset(
    listed("person people human humans man men woman women adult adults child children someone anyone worker employee")
)
"""Heads that stand for anybody: what they can do does not distinguish occupations."""
LAND = frozenset(listed("mammal insect spider worm"))
"""Classes of animals that do not live in the sea, unless a fact says so."""
HABITATS = {
    "water": ("sea", "ocean", "pond", "river", "stream", "coral reef"),
    "farm": ("farm", "barn", "stable", "pasture", "farmyard", "barnyard"),
    "jungle": ("jungle", "rainforest", "rain forest"),
    "home": ("house", "apartment"),
}
"""Places by habitat."""
_SEA = frozenset(("sea", "ocean", "coral reef"))
SIMILAR_OCCUPATIONS = (
    ("chef", "cook", "housekeeper", "waiter", "waitress", "butler", "nanny", "maid"),
    ("doctor", "surgeon", "nurse", "vet", "dentist", "pharmacist", "masseur"),
    ("teacher", "tutor", "coach", "trainer", "librarian", "nanny", "translator", "editor"),
    ("maid", "cleaner", "janitor", "housekeeper", "butler"),
    ("driver", "chauffeur", "bodyguard", "guard", "captain"),
    ("boss", "manager", "commander", "captain", "secretary", "landlord", "shopkeeper", "supplier"),
    ("barber", "hairdresser", "tailor", "designer"),
    ("builder", "carpenter", "architect", "plumber", "electrician", "mechanic", "gardener", "janitor", "landlord"),
    ("lawyer", "accountant", "secretary", "manager", "travel agent", "photographer"),
)
"""Similar occupations, which are not compared."""
SOURCES: Mapping[str, tuple[str, ...]] = {
    "material": ("conceptnet",),
    "animal": ("conceptnet", "genericskb"),
    "occupation": ("conceptnet",),
    "role": ("conceptnet",),
    "use": ("conceptnet",),
    "action-between": ("atomic",),
    "action-alone": ("atomic",),
    "action-degree": ("atomic",),
}
"""Knowledge bases of each template; other templates come from numbers and tables."""

Traits = dict[str, tuple[str, str]]
"""A trait, with the conclusion for more and for less of it."""


@cache
def traits(about: str) -> Traits:
    """Return the traits of people or of materials, each with its property."""
    found: Traits = {}
    for _, row in read_table(DATA / "traits.tsv", ("property", "more", "less", "status")):
        prefix, colon, phrase = row["property"].partition("material: ")
        name = phrase if colon else prefix
        scale, slotted, rest = name.partition(": ")
        upper, text = (scale, rest) if slotted else ("more", name)
        if bool(colon) == (about == "material"):
            cells = f"{upper}: {text}", f"{OPPOSITES[upper]}: {text}"
            found |= {word.strip(): cells for word in row["more"].split(",") if word.strip()}
            found |= {word.strip(): cells[::-1] for word in row["less"].split(",") if word.strip()}
    return found


def axioms_from_facts(
    name: str, facts: Mapping[str, Facts], lists: Mapping[str, Sequence[str]], rejected: Counter[str]
) -> Iterator[SourcedAxiom]:
    """Yield the axioms of a template from knowledge bases; rejected facts are counted."""
    for source in SOURCES.get(name, ()):
        if source not in facts:
            continue
        known = facts[source]
        for a, b, conclusion, status, triples in _CRAWLS[name](known, lists, rejected):
            axiom = fill(name, a, b, conclusion)
            yield SourcedAxiom(axiom, name, status, known.licence, known.source, triples=triples)


Row = tuple[str, str, str, str, tuple[tuple[str, str, str], ...]]
"""Cells of a knowledge table, the status, and the facts behind it."""


def _triple(fact: Fact) -> tuple[str, str, str]:
    return fact.relation, fact.head, fact.tail


def _shuffled(names: Sequence[str], seed: str) -> list[str]:
    """Sort names in an arbitrary order that depends only on the names."""
    return sorted(names, key=lambda name: md5(f"{name} {seed}".encode(), usedforsecurity=False).digest())


def _list(lists: Mapping[str, Sequence[str]], kind: str) -> list[str]:
    return sorted(set(lists.get(kind) or shipped_list(kind)))


# Materials: one has the property, the other its opposite.


def _materials(facts: Facts, lists: Mapping[str, Sequence[str]], rejected: Counter[str]) -> Iterator[Row]:
    named, known = set(_list(lists, "materials")), traits("material")
    sides: dict[str, dict[str, Fact]] = defaultdict(dict)
    for fact in facts.facts:
        if fact.relation == "HasProperty" and fact.tail in known:
            if fact.head in named:
                sides[known[fact.tail][0]].setdefault(fact.head, fact)
            rejected["material: what has the property is not in the list of materials"] += fact.head not in named
        elif fact.relation == "HasProperty" and fact.head in named:
            rejected["material: no property that has an opposite"] += 1
    for conclusion in sorted(sides):
        word, _, phrase = conclusion.partition(": ")
        others = sides.get(f"{OPPOSITES[word]}: {phrase}", {})
        for a in sorted(sides[conclusion]):
            for b in _shuffled(sorted(others.keys() - sides[conclusion].keys()), a)[:SECONDS]:
                if a not in others:
                    yield a, b, conclusion, "machine", (_triple(sides[conclusion][a]), _triple(others[b]))


# Animals: abilities that distinguish classes, and habitats.


@cache
def _classes() -> dict[str, str]:
    return {row["animal"]: row["class"] for _, row in read_table(DATA / "animals.tsv", ("animal", "class"))}


@cache
def _lacking() -> dict[str, frozenset[str]]:
    rows = read_table(DATA / "abilities.tsv", ("ability", "lacking"))
    return {row["ability"]: frozenset(row["lacking"].split()) for _, row in rows}


def _animals(facts: Facts, lists: Mapping[str, Sequence[str]], rejected: Counter[str]) -> Iterator[Row]:
    animals = _list(lists, "animals")
    named = set(animals)
    denied: dict[str, list[str]] = defaultdict(list)
    able: dict[str, dict[str, Fact]] = defaultdict(dict)
    for fact in _abilities(facts, named, rejected):
        if fact.head in named and fact.relation == "NotCapableOf":
            denied[fact.tail].append(fact.head)
        elif fact.head in named and fact.relation == "CapableOf":
            able[fact.tail][fact.head] = fact
        elif fact.relation == "CapableOf" and _distinguishing_word(fact.tail):
            rejected["animal: what has the ability is not in the list of animals"] += 1
    for tail, holders in sorted(able.items()):
        ability = constraints.plain_ability(tail)
        key = _distinguishing_word(ability or "")
        for a, fact in sorted(holders.items()):
            if ability is None or (key is None and not denied.get(tail)):
                rejected["animal: no clear wording, or no distinguishing property"] += 1
                continue
            sure = sorted(set(denied.get(tail, ())) - holders.keys())
            lacking = _lacking().get(key or "", frozenset())
            absent = [name for name in animals if _classes().get(name) in lacking and name not in holders]
            absent = [name for name in absent if not (name == "bat" and key in ("to fly", "wings"))]
            for b in _shuffled(sure, a)[:SECONDS]:
                yield a, b, f"more: is * likely to {ability}", "machine", (_triple(fact), ("NotCapableOf", b, tail))
            for b in _shuffled(absent, a + tail)[: max(0, SECONDS - len(sure))]:
                yield a, b, f"more: is * likely to {ability}", "machine", (_triple(fact),)
    yield from _habitats(facts, named, rejected)


def _abilities(facts: Facts, named: set[str], rejected: Counter[str]) -> Iterator[Fact]:
    """Yield the facts about some heads; a general sentence becomes an ability."""
    for fact in facts.facts:
        if fact.head not in named or fact.relation != SAYS:
            yield fact
            continue
        ability = constraints.does(fact.head, fact.tail)
        rejected["animal: a sentence that does not say what it does"] += ability is None
        if ability is not None:
            yield Fact("CapableOf", fact.head, ability, fact.weight)


def _distinguishing_word(ability: str) -> str | None:
    """Return the part of an ability that distinguishes classes: its verb, or the last word of its object."""
    first, *rest = ability.split(" ")
    verb, last = f"to {first}", rest[-1] if rest else ""
    return verb if verb in _lacking() else last if last in _lacking() else None


def distinguishes_classes(ability: str) -> bool:
    """Return whether some class of animals lacks an ability.

    >>> distinguishes_classes("fly"), distinguishes_classes("sleep")
    (True, False)
    """
    return _distinguishing_word(ability) is not None


def _habitats(facts: Facts, named: set[str], rejected: Counter[str]) -> Iterator[Row]:
    surroundings = {place: group for group, places in HABITATS.items() for place in places}
    found: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts.facts:
        if fact.relation == "AtLocation" and fact.head in named:
            if fact.tail in surroundings:
                found[fact.head][surroundings[fact.tail]].append(fact)
            else:
                rejected["animal: a place that says nothing"] += 1
    # One place may be a visit; an animal at home is named at several.
    home = {name: {group for group, facts_of in groups.items() if len(facts_of) > 1} for name, groups in found.items()}
    for a in sorted(found):
        for group in sorted(home[a]):
            facts_of = found[a][group]
            elsewhere = sorted(b for b in found if home[b] and group not in found[b])
            if group == "farm":  # where there are pets too
                elsewhere = [b for b in elsewhere if "home" not in home[b]]
            for fact in facts_of:
                where = constraints.place(fact.tail)
                for b in _shuffled(elsewhere, a + fact.tail)[:SECONDS] if where else ():
                    evidence = [fact]
                    if fact.tail in _SEA and "water" not in found[b] and _classes().get(b) in LAND:
                        evidence.append(next(facts_of for facts_of in found[b].values() if facts_of)[0])
                    status = "machine" if len(evidence) > 1 else "proposed"
                    yield a, b, f"more: is * likely to {where}", status, tuple(map(_triple, evidence))


# Things: what they are used for.


def _uses(facts: Facts, lists: Mapping[str, Sequence[str]], rejected: Counter[str]) -> Iterator[Row]:
    """Compare a thing with others whose uses are known and unlike this one."""
    uses = _known_uses(facts, rejected)
    things: dict[str, list[str]] = defaultdict(list)
    for thing in sorted(uses):
        for purpose in uses[thing]:
            things[purpose].append(thing)
    others = [thing for thing in sorted(uses) if len(uses[thing]) >= FEWEST_USES]
    for purpose, holders in sorted(things.items()):
        if len(holders) > MOST_THINGS:
            rejected["use: too many things serve it"] += len(holders)
            continue
        for a in holders:
            fact = uses[a][purpose]
            if fact.weight <= 1 and not constraints.content_lemmas(purpose) & constraints.definition_lemmas(a):
                rejected["use: said once, and not in the definition"] += 1
                continue
            unlike = (b for b in _shuffled(others, a + purpose) if _are_all_unlike(b, holders, purpose, uses[b]))
            for b in islice(unlike, SECONDS_OF_USE):
                sides = _triple(fact), _triple(next(iter(uses[b].values())))
                yield with_article(a), with_article(b), f"more: useful for {gerund(purpose)}", "machine", sides


def _known_uses(facts: Facts, rejected: Counter[str]) -> dict[str, dict[str, Fact]]:
    """Return thing → purpose → its best-supported fact."""
    uses: dict[str, dict[str, Fact]] = defaultdict(dict)
    for fact in facts.facts:
        if fact.relation != "UsedFor":
            continue
        if not constraints.is_artifact(fact.head):
            rejected["use: not a common thing that people make, by WordNet"] += 1
        elif (purpose := constraints.purpose(fact.tail)) is None:
            rejected["use: no clear purpose in few words"] += 1
        else:
            known = uses[fact.head].get(purpose)
            uses[fact.head][purpose] = fact if known is None else max(fact, known, key=lambda each: each.weight)
    return uses


def _are_all_unlike(thing: str, holders: Sequence[str], purpose: str, uses: Iterable[str]) -> bool:
    return all(constraints.are_unlike(thing, holder, purpose, uses) for holder in holders)


# People: roles and events.


def _roles(facts: Facts, lists: Mapping[str, Sequence[str]], rejected: Counter[str]) -> Iterator[Row]:
    named = set(_list(lists, "occupations"))
    for fact in sorted(facts.facts, key=_triple):
        if fact.relation == "CapableOf" and fact.head in named:
            ability = constraints.plain_ability(fact.tail)
            if constraints.is_symmetric(fact.head) or ability is None:
                rejected["role: holds both ways, or said badly"] += 1
            else:
                yield fact.head, "", f"more: is * likely to {ability}", "proposed", (_triple(fact),)
        elif fact.relation == "CapableOf" and constraints.is_person(fact.head):
            rejected["role: a person who is not in the list of occupations"] += 1


def _occupations(facts: Facts, lists: Mapping[str, Sequence[str]], rejected: Counter[str]) -> Iterator[Row]:
    named = _list(lists, "occupations")
    does: dict[str, set[str]] = defaultdict(set)
    abilities: list[tuple[str, str, Fact]] = []
    anybody = {fact.tail for fact in facts.facts if fact.relation == "CapableOf" and fact.head in GENERAL}
    for fact in sorted(facts.facts, key=_triple):
        if fact.relation == "CapableOf" and fact.head not in named and constraints.is_person(fact.head):
            rejected["occupation: a person who is not in the list of occupations"] += 1
        elif fact.relation == "CapableOf" and fact.head in named and fact.tail in anybody:
            rejected["occupation: anybody can do it"] += 1
        elif fact.relation == "CapableOf" and fact.head in named:
            does[fact.head].update(fact.tail.split())
            ability = constraints.plain_ability(fact.tail)
            if ability is None or " " not in ability:
                rejected["occupation: said badly"] += 1
            else:
                abilities.append((fact.head, ability, fact))
    for a, ability, fact in abilities:
        # Similar occupations, or those with the same objects, may do this too.
        kin = {name for group in SIMILAR_OCCUPATIONS if a in group for name in group}
        others = [name for name in does if name not in {a, *kin} and not does[name] & set(fact.tail.split())]
        defining = constraints.content_lemmas(fact.tail)
        defined = bool(defining & constraints.definition_lemmas(a))
        for b in _shuffled(others, a + ability)[:SECONDS]:
            evidence = defined and constraints.definition_lemmas(b) and not defining & constraints.definition_lemmas(b)
            status = "machine" if evidence else "proposed"
            yield a, b, f"more: is * likely to {ability}", status, (_triple(fact),)


def _events(template: str, facts: Facts, lists: Mapping[str, Sequence[str]], rejected: Counter[str]) -> Iterator[Row]:
    known = traits("people")
    votes: dict[str, dict[str, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    for fact in facts.facts:
        if fact.relation == "xAttr" and fact.tail in known:
            votes[fact.head][known[fact.tail][0]].append(fact)
        elif fact.relation == "xAttr":
            rejected[f"{template}: a trait of no certified scale"] += 1
    typed = {
        "action-between": constraints.event_between,
        "action-alone": constraints.lone_event,
        "action-degree": constraints.habit,
    }[template]
    for event in sorted(votes):
        for conclusion, named in sorted(votes[event].items()):
            word, _, phrase = conclusion.partition(": ")
            against = votes[event].get(f"{OPPOSITES[word]}: {phrase}")
            if against or sum(fact.weight for fact in named) < SUPPORT:
                rejected[f"{template}: too few people named the trait, or some its opposite"] += 1
                continue
            phrase_text = typed(event)
            if phrase_text is None or constraints.is_symmetric(event):
                rejected[f"{template}: not of the type that the template asks for"] += 1
            elif template != "action-between" or phrase in TOWARDS:
                yield phrase_text, "", conclusion, "proposed", tuple(map(_triple, named))
            else:
                rejected[f"{template}: not a trait of how one treats another"] += 1


Crawl = Callable[[Facts, Mapping[str, Sequence[str]], Counter[str]], Iterator[Row]]


_CRAWLS: Mapping[str, Crawl] = {
    "material": _materials,
    "animal": _animals,
    "occupation": _occupations,
    "role": _roles,
    "use": _uses,
    **{name: partial(_events, name) for name in TEMPLATES if name.startswith("action")},
}

SHIPPED_LICENCE = "CC0"
GRADES = ("older: is *", "better: is * at long division")
APART = 30
"""Difference in absolute latitude, in degrees, from which one place counts as hotter."""
_CLIMATES = ("hotter: lives in a * climate", "less: see snow in winter")


@dataclass(frozen=True)
class AxiomSources:
    """Sources of the strategies; by default the shipped tables."""

    tables: Sequence[Path] = ()
    """The user's tables."""
    facts: Mapping[str, Facts] = field(default_factory=dict)
    """Facts of conceptnet, genericskb and atomic."""
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Lists that replace the shipped animals, materials and occupations."""
    shipped: bool = True


def strategies_of(sources: AxiomSources) -> list[str]:
    """Return the strategies with a source; all if the user gives a table."""
    return [name for name in TEMPLATES if sources.tables or _draws(name, sources)]


def sourced_axioms(strategies: Sequence[str], sources: AxiomSources, rejected: Counter[str]) -> Iterator[SourcedAxiom]:
    """Yield the axioms of some strategies, each with its source and status."""
    for name in strategies:
        if name not in TEMPLATES:
            raise unknown("strategy", name, TEMPLATES)
    for path in sources.tables:
        yield from (known for known in read_axioms(path) if known.template in strategies)
    for name in strategies:
        yield from axioms_from_facts(name, sources.facts, sources.lists, rejected)
        if sources.shipped:
            yield from _shipped(name, rejected)
        if not sources.tables and not _draws(name, sources):
            needed = " or ".join(f"give --{source} FILE" for source in SOURCES.get(name, ()))
            needed = needed or "use the shipped tables"
            raise UserError(f"the strategy {name} has no source", fix=needed)


def _draws(name: str, sources: AxiomSources) -> bool:
    return any(source in sources.facts for source in SOURCES.get(name, ())) or (sources.shipped and _ships(name))


def _ships(name: str) -> bool:
    return name in ("grade", "location", "quantity") or (DATA / f"{name}.tsv").is_file()


def _shipped(name: str, rejected: Counter[str]) -> Iterator[SourcedAxiom]:
    if name == "grade":
        yield from _grades()
    elif name == "location":
        yield from _places(rejected)
    elif name == "quantity":
        yield from quantity_axioms(SHIPPED_LICENCE, rejected)
    elif _ships(name):
        yield from read_axioms(DATA / f"{name}.tsv", SHIPPED_LICENCE)


def _grades() -> Iterator[SourcedAxiom]:
    rows = [(int(row["rank"]), row["grade"]) for _, row in read_table(DATA / "grades.tsv", ("rank", "grade"))]
    for (low, lower), (high, higher) in combinations(sorted(rows), 2):
        for conclusion in GRADES if high - low >= 2 else ():
            yield SourcedAxiom(
                fill("grade", higher, lower, conclusion), "grade", "machine", SHIPPED_LICENCE, "grades.tsv"
            )


def _places(rejected: Counter[str]) -> Iterator[SourcedAxiom]:
    columns = ("place", "latitude")
    rows = [(abs(float(row["latitude"])), row["place"]) for _, row in read_table(DATA / "places.tsv", columns)]
    for (near, hot), (far, cold) in combinations(sorted(rows), 2):
        if far - near < APART:
            rejected["location: latitudes too near each other"] += 1
            continue
        for climate in _CLIMATES:
            axiom = fill("location", hot, cold, climate)
            yield SourcedAxiom(axiom, "location", "machine", SHIPPED_LICENCE, "places.tsv")
