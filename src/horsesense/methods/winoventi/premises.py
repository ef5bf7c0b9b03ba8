"""Steps 4 and 5 (winoventi.txt, 2.5 and 2.6): premises from people and by machine, and what speaks against each.

In the paper people write them. Here a table of ours does (`circumstances`, `instantiation`), or a model that is no kin
of the one that is tested (`other_models`). Both are proposals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from horsesense.methods.winoventi.checks import CheckedSchema, check_schema
from horsesense.methods.winoventi.circumstances import circumstances_at_hand
from horsesense.methods.winoventi.instantiation import from_circumstances, wording_objections
from horsesense.methods.winoventi.kept_steps import Steps
from horsesense.methods.winoventi.lexicon import lexicon_at_hand
from horsesense.methods.winoventi.model_checks import far_in_meaning, grammatical, not_entailing_the_wrong
from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.other_models import generated
from horsesense.methods.winoventi.people import written_by_people
from horsesense.methods.winoventi.plan import TABLE, LoadedModels, PipelinePlan
from horsesense.methods.winoventi.schemas import PASSED, PROPOSED, Schema, Triplet, parse_premise
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
    """People's premises for triplets that passed, then the machine's; each says who wrote it."""
    schemas, nonsense = written_by_people(plan.premises, triplets, nouns, progress)
    triplets = [each for each in triplets if each.name not in nonsense]
    everything = _spread(triplets)
    to_write = everything if plan.write is None else everything[: plan.write]
    if plan.writer == TABLE and to_write:
        made, went = from_circumstances(
            to_write, nouns, circumstances_at_hand(), lexicon_at_hand(), plan.samples, plan.seed
        )
        schemas += [CheckedSchema(schema, ()) for schema in made]
        for what, count in went.most_common():
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
    """What a model writes, a few triplets at a time."""

    def part(start: int, end: int) -> list[Any]:
        some = triplets[start:end]
        with models.asked(plan.writer) as writer:
            written, odd = generated(writer, some, [nouns[t.noun] for t in some], plan.samples, plan.seed + start)
        progress.update("premises", end, len(triplets))
        pairs = [
            {"triplet": [t.noun, t.generic, t.exception, t.origin, t.k], "premise": str(premise)}
            for t, premises in zip(some, written, strict=True)
            for premise in premises
        ]
        return [*pairs, {"odd": odd}]

    rows = list(steps.in_parts("premises", made_from, len(triplets), _TRIPLETS_AT_ONCE, part))
    odd = sum(row.get("odd", 0) for row in rows)
    progress.log(f"replies of {plan.writer} that are no pair of texts: {odd:,} of {len(triplets) * plan.samples:,}")
    return [
        CheckedSchema(Schema(Triplet(*row["triplet"]), parse_premise(row["premise"]), "machine", plan.writer), ())
        for row in rows
        if "premise" in row
    ]


def _spread(triplets: Sequence[Triplet]) -> list[Triplet]:
    """The first triplet of each noun, then the second of each, and so on: variety before depth."""
    turn: dict[str, int] = {}
    order: list[tuple[int, int, int, Triplet]] = []
    for each in triplets:
        turn[each.noun] = turn.get(each.noun, -1) + 1
        order.append((turn[each.noun], each.k, len(order), each))
    return [each for *_, each in sorted(order, key=lambda entry: entry[:3])]


# Step 5: what speaks against each.


def check_premises(
    plan: PipelinePlan, schemas: Sequence[CheckedSchema], nouns: Mapping[str, Noun], models: LoadedModels
) -> list[CheckedSchema]:
    """All objections, and the status that follows.

    Checks by a model are for what a model wrote: what people wrote is for people to judge, and our table was checked
    when it was filled in. A kin of the tested model is not asked.
    """
    lexicon = lexicon_at_hand()
    words = [checked.schema.triplet.noun for checked in schemas]
    their_nouns = [nouns.get(word) or Noun(word, is_plural(word)) for word in words]
    judged = [check_schema(each.schema, noun, lexicon) for each, noun in zip(schemas, their_nouns, strict=True)]
    places = [
        place
        for place, checked in enumerate(judged)
        if checked.schema.origin == "machine" and checked.schema.annotator != TABLE
    ]
    made = _worded([judged[place] for place in places], [their_nouns[place] for place in places])
    if made and plan.ranker != "none" and lineage_named(plan.ranker) != lineage_named(plan.model):
        with models.asked(plan.ranker) as ranker:
            made = grammatical(made, ranker, plan.asking.spec, plan.least)
    if made and plan.vectors != "none":
        made = far_in_meaning(made, plan.vectors)
    if made and plan.entailment:
        made = not_entailing_the_wrong(made, [their_nouns[place] for place in places], plan.entailment, plan.device)
    for place, checked in zip(places, made, strict=True):
        judged[place] = checked
    return [_with_status(checked) for checked in judged]


def _worded(schemas: Sequence[CheckedSchema], nouns: Sequence[Noun]) -> list[CheckedSchema]:
    """What a model wrote is held to the rules that our own frames are held to."""
    table = circumstances_at_hand() if schemas else None
    return [
        replace(each, objections=(*each.objections, *wording_objections(each.schema, noun, table)))
        for each, noun in zip(schemas, nouns, strict=True)
        if table is not None
    ]


def _with_status(checked: CheckedSchema) -> CheckedSchema:
    """A validated schema stays so; of the others those pass that nothing speaks against."""
    if checked.schema.validated:
        return checked
    return replace(checked, schema=replace(checked.schema, status=PASSED if checked.passes else PROPOSED))
