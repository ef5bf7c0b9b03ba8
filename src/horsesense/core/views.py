"""The same item in another form, where that is valid. Views are functions, not copies on disk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from horsesense.core.item import BLANK, Form, Item

_WORD_ENDS = re.compile(r"\s|[.,;:!?]+(\s|$)")
"""What may follow a blank: closing marks that all options share belong to the text, not to the options."""


def view(item: Item, form: Form) -> Item | None:
    """The item in ``form``, or None if it has no valid version in that form.

    >>> cloze = Item(probe="demo", form="cloze", text="Ice is ___.", options=("cold", "hot"), answer=0)
    >>> view(cloze, "sentences").options
    ('Ice is cold.', 'Ice is hot.')
    >>> view(view(cloze, "sentences"), "cloze").text
    'Ice is ___.'
    """
    if form == item.form:
        return item
    if form == "sentences":
        return _as_sentences(item)
    if form == "cloze":
        return _as_cloze(item)
    if form == "choice":
        return _as_choice(item)
    return None


def fill_blank(text: str, option: str) -> str:
    return text.replace(BLANK, option)


def _as_sentences(item: Item) -> Item | None:
    if item.form == "cloze":
        return replace(item, form="sentences", text="", options=tuple(fill_blank(item.text, o) for o in item.options))
    if item.form == "choice":
        return replace(item, form="sentences", text="", options=tuple(f"{item.text} {o}" for o in item.options))
    return None


def _common_prefix(texts: Sequence[str]) -> int:
    """How many characters all texts begin with in common."""
    for place, letters in enumerate(zip(*texts, strict=False)):
        if len(set(letters)) > 1:
            return place
    return min(map(len, texts))


def _as_cloze(item: Item) -> Item | None:
    """Sentences that differ in one stretch of whole words are a cloze over that stretch."""
    if item.form != "sentences" or len(set(item.options)) < len(item.options) or len(item.options) < 2:
        return None
    start = _common_prefix(item.options)
    while start > 0 and not item.options[0][start - 1].isspace():
        start -= 1
    end = _common_prefix([option[start:][::-1] for option in item.options])
    while end > 0 and not _WORD_ENDS.match(item.options[0], len(item.options[0]) - end):
        end -= 1
    stretches = tuple(option[start : len(option) - end] for option in item.options)
    if not all(stretch.strip() for stretch in stretches):
        return None
    first = item.options[0]
    before, after = first[:start], first[len(first) - end :]
    # A blank with no word around it asks nothing; a blank that was there already leaves two.
    if BLANK in before + after or not any(letter.isalnum() for letter in before + after):
        return None
    return replace(item, form="cloze", text=before + BLANK + after, options=stretches)


def _as_choice(item: Item) -> Item | None:
    if item.form == "cloze" and item.text.rstrip(" .!").endswith(BLANK):
        question = item.text.partition(BLANK)[0].rstrip()
        return replace(item, form="choice", text=question) if question else None
    if item.form == "sentences" and (cloze := _as_cloze(item)) is not None:
        return _as_choice(cloze)
    return None
