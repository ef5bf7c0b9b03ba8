"""Calibrate the filters on the published human judgements (sections 2.3 and 2.6).

Exceptions that people gave should be kept; the same words, reassigned to other associations, should not. Schemas that
people passed should pass the checks by rule; those that they rejected should not. What people gave for a noun is never
evidence for that noun itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import median
from typing import Annotated

from annotated_types import Ge

from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.triples import read_conceptnet
from horsesense.lexicons.words import zipf
from horsesense.methods.winoventi.checks import check_schema
from horsesense.methods.winoventi.circumstances import load_circumstances
from horsesense.methods.winoventi.exceptions import read_registry_triplets
from horsesense.methods.winoventi.nouns import Noun
from horsesense.methods.winoventi.plausibility import (
    Attested,
    ExceptionEvidence,
    attested_in,
    distinct_in,
    people_exceptions,
)
from horsesense.methods.winoventi.published_dataset import read_winoventi_schemas
from horsesense.methods.winoventi.schemas import PremisePair, Schema, Triplet, merge_premises, pairs_of, premise_of
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.stats.accuracy import accuracy
from horsesense.stats.intervals import Estimate

PASS = "pass"


@dataclass(frozen=True, slots=True)
class FilterRow:
    """Filters with some of the evidence."""

    evidence: str
    """Kinds of evidence."""
    recall: Estimate
    """Share of people's exceptions that are kept, clustered by noun."""
    reassigned: Estimate
    """Share of the same words that are kept when they are reassigned to other associations; lower is better."""
    precision: float | None
    """Share of people's words among the kept ones, with equally many of either; null if none is kept."""
    grounds: Mapping[str, int]
    """Why people's exceptions were kept or dropped."""
    frequency_kept: float | None
    """Median Zipf frequency of people's exceptions that are kept."""
    frequency_dropped: float | None
    """Median Zipf frequency of those that are dropped."""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The checks by rule on schemas that people judged."""

    schemas: int
    """Number of schemas that at least two people judged."""
    failed: int
    """Number of schemas that people rejected: all judges object on the same criterion."""
    precision: Estimate
    """Share of the schemas that pass the checks which people passed; chance is their share of all schemas."""
    recall: Estimate
    """Share of the schemas that people passed which pass the checks."""
    caught: Estimate
    """Share of the schemas that people rejected which the checks object to."""


@dataclass(frozen=True, slots=True)
class FilterCalibration(Document):
    """Calibration of the filters on the published human judgements."""

    triplets: int
    """Number of exceptions that people gave."""
    filters: tuple[FilterRow, ...]
    """One row per kind of evidence."""
    checks: CheckRow | None
    """Checks of premises; null without judged schemas."""
    seed: int
    """Random seed of the reassignment."""


@translate_errors()
def calibrate(
    registry: str | Path,
    *,
    schemas: Sequence[str | Path] = (),
    texts: Sequence[str | Path] = (),
    conceptnet: Sequence[str | Path] = (),
    seed: Annotated[int, Ge(0)] = 0,
) -> FilterCalibration:
    """Measure recall and precision of the filters for exceptions and of the checks of premises.

    Args:
        registry: Published registry: exceptions that people gave.
        schemas: Published evaluation collection: schemas that people judged.
        texts: Text corpus in which adjectives are looked up beside their nouns.
        conceptnet: ConceptNet file.
        seed: Random seed.

    Returns:
        Recall and precision with intervals; texts and facts are separate rows.
    """
    by_people = [replace(each, origin="") for each in read_registry_triplets(Path(registry))]
    others = reassign(by_people, seed)
    table, lexicon = load_circumstances(), load_word_relations()
    kinds: dict[str, ExceptionEvidence] = {"tables and WordNet": ExceptionEvidence(table, lexicon)}
    attested: Attested = {}
    distinct: Mapping[str, frozenset[str]] = {}
    if texts or conceptnet:
        facts = read_conceptnet([Path(file) for file in conceptnet]).facts
        adjectives = frozenset(each.exception for each in (*by_people, *others))
        attested, distinct = attested_in([Path(file) for file in texts], facts, adjectives), distinct_in(facts)
        kinds["and texts and facts"] = ExceptionEvidence(table, lexicon, attested, distinct=distinct)
    kinds["and people's words for other nouns"] = ExceptionEvidence(
        table, lexicon, attested, people_exceptions(by_people), distinct
    )
    rows = tuple(_row(name, evidence, by_people, others) for name, evidence in kinds.items())
    return FilterCalibration(len(by_people), rows, _checks([Path(file) for file in schemas]) if schemas else None, seed)


def reassign(triplets: Sequence[Triplet], seed: int = 0) -> list[Triplet]:
    """Give each association an exception that people gave for another association, and not for this one."""
    rng = Random(seed)
    by_association: dict[tuple[str, str], set[str]] = {}
    for each in triplets:
        by_association.setdefault((each.noun, each.generic), set()).add(each.exception)
    found = []
    for each in triplets:
        known = by_association[each.noun, each.generic] | {each.generic}

        def fits(other: Triplet, generic: str = each.generic, known: set[str] = known) -> bool:
            return other.generic != generic and other.exception not in known

        if not any(map(fits, triplets)):
            raise UserError(
                f"no other association has an exception that could be reassigned to {each.noun} ({each.generic})",
                fix="give a registry with more associations",
            )
        while not fits(other := rng.choice(triplets)):
            pass
        found.append(replace(each, exception=other.exception))
    return found


def _row(name: str, evidence: ExceptionEvidence, by_people: Sequence[Triplet], others: Sequence[Triplet]) -> FilterRow:
    judged = [evidence.judged(each, Noun.of(each.noun)) for each in by_people]
    kept = [float(bool(ground)) for ground, _ in judged]
    of_others = [float(bool(evidence.judged(each, Noun.of(each.noun))[0])) for each in others]
    nouns = [each.noun for each in by_people]
    everything = sum(kept) + sum(of_others)
    return FilterRow(
        evidence=name,
        recall=accuracy(kept, nouns),
        reassigned=accuracy(of_others, nouns),
        precision=sum(kept) / everything if everything else None,
        grounds=dict(Counter(ground or objection for ground, objection in judged).most_common()),
        frequency_kept=_middle(zipf(each.exception) for each, yes in zip(by_people, kept, strict=True) if yes),
        frequency_dropped=_middle(zipf(each.exception) for each, yes in zip(by_people, kept, strict=True) if not yes),
    )


def _middle(values: Iterable[float]) -> float | None:
    listed = list(values)
    return median(listed) if listed else None


def _checks(paths: Sequence[Path]) -> CheckRow:
    """Compare the checks by rule with the votes: a schema fails if all its judges object on one criterion."""
    votes = read_winoventi_schemas(list(paths))
    objections: dict[str, list[set[str]]] = {}
    for each in votes.judgements:
        objections.setdefault(each.item, []).append(set() if each.value == PASS else set(each.value.split("+")))
    lexicon = load_word_relations()
    passed, allowed, nouns = [], [], []
    for family, members in pairs_of(votes.probe.items).items():
        if len(objections.get(family, ())) < 2:
            continue
        generic, exception = members["generic"], members["exception"]
        noun = generic.groups["noun"]
        texts = premise_of(generic.text), premise_of(exception.text)
        premise = merge_premises(*texts) or PremisePair("", *texts, "")
        triplet = Triplet(noun, str(generic.facets["bias"]), str(generic.facets["alternative"]))
        checked = check_schema(Schema(triplet, premise, "release"), Noun.of(noun), lexicon)
        passed.append(not set.intersection(*objections[family]))
        allowed.append(checked.passes)
        nouns.append(noun)
    rows = list(zip(passed, allowed, nouns, strict=True))
    good = [float(yes) for yes, _, _ in rows]
    return CheckRow(
        schemas=len(rows),
        failed=passed.count(False),
        precision=replace(
            accuracy([float(yes) for yes, let, _ in rows if let], [n for _, let, n in rows if let]),
            chance=sum(good) / len(good),
        ),
        recall=accuracy([float(let) for yes, let, _ in rows if yes], [n for yes, _, n in rows if yes]),
        caught=accuracy([float(not let) for yes, let, _ in rows if not yes], [n for yes, _, n in rows if not yes]),
    )
