"""The stages in which people work on a pipeline, and their judgements (sections 2.3, 2.5 and 2.6).

Three stages: exceptions to an association, two premises for a triplet, and the validity of a schema. The machine's
proposals are filled in (facet ``proposal``), to be accepted or changed. Judgements refer to items, so they remain valid
as long as the item is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from horsesense.core import Card, Item, Judgement, Probe, iter_judgements
from horsesense.data import numbered_lines
from horsesense.errors import UserError
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.exceptions import NONSENSE, association_item
from horsesense.methods.winoventi.nouns import AGREEING, Noun, fill_template
from horsesense.methods.winoventi.published_dataset import CRITERIA
from horsesense.methods.winoventi.schemas import (
    VALIDATED,
    CheckedSchema,
    Schema,
    Triplet,
    items_of,
    merge_premises,
    read_schemas,
)
from horsesense.progress import Progress
from horsesense.stats.raters.adjudication import adjudicate
from horsesense.stats.raters.votes import Scale

if TYPE_CHECKING:
    from horsesense.methods.winoventi.pipeline import PipelineResult

STAGES = ("exceptions", "premises", "validation")
FOLDER = "people"
BETWEEN = " || "
"""Separator of the two texts of a pair that a person wrote."""
MOST_WORDS = 3
"""Maximum number of exceptions per person."""
OBJECT = "people object: "
"""Beginning of people's objections to a schema."""
_SCALE = Scale(criteria=tuple(CRITERIA.values()))


@dataclass(frozen=True, slots=True)
class PeopleStage:
    """Progress of people in one stage."""

    stage: str
    """exceptions, premises or validation."""
    state: str
    """``waiting`` for the previous stage, ``open``, ``done``, or ``not asked``."""
    tasks: int
    """Number of tasks."""
    wanted: int
    """Number of answers needed."""
    answered: int
    """Number of answers given."""
    people: int
    """Number of people who answered."""
    studies: tuple[Path, ...]
    """Folders of its studies."""


def people_file(folder: Path, stage: str) -> Path:
    """Return the file of a stage's judgements in the folder of a pipeline."""
    return folder / FOLDER / f"{stage}.jsonl"


# Tasks.


def stage_probe(stage: str, result: PipelineResult, nouns: Mapping[str, Noun]) -> Probe:
    """Return the tasks of a stage, with the machine's proposals."""
    if stage == "exceptions":
        items = [
            _proposing(association_item(each, _noun(each.noun, nouns)), _words_for(each, result.triplets))
            for each in result.kept
        ]
        description = "Associations of a model, to find exceptions to."
    elif stage == "premises":
        first = _first_premises(result.schemas)
        items = [
            _proposing(premise_item(each, _noun(each.noun, nouns)), first.get(each.name, ""))
            for each in result.filtered
        ]
        description = "Triplets that a model is biased on, to write two premises for."
    else:
        items = [
            item
            for checked in for_validation(result.schemas)
            for item in items_of(checked.schema, _noun(checked.schema.triplet.noun, nouns))
        ]
        description = "Schemas that checks let pass, for people to validate."
    distinct = list({item.id: item for item in items}.values())
    return Probe.of(distinct, Card(name=f"winoventi-{stage}", method="winoventi", made=description, group="noun"))


def premise_item(triplet: Triplet, noun: Noun) -> Item:
    """Return the item of the instrument ``premises``, which shows the noun and both outcomes."""
    return Item(
        probe="winoventi-premises",
        form="cloze",
        text=fill_template(AGREEING, noun) + ".",
        options=(triplet.generic, triplet.exception),
        family=triplet.name,
        groups={"noun": triplet.noun, "generic_word": triplet.generic},
        facets={"bias": triplet.generic, "alternative": triplet.exception, "k": triplet.k},
    )


def for_validation(schemas: Iterable[CheckedSchema]) -> list[CheckedSchema]:
    """Return the schemas for people to validate: those without objections by rule or machine.

    If people wrote or accepted a pair for a triplet, the machine's other proposals for it are left out.
    """
    asked = [each for each in schemas if not [objection for objection in each.objections if OBJECT not in objection]]
    by_people = {each.schema.triplet.name for each in asked if each.schema.origin == "people"}
    return [each for each in asked if each.schema.origin != "machine" or each.schema.triplet.name not in by_people]


def _noun(word: str, nouns: Mapping[str, Noun]) -> Noun:
    return nouns.get(word) or Noun.of(word)


def _words_for(association: Association, triplets: Iterable[Triplet]) -> str:
    pair = association.noun, association.word
    found = [each.exception for each in triplets if (each.noun, each.generic) == pair and each.origin != "people"]
    return ", ".join(found[:MOST_WORDS])


def _first_premises(schemas: Iterable[CheckedSchema]) -> dict[str, str]:
    """Return for each triplet the machine's first pair that passes its checks."""
    first: dict[str, str] = {}
    for each in schemas:
        if each.passes and each.schema.origin == "machine":
            first.setdefault(each.schema.triplet.name, BETWEEN.join(each.schema.premise.sentences))
    return first


def _proposing(item: Item, proposal: str) -> Item:
    return replace(item, facets={**item.facets, "proposal": proposal}) if proposal else item


# Answers.


def prefer_people(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Keep only people's exceptions for the associations to which they gave any.

    >>> by_people, by_dictionary = (Triplet("cup", "hot", "cold", o) for o in ("people", "antonym"))
    >>> prefer_people([by_people, by_dictionary, Triplet("jar", "full", "empty", "antonym")])[-1].noun
    'jar'
    """
    answered = {(each.noun, each.generic) for each in triplets if each.origin == "people"}
    return [each for each in triplets if each.origin == "people" or (each.noun, each.generic) not in answered]


def people_schemas(
    paths: Sequence[Path], triplets: Sequence[Triplet], nouns: Mapping[str, Noun], progress: Progress
) -> tuple[list[CheckedSchema], set[str]]:
    """Return the schemas of people's premises for these triplets, and the triplets that they call nonsense.

    A file is a table with noun, generic, exception and premise, the published context collection, or judgements of the
    instrument ``premises``, which identify the triplet by its item.
    """
    known = {each.name: each for each in triplets}
    by_item = {premise_item(each, _noun(each.noun, nouns)).id: each for each in triplets}
    schemas: list[CheckedSchema] = []
    nonsense: set[str] = set()
    for path in paths:
        if _has_judgements(path):
            judged = [placed.judgement for placed in iter_judgements(path)]
            found, called, notes = from_judgements(judged, by_item, path.name)
            nonsense |= called
        else:
            by_them = read_schemas(path)[0]
            # This run knows the triplet's depth for this model and its origin; the file does not.
            found = [
                replace(each, schema=replace(each.schema, triplet=known[each.schema.triplet.name]))
                for each in by_them
                if each.schema.triplet.name in known
            ]
            notes = Counter({"premises for other triplets": len(by_them) - len(found)})
        progress.log(f"{path.name}: {len(found):,} premises are for triplets that passed the filter")
        for note, count in notes.items():
            if count:
                progress.log(f"{path.name}: {note}: {count:,}")
        schemas += found
    return [each for each in schemas if each.schema.triplet.name not in nonsense], nonsense


def _has_judgements(path: Path) -> bool:
    first = next(iter(numbered_lines(path)), (0, ""))[1]
    return all(name in first for name in ("item", "annotator", "instrument", "value"))


def from_judgements(
    judgements: Iterable[Judgement], by_item: Mapping[str, Triplet], file: str = ""
) -> tuple[list[CheckedSchema], set[str], Counter[str]]:
    """Return the schemas of people's pairs of texts, the triplets that they call nonsense, and irregularities."""
    schemas: dict[tuple[str, str], CheckedSchema] = {}
    nonsense: set[str] = set()
    notes: Counter[str] = Counter()
    for number, each in enumerate(judgements, start=1):
        triplet = by_item.get(each.item)
        if triplet is None:
            notes["premises for other triplets"] += 1
        elif each.value.strip().lower() == NONSENSE:
            nonsense.add(triplet.name)
        else:
            premise = merge_premises(*each.value.partition(BETWEEN)[::2])
            if premise is None:
                notes["pairs that do not differ in one word"] += 1
                continue
            schema = Schema(triplet, premise, "people", each.annotator, file, number)
            schemas.setdefault((triplet.name, str(premise)), CheckedSchema(schema, ()))
    return list(schemas.values()), nonsense, notes


def apply_validation(schemas: Sequence[CheckedSchema], judgements: Sequence[Judgement]) -> list[CheckedSchema]:
    """Apply people's judgements: schemas that they pass become validated, others get their objections.

    The rule is the published one (section 2.6): with two judgements both must object on the same criterion. A schema
    with fewer than two judgements stays as it is.
    """
    settled = {label.item: label for label in adjudicate(judgements, "winoventi", lambda _: _SCALE)}
    people = Counter(each.item for each in judgements)
    by_people = {each.schema.name for each in schemas if each.schema.origin == "people"}
    result = []
    for each in schemas:
        if each.schema.origin == "machine" and each.schema.name in by_people:
            continue  # an accepted proposal counts as people's
        label = settled.get(each.schema.name)
        if label is None or people[each.schema.name] < 2:
            result.append(each.graded())
        elif label.value is not None and each.passes:
            status = f"{VALIDATED}{people[each.schema.name]} people"
            result.append(replace(each, schema=replace(each.schema, status=status)))
        elif label.value is None:
            result.append(replace(each, objections=(*each.objections, f"{OBJECT}{label.reason}")))
        else:
            result.append(each)
    return result


def read_validation(paths: Iterable[Path]) -> list[Judgement]:
    """Read people's judgements of schemas; those of other instruments are refused."""
    judgements = []
    for path in paths:
        for placed in iter_judgements(path):
            if placed.judgement.instrument != "schema":
                fix = "give what was collected with the instrument schema"
                raise UserError(
                    f"this is a judgement by the instrument {placed.judgement.instrument}",
                    file=path,
                    line=placed.line,
                    fix=fix,
                )
            judgements.append(placed.judgement)
    return judgements
