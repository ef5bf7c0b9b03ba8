"""Steps 4 and 5 (winoventi.txt, 2.5 and 2.6): premises from people and by machine, and the checks of each.

In the paper people write them. Here a table does (`circumstances`), or a model unrelated to the tested one
(`writer_and_judge`). Both are proposals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from horsesense.methods.winoventi.checks import check_entailment, check_grammar, check_meaning, check_schema
from horsesense.methods.winoventi.circumstances import (
    TABLE,
    from_circumstances,
    load_circumstances,
    wording_objections,
)
from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.people import people_schemas
from horsesense.methods.winoventi.plan import LoadedModels, PipelinePlan
from horsesense.methods.winoventi.schemas import PASSED, PROPOSED, CheckedSchema, Schema, Triplet, parse_premise
from horsesense.methods.winoventi.steps import Steps
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.methods.winoventi.writer_and_judge import write_premise_pairs
from horsesense.models.lineage import lineage_named
from horsesense.progress import Progress

_TRIPLETS_AT_ONCE = 10


def write_premises(
    plan: PipelinePlan,
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: LoadedModels,
    steps: Steps,
    made_from: str,
    progress: Progress,
) -> list[CheckedSchema]:
    """Return people's premises for the triplets, then the machine's; each records its author."""
    schemas, nonsense = people_schemas(plan.premises, triplets, nouns, progress)
    triplets = [each for each in triplets if each.name not in nonsense]
    everything = _spread(triplets)
    to_write = everything if plan.write is None else everything[: plan.write]
    if plan.writer == TABLE and to_write:
        written, left_out = from_circumstances(
            to_write, nouns, load_circumstances(), load_word_relations(), plan.samples, plan.seed
        )
        schemas += [CheckedSchema(schema, ()) for schema in written]
        for what, count in left_out.most_common():
            progress.log(f"{what}: {count:,}")
    elif plan.writes_by_model:
        schemas += _by_model(plan, to_write, nouns, models, steps, made_from, progress)
    return schemas


def _by_model(
    plan: PipelinePlan,
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: LoadedModels,
    steps: Steps,
    made_from: str,
    progress: Progress,
) -> list[CheckedSchema]:
    """Let a model write premises, a few triplets at a time."""

    def part(start: int, end: int) -> list[Any]:
        some = triplets[start:end]
        with models.asked(plan.writer) as writer:
            written, odd = write_premise_pairs(
                writer, some, [nouns[t.noun] for t in some], plan.samples, plan.seed + start
            )
        progress.update("premises", end, len(triplets))
        pairs = [
            {"triplet": [t.noun, t.generic, t.exception, t.origin, t.k], "premise": str(premise)}
            for t, premises in zip(some, written, strict=True)
            for premise in premises
        ]
        return [*pairs, {"odd": odd}]

    rows = list(steps.in_parts("premises", made_from, len(triplets), _TRIPLETS_AT_ONCE, part))
    odd = sum(row.get("odd", 0) for row in rows)
    progress.log(f"unusable replies of {plan.writer}: {odd:,} of {len(triplets) * plan.samples:,}")
    return [
        CheckedSchema(Schema(Triplet(*row["triplet"]), parse_premise(row["premise"]), "machine", plan.writer), ())
        for row in rows
        if "premise" in row
    ]


def _spread(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Order triplets by turns of nouns: variety before depth."""
    turn: dict[str, int] = {}
    order: list[tuple[int, int, int, Triplet]] = []
    for each in triplets:
        turn[each.noun] = turn.get(each.noun, -1) + 1
        order.append((turn[each.noun], each.k, len(order), each))
    return [each for *_, each in sorted(order, key=lambda entry: entry[:3])]


# Step 5: checks.


def check_premises(
    plan: PipelinePlan, schemas: Sequence[CheckedSchema], nouns: Mapping[str, Noun], models: LoadedModels
) -> list[CheckedSchema]:
    """Return the schemas with all objections and their status.

    Checks by a model are for what a model wrote: people's premises are for people to judge, and our table was checked
    before. A model related to the tested one is not used.
    """
    lexicon = load_word_relations()
    words = [checked.schema.triplet.noun for checked in schemas]
    their_nouns = [nouns.get(word) or Noun(word, is_plural(word)) for word in words]
    judged = [check_schema(each.schema, noun, lexicon) for each, noun in zip(schemas, their_nouns, strict=True)]
    indices = [
        i
        for i, checked in enumerate(judged)
        if checked.schema.origin == "machine" and checked.schema.annotator != TABLE
    ]
    by_model = _check_wording([judged[i] for i in indices], [their_nouns[i] for i in indices])
    if by_model and plan.ranker != "none" and lineage_named(plan.ranker) != lineage_named(plan.model):
        with models.asked(plan.ranker) as ranker:
            by_model = check_grammar(by_model, ranker, plan.elicitation.spec, plan.least)
    if by_model and plan.vectors != "none":
        by_model = check_meaning(by_model, plan.vectors)
    if by_model and plan.entailment:
        by_model = check_entailment(by_model, [their_nouns[i] for i in indices], plan.entailment, plan.device)
    for i, checked in zip(indices, by_model, strict=True):
        judged[i] = checked
    return [_with_status(checked) for checked in judged]


def _check_wording(schemas: Sequence[CheckedSchema], nouns: Sequence[Noun]) -> list[CheckedSchema]:
    """Apply the rules for our frames to what a model wrote."""
    table = load_circumstances() if schemas else None
    return [
        replace(each, objections=(*each.objections, *wording_objections(each.schema, noun, table)))
        for each, noun in zip(schemas, nouns, strict=True)
        if table is not None
    ]


def _with_status(checked: CheckedSchema) -> CheckedSchema:
    """Set the status: validated schemas stay validated, others without objections pass."""
    if checked.schema.validated:
        return checked
    return replace(checked, schema=replace(checked.schema, status=PASSED if checked.passes else PROPOSED))
