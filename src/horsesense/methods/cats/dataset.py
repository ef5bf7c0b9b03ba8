"""Read the published files of CATs: general tests, and robust tests (an instance before and after one edit).

Zhou, Zhang, Cui, Huang, "Evaluating Commonsense in Pre-trained Language Models" (AAAI 2020). Fields are separated by
0x01. The general tests are eight benchmarks reframed as sentences to be scored: a line is the index of the most
sensible sentence and two to four sentences. A line of the robust tests (section "Robust tests") is two instances, each
an answer and two sentences; a consistent model gets both right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from horsesense.core import Card, Facet, Item, Probe, Source
from horsesense.errors import UserError, argument
from horsesense.lexicons.words import words
from horsesense.methods.cats.conjunctions import conjunction_facets
from horsesense.methods.cats.joining import without_separators, writing_of_names
from horsesense.methods.cats.step_accuracy import steps
from horsesense.methods.published.linking import alike, linked, sentence_key, shared_start
from horsesense.methods.published.reading import Reading, names_of, split_of, stem_of, text_of, whole_number

LICENCE = "GPL-3.0"
SEPARATOR = "\x01"

_TWINS_KEPT = ("sm",)
"""Two published lines of sm have equal sentences; anywhere else that is an error."""

_SENTENCE_END = re.compile(r"[.?!][\"')]* ")
_QUOTED = re.compile(r"\"\s*(.+?)\s*\" is against common sense")


def read_cats(paths: Sequence[Path], skip_bad: bool = False, raw: bool = False) -> Probe:
    """Read each line as one item of the form ``sentences``; the file's name is its task.

    ``raw`` keeps each sentence as the published script scores it: only the line is stripped, so that ``[SEP]`` of
    HellaSwag, no-break spaces, and the space after all but the last sentence of a line of SMR stay.
    """
    reading = Reading(skip_bad)
    for path in paths:
        lines = reading.lines(path)
        usual = Counter(line.count(SEPARATOR.encode()) for _, line in lines).most_common(1)[0][0]
        for number, line in lines:
            with reading.line(path, number):
                reading.add(_general_item(reading, text_of(line), usual, path, number, raw))
    reading.items = with_sources(reading.items)
    return reading.probe(_card("cats", "general", paths, raw), paths)


def _card(name: str, tests: str, paths: Sequence[Path], raw: bool) -> Card:
    description = f"Read from the {tests} tests of CATs ({names_of(paths)}){', texts unchanged' if raw else ''}."
    called = f"{name}-raw" if raw else name
    return Card(called, method="cats", licence=LICENCE, made=description, normalise="mean", group="source")


def _general_item(reading: Reading, text: str, usual: int, path: Path, number: int, raw: bool) -> Item:
    fields = (text.strip() if raw else text).split(SEPARATOR)
    if len(fields) == 6 and re.fullmatch(r"\s*[0-9]\s*", fields[3]):
        raise UserError("this is a line of the robust tests", fix="use: horsesense import cats-robust")
    task = stem_of(path)
    if len(fields) - 1 != usual:
        raise UserError(
            f"the line has {len(fields) - 1} sentences, and most lines have {usual}",
            fix="is there a stray or a missing separator?",
        )
    options, answer = sentences_of(reading, fields, raw, same=task in _TWINS_KEPT)
    return Item(
        probe="cats-raw" if raw else "cats",
        form="sentences",
        options=options,
        answer=answer,
        groups=groups_of(task, options, answer),
        facets=facets_of(task, options, answer) | split_of(path),
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


def groups_of(task: str, options: Sequence[str], answer: int) -> dict[str, str]:
    """Return the clusters that an instance defines: its sentences, and what it shares with sister sets."""
    groups = {"candidates": candidates_key(options)}
    if task in _STATEMENTS and (statement := _STATEMENTS[task](options, answer)):
        groups["statement"] = sentence_key(statement)
    return groups


def facets_of(task: str, options: Sequence[str], answer: int) -> dict[str, Facet]:
    """Return the facets of an instance: set, inference steps, conjunctions, spelling of names."""
    facets: dict[str, Facet] = {"task": task, "steps": steps(options[answer])}
    if task == "ca" and len(options) == 2:
        facets |= conjunction_facets(options[answer], options[1 - answer])
    if task in ("ca", "wsc"):
        facets["names"] = writing_of_names(options)
    return facets


def sentences_of(
    reading: Reading, fields: Sequence[str], raw: bool, *, same: bool = False
) -> tuple[tuple[str, ...], int]:
    """Return the sentences of an instance and the index of the right one; equal ones only where ``same`` allows."""
    if len(fields) < 3:
        raise UserError(
            f"the line has {len(fields)} fields separated by 0x01 and needs an answer and two sentences",
            fix="check that it is a file of this dataset",
        )
    cleaned = [(field, 0) if raw else without_separators(reading.clean(field)) for field in fields[1:]]
    options = tuple(text for text, _ in cleaned)
    if marks := sum(count for _, count in cleaned):
        reading.notes["[SEP] replaced by a space"] += marks
    if len(set(options)) < len(options) and not same:
        raise UserError(
            "two sentences are the same", fix=f"repair the line, or leave it out with {argument('skip_bad')}"
        )
    return options, whole_number(fields[0].strip(), "answer", len(options) - 1)


def candidates_key(options: Sequence[str]) -> str:
    """Return a key of the sentences, so that a robust line is matched with its general line."""
    return sentence_key(" / ".join(sorted(sentence_key(option) for option in options)))


def _right(options: Sequence[str], answer: int) -> str:
    return options[answer]


def _nonsense(options: Sequence[str], answer: int) -> str:
    return options[1 - answer] if len(options) == 2 else ""


def _quoted(options: Sequence[str], answer: int) -> str:
    match = _QUOTED.match(options[answer])
    return match[1] if match else ""


def _context(options: Sequence[str], answer: int) -> str:
    """Return the sentences that all candidates begin with."""
    shared = shared_start(options)
    ends = [match.end() for match in _SENTENCE_END.finditer(shared)]
    return shared[: ends[-1]] if ends else ""


def _reason(options: Sequence[str], answer: int) -> str:
    """Return the text before ", and since" or ", but since"."""
    return shared_start(options).rpartition(",")[0]


_STATEMENTS: dict[str, Callable[[Sequence[str], int], str]] = {
    # The right sentence of a conjunction test is that of the Winograd schema it was made from.
    "ca": _right,
    "wsc": _right,
    # The reasons of smr are about the nonsense statement of sm.
    "sm": _nonsense,
    "smr": _quoted,
    "swag": _context,
    "hella_swag": _context,
    "arct_1": _reason,
    "arct_2": _reason,
}
"""Task → the sentence that items of this task, or of a sister task, have in common."""


def with_sources(items: Sequence[Item]) -> list[Item]:
    """Group items by source: those that share a statement or candidates, and Winograd twins.

    Twins ("… was too wide", "… was too narrow") have no sentence in common, but more than half of their words.
    """
    schemas = [index for index, item in enumerate(items) if item.facets["task"] in ("ca", "wsc")]
    bags = [{word for option in items[index].options for word in words(option)} for index in schemas]
    twins = [(schemas[first], schemas[second]) for first, second in alike(bags)]
    sources = linked([set(item.groups.values()) for item in items], twins)
    return [
        replace(item, groups={**item.groups, "source": source}) for item, source in zip(items, sources, strict=True)
    ]


# Robust tests.


def read_cats_robust(paths: Sequence[Path], skip_bad: bool = False, raw: bool = False) -> Probe:
    """Read each line as a family of two items, members a and b; the file's name is the edit between them.

    ``raw`` keeps each sentence as the published script scores it.
    """
    reading = Reading(skip_bad)
    for path in paths:
        for number, line in reading.lines(path):
            with reading.line(path, number):
                _add_robust_pair(reading, text_of(line), path, number, raw)
    reading.items = _with_pair_sources(reading.items)
    return reading.probe(_card("cats-robust", "robust", paths, raw), paths)


def _add_robust_pair(reading: Reading, text: str, path: Path, number: int, raw: bool) -> None:
    fields = (text.strip() if raw else text).split(SEPARATOR)
    if len(fields) != 6:
        raise UserError(
            f"the line has {len(fields)} fields separated by 0x01 and a robust line has 6",
            fix="a general test is read by: horsesense import cats",
        )
    halves = {"a": sentences_of(reading, fields[:3], raw), "b": sentences_of(reading, fields[3:], raw)}
    original, edited = candidates_key(halves["a"][0]), candidates_key(halves["b"][0])
    family = reading.unique(f"{stem_of(path)}: {original} > {edited}")
    flips = halves["a"][1] != halves["b"][1]
    if not flips:
        reading.notes["lines whose answer does not flip"] += 1
    for member, (options, answer) in halves.items():
        reading.add(
            Item(
                probe="cats-robust-raw" if raw else "cats-robust",
                form="sentences",
                options=options,
                answer=answer,
                family=family,
                member=member,
                # The original's key for both halves: the edit depends on it as much.
                groups={"candidates": original},
                facets={"task": "robust", "perturbation": stem_of(path), "flips": flips},
                source=Source(file=path.name, line=number, licence=LICENCE),
            )
        )


read_cats_raw = partial(read_cats, raw=True)
read_cats_robust_raw = partial(read_cats_robust, raw=True)


def _with_pair_sources(items: Sequence[Item]) -> list[Item]:
    """Group lines from the same sentences, or from Winograd twins, under one source."""
    bags = [{word for option in item.options for word in words(option)} for item in items]
    originals = [index for index, item in enumerate(items) if item.member == "a"]
    pairs = [(originals[first], originals[second]) for first, second in alike([bags[index] for index in originals])]
    keys = [{item.groups["candidates"], candidates_key(item.options)} for item in items]
    sources = linked(keys, pairs)
    return [
        replace(item, groups={**item.groups, "source": source}) for item, source in zip(items, sources, strict=True)
    ]
