"""Adjectives (section 3.2 of the paper): their classes, and which adjectives nouns have in text.

Lists say which adjectives are not used before nouns, which do not describe, and their class. The adjectives of nouns
are read from Google's syntactic n-grams, or found by a pattern in any corpus.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from horsesense.data import numbered_lines, read_table, read_text
from horsesense.errors import UserError
from horsesense.lexicons.corpus import read_sentences
from horsesense.lexicons.word_forms import is_adjective, noun_forms, plain_adjective
from horsesense.lexicons.wordnet import find_wordnet, read_similar
from horsesense.lexicons.words import words
from horsesense.methods.partwhole.pairs import Modifiers, clean_noun

_DATA = files("horsesense.methods.partwhole").joinpath("data")
OTHER = "other"
COLOUR = "colour"
_COPULAS = frozenset(("is", "are", "was", "were", "looks", "looked", "seems", "seemed"))
_DEGREES = frozenset(("very", "so", "too", "quite", "really", "rather"))


def read_words(path: Path) -> frozenset[str]:
    """Read the words of a list, separated by spaces or lines, with comments after ``#``."""
    lines = (line.partition("#")[0] for line in read_text(path).splitlines())
    return frozenset(word.lower() for line in lines for word in line.split())


@cache
def not_attributive() -> frozenset[str]:
    """Return adjectives that are not used before a noun: *awake* (section 3.2)."""
    return read_words(Path(str(_DATA.joinpath("not_attributive.txt"))))


@cache
def not_descriptive() -> frozenset[str]:
    """Return adjectives that select and do not describe: *first* (section 3.2)."""
    return read_words(Path(str(_DATA.joinpath("not_descriptive.txt"))))


@cache
def _classes() -> dict[str, str]:
    classes: dict[str, str] = {}
    for _, row in read_table(Path(str(_DATA.joinpath("adjective_classes.tsv"))), ("class", "adjectives")):
        for word in row["adjectives"].split():
            classes.setdefault(word, row["class"])  # copper is a colour first
    return classes


def adjective_class(adjective: str) -> str:
    """Return the class of an adjective; *other* where it is not listed.

    >>> [adjective_class(word) for word in ("green", "wooden", "tall", "nuclear", "postmodern")]
    ['colour', 'material', 'size', 'function', 'other']
    """
    return _classes().get(adjective.lower(), OTHER)


@cache
def _wordnet_adjectives() -> frozenset[str]:
    """Return the adjectives of WordNet, where it is installed: the inflection dictionary lacks "responsible"."""
    folder = find_wordnet()
    return frozenset() if folder is None else frozenset(read_similar(folder).heads)


def is_known_adjective(word: str) -> bool:
    """Return whether a dictionary or our list has the word as an adjective.

    >>> is_known_adjective("wooden"), is_known_adjective("brick"), is_known_adjective("hers")
    (True, True, False)
    """
    return is_adjective(word) or adjective_class(word) != OTHER or word in _wordnet_adjectives()


def is_colour(adjective: str) -> bool:
    """Return whether it is a colour, also of several words: *light blue*."""
    return adjective_class(adjective.rpartition(" ")[2]) == COLOUR


# Adjectives that nouns have in text.


def read_syntactic_ngrams(paths: Sequence[Path], nouns: Collection[str]) -> Modifiers:
    """Stream the ``amod`` arcs of Goldberg and Orwant's files.

    A line is ``head TAB tokens TAB count TAB counts by year``; a token is ``word/tag/relation/head``, its head
    counted from 1 among the tokens of the line.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    left_out: Counter[str] = Counter()
    for path in paths:
        for number, line in numbered_lines(path):
            try:
                _, ngram, total = line.split("\t")[:3]
                # A word may contain a slash ("and/or"), so the line is split from the right.
                tokens = [token.rsplit("/", 3) for token in ngram.split(" ")]
                for word, tag, relation, head in tokens:
                    if relation != "amod" or not tag.startswith("JJ"):
                        continue
                    noun = clean_noun(tokens[int(head) - 1][0])
                    if noun in nouns:
                        counts[noun][word.lower()] += int(total)
                    else:
                        left_out["arcs of other nouns"] += 1
            except (ValueError, IndexError):
                raise UserError(
                    "this is not a line of syntactic n-grams",
                    file=path,
                    line=number,
                    fix="a line has head, word/tag/relation/head …, count, counts by year, tabs between them",
                ) from None
    return Modifiers("ngrams", counts, "CC BY 3.0", left_out)


def read_text_modifiers(paths: Sequence[Path], nouns: Collection[str], licence: str = "") -> Modifiers:
    """Find adjectives before a noun (*old jeep*), or after it and a copula (*the jeep is very old*)."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    # Sorted, because two nouns may share a form ("leaves") and a set has no order.
    forms = {form: noun for noun in sorted(nouns) for form in noun_forms(noun)}
    for path in paths:
        for sentence in read_sentences(path):
            for noun, adjective in _described(words(sentence), forms):
                counts[noun][adjective] += 1
    return Modifiers("text", counts, licence)


def _described(tokens: Sequence[str], forms: dict[str, str]) -> Iterator[tuple[str, str]]:
    for place, token in enumerate(tokens):
        noun, end = forms.get(token), place + 1
        if end < len(tokens) and (pair := forms.get(f"{token} {tokens[end]}")):
            noun, end = pair, end + 1
        if noun is None:
            continue
        # "dog house": a noun before another noun is not a head.
        compound = end < len(tokens) and tokens[end] in forms
        if place and not compound and (adjective := plain_adjective(tokens[place - 1])):
            yield noun, adjective
        if end + 1 < len(tokens) and tokens[end] in _COPULAS:
            after = end + 2 if tokens[end + 1] in _DEGREES else end + 1
            last = after + 1 >= len(tokens) or tokens[after + 1] in ("and", "but", "because", "when", "or")
            if after < len(tokens) and last and (adjective := plain_adjective(tokens[after])):
                yield noun, adjective
