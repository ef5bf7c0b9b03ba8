"""Nouns, and the sentences that elicit their associations (section 2.2 and footnote 2).

Nouns come from the user's list, the THINGS concepts, or WordNet. Every change to the list is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from horsesense.core import BLANK
from horsesense.data.tables import open_table
from horsesense.errors import UserError
from horsesense.lexicons.wordnet import find_wordnet, read_senses
from horsesense.lexicons.words import listed as word_list
from horsesense.progress import NO_PROGRESS, Progress

ENDINGS = (".", ",")
"""The paper's two templates differ in the ending punctuation."""
LITERAL = f"The {{noun}} is {{not}}{BLANK}"
"""The paper's template, for any noun."""
AGREEING = f"{{the noun}} {{is}} {{not}}{BLANK}"
"""The same with article and verb that agree with the noun."""

_WORD = re.compile(r"[^\W\d_][\w'’.-]*(?: [^\W_][\w'’.-]*)*")
_ARTICLE = re.compile(r"(?:the|an?) (?=.)", re.IGNORECASE)
_THINGS_COLUMN = "Word"
_PHRASE, _PLURAL, _NAME = "phrases", 'plurals, asked with "are"', "names, asked without an article"

# Plural in form and in grammar; lemminflect returns some of these as their own singular.
_ALWAYS_PLURAL = frozenset(
    word_list(
        "scissors jeans goggles binoculars pyjamas pajamas trousers shorts tights leggings overalls spectacles "
        "pliers tweezers shears clippers clothes stairs earphones people cattle police"
    )
)
# Singular in grammar, though they end like a plural.
_NEVER_PLURAL = frozenset(
    word_list("bellows news molasses tennis mathematics series species chess candelabra chili graffiti")
)


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its grammar."""

    word: str
    """The noun without an article; in lower case unless it is a name."""
    plural: bool = False
    """Whether it takes *are*."""
    proper: bool = False
    """Whether it is a name, which takes no article."""
    line: int = 0
    """Line of its file, from 1; 0 without a file."""

    @classmethod
    def of(cls, word: str) -> Noun:
        """Return the noun of a word as it is written."""
        return cls(word, is_plural(word))


@dataclass(frozen=True, slots=True)
class NounList:
    """Distinct nouns, and the irregularities of the list."""

    nouns: tuple[Noun, ...]
    odd: dict[str, tuple[str, ...]]
    """Irregularity → its entries; every change to the list is recorded here."""

    @property
    def notes(self) -> dict[str, int]:
        return {what: len(entries) for what, entries in self.odd.items()}


def clean_nouns(entries: Iterable[tuple[int, str]], *, as_paper: bool = False) -> NounList:
    """Clean entries (with their lines); ``as_paper`` keeps the spelling, as the paper does, and only merges repeats.

    >>> cleaned = clean_nouns(enumerate(["Apple", "the test tube", "apple", "jeans"], start=1))
    >>> [(noun.word, noun.plural) for noun in cleaned.nouns]
    [('apple', False), ('test tube', False), ('jeans', True)]
    >>> sorted(cleaned.notes)
    ['articles taken off', 'phrases', 'plurals, asked with "are"', 'repeated, asked once', 'upper case lowered']
    """
    odd: dict[str, list[str]] = {}
    nouns: dict[str, Noun] = {}
    for line, entry in entries:
        word = " ".join(entry.replace("_", " ").split())
        if not _WORD.fullmatch(word):
            raise UserError(f"{entry!r} is not a noun", line=line, fix="write one noun or noun phrase per line")
        if not as_paper:
            word = _plain(word, entry, odd)
        proper = not as_paper and word[0].isupper()
        plural = not as_paper and not proper and is_plural(word)
        for what, holds in ((_PHRASE, " " in word), (_PLURAL, plural), (_NAME, proper)):
            if holds and word not in nouns:
                odd.setdefault(what, []).append(entry)
        if word in nouns:
            odd.setdefault("repeated, asked once", []).append(entry)
            continue
        nouns[word] = Noun(word, plural, proper, line)
    if not nouns:
        raise UserError("there is no noun in the list", fix="write one per line")
    return NounList(tuple(nouns.values()), {what: tuple(entries) for what, entries in odd.items()})


def _plain(word: str, entry: str, odd: dict[str, list[str]]) -> str:
    """Remove the article; lower the case, unless it is a name."""
    bare = _ARTICLE.sub("", word, count=1) if _ARTICLE.match(word) else word
    if bare != word:
        odd.setdefault("articles taken off", []).append(entry)
    if bare == bare.lower() or is_name(bare):
        return bare
    odd.setdefault("upper case lowered", []).append(entry)
    return bare.lower()


def is_name(word: str) -> bool:
    """Return whether a capitalised word is only known as a name.

    >>> is_name("Paris"), is_name("Apple"), is_name("KNIFE")
    (True, False, False)
    """
    import lemminflect

    # Words in capitals are not names; neither is anything that the lexicon has in lower case.
    return word[:1].isupper() and not word.isupper() and not lemminflect.getAllLemmas(word.lower())


def is_plural(noun: str) -> bool:
    """Return whether a noun, or the last word of a noun phrase, is plural.

    >>> [word for word in ("glass", "grapes", "test tubes", "scissors", "bus", "feet") if is_plural(word)]
    ['grapes', 'test tubes', 'scissors', 'feet']
    """
    import lemminflect

    last = noun.rpartition(" ")[2].lower()
    if last in _ALWAYS_PLURAL or last in _NEVER_PLURAL:
        return last in _ALWAYS_PLURAL
    lemmas = lemminflect.getAllLemmas(last, upos="NOUN").get("NOUN", ())
    return bool(lemmas) and all(lemma != last for lemma in lemmas[:1]) and not last.endswith("ss")


def read_nouns(path: Path, *, as_paper: bool = False) -> NounList:
    """Read a file of nouns: one per line, or a table with a column ``Word`` (as in THINGS)."""
    table = open_table(path)
    header = table.header
    if not header:
        raise UserError("the list of nouns is empty", file=path, fix="write one per line")
    if len(header) == 1:
        lines = ((number, "\t".join(cells)) for number, cells in table.rows)
        entries = [(table.line, header[0]), *lines]
    else:
        if _THINGS_COLUMN not in header:
            raise UserError(f"the table has no column {_THINGS_COLUMN!r}", file=path, line=1, fix="name one so")
        column = header.index(_THINGS_COLUMN)
        entries = [(number, (cells + [""] * column)[column].strip('"')) for number, cells in table.rows]
    try:
        return clean_nouns(((n, text) for n, text in entries if not text.startswith("#")), as_paper=as_paper)
    except UserError as error:
        raise error.at(path, error.line) from None


_FEWEST_ZIPF = 3.5


def wordnet_nouns(folder: Path) -> NounList:
    """Return the frequent nouns of WordNet: single words in lower case with a Zipf frequency of at least 3.5."""
    from horsesense.lexicons.words import zipf

    known = (word for word in read_senses(folder)["n"] if word.isalpha() and zipf(word) >= _FEWEST_ZIPF)
    return clean_nouns((0, word) for word in known)


def load_nouns(
    nouns: str | Path,
    *,
    as_paper: bool = False,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> NounList:
    """Load nouns from a file or from WordNet.

    Args:
        nouns: ``wordnet``, or a file with one noun per line or a column ``Word`` (THINGS).
        as_paper: Keep the spelling, as the paper does.
        limit: Maximum number of nouns, drawn by seed.
        seed: Random seed.
        progress: Progress callback.

    Returns:
        The nouns, and the changes to the list.
    """
    if str(nouns) == "wordnet" and not Path(nouns).exists():
        folder = find_wordnet()
        if folder is None:
            raise UserError("WordNet is not on this machine", fix="run: horsesense fetch wordnet")
        listed = wordnet_nouns(folder)
    else:
        listed = read_nouns(Path(nouns), as_paper=as_paper)
    for what, entries in listed.odd.items():
        progress.log(f"{what}: {len(entries):,} ({', '.join(entries[:3])}{' …' if len(entries) > 3 else ''})")
    if limit is None or limit >= len(listed.nouns):
        return listed
    drawn = set(Random(seed).sample(range(len(listed.nouns)), limit))
    return NounList(tuple(noun for i, noun in enumerate(listed.nouns) if i in drawn), listed.odd)


# The sentences that elicit a noun's associations.


def subject(noun: Noun) -> str:
    """Return the noun as the subject of a sentence.

    >>> subject(Noun("apple")), subject(Noun("Paris", proper=True))
    ('The apple', 'Paris')
    """
    return noun.word[:1].upper() + noun.word[1:] if noun.proper else f"The {noun.word}"


def fill_template(template: str, noun: Noun, negated: bool = False) -> str:
    """Fill a template with a noun, and optionally negate it.

    >>> fill_template(AGREEING, Noun("jeans", plural=True), negated=True)
    'The jeans are not ___'
    """
    parts = {
        "{the noun}": subject(noun),
        "{noun}": noun.word,
        "{is}": "are" if noun.plural else "is",
        "{not}": "not " if negated else "",
    }
    for name, text in parts.items():
        template = template.replace(name, text)
    return template


def prompts_for(noun: Noun, template: str = AGREEING) -> tuple[tuple[str, str], ...]:
    """Return the affirmative and the negated prompt for each ending.

    >>> prompts_for(Noun("pan"))[1]
    ('The pan is ___,', 'The pan is not ___,')
    """
    both = [fill_template(template, noun, negated) for negated in (False, True)]
    if template not in (AGREEING, LITERAL):  # the user's template has its own ending
        return ((both[0], both[1]),)
    return tuple((both[0] + ending, both[1] + ending) for ending in ENDINGS)


def check_template(template: str) -> None:
    """Check that a template names the noun and has one blank and a slot for *not*."""
    if "{noun}" not in template and "{the noun}" not in template:
        raise UserError(f"the template {template!r} does not name the noun", fix="write {noun} or {the noun} in it")
    if template.count("{not}") != 1:
        raise UserError(f"the template {template!r} has no place for the negation", fix="write {not} where it belongs")
    if template.count(BLANK) != 1:
        raise UserError(f"the template {template!r} must have one blank {BLANK}")


def statement(noun: Noun, word: str) -> str:
    """Return the statement that people see and the ranking model scores: *The apple is edible.*

    >>> statement(Noun("scissors", plural=True), "sharp")
    'The scissors are sharp.'
    """
    return fill_template(AGREEING, noun).replace(BLANK, word) + "."
