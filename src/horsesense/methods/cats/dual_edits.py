"""Edits that turn a pair of sentences into its dual: negation, comparison, opposites, names (tables 5 and 6).

Each edit takes a `Pair`, two sentences that differ in one place, and returns a `Dual` or None.

- Comparisons on one scale are a total order: of two things that differ, one is bigger. So "x is bigger than y" and
  "y is bigger than x" are never both true nor both false, and "x is smaller than y" says the same as the second.
  Containing, causing or eating are not orders: that x does not contain z does not make z contain x.
- The effect of a negation on the key follows by logic only for a total order or for isa links of WordNet. For other
  generic statements it is proposed: *lions have manes* and *lions have no manes* are both wrong of some lions.
  Sentences about one event are left alone.
- A shared word of a generic statement is replaced by its opposite: frequency (usually, rarely), quantity (most, few),
  liking, and what follows "is" in one clause. Other antonyms change what the sentence is about.
- Exchanging two first names in all words but those that differ reverses the key if names carry no knowledge. That is
  a judgement about names, so it is proposed. Only listed first names are exchanged: Ovid cannot have read Shakespeare.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from horsesense.errors import UserError
from horsesense.lexicons.word_forms import OPPOSITES, PAIRS, is_known, is_negation, is_noun, singular, verb_form
from horsesense.lexicons.words import (
    AUXILIARIES,
    DETERMINERS,
    HEDGES,
    PREPOSITIONS,
    PRONOUNS,
    listed,
    word_spans,
    words,
    zipf,
)
from horsesense.methods.cats.generics import (
    MODALS,
    USUALLY,
    can_follow_the,
    is_base_verb,
    is_generic,
    is_kind,
    is_plural,
)

if TYPE_CHECKING:
    from horsesense.lexicons.graph import Graph

Method = Literal["add", "delete", "substitute", "swap"]
Status = Literal["proved", "asserted", "proposed"]
Ground = Literal["order", "isa", "names", "keys", "guess"]
PROVING: frozenset[Ground] = frozenset({"order", "isa"})
"""Grounds from which a key follows by logic; that names can be exchanged is a judgement about names."""


@dataclass(frozen=True, slots=True)
class Dual:
    """A pair after one edit."""

    options: tuple[str, str]
    method: Method
    """The paper's name of the edit: add, delete, substitute or swap."""
    edit: str
    """The edit and its words."""
    flips: bool
    """Whether the other sentence is now the right one."""
    ground: Ground = "guess"
    """What the key rests on: a total order (also of numbers), isa links of WordNet, names that seem to carry no
    knowledge, published keys, or a guess."""

    @property
    def status(self) -> Status:
        """``proved`` where the key follows by logic, ``asserted`` where people gave it, else ``proposed``."""
        return "proved" if self.ground in PROVING else "asserted" if self.ground == "keys" else "proposed"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences as words; the words before ``first`` and those after the edits are the same in both."""

    texts: tuple[str, str]
    words: tuple[tuple[str, ...], tuple[str, ...]]
    first: int
    """Number of shared words at the beginning."""
    last: int
    """Number of shared words at the end."""

    @property
    def before(self) -> tuple[str, ...]:
        return self.words[0][: self.first]

    @property
    def after(self) -> tuple[str, ...]:
        return self.words[0][len(self.words[0]) - self.last :]

    @property
    def middles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words in which they differ."""
        one, other = (words[self.first : len(words) - self.last] for words in self.words)
        return one, other

    def shared(self) -> list[tuple[int, str]]:
        """Return words outside the edit in lower case with their index, negative where counted from the end."""
        ahead = [(place, word.lower()) for place, word in enumerate(self.before)]
        return ahead + [(place - self.last, word.lower()) for place, word in enumerate(self.after)]

    def edited(self, place: int, count: int, words: tuple[str, ...]) -> tuple[str, str]:
        """Return both sentences with ``count`` words from ``place`` on replaced; spaces and punctuation stay."""
        first_text, second_text = (_edited(text, place, count, words) for text in self.texts)
        return first_text, second_text


def pair_of(texts: tuple[str, str]) -> Pair | None:
    """Return the pair, or None where the sentences share no word, so that they are not one sentence with an edit."""
    one, other = (tuple(text[start:end] for start, end in word_spans(text)) for text in texts)
    first, last = shared_ends((one, other))
    return None if first + last == 0 or texts[0] == texts[1] else Pair(texts, (one, other), first, last)


def shared_ends(texts: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return the number of words that texts share at their beginning, and of the others at their end.

    >>> shared_ends([["a", "red", "hat"], ["a", "hat"]])
    (1, 1)
    """
    fewest = min(map(len, texts))
    first = next((n for n in range(fewest) if len({words[n] for words in texts}) > 1), fewest)
    rest = fewest - first
    return first, next((n for n in range(rest) if len({words[-1 - n] for words in texts}) > 1), rest)


def _edited(text: str, place: int, count: int, words: tuple[str, ...]) -> str:
    spans = word_spans(text)
    at = place if place >= 0 else len(spans) + place
    begin = spans[at][0] if at < len(spans) else len(text)
    end = spans[at + count - 1][1] if count else begin
    new = " ".join(words)
    if new and text[begin:end][:1].isupper():
        new = new[:1].upper() + new[1:]
    if not count:
        return f"{text[:begin].rstrip()} {new} {text[end:].lstrip()}".strip()
    left, right = text[:begin], text[end:]
    if not new:
        left, right = left.rstrip(), right.lstrip()
        gap = " " if left and right and re.match(r"[\w“(‘\"]", right) else ""
        return left + gap + right
    return left + new + right


SCALES = frozenset(word for pair in PAIRS for word in pair) - {
    "better",
    "worse",
    "easier",
    "harder",
    "safer",
    "riskier",
}
"""Comparatives of one measurable scale; better and easier depend on the purpose."""
_COMPARED = re.compile(
    r"(?P<left>.+?) (?P<be>is|are) (?P<not>not )?(?P<more>\w+) than (?P<right>.+?)(?P<end>[.!?]*)\s*"
)
_ISA = re.compile(
    r"(?:the |an? )?(?P<thing>[\w -]+?) (?:(?:is|are) an? (?:(?:kind|type|form|sort) of )?(?P<kind>[\w -]+)"
    r"|are (?P<kinds>[\w -]+s))[.]*"
)
_NUMBERS = frozenset(listed("zero one two three four five six seven eight nine ten eleven twelve twenty fifty ninety"))
_MOST_WORDS = 7
"""Longer phrases contain clauses, which a swap would break."""
_IN_CLAUSES = AUXILIARIES | HEDGES | (PREPOSITIONS - {"of"}) | PRONOUNS
"""Words that a plain noun phrase does not contain."""


class Compared(NamedTuple):
    """A comparison of two things on one scale."""

    left: str
    be: str
    more: str
    right: str
    end: str


def compared(text: str) -> Compared | None:
    """Parse a sentence that is a comparison without a negation, and nothing else.

    >>> compared("A cow is bigger than a hen.").right, compared("A cow contains a hen.")
    ('a hen', None)
    """
    match = _COMPARED.fullmatch(text.strip())
    if match is None or match["not"] or match["more"].lower() not in SCALES:
        return None
    if not _is_phrase(match["left"]) or not _is_phrase(match["right"]):
        return None
    return Compared(match["left"], match["be"], match["more"], match["right"], match["end"])


def _is_phrase(text: str) -> bool:
    """Return whether a text can be a noun phrase: short, and without a verb, a pronoun or a preposition.

    >>> _is_phrase("the brown cow"), _is_phrase("he used a spoon to")
    (True, False)
    """
    each = text.lower().split()
    plain = not any(word in _IN_CLAUSES or is_negation(word) for word in each)
    return 0 < len(each) <= _MOST_WORDS and plain and "," not in text


def swap_arguments(pair: Pair) -> Dual | None:
    """Turn "X is bigger than Y" into "Y is bigger than X" in both sentences.

    >>> from horsesense.methods.cats.dual_edits import pair_of
    >>> dual = swap_arguments(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale.")))
    >>> dual.options, dual.flips, dual.status
    (('A hen is bigger than a cow.', 'A whale is bigger than a cow.'), True, 'proved')
    """
    first, second = (compared(text) for text in pair.texts)
    if first is None or second is None:
        return None
    options = _swapped(first, pair.texts[0]), _swapped(second, pair.texts[1])
    if set(options) == set(pair.texts):
        return None  # the same question again
    return Dual(options, "swap", f"arguments swapped: {first.more}", True, "order")


def _swapped(each: Compared, text: str) -> str:
    left, right = each.left, each.right
    if text[:1].isupper():
        if _is_common(left.split()):
            left = left[:1].lower() + left[1:]
        right = right[:1].upper() + right[1:]
    be = "are" if _is_many(each.right) else "is"
    return f"{right} {be} {each.more} than {left}{each.end}"


def _is_common(phrase: Sequence[str]) -> bool:
    """Return whether a phrase is not a name, so that its capital only marks the start of a sentence."""
    first = phrase[0].lower()
    return first in DETERMINERS | _NUMBERS or (is_known(first) and not any(word[:1].isupper() for word in phrase[1:]))


def _is_many(phrase: str) -> bool:
    head = phrase.lower().partition(" of ")[0].split()[-1]
    return singular(head) != head


def converse(pair: Pair) -> Dual | None:
    """Replace a comparative by the other pole of its scale in both sentences.

    >>> from horsesense.methods.cats.dual_edits import pair_of
    >>> converse(pair_of(("A cow is bigger than a hen.", "A cow is bigger than a whale."))).options
    ('A cow is smaller than a hen.', 'A cow is smaller than a whale.')
    """
    if not all(compared(text) for text in pair.texts):
        return None
    for place, word in pair.shared():
        # The opposite of shorter is taller for people and longer for things.
        if word in SCALES and word != "shorter" and place != -1:
            edit = f"other pole: {word} > {OPPOSITES[word]}"
            return Dual(pair.edited(place, 1, (OPPOSITES[word],)), "substitute", edit, True, "order")
    return None


# Isa links of WordNet.


def is_isa(pair: Pair) -> bool:
    """Return whether WordNet supports exactly one of the sentences, in any sense of their words."""
    claims = [_claim(text) for text in pair.texts]
    if any(claim is None for claim in claims):
        return False
    held = [_holds(*claim) for claim in claims if claim is not None]
    return None not in held and sorted(bool(each) for each in held) == [False, True]


def _claim(text: str) -> tuple[str, str] | None:
    match = _ISA.fullmatch(" ".join(text.lower().split()))
    if match is None or any(is_negation(word) for word in words(text)):
        return None
    thing, kind = singular(match["thing"]), singular(match["kind"] or match["kinds"])
    return (thing, kind) if len(thing.split()) <= 2 and len(kind.split()) <= 2 else None


@cache
def _holds(thing: str, kind: str) -> bool | None:
    """Return whether a sense of the thing is below a sense of the kind; None where WordNet lacks a word."""
    graph = _wordnet()
    if graph is None:
        return None
    things, kinds = (
        [concept for concept in graph.by_lemma.get(word, ()) if graph.pos[concept] == "n"] for word in (thing, kind)
    )
    if not things or not kinds:
        return None
    return any(not graph.up.reached(concept).isdisjoint(kinds) for concept in things)


@cache
def _wordnet() -> Graph | None:
    from horsesense.lexicons.sources import open_graph

    try:
        return open_graph("wordnet")
    except UserError:  # without WordNet no isa link is proved
        return None


_DENIED = {
    "cannot": "can", "can't": "can", "isn't": "is", "aren't": "are", "shouldn't": "should", "don't": "",
}  # fmt: skip


def insert_negation(pair: Pair) -> Dual | None:
    """Negate both sentences: "is not", "cannot", "do not" before a plain verb.

    >>> from horsesense.methods.cats.dual_edits import pair_of
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
    """Insert "not" after the first auxiliary, where both sentences say what a kind is, can or should."""
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
    """Return the words before an index in lower case, and the word after it."""
    at = place if place >= 0 else len(words) + place
    subject = [word.lower() for word in words[:at]]
    return subject, words[at + 1].lower() if at + 1 < len(words) else ""


def _do_not(pair: Pair) -> Dual | None:
    """ "People usually sleep", "boats sail": a plural, and a verb without an auxiliary."""
    before = [word.lower() for word in pair.before]
    for place, word in enumerate(before[1:], start=1):
        subject = before[:place]
        if word in USUALLY - {"always", "often"} and place + 1 < len(before):
            continue  # someone who often does not may as often do
        subject = [each for each in subject if each not in USUALLY]
        if not (subject and is_kind(subject) and is_plural(subject[-1])):
            return None
        if is_base_verb(word) and not (is_plural(word) and word not in ("like", "use", "need", "have")):
            return Dual(pair.edited(place, 0, ("do", "not")), "add", f"negation inserted: do not {word}", True)
        return None
    return None


def remove_negation(pair: Pair) -> Dual | None:
    """Remove the one negation from both sentences.

    >>> from horsesense.methods.cats.dual_edits import pair_of
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
    """Return whether the remaining words are a generic statement that could be negated."""
    pair = pair_of(texts)
    return pair is not None and all(map(is_generic, texts)) and bool(_behind_auxiliary(pair) or _do_not(pair))


_HE_AND_SHE = frozenset(listed("he him his himself she her hers herself father mother son daughter brother sister"))

_RARE = 2.0
"""Zipf frequency below which a string is probably not a word: "thoughit"."""


@cache
def _first_names() -> dict[str, str]:
    """Return first names in lower case with their gender: ``female`` or ``male``."""
    text = Path(__file__).with_name("first_names.txt").read_text(encoding="utf-8")
    return {
        name: kind
        for line in text.splitlines()
        if line and not line.startswith("#")
        for kind, *names in (line.lower().split(),)
        for name in names
    }


def exchange_names(pair: Pair) -> Dual | None:
    """Exchange two names wherever both sentences have them.

    >>> from horsesense.methods.cats.dual_edits import pair_of
    >>> dual = exchange_names(pair_of(("Ann fed Susan because Ann was kind.", "Ann fed Susan because Susan was kind.")))
    >>> dual.options, dual.status
    (('Susan fed Ann because Ann was kind.', 'Susan fed Ann because Susan was kind.'), 'proposed')
    """
    if any(len(middle) != 1 for middle in pair.middles) or not _is_sound(pair):
        return None
    one, other = (_name(middle[0]).lower() for middle in pair.middles)
    kinds = {_first_names().get(name, "") for name in (one, other)}
    if "" in kinds or (len(kinds) > 1 and not _HE_AND_SHE.isdisjoint(words(pair.texts[0]))):
        return None
    shared = list(enumerate(pair.before)) + [(place - pair.last, word) for place, word in enumerate(pair.after)]
    places = {name: [(at, word) for at, word in shared if _name(word).lower() == name] for name in (one, other)}
    if not all(places.values()) or any(not word[0].isupper() for positions in places.values() for _, word in positions):
        return None
    called = {name: _name(positions[0][1]) for name, positions in places.items()}
    exchanged = pair
    for name, instead in ((one, other), (other, one)):
        for at, word in places[name]:
            texts = exchanged.edited(at, 1, (word.replace(called[name], called[instead]),))
            exchanged = replace(exchanged, texts=texts)
    return Dual(exchanged.texts, "swap", f"names exchanged: {called[one]}, {called[other]}", True, "names")


def _name(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _is_sound(pair: Pair) -> bool:
    """Return whether the text is intact: some published ones join words or lack the 's of names (*Ann legs*)."""
    following = pair.after[0].lower() if pair.after else ""
    noun = is_noun(following) and following not in AUXILIARIES and verb_form(following)[1] != "past"
    headless = noun or following == '"'
    possessive = any(middle[0].endswith(("'s", "’s")) for middle in pair.middles)
    known = _first_names()
    odd = [
        word
        for word in map(str.lower, (*pair.before, *pair.after))
        if word.isalpha() and zipf(word) < _RARE and word not in known
    ]
    return (possessive or not headless) and not odd


_BEFORE = frozenset(("is", "are", "a", "an", "very", "be", "usually", "often"))


@cache
def _opposites() -> dict[str, dict[str, str]]:
    """Return words with their opposites by kind (often, many, verb, predicate); the first listed opposite counts."""
    text = Path(__file__).with_name("opposites.txt").read_text(encoding="utf-8")
    opposites: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            kind, word, opposite = line.split()
            opposites.setdefault(kind, {}).setdefault(word, opposite)
    return opposites


def substitute_opposite(pair: Pair) -> Dual | None:
    """Replace the first shared word that has an opposite in its context.

    >>> from horsesense.methods.cats.dual_edits import pair_of
    >>> substitute_opposite(pair_of(("People usually sleep at night.", "People usually sleep at work."))).options
    ('People rarely sleep at night.', 'People rarely sleep at work.')
    >>> substitute_opposite(pair_of(("The tea was hot.", "The ice was hot.")))
    """
    if not all(map(is_generic, pair.texts)):
        return None
    for place, word in pair.shared():
        opposite = _here(pair, place, word)
        if opposite:
            edit = f"opposite: {word} > {opposite}"
            return Dual(pair.edited(place, 1, (opposite,)), "substitute", edit, True)
    return None


def _here(pair: Pair, place: int, word: str) -> str:
    """Return the opposite of a word in its context in both sentences; empty where there is none."""
    before = [[each.lower() for each in words[: place if place >= 0 else len(words) + place]] for words in pair.words]
    kinds = _opposites()
    subject_ends = all(is_kind([each for each in words if each not in kinds["often"]]) for words in before)
    if word in kinds["often"] and subject_ends:
        return kinds["often"][word]
    if word in kinds["verb"] and subject_ends:
        return kinds["verb"][word]
    if word in kinds["many"] and all(words in ([], ["there", "are"]) for words in before) and not _of(pair, place):
        return kinds["many"][word]
    if word in kinds["predicate"] and all(_is_predicate(words) for words in before):
        return kinds["predicate"][word]
    return ""


def _of(pair: Pair, place: int) -> bool:
    """Return whether "of" follows: "most of the surface" has no "few"."""
    return any(words[place + 1 : place + 2] == ("of",) for words in pair.words)


def _is_predicate(before: list[str]) -> bool:
    """Return whether the words before an adjective are a kind of thing and "is", "are a", "is very"."""
    at = next((place for place, word in enumerate(before) if word in ("is", "are")), None)
    return at is not None and is_kind(before[:at]) and all(word in _BEFORE for word in before[at:])
