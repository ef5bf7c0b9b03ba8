"""What makes an item sound, told in one sentence when it is not."""

from __future__ import annotations

import re
from math import isfinite

from horsesense.errors import UserError
from horsesense.records.item import BLANK, FORMS, Facet, Item

_UNDERSCORES = re.compile(r"_{3,}")
_LARGEST = 2**63 - 1
"""Parquet holds whole numbers of 64 bits."""
_PROBE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def check_item(item: Item) -> None:
    """Raise a `UserError` where the item breaks the rules of its form.

    >>> check_item(Item(probe="demo", form="choice", text="Is ice cold?", options=("yes", "no"), answer=2))
    Traceback (most recent call last):
    ...
    horsesense.errors.UserError: the answer 2 is out of range; there are 2 options, so use 0 to 1
    """
    if not _PROBE_NAME.fullmatch(item.probe):
        raise UserError(
            f"the probe name {item.probe!r} is not usable", fix="use letters, digits, dots, dashes and underscores"
        )
    if item.form not in FORMS:
        raise UserError(f"the form {item.form!r} is unknown", fix=f"use one of {', '.join(FORMS)}")
    _check_text(item)
    _check_options(item)
    _check_values(item)


def _check_text(item: Item) -> None:
    if item.form == "cloze":
        blanks = _UNDERSCORES.findall(item.text)
        if blanks != [BLANK]:
            raise UserError(
                f"a cloze needs exactly one blank {BLANK!r} and this one has {len(blanks)}"
                if set(blanks) <= {BLANK}
                else f"a blank is written {BLANK!r}, not {max(blanks, key=len)!r}",
                fix=f"write the text with one {BLANK}",
            )
    elif item.form == "sentences":
        if item.text:
            raise UserError(
                "an item of the form 'sentences' has no text of its own", fix="put what comes before into 'premise'"
            )
    elif not item.text.strip():
        raise UserError(f"an item of the form {item.form!r} needs a text")
    if item.form == "pair" and not item.premise.strip():
        raise UserError("an item of the form 'pair' needs a premise")


def _check_options(item: Item) -> None:
    if not item.options:
        raise UserError("the item has no options", fix="give at least one")
    for number, option in enumerate(item.options):
        if not option.strip():
            raise UserError(f"option {number} is empty", fix="remove it or fill it in")
    if item.answer is not None and not 0 <= item.answer < len(item.options):
        raise UserError(
            f"the answer {item.answer} is out of range",
            fix=f"there are {len(item.options)} options, so use 0 to {len(item.options) - 1}",
        )
    if item.concepts and len(item.concepts) != len(item.options):
        raise UserError(
            f"there are {len(item.concepts)} concepts for {len(item.options)} options", fix="give one each, or none"
        )


def _check_values(item: Item) -> None:
    for name, unit in item.groups.items():
        if type(unit) is not str:
            raise UserError(f"groups.{name} has the value {unit!r}, which is not text")
    if not 0 <= item.source.line <= _LARGEST:
        raise UserError(f"source.line is {item.source.line}", fix="lines count from 1; 0 where there is none")
    for name, value in item.facets.items():
        if type(value) is not str and not _is_number(value):
            raise UserError(
                f"facets.{name} has the value {value!r}, which is not text, true or false, or a finite number",
                fix="whole numbers may have 64 bits",
            )


def _is_number(value: Facet) -> bool:
    """Whether JSONL and Parquet both hold it: a float of numpy would be written by neither."""
    if type(value) is int:
        return abs(value) <= _LARGEST
    return type(value) is bool or (type(value) is float and isfinite(value))
