"""The plainest way to the same numbers: one text at a time, every logit, float64 softmax, no shared code."""

from __future__ import annotations

import re
from typing import Any

import torch


def causal_tokens(network: Any, tokenizer: Any, text: str, border: int, bos: int | None) -> list[float]:
    """Log-probability of every token with a visible character at or after ``border``, left to right."""
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids = ([] if bos is None else [bos]) + encoded["input_ids"]
    shift = 0 if bos is None else 1
    logits = network(torch.tensor([ids])).logits[0].double()
    found = []
    for number, (start, end) in enumerate(encoded["offset_mapping"]):
        if not _reaches(text, start, end, border, len(text)):
            continue
        place = number + shift
        if place == 0:
            continue
        found.append(torch.log_softmax(logits[place - 1], dim=-1)[ids[place]].item())
    return found


def masked_tokens(network: Any, tokenizer: Any, text: str, border: int, end: int, unit: str) -> list[float]:
    """Pseudo-log-likelihood of the tokens between two characters.

    ``unit``: token (mask one), word (mask the rest of its word too), option (the rest of the stretch too).
    """
    encoded = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
    inside = [
        place
        for place, (a, b) in enumerate(offsets)
        if not encoded["special_tokens_mask"][place] and _reaches(text, a, b, border, end)
    ]
    words = _word_of_character(text)
    found = []
    for place in inside:
        masked = list(ids)
        for other in inside:
            mine, its = _word(text, offsets[place], words), _word(text, offsets[other], words)
            together = unit == "option" or (unit == "word" and mine == its)
            if other == place or (other > place and together):
                masked[other] = tokenizer.mask_token_id
        logits = network(torch.tensor([masked])).logits[0, place].double()
        found.append(torch.log_softmax(logits, dim=-1)[ids[place]].item())
    return found


def _reaches(text: str, start: int, end: int, border: int, stop: int) -> bool:
    visible = [place for place in range(start, end) if not text[place].isspace()]
    if not visible:
        # Nothing but space: it belongs to what comes next.
        return border <= end < stop
    return visible[0] < stop and visible[-1] >= border


def _word_of_character(text: str) -> dict[int, int]:
    """The number of the word that each character belongs to, found by splitting and not by spans."""
    numbers: dict[int, int] = {}
    place = count = 0
    for piece in re.split(r"(\s+)", text):
        if not piece or piece.isspace():
            place += len(piece)
            continue
        for part in re.findall(r"[\w]+(?:['’-][\w]+)*|[^\w]", piece):
            for _ in part:
                numbers[place] = count
                place += 1
            count += 1
    return numbers


def _word(text: str, span: tuple[int, int], words: dict[int, int]) -> int:
    start, end = span
    while start < end - 1 and text[start].isspace():
        start += 1
    return words.get(start, -1)
