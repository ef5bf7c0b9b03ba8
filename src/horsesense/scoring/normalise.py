"""One number an option, derived from its tokens: sum, mean, per word, per character, PMI. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from horsesense.analysis.accuracy import Rows
from horsesense.errors import UserError, argument
from horsesense.language.words import word_spans
from horsesense.records import FORMS, Answer, Item, ScoringSpec
from horsesense.records.answer import NO_TOKENS
from horsesense.records.answer_columns import StoredAnswers
from horsesense.scoring.prompts import item_prompts

Normalisation = Literal["sum", "mean", "word", "character", "pmi"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)
OF_SUMS: tuple[Normalisation, ...] = ("sum", "word", "character")
"""Those that need no tokens but the options' texts."""

BY_FORM: dict[str, Normalisation] = {"sentences": "mean", "cloze": "sum", "choice": "mean", "pair": "sum"}
"""Where neither the user nor the card says: whole sentences by the mean over tokens (as CATs does); options of
a blank by the joint probability, since all else is the same; answers of unequal length by the mean."""


def normalised(answer: Answer, item: Item, spec: ScoringSpec, how: Normalisation) -> tuple[float, ...]:
    """The option scores under a normalisation.

    >>> item = Item(probe="demo", form="sentences", options=("Ice is cold.", "Ice is hot."))
    >>> answer = Answer(item.id, "sentences", scores=(-6.0, -8.0), logprobs=((-3.0, -3.0), (-4.0, -4.0)))
    >>> normalised(answer, item, ScoringSpec(), "mean")
    (-3.0, -4.0)
    """
    if not answer.logprobs and answer.flags[:1] == (NO_TOKENS,):
        return _without_tokens(answer, item, spec, how)
    if how == "sum" or not answer.logprobs:
        return answer.scores
    if how == "mean":
        return tuple(s / len(tokens) for s, tokens in zip(answer.scores, answer.logprobs, strict=True))
    if how == "character":
        lengths = [ends[-1] - starts[0] for starts, ends in zip(answer.starts, answer.ends, strict=True)]
        return tuple(score / max(1, length) for score, length in zip(answer.scores, lengths, strict=True))
    if how == "word":
        # What follows a blank is scored or not by family, so the stretch is that of the tokens themselves.
        prompts = item_prompts(item, _asked(spec), asks_what_follows=True).prompts
        counts = [
            sum(starts[0] <= start < ends[-1] for start, _ in word_spans(prompt.text))
            for prompt, starts, ends in zip(prompts, answer.starts, answer.ends, strict=True)
        ]
        return tuple(score / max(1, count) for score, count in zip(answer.scores, counts, strict=True))
    if not answer.baseline:
        raise _no_baseline()
    return tuple(score - without for score, without in zip(answer.scores, answer.baseline, strict=True))


def normalised_rows(
    answers: StoredAnswers, items: Sequence[Item], forms: NDArray[np.int8], spec: ScoringSpec, how: Normalisation | None
) -> Rows:
    """`normalised` of all answers, column by column; only words are counted item by item.

    ``forms`` has the place of each item's form in `FORMS`; ``how`` None: as that form has it.
    """
    scores, begins = answers.numbers("scores")
    _, tokens, options = answers.per_option("logprobs")
    rows, counts, has_tokens = scores.astype(np.float64), np.diff(begins), np.diff(options) > 0
    by_form = np.array([NORMALISATIONS.index(BY_FORM[form]) for form in FORMS])
    hows = by_form[forms] if how is None else np.full(len(answers), NORMALISATIONS.index(how))
    summed, mean, word, character, pmi = (hows == number for number in range(len(NORMALISATIONS)))
    singly = (~has_tokens & answers.first_flag_is(NO_TOKENS) & ~summed) | (has_tokens & word)
    with np.errstate(divide="ignore", invalid="ignore"):  # an option without a token has no mean, which is told later
        if (chosen := has_tokens & mean).any():
            rows[np.repeat(chosen, counts)] /= np.diff(tokens)[np.repeat(chosen, np.diff(options))]
    if (chosen := has_tokens & character).any():
        lengths, options = _stretches(answers)
        rows[np.repeat(chosen, counts)] /= np.maximum(1, lengths[np.repeat(chosen, np.diff(options))])
    if (chosen := has_tokens & pmi).any():
        without, beside = answers.numbers("baseline")
        if (np.diff(beside)[chosen] != counts[chosen]).any():
            raise _no_baseline()
        rows[np.repeat(chosen, counts)] -= without[np.repeat(chosen, np.diff(beside))]
    if singly.any():
        spec = _asked(spec)  # once for all, since a spec is checked whenever one is made
        for place, (answer, item) in enumerate(zip(answers, items, strict=True)):
            if singly[place]:
                found = normalised(answer, item, spec, NORMALISATIONS[hows[place]])
                rows[begins[place] : begins[place + 1]] = found
    return Rows(rows, begins)


def _stretches(answers: StoredAnswers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Characters from the first token of an option to its last, and where each answer's options begin."""
    (starts, first, options), (ends, last, _) = answers.per_option("starts"), answers.per_option("ends")
    stretches, some = np.zeros(len(first) - 1, np.int64), np.diff(first) > 0
    stretches[some] = ends[last[1:][some] - 1].astype(np.int64) - starts[first[:-1][some]]
    return stretches, options


def _asked(spec: ScoringSpec) -> ScoringSpec:
    """What was asked with the question, without what was asked beside it."""
    return replace(spec, baseline=False) if spec.baseline else spec


def _no_baseline() -> UserError:
    return UserError("PMI needs scores without the question", fix=f"run with {argument('spec', 'baseline=true')}")


def _without_tokens(answer: Answer, item: Item, spec: ScoringSpec, how: Normalisation) -> tuple[float, ...]:
    """Sums that a log has, by the lengths of what was scored as the item tells them."""
    if how == "sum":
        return answer.scores
    if how not in ("character", "word"):
        raise UserError(f"the log has no tokens, so there is no {how} over them", fix="use sum, word or character")
    prompts = item_prompts(item, _asked(spec), asks_what_follows=True).prompts
    lengths = [
        len(prompt.text[prompt.start : prompt.end].strip())
        if how == "character"
        else sum(prompt.start <= start < prompt.end for start, _ in word_spans(prompt.text))
        for prompt in prompts
    ]
    return tuple(score / max(1, length) for score, length in zip(answer.scores, lengths, strict=True))


def parse_normalisation(text: str) -> Normalisation:
    for how in NORMALISATIONS:
        if how == text:
            return how
    raise UserError(f"the normalisation {text!r} is unknown", fix=f"use one of {', '.join(NORMALISATIONS)}")
