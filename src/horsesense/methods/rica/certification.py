"""What the lexical operators rest on: every pair of the lexicon, who certified it, and what WordNet says of it.

A logical operator is proved to say the same; a lexical one is as good as the pair of phrases behind it. Each pair has a
status (`lexicon.STATUSES`), and single adjectives are held against WordNet: two that have a sense in common, or are
similar to one head, are confirmed as a paraphrase; two that are opposed, themselves or by their heads, as an antonym.
WordNet is only asked, never taken from: it knows words, not which sense is meant. Where a language model certified a
pair, that model's own score on statements with it is no headline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from horsesense.knowledge.wordnet import Similar, read_similar
from horsesense.methods.rica.lexicon import OPPOSED, Lexicon, Phrase
from horsesense.records.document import Document


@dataclass(frozen=True, slots=True)
class CertifiedPair:
    """Two phrases that stand for each other, one of them perhaps turned round."""

    phrase: str
    """With its scale where that is not more and less."""
    operator: str
    """antonym, paraphrase or inversion."""
    other: str
    """What takes its place."""
    status: str
    """Who certified it: written, model or people."""
    wordnet: str
    """confirmed, not confirmed, or empty where it cannot be looked up: a phrase, or another scale."""


@dataclass(frozen=True, slots=True)
class LexiconCheck(Document):
    """The pairs behind the lexical operators."""

    pairs: tuple[CertifiedPair, ...]
    """In the order of the lexicon."""
    statuses: dict[str, int]
    """Pairs by status."""
    wordnet: dict[str, int]
    """Pairs by what WordNet says; none where it is not here."""


def check_lexicon(lexicon: Lexicon, folder: Path | None) -> LexiconCheck:
    """Every pair of a lexicon, held against WordNet where that is here."""
    similar = None if folder is None else read_similar(folder)
    pairs = tuple(_pairs(lexicon, similar))
    looked = Counter(pair.wordnet or "cannot be looked up" for pair in pairs) if similar else Counter()
    return LexiconCheck(pairs, dict(Counter(pair.status for pair in pairs)), dict(looked))


def _pairs(lexicon: Lexicon, similar: Similar | None) -> Iterator[CertifiedPair]:
    turned = {entry.antonym for entry in lexicon.entries.values() if entry.antonym}
    for phrase, entry in lexicon.entries.items():
        if phrase in turned and lexicon.head(phrase.text, phrase.pair)[1] != "phrase":
            continue  # the entry of an antonym is the same one from the other side
        for operator, other in entry.senses():
            said = "" if similar is None else _looked_up(phrase, other, operator in OPPOSED, similar)
            yield CertifiedPair(_written(phrase), operator, _written(other), entry.status, said)


def _written(phrase: Phrase) -> str:
    text = phrase.text or "is *"
    return text if phrase.pair[0] == "more" else f"{phrase.pair[0]}: {text}"


def _looked_up(phrase: Phrase, other: Phrase, opposed: bool, similar: Similar) -> str:
    words = phrase.text.removeprefix("be "), other.text.removeprefix("be ")
    if phrase.pair != other.pair or any(word not in similar.heads for word in words):
        return ""
    found = similar.are_opposed(*words) if opposed else similar.are_alike(*words)
    return "confirmed" if found else "not confirmed"
