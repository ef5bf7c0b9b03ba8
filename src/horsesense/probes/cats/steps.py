"""Inference steps by rule: the logical operations of a sentence (section "Number of Inference Steps").

The paper's example has "and", "but" and "since" between its clauses and is counted as three steps. So each word
that joins clauses is one operation, and so is each sentence that follows another, and "is against common sense",
which denies a quoted statement (table 1 writes it ¬). A sentence without any is one step: to see that it holds.
"""

from __future__ import annotations

import re

from horsesense.probes.cats.clauses import connectives

_NEXT_SENTENCE = re.compile(r"[.?!][\"')”]*\s+(?=[\"'(“]?\w)")
_DENIED = "is against common sense"


def steps(sentence: str) -> int:
    """How many operations a sentence asks for.

    >>> steps("Trains are slow and they cost a lot, but since they are clean, we should take them.")
    3
    >>> steps("a spoon is used for eating soup"), steps("He opens the box. He looks in.")
    (1, 1)
    """
    operations = len(connectives(sentence)) + len(_NEXT_SENTENCE.findall(sentence)) + sentence.count(_DENIED)
    return max(1, operations)
