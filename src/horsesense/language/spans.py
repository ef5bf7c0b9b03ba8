"""Words as spans of characters: the same for every model, whatever its tokenizer."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word; a punctuation mark is a word of its own, an inner one is not.

    Tokenizers disagree on words ("18th" is two for RoBERTa, "two-week" three for BERT), so
    nothing that is compared across models may rest on theirs.

    >>> text = "The two-week trip wasn't long."
    >>> [text[start:end] for start, end in word_spans(text)]
    ['The', 'two-week', 'trip', "wasn't", 'long', '.']
    """
    return [match.span() for match in _WORD.finditer(text)]
