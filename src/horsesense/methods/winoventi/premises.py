"""Steps 4 and 5 (winoventi.txt, 2.5 and 2.6): premises from people and by machine, and what speaks against each.

In the paper people write them. A machine does so in two ways, both only proposals:
``frames``: a masked model fills one place of a sentence of ours twice, once before each outcome; of the words that
it finds, the two that speak most for one outcome and against the other make the pair.
``generation``: a causal model is shown a few pairs and continues with one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from horsesense.errors import UserError, argument
from horsesense.methods.winoventi.asking import first_tokens, marking_of, word_of
from horsesense.methods.winoventi.associations import words_of_noun
from horsesense.methods.winoventi.checks import CheckedSchema, check_schema
from horsesense.methods.winoventi.kept_steps import Steps
from horsesense.methods.winoventi.lexicon import lexicon_at_hand
from horsesense.methods.winoventi.model_checks import far_in_meaning, grammatical, not_entailing_the_wrong
from horsesense.methods.winoventi.nouns import Noun, is_plural, statement, subject
from horsesense.methods.winoventi.plan import LoadedModels, PipelinePlan
from horsesense.methods.winoventi.schemas import Premise, Schema, Triplet, parse_premise
from horsesense.methods.winoventi.triplet_files import read_schemas
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import BLANK, Fill, ScoringSpec
from horsesense.scoring.fill import fill
from horsesense.watching import Watcher

FRAMES = (
    "Anna ___ when she saw {it}.",
    "Ben was ___ after he looked at {it}.",
    "Anna decided to ___ {it}.",
    "Ben found {it} in the ___.",
    "{It} had been ___ by the children.",
    "Anna got {it} from a ___ man.",
)
"""Sentences of ours with one place to fill."""
EXAMPLES = (
    ("The road is [dry / wet].", "The road was quiet under the [sun / rain]."),
    ("The baby is [asleep / awake].", "Everyone in the house [whispered / sang] to the baby."),
    ("The bag is [light / heavy].", "Mia lifted the bag with one [finger / groan]."),
    ("The milk is [fresh / sour].", "Leo bought the milk [today / weeks] ago and tasted it."),
    ("The door is [open / locked].", "Nora [walked / knocked] when she came to the door."),
)
"""Pairs of ours that a causal model is shown."""
BY_FRAMES = "frames"
"""Who wrote a premise, where frames did."""

_TRIPLETS_AT_ONCE = 10
_TOP = 50
"""Fills of a frame that are looked through."""
_APART = 1.0
"""How much more probable, in nats, a word must be before its own outcome than before the other."""
_NEW_TOKENS = 32


def write_premises(
    plan: PipelinePlan,
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: LoadedModels,
    steps: Steps,
    made_from: str,
    watcher: Watcher,
) -> list[CheckedSchema]:
    """People's premises for triplets that passed, then the machine's; each says who wrote it."""
    schemas: list[CheckedSchema] = []
    passed = {each.name: each for each in triplets}
    for path in plan.written:
        by_people = read_schemas(path)[0]
        # Of the triplet itself this run knows more than the file: its depth for this model, and the exception's origin.
        fitting = [
            replace(checked, schema=replace(checked.schema, triplet=passed[checked.schema.triplet.name]))
            for checked in by_people
            if checked.schema.triplet.name in passed
        ]
        watcher.say(
            f"{path.name}: {len(fitting):,} of {len(by_people):,} premises are for triplets that passed the filter"
        )
        schemas += fitting
    to_write = _spread(triplets, plan.write)
    masked = not models.get(plan.model).asks_what_follows if to_write else False

    def part(start: int, end: int) -> list[Any]:
        rows = _written(plan, to_write[start:end], nouns, models, masked, start)
        watcher.at("premises", end, len(to_write))
        return rows

    for row in steps.in_parts("premises", made_from, len(to_write), _TRIPLETS_AT_ONCE, part):
        triplet = Triplet(*row["triplet"])
        schemas.append(CheckedSchema(Schema(triplet, parse_premise(row["premise"]), "machine", row["writer"]), ()))
    if not schemas:
        raise UserError("nobody wrote a premise", fix=f"give {argument('premises')}, or a {argument('writer')}")
    return schemas


def _spread(triplets: Sequence[Triplet], most: int) -> list[Triplet]:
    """The first triplet of each noun, then the second of each, and so on: variety before depth."""
    turn: dict[str, int] = {}
    order: list[tuple[int, int, int, Triplet]] = []
    for each in triplets:
        turn[each.noun] = turn.get(each.noun, -1) + 1
        order.append((turn[each.noun], each.k, len(order), each))
    return [each for *_, each in sorted(order, key=lambda entry: entry[:3])][:most]


def _written(
    plan: PipelinePlan,
    triplets: Sequence[Triplet],
    nouns: Mapping[str, Noun],
    models: LoadedModels,
    masked: bool,
    start: int,
) -> list[dict[str, Any]]:
    """The machine's premises for some triplets, as rows that JSON can hold; ``start`` is the place of the first."""
    rows: list[tuple[Triplet, Premise, str]] = []
    if masked:
        masked_model = models.local(plan.model, "frames are filled by a masked model")
        framed = from_frames(masked_model, triplets, [nouns[t.noun] for t in triplets], plan.asking.spec)
        rows += [(t, premise, BY_FRAMES) for t, premises in zip(triplets, framed, strict=True) for premise in premises]
    if plan.writer != "none":
        writer = models.local(plan.writer, "premises are written by a model that is loaded here")
        for place, triplet in enumerate(triplets, start=start):
            premises = generated(writer, triplet, nouns[triplet.noun], plan.samples, plan.seed + place)
            rows += [(triplet, premise, plan.writer) for premise in premises]
    return [
        {"triplet": [t.noun, t.generic, t.exception, t.origin, t.k], "premise": str(premise), "writer": writer}
        for t, premise, writer in rows
    ]


# By frames.


def from_frames(
    model: LanguageModel, triplets: Sequence[Triplet], nouns: Sequence[Noun], spec: ScoringSpec
) -> list[list[Premise]]:
    """For each triplet the pairs that frames give; none where no word is apart enough."""
    if model.family.asks_what_follows:
        raise UserError(
            f"{model.name} reads from left to right and cannot fill a place inside a sentence",
            fix="write with a causal model by generation, or use a masked one",
        )
    marking = marking_of(model.tokenizer.get_vocab())
    texts = [
        f"{_framed(frame, noun)} {statement(noun, outcome)}"
        for triplet, noun in zip(triplets, nouns, strict=True)
        for frame in FRAMES
        for outcome in (triplet.generic, triplet.exception)
    ]
    fills_of_texts = iter(fill(model, texts, min(_TOP, len(model.tokenizer)), spec))

    def scored(fills: list[Fill]) -> dict[str, float]:
        words = [word_of(token, marking) for token in first_tokens(model, fills)]
        return {word: each.logprob for word, each in zip(words, fills, strict=True) if word}

    premises = []
    for triplet, noun in zip(triplets, nouns, strict=True):
        barred = words_of_noun(noun) | {triplet.generic, triplet.exception}
        pairs = []
        for frame in FRAMES:
            pair = most_apart(scored(next(fills_of_texts)), scored(next(fills_of_texts)), barred)
            if pair is not None:
                before, _, after = _framed(frame, noun).partition(BLANK)
                pairs.append(Premise(before, pair[0], pair[1], after))
        premises.append(pairs)
    return premises


def _framed(frame: str, noun: Noun) -> str:
    named = noun.word if noun.proper else f"the {noun.word}"
    frame = frame.replace(" had been ", " have been ") if noun.plural and "{It} had" in frame else frame
    return frame.replace("{it}", named).replace("{It}", subject(noun))


def most_apart(
    generic: dict[str, float], exception: dict[str, float], barred: frozenset[str] | set[str], apart: float = _APART
) -> tuple[str, str] | None:
    """The word that speaks most for the generic outcome, and the one that speaks most for the exception.

    A word that one list does not have is taken to be as probable there as the list's last.

    >>> most_apart({"screamed": -1.0, "smiled": -2.0}, {"shivered": -1.0, "smiled": -2.0, "sat": -4.0}, set())
    ('screamed', 'shivered')
    >>> most_apart({"smiled": -2.0}, {"smiled": -2.0}, set()) is None
    True
    """
    words = sorted((generic.keys() | exception.keys()) - barred)
    if not words:
        return None
    ends = min(generic.values(), default=0.0), min(exception.values(), default=0.0)
    gaps = {word: generic.get(word, ends[0]) - exception.get(word, ends[1]) for word in words}
    best, worst = max(words, key=lambda word: gaps[word]), min(words, key=lambda word: gaps[word])
    return (best, worst) if gaps[best] >= apart and gaps[worst] <= -apart else None


# By generation.


def generated(writer: LanguageModel, triplet: Triplet, noun: Noun, samples: int, seed: int) -> list[Premise]:
    """Distinct pairs that a causal model writes; lines that cannot be read as a pair of single words are dropped."""
    import torch

    if not writer.family.left_to_right:
        raise UserError(
            f"{writer.name} is not a causal model, so it cannot write", fix=f"{argument('writer', 'smollm2')}"
        )
    ids = torch.tensor([writer.tokenizer(_prompt_of(triplet, noun))["input_ids"]], device=writer.device)
    if ids.shape[1] + _NEW_TOKENS > writer.window:
        raise UserError(
            f"{writer.name} sees {writer.window} tokens, too few for the examples that it is shown",
            fix=f"use another {argument('writer')}, or none",
        )
    torch.manual_seed(seed)
    with torch.inference_mode():
        out = writer.network.generate(
            input_ids=ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            temperature=0.8,
            top_p=0.95,
            num_return_sequences=samples,
            max_new_tokens=_NEW_TOKENS,
            use_cache=True,
            pad_token_id=writer.tokenizer.eos_token_id,
        )
    premises: dict[str, Premise] = {}
    for row in out[:, ids.shape[1] :]:
        line = writer.tokenizer.decode(row, skip_special_tokens=True).strip().partition("\n")[0].strip()
        try:
            premise = parse_premise(line)
        except UserError:
            continue
        premises.setdefault(str(premise), premise)
    return list(premises.values())


def _prompt_of(triplet: Triplet, noun: Noun) -> str:
    """What a causal model is asked to go on with."""
    verb = "are" if noun.plural else "is"
    outcomes = f"{subject(noun)} {verb} [{triplet.generic} / {triplet.exception}]."
    shown = "".join(f"Outcome: {outcome}\nSentence: {premise}\n\n" for outcome, premise in EXAMPLES)
    return f"{shown}Outcome: {outcomes}\nSentence:"


# Step 5: what speaks against each.


def check_premises(
    plan: PipelinePlan, schemas: Sequence[CheckedSchema], nouns: Mapping[str, Noun], models: LoadedModels
) -> list[CheckedSchema]:
    """All objections. Checks by a model are for what a machine wrote; what people wrote is for people to judge."""
    lexicon = lexicon_at_hand()
    words = [checked.schema.triplet.noun for checked in schemas]
    their_nouns = [nouns.get(word) or Noun(word, is_plural(word)) for word in words]
    judged = [check_schema(each.schema, noun, lexicon) for each, noun in zip(schemas, their_nouns, strict=True)]
    places = [place for place, checked in enumerate(judged) if checked.schema.origin == "machine"]
    made = [judged[place] for place in places]
    if made and plan.ranker != "none":
        made = grammatical(made, models.get(plan.ranker), plan.asking.spec, plan.least)
    if made and plan.vectors != "none":
        made = far_in_meaning(made, plan.vectors)
    if made and plan.entailment:
        made = not_entailing_the_wrong(made, [their_nouns[place] for place in places], plan.entailment, plan.device)
    for place, checked in zip(places, made, strict=True):
        judged[place] = checked
    return judged
