"""Forms of words: inflection and articles, comparatives and valence, negated clauses, stems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from horsesense.lexicons.words import FUNCTION_WORDS, listed, words, zipf

BE = frozenset(listed("is was are were am"))
MODALS = frozenset(listed("can could will would shall should may might must"))
_ADVERBS = frozenset(listed("always often never still also usually sometimes rarely just only"))
_BE_FORMS = {"be": "be", **dict.fromkeys((*BE, "been", "being"), "be")}
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[iu](?!n)|s[aeiu]|r[aeiou]|t[ei]|k|f|b[io]))|(?:hour|honest|honou?r|heir)")
_NOT_VOWEL = re.compile(r"(?:eu|ewe|one(?!i)|once|ouija)")
_HAVE_DO = {"has": "have", "had": "have", "does": "do", "did": "do"}


@cache
def lemmas_of(word: str) -> dict[str, tuple[str, ...]]:
    """Part of speech → the lemmas that a word may be a form of; nothing where the dictionary does not have it."""
    import lemminflect

    lemmas: dict[str, tuple[str, ...]] = lemminflect.getAllLemmas(word)
    return lemmas


@cache
def inflect(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a lemma under a tag of the Penn Treebank, the usual one first."""
    import lemminflect

    forms: tuple[str, ...] = lemminflect.getInflection(lemma, tag)
    return forms


@cache
def verb_form(word: str) -> tuple[str, str]:
    """Lemma and kind of a verb: ``base``, ``present`` (he runs), ``past``, ``gerund``; two empty texts for no verb.

    A form that is the lemma too ("hurt", "put") counts as base.

    >>> verb_form("runs"), verb_form("won"), verb_form("see"), verb_form("table-cloth")
    (('run', 'present'), ('win', 'past'), ('see', 'base'), ('', ''))
    """
    if word in _BE_FORMS:
        return "be", "base" if word == "be" else "gerund" if word == "being" else "past" if word == "was" else "present"
    if word in _HAVE_DO:
        return _HAVE_DO[word], "past" if word in ("had", "did") else "present"
    for lemma in lemmas_of(word).get("VERB", ()):
        for tag, kind in (("VB", "base"), ("VBZ", "present"), ("VBD", "past"), ("VBN", "past"), ("VBG", "gerund")):
            if word == lemma or word in inflect(lemma, tag):
                return lemma, "base" if word == lemma else kind
    return "", ""


@cache
def is_adjective(word: str) -> bool:
    """Whether a word can be one; participles of verbs count.

    >>> [is_adjective(word) for word in ("fragile", "annoyed", "crumple", "clean")]
    [True, True, False, True]
    """
    if "ADJ" in lemmas_of(word):
        return True
    return verb_form(word)[1] in ("past", "gerund") and word.endswith(("ed", "ing", "en"))


def is_noun(word: str) -> bool:
    return "NOUN" in lemmas_of(word)


@cache
def gerund(phrase: str) -> str:
    """The phrase with its first verb in -ing.

    >>> gerund("fit into a box"), gerund("turned on the heater"), gerund("was eating soup"), gerund("swimming")
    ('fitting into a box', 'turning on the heater', 'eating soup', 'swimming')
    """
    first, _, rest = phrase.partition(" ")
    lemma, kind = verb_form(first)
    if first in BE and rest and verb_form(rest.split(" ")[0])[1] == "gerund":
        return rest
    if not lemma or kind == "gerund":
        return phrase
    in_ing = "being" if lemma == "be" else next(iter(inflect(lemma, "VBG")), first)
    return f"{in_ing} {rest}".strip()


@cache
def third_person(lemma: str) -> str:
    """What he does.

    >>> third_person("carry"), third_person("have"), third_person("be")
    ('carries', 'has', 'is')
    """
    irregular = {"be": "is", "have": "has", "do": "does"}
    return irregular.get(lemma) or next(iter(inflect(lemma, "VBZ")), lemma)


@cache
def is_finite(clause: str) -> bool:
    """Whether a clause begins with a verb that has person and tense.

    >>> is_finite("bakes bread"), is_finite("finally sat down"), is_finite("bake bread"), is_finite("tired")
    (True, True, False, False)
    """
    first = clause.split(" ")[0]
    if first in BE or first in MODALS or first == "cannot":
        return True
    finite = finite_verb(clause)
    alone = finite == clause and is_adjective(finite)
    return verb_form(finite)[1] in ("present", "past") and not alone


def finite_verb(clause: str) -> str:
    """The finite verb: the first word, unless that is an adverb."""
    words = clause.split(" ")
    if len(words) > 1 and (words[0] in _ADVERBS or words[0].endswith("ly")):
        return words[1]
    return words[0]


@cache
def singular(noun: str) -> str:
    """The noun in the singular; a word that is one already stays as it is.

    >>> singular("window panes"), singular("leaves"), singular("glass"), singular("sheep")
    ('window pane', 'leaf', 'glass', 'sheep')
    """
    import lemminflect

    before, _, last = noun.rpartition(" ")
    lemmas: tuple[str, ...] = lemminflect.getAllLemmas(last, "NOUN").get("NOUN", ())
    if not lemmas:
        # Words that no dictionary has are left alone, but for the plainest plural.
        guessed: tuple[str, ...] = lemminflect.getAllLemmasOOV(last, "NOUN").get("NOUN", (last,))
        lemmas = guessed if last.endswith("s") and not last.endswith(("ss", "us")) else (last,)
    # "leaves" are leaves far more often than several leaves of absence.
    in_f = next((lemma for lemma in lemmas if last.endswith("ves") and lemma.endswith(("f", "fe"))), lemmas[0])
    chosen = last if last in lemmas else in_f
    return f"{before} {chosen}".strip()


@cache
def noun_forms(noun: str) -> tuple[str, ...]:
    """Singular and plural.

    >>> noun_forms("parking lot"), noun_forms("knife"), noun_forms("sheep")
    (('parking lot', 'parking lots'), ('knife', 'knives'), ('sheep',))
    """
    before, _, last = noun.rpartition(" ")
    forms = dict.fromkeys((last, *inflect(last, "NNS")))
    return tuple(f"{before} {form}".strip() for form in forms)


def is_known(word: str) -> bool:
    """Whether the dictionary has the word at all, as any part of speech.

    >>> is_known("leaf"), is_known("zorble")
    (True, False)
    """
    return bool(lemmas_of(word))


def article(word: str) -> str:
    """Return the indefinite article before a word, by its usual pronunciation.

    >>> [article(word) for word in ("owl", "unicorn", "umbrella", "hour", "european", "university", "easier")]
    ['an', 'a', 'an', 'an', 'a', 'a', 'an']
    """
    lower = word.lower()
    return "an" if _VOWEL.match(lower) and not _NOT_VOWEL.match(lower) else "a"


def with_article(phrase: str) -> str:
    """The phrase with its indefinite article.

    >>> with_article("alligator")
    'an alligator'
    """
    return f"{article(phrase)} {phrase}"


PAIRS = (
    ("more", "less"),
    ("better", "worse"),
    ("easier", "harder"),
    ("hotter", "colder"),
    ("warmer", "cooler"),
    ("taller", "shorter"),
    ("longer", "shorter"),
    ("bigger", "smaller"),
    ("larger", "smaller"),
    ("greater", "lesser"),
    ("higher", "lower"),
    ("heavier", "lighter"),
    ("stronger", "weaker"),
    ("faster", "slower"),
    ("richer", "poorer"),
    ("older", "younger"),
    ("brighter", "darker"),
    ("louder", "quieter"),
    ("thicker", "thinner"),
    ("wider", "narrower"),
    ("deeper", "shallower"),
    ("safer", "riskier"),
    ("happier", "sadder"),
    ("cleaner", "dirtier"),
    ("smarter", "dumber"),
    ("closer", "farther"),
    ("earlier", "later"),
    ("sooner", "later"),
    ("tidier", "messier"),
    ("drier", "wetter"),
    ("sharper", "blunter"),
    ("smoother", "rougher"),
)
"""Positive pole first, as in the analysis of positivity bias (Zhou et al. 2021, section 5)."""

NEUTRAL_PAIRS = (("before", "after"),)
"""Pairs of which neither pole is the good one."""

# A word of several pairs belongs to the first: who is shorter is less tall.
PAIR_OF = {word: pair for pair in reversed((*PAIRS, *NEUTRAL_PAIRS)) for word in pair}
OPPOSITES = {word: pair[pair[0] == word] for word, pair in PAIR_OF.items()}
"""The other pole of each comparative."""

_OTHER_SENSE = frozenset(("harder", "easier", "longer", "greater", "lesser", "closer", "farther", "higher", "lower"))
"""Comparatives whose pair is not about the adjective itself: what is harder may be less easy, not less soft."""

_POLES = frozenset(word for pair in PAIRS for word in pair)
_ATTESTED = 2.5
"""Zipf frequency above which a comparative in -er is a word: "wider" is, "fragiler" is not."""


def is_comparative(word: str) -> bool:
    """Whether a lower-case word is one of the known comparatives that have a good or greater pole.

    >>> is_comparative("hotter"), is_comparative("otter")
    (True, False)
    """
    return word in _POLES


@cache
def comparative_of(adjective: str) -> str:
    """The comparative in -er of a short adjective; empty where people say "more".

    >>> comparative_of("wide"), comparative_of("happy"), comparative_of("fragile"), comparative_of("open")
    ('wider', 'happier', '', '')
    """
    stem = adjective.removesuffix("e")
    beats = sum(a in "aeiouy" and b not in "aeiouy" for a, b in zip(stem, f"{stem[1:]} ", strict=True))
    if "ADJ" not in lemmas_of(adjective) or not (beats == 1 or (beats == 2 and adjective.endswith("y"))):
        return ""
    formed = next(iter(inflect(adjective, "JJR")), "")
    return formed if formed != adjective and zipf(formed) >= _ATTESTED else ""


@cache
def natural_comparative(adjective: str) -> str:
    """The comparative that has an opposite of its own, so that it can stand for *more* and *less*; otherwise empty.

    >>> natural_comparative("old"), natural_comparative("light"), natural_comparative("kind")
    ('older', 'lighter', '')
    """
    formed = next(iter(inflect(adjective, "JJR")), "")
    return formed if formed in _POLES and formed not in _OTHER_SENSE else ""


@cache
def is_comparative_form(word: str) -> bool:
    """Whether a lower-case word is an adjective in -er: known as a comparative, and not only as somebody who does it.

    >>> [is_comparative_form(word) for word in ("denser", "tougher", "teacher", "worse", "wide")]
    [True, True, False, True, False]
    """
    if word in OPPOSITES:
        return True
    return any(word != lemma and word in inflect(lemma, "JJR") for lemma in lemmas_of(word).get("ADJ", ()))


@cache
def adjective_forms(adjective: str) -> tuple[str, ...]:
    """The adjective with its comparative and superlative, where they are one word and real.

    >>> adjective_forms("old"), adjective_forms("wooden")
    (('old', 'older', 'oldest'), ('wooden',))
    """
    if not comparative_of(adjective):
        return (adjective,)
    compared = (form for tag in ("JJR", "JJS") for form in inflect(adjective, tag)[:1])
    return tuple(dict.fromkeys((adjective, *compared)))


@cache
def plain_adjective(word: str) -> str:
    """Return the adjective of a comparative or superlative; empty where a word is not an adjective, or mostly a verb.

    >>> plain_adjective("oldest"), plain_adjective("wooden"), plain_adjective("holding"), plain_adjective("over")
    ('old', 'wooden', '', '')
    """
    if word in FUNCTION_WORDS or word == "like" or not is_adjective(word):
        return ""
    lemmas = lemmas_of(word).get("ADJ", ())
    if not lemmas:
        # "holding hands" is not a kind of hands; "painted hands" is.
        return "" if word.endswith("ing") else word
    return word if word in lemmas else lemmas[0]


_GOOD = listed("""
good great nice fine happy glad love loved lovely like liked beautiful pretty clean safe healthy strong rich warm
sweet fresh useful helpful help helps kind friendly smart clever wise brave honest true right best well easy free
comfortable delicious tasty edible fun funny win wins won winner success successful enjoy enjoys enjoyed pleasant
peace peaceful perfect proud bright calm careful gentle generous grateful hope hopeful joy laugh smile smiled
valuable precious new full alive able popular famous interesting important possible legal polite
""")

_BAD = listed("""
bad poor sad angry hate hated ugly dirty dangerous danger sick ill weak cold bitter rotten useless harm harmful hurt
hurts unkind rude stupid foolish cruel false wrong worst hard difficult painful pain uncomfortable disgusting
inedible boring lose loses lost loser fail fails failed failure unpleasant war broken afraid scared dark nervous
careless rough greedy fear hopeless cry cries cried worthless fake old empty dead death die dies died kill kills
killed unable unpopular impossible illegal poison poisonous toxic malodorous smelly damaged burn burned injured
injure crime criminal steal stolen problem trouble
""")

COMPARATIVES = {word: -1 for _, word in PAIRS} | {word: 1 for word, _ in PAIRS}
"""1 for the positive pole of each pair, -1 for the other (positivity bias: Zhou et al. 2021, section 5)."""

_WORDS = COMPARATIVES | dict.fromkeys(_BAD, -1) | dict.fromkeys(_GOOD, 1)
"""A short list, enough to see that right answers lean one way."""


def valence(word: str) -> int:
    """1 for a word that sounds good, -1 for a bad one, 0 for any other.

    >>> [valence(word) for word in ("delicious", "table", "rotten", "worse")]
    [1, 0, -1, -1]
    """
    return _WORDS.get(word, 0)


def comparative_valence(word: str) -> int:
    """1 for the positive pole of a pair of comparatives, -1 for the other, 0 for any other word, good or bad.

    >>> [comparative_valence(word) for word in ("better", "delicious", "worse", "before")]
    [1, 0, -1, 0]
    """
    return COMPARATIVES.get(word, 0)


NEGATIONS = frozenset(
    listed(
        "no not never none nobody nothing nowhere neither nor without cannot hardly scarcely barely lack lacks lacking"
    )
)


def is_negation(word: str) -> bool:
    """Whether a lower-case word denies; the contractions in n't do.

    >>> [w for w in ("can't", "knot", "never") if is_negation(w)]
    ["can't", 'never']
    """
    return word in NEGATIONS or word.endswith("n't")


def negations(words: Iterable[str]) -> int:
    """How many words deny."""
    return sum(map(is_negation, words))


@cache
def auxiliary(clause: str) -> str:
    """The word that stands for the whole of a finite clause: is, should, does, did.

    >>> auxiliary("is happy"), auxiliary("should sink"), auxiliary("finds it easy"), auxiliary("won the cup")
    ('is', 'should', 'does', 'did')
    """
    first = clause.split(" ")[0]
    if first in BE or first in MODALS or (first in ("does", "did") and clause.startswith(f"{first} not ")):
        return first
    return "did" if verb_form(finite_verb(clause))[1] == "past" else "does"


@cache
def negate(clause: str) -> str:
    """A finite clause denied; a clause that is denied already is affirmed.

    >>> negate("is easier to lift"), negate("finds it easier to sing"), negate("initially takes more care")
    ('is not easier to lift', 'does not find it easier to sing', 'does not initially take more care')
    >>> negate("does not make the team")
    'makes the team'
    """
    first, _, rest = clause.partition(" ")
    if first == "cannot":
        return f"can {rest}"
    if rest.startswith("not "):
        return _affirmed(first, rest.removeprefix("not "))
    if first in BE or first in MODALS:
        return f"{first} not {rest}".replace("can not ", "cannot ").strip()
    finite = finite_verb(clause)
    lemma, kind = verb_form(finite)
    if not lemma:
        return f"is not {clause}"
    before, _, after = clause.partition(finite)
    return f"{'did' if kind == 'past' else 'does'} not {before}{lemma}{after}"


def _affirmed(first: str, rest: str) -> str:
    if first not in ("does", "did"):
        return f"{first} {rest}"
    verb = finite_verb(rest)
    before, _, after = rest.partition(verb)
    affirmed = third_person(verb) if first == "does" else next(iter(inflect(verb, "VBD")), verb)
    return f"{before}{affirmed}{after}"


LETTERS = 4
"""A stem is so many letters: what inflection and derivation leave of nearly every English word."""
_PREFIX = re.compile(r"^(?:un|in|im|ir|il|non|dis|mis|re|pre|over|under|out|fore|sub|super|counter|anti|self)(?=\w{4})")
_HALF = 0.5
"""Share of the shorter text's stems that the other has too, from which on one paraphrases the other."""


@lru_cache(maxsize=500_000)
def stems_of(word: str) -> frozenset[str]:
    """The stems of a lower-case word: of its parts, with and without a prefix; none for a function word.

    >>> sorted(stems_of("unhappily"))
    ['happ', 'unha']
    """
    stems: set[str] = set()
    for part in word.replace("'s", "").split("-"):
        if part in FUNCTION_WORDS or not part:
            continue
        if len(part) == LETTERS and part.endswith("s") and not part.endswith("ss"):
            part = part[:-1]  # huts and hut
        stems.add(part[:LETTERS])
        bare = _PREFIX.sub("", part)
        if bare != part:
            stems.add(bare[:LETTERS])
    return frozenset(stems)


@lru_cache(maxsize=200_000)
def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text.

    >>> sorted(stems("In a materialistic manner"))
    ['mann', 'mate']
    """
    return frozenset(stem for word in words(text) for stem in stems_of(word))


def with_derived(text: str, derived: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The stems of a text and of words derived from its words, which may have others: *speak* and *speech*."""
    others = (other for word in words(text) for other in derived.get(word, ()))
    return stems(text).union(*map(stems, others))


@lru_cache(maxsize=200_000)
def beginnings(text: str) -> frozenset[str]:
    """The first three letters of each word with content: *fetus* and *fetal* share no stem, and yet look alike.

    >>> sorted(beginnings("of or relating to a fetus"))
    ['fet', 'rel']
    """
    return frozenset(word[: LETTERS - 1] for word in words(text.replace("-", " ")) if word not in FUNCTION_WORDS)


def looks_alike(text: str, name: str) -> bool:
    """Whether a word of a name begins like a word of a text, or one contains the other: *spoon*, *tablespoon*.

    >>> looks_alike("a spoon for soup", "tablespoon"), looks_alike("a spoon for soup", "ladle")
    (True, False)
    """
    if not beginnings(text).isdisjoint(beginnings(name)):
        return True
    inside = any(len(stem) == LETTERS and stem in name.lower() for stem in stems(text))
    return inside or any(len(stem) == LETTERS and stem in text.lower() for stem in stems(name))


@lru_cache(maxsize=500_000)
def spelt_alike(one: str, other: str) -> bool:
    """Whether half of the letters of the longer word need no edit: *weasel* and *measles*.

    >>> spelt_alike("weasel", "measles"), spelt_alike("weasel", "stoat")
    (True, False)
    """
    longer = max(len(one), len(other))
    if min(len(one), len(other)) < LETTERS or 2 * len(set(one) & set(other)) < longer - 2 or one in FUNCTION_WORDS:
        return False
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        here = [row]
        for column, against in enumerate(other, start=1):
            changed = above[column - 1] + (letter != against)
            here.append(min(above[column] + 1, here[-1] + 1, changed))
        above = here
    return 2 * above[-1] <= longer


def paraphrases(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts, given by their stems, say nearly the same: half of the shorter is in the longer.

    >>> paraphrases(stems("a feeling of great joy"), stems("a great and joyous feeling"))
    True
    >>> paraphrases(stems("a state of great joy"), stems("a state of the union"))
    False
    """
    common = len(one & other)
    fewest = min(len(one), len(other))
    return common > 0 and common >= _HALF * fewest and (common > 1 or fewest == 1)
