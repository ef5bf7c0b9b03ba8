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
    places = [place for place, start in enumerate(starts) if in_stretch(prompt, start, echoed.ends[place])]
    if any(starts[place] < prompt.start or echoed.ends[place] > prompt.end for place in places):
        flags.append("straddle")
    if places and places[0] == 0 and (echoed.logprobs[0] is None or beginning.how == "none"):
        places = places[1:]
        flags.append("first-unscored")
    if not places:
        raise UserError(
            f"no token of {prompt.text[prompt.start : prompt.end]!r} remains to be scored",
            fix="it is a single token without anything before it",
        )
    return Likelihood(
        np.array([echoed.logprobs[place] for place in places], dtype=np.float32),
        tuple(starts[place] for place in places),
        tuple(echoed.ends[place] for place in places),
        tuple(flags),
        tuple(echoed.tokens[place] for place in places),
    )


def _first_character(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start
