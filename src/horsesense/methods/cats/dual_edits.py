"""The edits that make a dual: a negation put in or taken out, an antonym, arguments swapped around a verb (table 5).

A negation or an antonym changes what both sentences share, so that the sensible one becomes nonsense and the other
sense. Swapped around a symmetric verb, arguments keep what is sensible; around an asymmetric one they turn it round.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from horsesense.language.comparatives import PAIRS
from horsesense.language.negation import is_negation
from horsesense.language.valence import COMPARATIVES
from horsesense.language.words import AUXILIARIES, DETERMINERS, HEDGES, PREPOSITIONS, PRONOUNS, listed
from horsesense.methods.cats.sentence_pairs import Dual, Pair
from horsesense.methods.cats.steps import JOINING

_CONTRACTED = {
    "isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "can't": "can", "cannot": "can",
    "won't": "will", "wouldn't": "would", "couldn't": "could", "shouldn't": "should", "mustn't": "must",
    "hasn't": "has", "haven't": "have", "hadn't": "had",
}  # fmt: skip
_DENIED = {"doesn't": "VBZ", "don't": "VBP", "didn't": "VBD"}
_FULL_VERBS = frozenset(listed("do does did has have had"))
"""Auxiliaries that may be the verb itself ("has a coat"), where "not" cannot follow."""
_ADVERBS = frozenset(listed("even still just only really"))
"""Words that could be verbs and hardly ever are one behind "didn't"."""
_PLURAL = frozenset(listed("i you we they people"))
_BEFORE_VERBS = frozenset(
    listed("to can could will would shall should may might must do does did cannot can't won't don't doesn't didn't")
)
_BEFORE_ADJECTIVES = frozenset(
    listed(
        "is are was were be been being am very too so quite rather keep keeps kept stay stays stayed feel feels felt"
    )
)
"""Words behind which "open" is a state. A determiner tells less: "the light" is mostly a lamp."""
_BY_CLASS: dict[str, tuple[str, str]] = {
    "open": ("closed", "close"),
    "closed": ("open", ""),
    "slow": ("fast", ""),
    "empty": ("full", ""),
    "light": ("heavy", ""),
    "lower": ("higher", "raise"),
    "shorter": ("", ""),
}
"""Words whose antonym depends on what they are: as an adjective, and as a verb (empty: there is none that
fits; who is not shorter is taller, and what is not shorter is longer)."""
_MOST_WORDS = 4
"""Longer phrases hold clauses of their own, which a swap would tear apart."""
_IN_CLAUSES = AUXILIARIES | HEDGES | PREPOSITIONS | PRONOUNS
"""Words that no plain noun phrase has."""


# Negation.


def insert_negation(pair: Pair) -> Dual | None:
    """Put "not" behind the first auxiliary, or "do not" before a plain verb, where the sentence denies nothing yet.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> dual = insert_negation(pair_of(("A pan is for sleeping.", "A pan is for frying.")))
    >>> dual.options
    ('A pan is not for sleeping.', 'A pan is not for frying.')
    """
    shared = pair.shared()
    if any(word in ("not", "never", "no") or word.endswith("n't") or word in JOINING for _, word in shared):
        return None
    for place, word in shared:
        if word in AUXILIARIES and word not in _FULL_VERBS and word not in ("be", "been", "being"):
            if place == -1:
                return None
            if word == "can":
                return Dual(pair.edited(place, 1, ("cannot",)), "add", "negation inserted: cannot", True)
            return Dual(pair.edited(place + 1, 0, ("not",)), "add", f"negation inserted: {word} not", True)
    return _insert_do_not(pair)


def _insert_do_not(pair: Pair) -> Dual | None:
    """ "I like cake" has no auxiliary: a pronoun, then a verb in a form that only verbs have."""
    for (place, subject), (_, verb) in zip(enumerate(w.lower() for w in pair.before), pair.shared()[1:], strict=False):
        if subject not in _PLURAL | {"he", "she", "it"} or place + 1 >= pair.first:
            continue
        for tag, helper in (("VBD", "did"), ("VBZ", "does"), ("VBP", "do")):
            if (tag == "VBZ") == (subject in _PLURAL) and tag != "VBD":
                continue
            base = _base(verb, tag)
            if base:
                rule = f"negation inserted: {helper} not {base}"
                return Dual(pair.edited(place + 1, 1, (helper, "not", base)), "add", rule, True)
    return None


def remove_negation(pair: Pair) -> Dual | None:
    """Take the first negation out.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> remove_negation(pair_of(("He doesn't eat stones.", "He doesn't eat soup."))).options
    ('He eats stones.', 'He eats soup.')
    """
    words = pair.shared()
    for (place, word), following in zip(words, [*(w for _, w in words[1:]), ""], strict=True):
        if word == "not":
            return Dual(pair.edited(place, 1, ()), "delete", "negation removed: not", True)
        if word in _CONTRACTED:
            return Dual(pair.edited(place, 1, (_CONTRACTED[word],)), "delete", f"negation removed: {word}", True)
        if word in _DENIED and place + 1 not in (0, pair.first):
            form = _inflected(following, _DENIED[word])
            if form:
                return Dual(pair.edited(place, 2, (form,)), "delete", f"negation removed: {word} {following}", True)
    return None


@cache
def _base(word: str, tag: str) -> str:
    """The verb whose form this is, where it is a form of a verb with that tag; empty otherwise."""
    from lemminflect import getAllLemmas, getInflection

    lemmas = getAllLemmas(word, "VERB").get("VERB", ())
    return next((lemma for lemma in lemmas if word in getInflection(lemma, tag)), "")


@cache
def _inflected(lemma: str, tag: str) -> str:
    from lemminflect import getAllLemmas, getInflection

    if lemma in _ADVERBS or lemma not in getAllLemmas(lemma, "VERB").get("VERB", ()):
        return ""
    forms: tuple[str, ...] = getInflection(lemma, tag)
    return forms[0] if forms else ""


# Antonyms.


@cache
def antonyms() -> dict[str, str]:
    """Words and their antonyms, both ways; where a word has two, the first of the list counts."""
    text = files(__package__).joinpath("antonyms.txt").read_text(encoding="utf-8")
    pairs = [(word, antonym) for word, antonym in map(str.split, text.splitlines())] + list(PAIRS)
    antonym_of: dict[str, str] = {}
    for word, antonym in pairs:
        antonym_of.setdefault(word, antonym)
        antonym_of.setdefault(antonym, word)
    return antonym_of


def substitute_antonym(pair: Pair) -> Dual | None:
    """Replace the first shared word that has an antonym.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> substitute_antonym(pair_of(("Guests mostly like music.", "Guests barely like music."))).options
    ('Guests mostly hate music.', 'Guests barely hate music.')
    >>> substitute_antonym(pair_of(("Use a key to open it.", "Use a sock to open it."))).options
    ('Use a key to close it.', 'Use a sock to close it.')
    """
    for place, word in pair.shared():
        antonym = _antonym_here(pair, place, word) if word in _BY_CLASS else antonyms().get(word)
        if antonym:
            rule = f"antonym: {word} > {antonym}"
            return Dual(pair.edited(place, 1, (antonym,)), "substitute", rule, True)
    return None


def _antonym_here(pair: Pair, place: int, word: str) -> str:
    """The antonym of a word of several classes, by the word before it in both sentences; empty where unclear."""
    before = [_word_before(words, place) for words in pair.words]
    as_adjective, as_verb = _BY_CLASS[word]
    if all(word_before in _BEFORE_ADJECTIVES for word_before in before):
        return as_adjective
    return as_verb if all(word_before in _BEFORE_VERBS for word_before in before) else ""


def _word_before(words: tuple[str, ...], place: int) -> str:
    at = place if place >= 0 else len(words) + place
    return words[at - 1].lower() if at else ""


# Swapped arguments.


@cache
def _relations() -> list[tuple[str, str]]:
    """Relations with their kind, the longest first, since "is" may begin several."""
    lines = files(__package__).joinpath("relations.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    compared = [["asymmetric", f"{verb} {word} than"] for word in COMPARATIVES for verb in ("is", "are")]
    relations = [(relation, kind) for kind, relation in rows + compared]
    return sorted(relations, key=lambda entry: -len(entry[0]))


def swap_arguments(pair: Pair) -> Dual | None:
    """Turn "X relation Y" into "Y relation X" in both sentences.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> dual = swap_arguments(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale.")))
    >>> dual.options, dual.flips
    (('A hen is bigger than a cow.', 'A whale is bigger than a cow.'), True)
    """
    for relation, kind in _relations():
        first, second = (_swapped(text, relation) for text in pair.texts)
        if first and second:
            return Dual((first, second), "swap", f"{kind}: {relation}", kind == "asymmetric")
    return None


def _swapped(text: str, relation: str) -> str:
    parts = re.split(rf"\b{re.escape(relation)}\b", text.strip())
    if len(parts) != 2:
        return ""
    end = re.search(r"[.!?]*$", parts[1])
    mark = end[0] if end else ""
    left, right = parts[0].strip(), parts[1].strip().removesuffix(mark).strip()
    if not _is_phrase(left) or not _is_phrase(right):
        return ""
    begins = text[:1].isupper()
    first = left.split()[0]
    if begins and first.lower() in DETERMINERS | PRONOUNS:
        left = left[:1].lower() + left[1:]
    if begins:
        right = right[:1].upper() + right[1:]
    return f"{right} {relation} {left}{mark}"


def _is_phrase(text: str) -> bool:
    """Whether a text can be a noun phrase: short, and without a verb, a pronoun or a preposition.

    >>> _is_phrase("the brown cow"), _is_phrase("he used a spoon to")
    (True, False)
    """
    words = text.lower().split()
    plain = not any(word in _IN_CLAUSES or is_negation(word) for word in words)
    return 0 < len(words) <= _MOST_WORDS and plain and "," not in text
