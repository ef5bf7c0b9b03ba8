"""A negation put into both sentences of a pair, or taken out of both (table 5; "Add" and "Del" of table 6).

What a negation does to the key follows by logic only where the sentences are of a total order ("is bigger than") or
of WordNet's isa ("is a kind of"). Of other generic statements it is proposed: *lions have manes* and *lions have no
manes* are both wrong of some lions. Sentences about one event are left alone.
"""

from __future__ import annotations

from horsesense.methods.cats.dual_logic import compared, is_isa
from horsesense.methods.cats.generics import (
    MODALS,
    USUALLY,
    can_follow_the,
    is_base_verb,
    is_generic,
    is_kind,
    is_plural,
)
from horsesense.methods.cats.sentence_pairs import Dual, Ground, Pair

_DENIED = {
    "cannot": "can", "can't": "can", "isn't": "is", "aren't": "are", "shouldn't": "should", "don't": "",
}  # fmt: skip


def insert_negation(pair: Pair) -> Dual | None:
    """Deny both sentences: "is not", "cannot", "do not" before a plain verb.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> dual = insert_negation(pair_of(("A pan is for sleeping.", "A pan is for frying.")))
    >>> dual.options, dual.status
    (('A pan is not for sleeping.', 'A pan is not for frying.'), 'proposed')
    >>> insert_negation(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale."))).status
    'proved'
    >>> insert_negation(pair_of(("She put a hen into the pot.", "She put a whale into the pot.")))
    """
    if all(compared(text) for text in pair.texts):
        return _behind_be(pair, "order")
    if is_isa(pair):
        return _behind_be(pair, "isa")
    if not all(map(is_generic, pair.texts)):
        return None
    return _behind_auxiliary(pair) or _do_not(pair)


def _behind_be(pair: Pair, ground: Ground) -> Dual | None:
    for place, word in pair.shared():
        if word in ("is", "are"):
            return _negated(pair, place, word, ground)
    return None


def _negated(pair: Pair, place: int, word: str, ground: Ground = "guess") -> Dual | None:
    if place == -1:
        return None
    if word == "can":
        return Dual(pair.edited(place, 1, ("cannot",)), "add", "negation inserted: cannot", True, ground)
    return Dual(pair.edited(place + 1, 0, ("not",)), "add", f"negation inserted: {word} not", True, ground)


def _behind_auxiliary(pair: Pair) -> Dual | None:
    """The first auxiliary, where both sentences say of a kind what it is, can or should."""
    for place, word in pair.shared():
        if word not in MODALS | {"is", "are"}:
            continue
        subjects, following = zip(*(_around(words, place) for words in pair.words), strict=True)
        if word in MODALS:
            good = all(map(is_kind, subjects))
        else:
            good = all(
                (is_kind(subject) or (subject[:1] == ["the"] and len(subject) < 4 and can_follow_the(after)))
                and not after.endswith("ing")
                for subject, after in zip(subjects, following, strict=True)
            )
        return _negated(pair, place, word) if good else None
    return None


def _around(words: tuple[str, ...], place: int) -> tuple[list[str], str]:
    """The words before a place, in lower case, and the word behind it."""
    at = place if place >= 0 else len(words) + place
    subject = [word.lower() for word in words[:at]]
    return subject, words[at + 1].lower() if at + 1 < len(words) else ""


def _do_not(pair: Pair) -> Dual | None:
    """ "People usually sleep", "boats sail": a plural, and a verb without an auxiliary."""
    before = [word.lower() for word in pair.before]
    for place, word in enumerate(before[1:], start=1):
        subject = before[:place]
        if word in USUALLY - {"always", "often"} and place + 1 < len(before):
            continue  # who often does not may as often do
        subject = [each for each in subject if each not in USUALLY]
        if not (subject and is_kind(subject) and is_plural(subject[-1])):
            return None
        if is_base_verb(word) and not (is_plural(word) and word not in ("like", "use", "need", "have")):
            return Dual(pair.edited(place, 0, ("do", "not")), "add", f"negation inserted: do not {word}", True)
        return None
    return None


def remove_negation(pair: Pair) -> Dual | None:
    """Take the one negation out of both.

    >>> from horsesense.methods.cats.sentence_pairs import pair_of
    >>> remove_negation(pair_of(("Dogs cannot eat stones.", "Dogs cannot eat meat."))).options
    ('Dogs can eat stones.', 'Dogs can eat meat.')
    >>> remove_negation(pair_of(("He is not ill.", "He is not tin.")))
    """
    for place, word in pair.shared():
        if word != "not" and word not in _DENIED:
            continue
        removed, words = word, tuple(_DENIED.get(word, "").split())
        options = pair.edited(place, 1, words)
        removed_do = tuple(text.replace(" do ", " ") if removed == "not" else text for text in options)
        plain = (removed_do[0], removed_do[1])
        ground: Ground = "order" if all(compared(text) for text in plain) else "guess"
        if ground == "guess" and not _statement(plain):
            return None
        return Dual(plain, "delete", f"negation removed: {removed}", True, ground)
    return None


def _statement(texts: tuple[str, str]) -> bool:
    """Whether what is left is a generic statement to which a negation could be put again."""
    from horsesense.methods.cats.sentence_pairs import pair_of

    pair = pair_of(texts)
    return pair is not None and all(map(is_generic, texts)) and bool(_behind_auxiliary(pair) or _do_not(pair))
