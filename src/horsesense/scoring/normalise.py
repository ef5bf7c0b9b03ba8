"""One score per option, derived from its tokens: sum, mean, per word, per character, PMI. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from horsesense.core import FORMS, Answer, Item, ScoringSpec
from horsesense.core.answer import NO_TOKENS
from horsesense.core.answer_columns import StoredAnswers
from horsesense.core.spec import Normalisation
from horsesense.errors import UserError, argument
from horsesense.lexicons.words import words_between
from horsesense.scoring.prompts import item_prompts
from horsesense.stats.accuracy import Rows

NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)
OF_SUMS: tuple[Normalisation, ...] = ("sum", "word", "character")
"""Normalisations that need only sums and the texts of the options."""

BY_FORM: dict[str, Normalisation] = {"sentences": "mean", "cloze": "sum", "choice": "mean", "pair": "sum"}
"""Defaults where neither the user nor the card says: whole sentences by the mean over tokens (as in Zhou
et al. 2020); options of a blank by the joint probability, since all else is the same; answers of unequal length by the
mean."""


def normalised(answer: Answer, item: Item, spec: ScoringSpec, how: Normalisation) -> tuple[float, ...]:
    """Return the option scores under a normalisation.

    >>> item = Item(probe="demo", form="sentences", options=("Ice is cold.", "Ice is hot."))
    >>> answer = Answer(item.id, "sentences", scores=(-6.0, -8.0), logprobs=((-3.0, -3.0), (-4.0, -4.0)))
    >>> normalised(answer, item, ScoringSpec(), "mean")
    (-3.0, -4.0)
    """
    if not answer.logprobs and answer.flags[:1] == (NO_TOKENS,):
        return _without_tokens(answer.scores, item, spec, how)
    if how == "sum" or not answer.logprobs:
        return answer.scores
    if how == "mean":
        return tuple(s / len(tokens) for s, tokens in zip(answer.scores, answer.logprobs, strict=True))
    if how == "character":
        lengths = [ends[-1] - starts[0] for starts, ends in zip(answer.starts, answer.ends, strict=True)]
        return tuple(score / max(1, length) for score, length in zip(answer.scores, lengths, strict=True))
    if how == "word":
        firsts, lasts = [starts[0] for starts in answer.starts], [ends[-1] for ends in answer.ends]
        return _by_word(answer.scores, item, spec, firsts, lasts)
    if not answer.baseline:
        raise _no_baseline()
    return tuple(score - without for score, without in zip(answer.scores, answer.baseline, strict=True))


def normalised_rows(
    answers: StoredAnswers, items: Sequence[Item], forms: NDArray[np.int8], spec: ScoringSpec, how: Normalisation | None
) -> Rows:
    """`normalised` for all answers, column by column; only words are counted item by item.

    ``forms`` has the index of each item's form in `FORMS`; ``how`` None: the default of that form.
    """
    scores, begins = answers.numbers("scores")
    tokens, options = answers.numbers("tokens")
    (firsts, indices), (lasts, _) = answers.numbers("first"), answers.numbers("last")
    rows, counts, has_tokens = scores.astype(np.float64), np.diff(begins), np.diff(options) > 0
    by_form = np.array([NORMALISATIONS.index(BY_FORM[form]) for form in FORMS])
    hows = by_form[forms] if how is None else np.full(len(answers), NORMALISATIONS.index(how))
    summed, mean, word, character, pmi = (hows == number for number in range(len(NORMALISATIONS)))
    singly = (~has_tokens & answers.first_flag_is(NO_TOKENS) & ~summed) | (has_tokens & word)
    with np.errstate(
        divide="ignore", invalid="ignore"
    ):  # an option without a token has no mean, which is reported later
        if (chosen := has_tokens & mean).any():
            rows[np.repeat(chosen, counts)] /= tokens[np.repeat(chosen, np.diff(options))]
    if (chosen := has_tokens & character).any():
        rows[np.repeat(chosen, counts)] /= np.maximum(1, (lasts - firsts)[np.repeat(chosen, np.diff(indices))])
    if (chosen := has_tokens & pmi).any():
        without, beside = answers.numbers("baseline")
        if (np.diff(beside)[chosen] != counts[chosen]).any():
            raise _no_baseline()
        rows[np.repeat(chosen, counts)] -= without[np.repeat(chosen, np.diff(beside))]
    if singly.any():
        spec = _asked(spec)  # once for all, since creating a spec checks it
        for index, item in enumerate(items):
            if not singly[index]:
                continue
            here, conditional = slice(begins[index], begins[index + 1]), slice(indices[index], indices[index + 1])
            sums = scores[here].tolist()
            if has_tokens[index]:
                rows[here] = _by_word(sums, item, spec, firsts[conditional].tolist(), lasts[conditional].tolist())
            else:
                rows[here] = _without_tokens(sums, item, spec, NORMALISATIONS[hows[index]])
    return Rows(rows, begins)


def _by_word(
    scores: Sequence[float], item: Item, spec: ScoringSpec, firsts: Sequence[int], lasts: Sequence[int]
) -> tuple[float, ...]:
    """Score by the words between the first token of each option and its last."""
    # Whether the text after a blank is scored depends on the family, so the stretch is that of the tokens.
    prompts = item_prompts(item, _asked(spec), scores_to_end=True).prompts
    counts = [
        words_between(prompt.text, first, last) for prompt, first, last in zip(prompts, firsts, lasts, strict=True)
    ]
    return tuple(score / max(1, count) for score, count in zip(scores, counts, strict=True))


def _asked(spec: ScoringSpec) -> ScoringSpec:
    """Return the spec of the prompt itself, without the PMI baseline."""
    return replace(spec, baseline=False) if spec.baseline else spec


def _no_baseline() -> UserError:
    return UserError("PMI needs scores without the question", fix=f"run with {argument('spec', 'baseline=true')}")


def _without_tokens(scores: Sequence[float], item: Item, spec: ScoringSpec, how: Normalisation) -> tuple[float, ...]:
    """Normalise the sums of a log by the lengths of the scored texts, computed from the item."""
    if how == "sum":
        return tuple(scores)
    if how not in ("character", "word"):
        raise UserError(f"the log has no tokens, so there is no {how} over them", fix="use sum, word or character")
    prompts = item_prompts(item, _asked(spec), scores_to_end=True).prompts
    lengths = [
        len(prompt.text[prompt.start : prompt.end].strip())
        if how == "character"
        else words_between(prompt.text, prompt.start, prompt.end)
        for prompt in prompts
    ]
    return tuple(score / max(1, length) for score, length in zip(scores, lengths, strict=True))


def parse_normalisation(text: str) -> Normalisation:
    for how in NORMALISATIONS:
        if how == text:
            return how
    raise UserError(f"the normalisation {text!r} is unknown", fix=f"use one of {', '.join(NORMALISATIONS)}")
