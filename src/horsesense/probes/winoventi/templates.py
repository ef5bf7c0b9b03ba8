"""The sentences that ask for a noun's associations (winoventi.txt, 2.2 and its footnote 2)."""

from __future__ import annotations

from horsesense.errors import UserError
from horsesense.probes.winoventi.nouns import Noun
from horsesense.records import BLANK

ENDINGS = (".", ",")
"""The paper's two templates differ in the ending punctuation."""
LITERAL = f"The {{noun}} is {{not}}{BLANK}"
"""The paper's template, whatever the noun."""
AGREEING = f"{{the noun}} {{is}} {{not}}{BLANK}"
"""The same with article and verb that fit the noun."""


def subject(noun: Noun) -> str:
    """The noun at the head of a sentence.

    >>> subject(Noun("apple")), subject(Noun("Paris", proper=True))
    ('The apple', 'Paris')
    """
    return noun.word[:1].upper() + noun.word[1:] if noun.proper else f"The {noun.word}"


def filled(template: str, noun: Noun, negated: bool = False) -> str:
    """The template with its noun, and with its negation where that is wanted.

    >>> filled(AGREEING, Noun("jeans", plural=True), negated=True)
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


def prompts(noun: Noun, template: str = AGREEING) -> tuple[tuple[str, str], ...]:
    """For each ending, the affirmative and the negated prompt.

    >>> prompts(Noun("pan"))[1]
    ('The pan is ___,', 'The pan is not ___,')
    """
    both = [filled(template, noun, negated) for negated in (False, True)]
    if template not in (AGREEING, LITERAL):  # a template of one's own brings its ending
        return ((both[0], both[1]),)
    return tuple((both[0] + ending, both[1] + ending) for ending in ENDINGS)


def check_template(template: str) -> None:
    """A template of one's own names the noun and has one blank and a place for *not*."""
    if "{noun}" not in template and "{the noun}" not in template:
        raise UserError(f"the template {template!r} does not name the noun", fix="write {noun} or {the noun} in it")
    if template.count("{not}") != 1:
        raise UserError(f"the template {template!r} has no place for the negation", fix="write {not} where it stands")
    if template.count(BLANK) != 1:
        raise UserError(f"the template {template!r} must have one blank {BLANK}")


def statement(noun: Noun, word: str) -> str:
    """What a person is shown, and what the ranking model reads: *The apple is edible.*

    >>> statement(Noun("scissors", plural=True), "sharp")
    'The scissors are sharp.'
    """
    return filled(AGREEING, noun).replace(BLANK, word) + "."
