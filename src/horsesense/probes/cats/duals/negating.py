"""Negation put in or taken out, in what both sentences share: the sensible one becomes nonsense and the other sense."""

from __future__ import annotations

from functools import cache

from horsesense.language.words import AUXILIARIES, listed
from horsesense.probes.cats.clauses import JOINING
from horsesense.probes.cats.duals.pair import Dual, Pair

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


def insert_negation(pair: Pair) -> Dual | None:
    """Put "not" behind the first auxiliary, or "do not" before a plain verb, where the sentence denies nothing yet.

    >>> from horsesense.probes.cats.duals.pair import pair_of
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
    return _with_do(pair)


def _with_do(pair: Pair) -> Dual | None:
    """ "I like cake" has no auxiliary: a pronoun, then a verb in a form that only verbs have."""
    for (place, subject), (_, verb) in zip(enumerate(w.lower() for w in pair.before), pair.shared()[1:], strict=False):
        if subject not in _PLURAL | {"he", "she", "it"} or place + 1 >= pair.first:
            continue
        for tag, helper in (("VBD", "did"), ("VBZ", "does"), ("VBP", "do")):
            if (tag == "VBZ") == (subject in _PLURAL) and tag != "VBD":
                continue
            base = _base(verb, tag)
            if base:
                told = f"negation inserted: {helper} not {base}"
                return Dual(pair.edited(place + 1, 1, (helper, "not", base)), "add", told, True)
    return None


def remove_negation(pair: Pair) -> Dual | None:
    """Take the first negation out.

    >>> from horsesense.probes.cats.duals.pair import pair_of
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
