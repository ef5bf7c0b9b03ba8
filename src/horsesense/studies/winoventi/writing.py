"""Premises by machine (winoventi.txt, 2.5, where people write them): two ways, both only proposals.

``frames``: a masked model fills one place of a sentence of ours twice, once before each outcome; of the words that
it finds, the two that speak most for one outcome and against the other make the pair.
``generation``: a causal model is shown a few pairs and continues with one of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.errors import UserError
from horsesense.models.local.language_model import LanguageModel
from horsesense.probes.winoventi.associations import own_words
from horsesense.probes.winoventi.nouns import Noun
from horsesense.probes.winoventi.schemas import Premise, Triplet, parse_premise
from horsesense.probes.winoventi.templates import statement, subject
from horsesense.probes.winoventi.tokens import marking_of, word_of
from horsesense.records import BLANK, Fill, ScoringSpec
from horsesense.scoring.fill import fill

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
_TOP = 50
_APART = 1.0
"""How much more probable, in nats, a word must be before its own outcome than before the other."""
_NEW_TOKENS = 32


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
    filled = iter(fill(model, texts, min(_TOP, len(model.tokenizer)), spec))

    def scored(fills: list[Fill]) -> dict[str, float]:
        tokens = model.tokenizer.convert_ids_to_tokens([one.ids[0] for one in fills])
        words = [word_of(token, marking) for token in tokens]
        return {word: one.logprob for word, one in zip(words, fills, strict=True) if word}

    found = []
    for triplet, noun in zip(triplets, nouns, strict=True):
        barred = own_words(noun) | {triplet.generic, triplet.exception}
        pairs = []
        for frame in FRAMES:
            pair = most_apart(scored(next(filled)), scored(next(filled)), barred)
            if pair is not None:
                before, _, after = _framed(frame, noun).partition(BLANK)
                pairs.append(Premise(before, pair[0], pair[1], after))
        found.append(pairs)
    return found


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


def prompt_of(triplet: Triplet, noun: Noun) -> str:
    """What a causal model is asked to go on with."""
    verb = "are" if noun.plural else "is"
    asked = f"{subject(noun)} {verb} [{triplet.generic} / {triplet.exception}]."
    shown = "".join(f"Outcome: {outcome}\nSentence: {premise}\n\n" for outcome, premise in EXAMPLES)
    return f"{shown}Outcome: {asked}\nSentence:"


def generated(
    writer: LanguageModel, triplet: Triplet, noun: Noun, samples: int, seed: int
) -> tuple[list[Premise], dict[str, int]]:
    """Distinct pairs that a causal model writes, and how many lines could not be read as one, by reason."""
    import torch

    if not writer.family.left_to_right:
        raise UserError(f"{writer.name} is not a causal model, so it cannot write", fix="--writer smollm2")
    ids = torch.tensor([writer.tokenizer(prompt_of(triplet, noun))["input_ids"]], device=writer.device)
    if ids.shape[1] + _NEW_TOKENS > writer.window:
        raise UserError(
            f"{writer.name} sees {writer.window} tokens, too few for the examples that it is shown",
            fix="use another --writer, or none",
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
    unread = {"lines without one pair of single words": 0, "pairs written twice": 0}
    for row in out[:, ids.shape[1] :]:
        line = writer.tokenizer.decode(row, skip_special_tokens=True).strip().partition("\n")[0].strip()
        try:
            premise = parse_premise(line)
        except UserError:
            unread["lines without one pair of single words"] += 1
            continue
        if premises.setdefault(str(premise), premise) is not premise:
            unread["pairs written twice"] += 1
    return list(premises.values()), unread
