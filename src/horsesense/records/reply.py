"""What a model said where it was asked in letters or in words: kept as it came, so that it can be read anew."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to one question about an item."""

    item: str
    """Id of the item."""
    way: str
    """How it was asked: ``letters`` or ``words``."""
    rotation: int
    """By how many places the options were turned: the first one shown was option ``rotation``."""
    sample: int
    """Which draw of several, from 0."""
    request: str
    """SHA-256 of what was sent to a server; empty for a local model."""
    text: str
    """What it wrote; empty where only the next letter was read."""
    logprobs: tuple[float, ...]
    """Letters: the log-probability of each letter, in the order of the item's options; empty for words."""
    bounded: tuple[bool, ...]
    """Letters: whether a letter was outside what the server tells, so that its number is the most it can be."""
    parsed: int | None
    """The option that it names; None where none could be made out."""
    why: str
    """The rule that made it out, or why none did."""
    finish: str
    """``stop``: it ended by itself; ``length``: it was cut off."""
    prompt_tokens: int
    """Tokens of the question."""
    tokens: int
    """Of the reply."""
