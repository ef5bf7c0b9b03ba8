"""The words that a model puts into a blank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from horsesense.core import BLANK, Fill, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.protocol import Model, Prompt

_CLOSING = " .,;:!?"
_BEGINS_WORD = ("Ġ", "▁")
_TRIED = 200
"""Tokens that are tried where words follow the blank: the best without these words."""
_TRIED_EACH = 4
"""The same, as a multiple of the requested words."""


def fill_blanks(model: Model, prompts: Sequence[str], k: int, spec: ScoringSpec) -> list[list[Fill]]:
    """Return the k most probable single tokens for the blank of each prompt, subwords included, best first.

    A left-to-right model does not see what follows the blank. Where words follow, its most probable next tokens are
    tried there, and ranked by their probability together with what follows (`_as_texts`).
    """
    if k < 1:
        raise UserError(f"the {k} best words of a blank are requested", fix="ask for 1 or more")
    cut = [_cut(prompt) for prompt in prompts]
    inside = [index for index, (_, after) in enumerate(cut) if model.scores_to_end and after.strip(_CLOSING)]
    filled: dict[int, list[Fill]] = {}
    if inside:
        tried = min(model.max_candidates, max(_TRIED, _TRIED_EACH * k))
        if k > tried:
            raise UserError(
                f"{model.name} lists at most {tried} next tokens, and {k} are requested", fix="ask for fewer"
            )
        starts = list(dict.fromkeys(cut[index][0] for index in inside))
        best = dict(zip(starts, model.best_words([f"{text}{BLANK}" for text in starts], tried, spec), strict=True))
        # A token that is only part of a character cannot be put into a text.
        whole = {text: [each for each in words if "\ufffd" not in each.word] for text, words in best.items()}
        texts = [(prompts[index], *cut[index], whole[cut[index][0]]) for index in inside]
        filled = dict(zip(inside, _as_texts(model, texts, k, spec), strict=True))
    rest = [index for index in range(len(prompts)) if index not in filled]
    if rest:
        filled |= dict(zip(rest, model.best_words([prompts[index] for index in rest], k, spec), strict=True))
    return [filled[index] for index in range(len(prompts))]


def _cut(prompt: str) -> tuple[str, str]:
    before, blank, after = prompt.partition(BLANK)
    if not blank or BLANK in after:
        raise UserError(f"the prompt {prompt!r} must have one blank {BLANK}")
    return before, after


def _as_texts(
    model: Model, tried: Sequence[tuple[str, str, str, Sequence[Fill]]], k: int, spec: ScoringSpec
) -> list[list[Fill]]:
    """Rank candidates as whole texts and return the k best per prompt.

    The log-probability of a token is that of itself and what follows it, among all tokens that were tried.
    """
    prompts = []
    for _, before, after, words in tried:
        start = len(before.rstrip())
        for form, each in zip(model.vocabulary_forms(words), words, strict=True):
            # Some tokenizers write a token without its leading space.
            spaced = f" {each.word.lstrip()}" if form.startswith(_BEGINS_WORD) else each.word
            text = before.rstrip() + spaced + after
            prompts.append(Prompt(text, start, len(text), whole=True))
    scored = iter(model.likelihoods(model.encode(prompts, spec), spec))
    filled = []
    for prompt, _, _, words in tried:
        values = np.array([float(next(scored).logprobs.sum()) for _ in words])
        values -= np.logaddexp.reduce(values)
        order = np.argsort(-values, kind="stable")[:k]
        best = ((words[index], float(values[index])) for index in order.tolist())
        filled.append([Fill(prompt, rank, each.word, each.ids, value) for rank, (each, value) in enumerate(best, 1)])
    return filled
