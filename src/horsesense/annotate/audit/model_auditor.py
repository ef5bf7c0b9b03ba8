"""A language model as the auditor: each option is a question of its own.

The questions are a probe; the caller runs a model on it and passes the scores back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from horsesense.annotate.audit.blind_audit import BlindAudit
from horsesense.annotate.audit.estimates import NONSENSE
from horsesense.annotate.task import lettered
from horsesense.core import Card, Item, Probe, fill_blank
from horsesense.data import writing

SENSE = "sense"
_ANSWERS = ("yes", "no")


def questions_to_model(audit: BlindAudit) -> Probe:
    """Make one item per option (is it a true answer?) and one per item (does it make sense?).

    The facets say which: ``item`` is the number in the audit, ``about`` the letter of the option, or ``sense``.
    """
    items: list[Item] = []
    for entry, item in zip(audit.items, audit.shown, strict=True):
        question = " ".join(filter(None, (item.premise, item.text)))
        sense = f"Question: {question or item.options[0]}\nIs this good English that makes sense? Answer yes or no:"
        items.append(_asked(sense, entry.number, SENSE))
        for letter, option in lettered(item.options).items():
            filled = fill_blank(item.text, option) if item.form == "cloze" else option
            head = f"Question: {question}\n" if item.form in ("choice", "pair") else f"{item.premise}\n"
            text = f"{head.lstrip()}Proposed answer: {filled}\nIs the proposed answer true? Answer yes or no:"
            items.append(_asked(text, entry.number, letter))
    return Probe.of(items, Card(name="audit-questions", made="Options of an audit, each a question of its own."))


def _asked(text: str, number: str, about: str) -> Item:
    return Item(
        probe="audit-questions",
        form="choice",
        text=text,
        options=_ANSWERS,
        member=f"{number} {about}",
        facets={"item": number, "about": about},
    )


def codes_of_model(items: Sequence[Item], scores: Sequence[Sequence[float]], margin: float = 0.0) -> Mapping[str, str]:
    """Return the auditor's letters from the scores of yes and no; unclear if they differ by at most ``margin``.

    >>> items = [_asked("?", "q1", about) for about in ("sense", "A", "B")]
    >>> codes_of_model(items, [(0.0, -1.0), (-1.0, 0.0), (0.0, -0.1)], margin=0.5)
    {'q1': 'FU'}
    """
    senseless: set[str] = set()
    letters: dict[str, str] = {}
    for item, (yes, no) in zip(items, scores, strict=True):
        number, about = str(item.facets["item"]), item.facets["about"]
        if about == SENSE:
            if no - yes > margin:
                senseless.add(number)
            continue
        code = "U" if abs(yes - no) <= margin else "T" if yes > no else "F"
        letters[number] = letters.get(number, "") + code
    return {number: NONSENSE if number in senseless else codes for number, codes in letters.items()}


def write_lines(path: Path, codes: Mapping[str, str]) -> int:
    """Write the lines of an auditor, one per item, and return the number of nonsense items."""
    with writing(path) as temporary:
        letters = (f"{number}\t{'N' if each == NONSENSE else each}\n" for number, each in codes.items())
        temporary.write_text("".join(letters), encoding="utf-8")
    return sum(each == NONSENSE for each in codes.values())
