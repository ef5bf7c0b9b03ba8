"""Prompts for a server, and the scored stretch of its echo."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.models.api.bos import BosPlacement
from horsesense.models.api.protocol import Echoed
from horsesense.models.protocol import Likelihood, Prompt, in_stretch

CHARACTERS_A_TOKEN = 4
"""Estimate of the work, since only the server knows its tokens."""


@dataclass(frozen=True, slots=True)
class ServedPrompt:
    """A prompt to send."""

    prompt: Prompt

    @property
    def length(self) -> int:
        return 1 + len(self.prompt.text) // CHARACTERS_A_TOKEN

    @property
    def cost(self) -> int:
        return self.length


def scored_stretch(echoed: Echoed, prompt: Prompt, beginning: BosPlacement) -> Likelihood:
    """Return the scored tokens, as a local model has them."""
    flags = []
    starts = [_first_character(prompt.text, start, end) for start, end in zip(echoed.starts, echoed.ends, strict=True)]
    indices = [index for index, start in enumerate(starts) if in_stretch(prompt, start, echoed.ends[index])]
    if any(starts[index] < prompt.start or echoed.ends[index] > prompt.end for index in indices):
        flags.append("straddle")
    if indices and indices[0] == 0 and (echoed.logprobs[0] is None or beginning.how == "none"):
        indices = indices[1:]
        flags.append("first-unscored")
    if not indices:
        raise UserError(
            f"no token of {prompt.text[prompt.start : prompt.end]!r} remains to be scored",
            fix="it is a single token without anything before it",
        )
    return Likelihood(
        np.array([echoed.logprobs[index] for index in indices], dtype=np.float32),
        tuple(starts[index] for index in indices),
        tuple(echoed.ends[index] for index in indices),
        tuple(flags),
        tuple(echoed.tokens[index] for index in indices),
    )


def _first_character(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
