"""From a vocabulary's tokens to words: what is a whole word, and what is only a piece of one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Marking = Literal["Ġ", "▁", "##", ""]
"""How a vocabulary tells a word from a piece: a mark before words (byte-level BPE, SentencePiece), a mark before
pieces (WordPiece), or not at all."""

_ENOUGH = 0.02


def marking_of(vocabulary: Iterable[str]) -> Marking:
    """The marking that a fair share of the tokens has.

    >>> marking_of(["Ġcold", "Ġhot", "ing"]), marking_of(["cold", "##ing"]), marking_of(["a", "b"])
    ('Ġ', '##', '')
    """
    tokens = list(vocabulary)
    marks: tuple[Marking, ...] = ("Ġ", "▁", "##")
    counts = {mark: sum(token.startswith(mark) for token in tokens) for mark in marks}
    best = max(marks, key=lambda mark: counts[mark])
    return best if counts[best] > _ENOUGH * len(tokens) else ""


def word_of(token: str, marking: Marking) -> str:
    """The word that a token is, in lower case; empty for a piece of a word, a sign, a number or one letter.

    >>> [word_of(token, "Ġ") for token in ("ĠCold", "ing", "Ġa", "Ġ42", "<mask>")]
    ['cold', '', '', '', '']
    """
    if marking == "##":
        bare = "" if token.startswith("##") else token
    elif marking:
        bare = token.removeprefix(marking) if token.startswith(marking) else ""
    else:
        bare = token
    return bare.lower() if len(bare) > 1 and bare.isalpha() else ""


def literal_word_of(token: str) -> str:
    """The paper's own rule: any token of two characters or more without a number sign is a word.

    Pieces of a byte-level vocabulary pass it, and so does a lone letter behind its mark.

    >>> [literal_word_of(token) for token in ("ĠCold", "ing", "##ing", "a", "Ġa")]
    ['Cold', 'ing', '', '', 'a']
    """
    return token.lstrip("Ġ▁") if "#" not in token and len(token) > 1 else ""
