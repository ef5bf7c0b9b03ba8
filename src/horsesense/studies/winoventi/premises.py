"""Steps 4 and 5: premises from people and by machine, and what speaks against each (winoventi.txt, 2.5 and 2.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from horsesense.errors import UserError
from horsesense.probes.winoventi.checks import Checked, check_schema
from horsesense.probes.winoventi.files import read_checked
from horsesense.probes.winoventi.nouns import Noun, is_plural
from horsesense.probes.winoventi.schemas import Premise, Schema, Triplet, parse_premise
from horsesense.studies.winoventi.asking import Tick
from horsesense.studies.winoventi.associating import lexicon_at_hand
from horsesense.studies.winoventi.loading import Loaded
from horsesense.studies.winoventi.plan import Plan
from horsesense.studies.winoventi.prechecks import far_in_meaning, grammatical, not_entailing_the_wrong
from horsesense.studies.winoventi.steps import Steps
from horsesense.studies.winoventi.writing import from_frames, generated
from horsesense.watching import Watcher

_AT_ONCE = 10
FRAMES = "frames"


def write_premises(
    plan: Plan,
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: Loaded,
    steps: Steps,
    made_from: str,
    watcher: Watcher,
    tick: Tick,
) -> list[Checked]:
    """People's premises for triplets that passed, then the machine's; each says who wrote it."""
    found: list[Checked] = []
    passed = {each.name: each for each in triplets}
    for path in plan.written:
        read = read_checked(path)[0]
        # Of the triplet itself this run knows more than the file: its depth for this model, and the exception's origin.
        fitting = [
            replace(one, schema=replace(one.schema, triplet=passed[one.schema.triplet.name]))
            for one in read
            if one.schema.triplet.name in passed
        ]
        watcher.say(f"{path.name}: {len(fitting):,} of {len(read):,} premises are for triplets that passed the filter")
        found += fitting
    chosen = _spread(triplets, plan.write)
    masked = not models.get(plan.model).family.asks_what_follows if chosen else False

    def part(start: int, end: int) -> list[Any]:
        rows = _written(plan, chosen[start:end], nouns, models, masked, start)
        tick("premises", end, len(chosen))
        return rows

    for row in steps.in_parts("premises", made_from, len(chosen), _AT_ONCE, part):
        triplet = Triplet(*row["triplet"])
        found.append(Checked(Schema(triplet, parse_premise(row["premise"]), "machine", row["writer"]), ()))
    if not found:
        raise UserError("nobody wrote a premise", fix="give --premises, or a --writer")
    return found


def _spread(triplets: Sequence[Triplet], most: int) -> list[Triplet]:
    """The first triplet of each noun, then the second of each, and so on: variety before depth."""
    turn: dict[str, int] = {}
    order: list[tuple[int, int, int, Triplet]] = []
    for each in triplets:
        turn[each.noun] = turn.get(each.noun, -1) + 1
        order.append((turn[each.noun], each.k, len(order), each))
    return [each for *_, each in sorted(order, key=lambda one: one[:3])][:most]


def _written(
    plan: Plan, triplets: Sequence[Triplet], nouns: Mapping[str, Noun], models: Loaded, masked: bool, start: int
) -> list[dict[str, Any]]:
    rows: list[tuple[Triplet, Premise, str]] = []
    if masked:
        framed = from_frames(models.get(plan.model), triplets, [nouns[t.noun] for t in triplets], plan.asking.spec)
        rows += [(t, premise, FRAMES) for t, own in zip(triplets, framed, strict=True) for premise in own]
    if plan.writer != "none":
        for place, triplet in enumerate(triplets, start=start):
            premises, _ = generated(
                models.get(plan.writer), triplet, nouns[triplet.noun], plan.samples, plan.seed + place
            )
            rows += [(triplet, premise, plan.writer) for premise in premises]
    return [
        {"triplet": [t.noun, t.generic, t.exception, t.origin, t.k], "premise": str(premise), "writer": writer}
        for t, premise, writer in rows
    ]


def check_premises(plan: Plan, written: Sequence[Checked], nouns: Mapping[str, Noun], models: Loaded) -> list[Checked]:
    """All objections. Checks by a model are for what a machine wrote; what people wrote is for people to judge."""
    lexicon = lexicon_at_hand()
    own = [nouns.get(one.schema.triplet.noun) or _noun(one.schema.triplet.noun) for one in written]
    checked = [check_schema(one.schema, noun, lexicon) for one, noun in zip(written, own, strict=True)]
    places = [place for place, one in enumerate(checked) if one.schema.origin == "machine"]
    made = [checked[place] for place in places]
    if made and plan.ranker != "none":
        made = grammatical(made, models.get(plan.ranker), plan.asking.spec, plan.least)
    if made and plan.vectors != "none":
        made = far_in_meaning(made, plan.vectors)
    if made and plan.entailment:
        made = not_entailing_the_wrong(made, [own[place] for place in places], plan.entailment, plan.device)
    for place, one in zip(places, made, strict=True):
        checked[place] = one
    return checked


def _noun(word: str) -> Noun:
    return Noun(word, is_plural(word))
