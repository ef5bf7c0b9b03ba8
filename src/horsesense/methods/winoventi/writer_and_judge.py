"""Models of other lineages as writers and judges: exceptions (section 2.3), their plausibility, premises (2.5).

Each prompt has a few solved examples: as earlier turns for a chat model, else as one text. A judge is only used if it
first distinguishes valid triplets from invalid ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.lexicons.words import words
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.builder import OWN
from horsesense.methods.winoventi.circumstances import Circumstances
from horsesense.methods.winoventi.nouns import Noun, statement, subject
from horsesense.methods.winoventi.schemas import PremisePair, Triplet, parse_premise, read_triplets
from horsesense.models.protocol import Choices, Model, Sampling, Turn

_PROPOSED = 3
"""Number of words to request from a writer."""
_TRIED = 40
"""Number of triplets of each kind in the trial of a judge."""
_CHANCE = 0.01
"""Significance level of the trial of a judge."""
_VERDICTS = ("yes", "Yes", "no", "No")


@dataclass(frozen=True, slots=True)
class FewShotPrompt:
    """A kind of prompt, with solved examples."""

    instruction: str
    examples: tuple[tuple[str, str], ...]
    """Questions and answers."""
    answer: str
    """Label before an answer in a text prompt."""
    tokens: int
    """Maximum number of tokens of an answer."""

    def turn(self, asked: str, model: Model) -> Turn:
        """Return a conversation for a chat model, else one text up to the answer."""
        if model.can("chat"):
            (first, solved), *others = self.examples
            turns = [("user", f"{self.instruction}\n\n{first}"), ("assistant", solved)]
            turns += [
                turn for question, answer_text in others for turn in (("user", question), ("assistant", answer_text))
            ]
            return Turn(messages=(*turns, ("user", asked)))
        solved_text = "".join(f"{question}\n{self.answer} {answer_text}\n\n" for question, answer_text in self.examples)
        return Turn(f"{self.instruction}\n\n{solved_text}{asked}\n{self.answer}")


# Exceptions.

_WORDS = FewShotPrompt(
    "Name three adjectives that are true of the thing when the statement is false. Give the three words and no others.",
    (("The road is dry.", "wet, muddy, flooded"), ("The baby is asleep.", "awake, crying, restless")),
    "Adjectives:",
    24,
)


def propose_exceptions(
    writer: Model, associations: Sequence[Association], nouns: Mapping[str, Noun]
) -> list[list[Triplet]]:
    """Ask a writer for adjectives that hold if the association does not; empty without a usable word."""
    turns = [_WORDS.turn(statement(nouns[each.noun], each.word), writer) for each in associations]
    replies = writer.continuations(turns, Sampling(_WORDS.tokens)) if turns else []
    proposals = []
    for each, reply in zip(associations, replies, strict=True):
        lines = reply[0].text.strip().splitlines()
        reply_words = words(next((line for line in lines if "," in line), lines[0] if lines else ""))
        fitting = [
            word for word in dict.fromkeys(reply_words) if word.isalpha() and word not in ("not", each.word, each.noun)
        ]
        proposals.append([Triplet(each.noun, each.word, word, "writer", each.k) for word in fitting[:_PROPOSED]])
    return proposals


# Plausibility.

_VERDICT = FewShotPrompt(
    "Can it happen that the first sentence is true, and is the second one false then? Answer yes or no.",
    (
        ("1. The road is wet. 2. The road is dry.", "yes"),
        ("1. The road is happy. 2. The road is dry.", "no"),
        ("1. The road is grey. 2. The road is dry.", "no"),
        ("1. The baby is awake. 2. The baby is asleep.", "yes"),
    ),
    "Answer:",
    4,
)


def verdicts(
    judge: Model, triplets: Sequence[Triplet], nouns: Mapping[str, Noun], spec: ScoringSpec
) -> list[bool | None]:
    """Ask a judge about each triplet: whether the exception can hold, and whether the generic word is then false.

    None: the answer is neither yes nor no.
    """
    turns = [_VERDICT.turn(_both(each, nouns[each.noun]), judge) for each in triplets]
    if not turns:
        return []
    if judge.can("next"):
        return [_likelier(each) for each in judge.choices(turns, [_VERDICTS] * len(turns), spec)]
    replies = judge.continuations(turns, Sampling(_VERDICT.tokens))
    first_words = [words(reply[0].text)[:1] for reply in replies]
    return [True if first == ["yes"] else False if first == ["no"] else None for first in first_words]


def _both(triplet: Triplet, noun: Noun) -> str:
    return f"1. {statement(noun, triplet.exception)} 2. {statement(noun, triplet.generic)}"


def _likelier(choices: Choices) -> bool | None:
    if all(choices.bounded):  # a server only returns the most likely words, and none of these is among them
        return None
    half = len(_VERDICTS) // 2
    best = [max(choices.logprobs[start : start + half]) for start in (0, half)]
    return None if best[0] == best[1] else best[0] > best[1]


@dataclass(frozen=True, slots=True)
class JudgeTrial:
    """Trial of a judge on valid and invalid triplets."""

    valid: int
    """Number of valid triplets that it accepts."""
    invalid: int
    """Number of invalid triplets that it accepts."""
    tried: int
    """Number of triplets of each kind."""

    @property
    def believed(self) -> bool:
        """Whether it accepts valid triplets significantly more often (Fisher's exact test)."""
        from scipy.stats import fisher_exact

        counts = [[self.valid, self.tried - self.valid], [self.invalid, self.tried - self.invalid]]
        return bool(fisher_exact(counts, alternative="greater").pvalue < _CHANCE)

    @property
    def in_words(self) -> str:
        accepted = f"it accepts {self.valid} of {self.tried} valid triplets, and {self.invalid} of {self.tried} "
        return f"{accepted}whose states were reassigned to nouns of other types"


def try_judge(judge: Model, table: Circumstances, spec: ScoringSpec, seed: int = 0) -> JudgeTrial:
    """Try a judge on triplets of the shipped set, and on the same states with nouns that they do not fit."""
    valid, invalid = trial_triplets(table, seed)
    nouns = {each.noun: Noun.of(each.noun) for each in (*valid, *invalid)}
    answers = verdicts(judge, [*valid, *invalid], nouns, spec)
    return JudgeTrial(answers[: len(valid)].count(True), answers[len(valid) :].count(True), len(valid))


def trial_triplets(table: Circumstances, seed: int = 0) -> tuple[list[Triplet], list[Triplet]]:
    """Return valid triplets, and their states reassigned to nouns of none of their types."""
    rng = Random(seed)
    shipped = read_triplets(OWN)
    rng.shuffle(shipped)
    types = {each.noun: table.types_of(Noun.of(each.noun)) for each in shipped}
    typed = [each for each in shipped if types[each.noun]][:_TRIED]
    others = [[noun for noun in types if not types[noun] & types[each.noun]] for each in typed]
    return typed, [
        Triplet(rng.choice(nouns), each.generic, each.exception) for each, nouns in zip(typed, others, strict=True)
    ]


# Premises.

_PREMISE = FewShotPrompt(
    "Write one sentence in which a choice of two single words makes one outcome or the other likely. Do not name the "
    "outcomes.",
    (
        ("The road is [dry / wet].", "The road was quiet under the [sun / rain]."),
        ("The baby is [asleep / awake].", "Everyone in the house [whispered / sang] to the baby."),
        ("The bag is [light / heavy].", "Mia lifted the bag with one [finger / groan]."),
        ("The milk is [fresh / sour].", "Leo bought the milk [today / weeks] ago and tasted it."),
        ("The door is [open / locked].", "Nora [walked / knocked] when she came to the door."),
    ),
    "Sentence:",
    48,
)


def write_premise_pairs(
    writer: Model, triplets: Sequence[Triplet], nouns: Sequence[Noun], samples: int, seed: int
) -> tuple[list[list[PremisePair]], int]:
    """Let a model write premises; return the distinct pairs per triplet, and the number of unusable replies."""
    turns = [_PREMISE.turn(_outcomes(*both), writer) for both in zip(triplets, nouns, strict=True)]
    replies = writer.continuations(turns, Sampling(_PREMISE.tokens, 0.8, samples, seed)) if turns else []
    pairs_by_triplet = [[_pair_in(each.text) for each in several] for several in replies]
    distinct = [{str(pair): pair for pair in pairs if pair is not None} for pairs in pairs_by_triplet]
    return [list(each.values()) for each in distinct], sum(pair is None for pairs in pairs_by_triplet for pair in pairs)


def _pair_in(reply: str) -> PremisePair | None:
    """Return the first pair in a reply; a copied example does not count."""
    for line in reply.strip().splitlines():
        try:
            premise = parse_premise(line.strip().removeprefix(_PREMISE.answer).strip(' "“”*'))
        except UserError:
            continue
        return None if any(str(premise) in shown for shown in _PREMISE.examples) else premise
    return None


def _outcomes(triplet: Triplet, noun: Noun) -> str:
    return f"{subject(noun)} {'are' if noun.plural else 'is'} [{triplet.generic} / {triplet.exception}]."
