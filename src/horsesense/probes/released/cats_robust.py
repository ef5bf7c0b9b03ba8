"""CATs, robust tests: an instance and the same after one edit; a sound model gets both right.

Zhou, Zhang, Cui, Huang, "Evaluating Commonsense in Pre-trained Language Models" (AAAI 2020), section "Robust tests".
A line is two instances, each an answer and two sentences, separated by 0x01.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.errors import UserError
from horsesense.language.words import words
from horsesense.probes.released.cats import LICENCE, SEPARATOR, candidates_key, sentences_of
from horsesense.probes.released.linking import alike, linked
from horsesense.probes.released.reading import Reading, names_of, stem_of, text_of
from horsesense.records import Card, Item, Probe, Source


def read_cats_robust(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each line is a family of two items, members a and b; the file's name is the edit between them."""
    reading = Reading(skip_bad)
    for path in paths:
        for number, raw in reading.lines(path):
            with reading.line(path, number):
                _add_pair(reading, text_of(raw), path, number)
    reading.items = _with_sources(reading.items)
    card = Card(
        name="cats-robust",
        method="cats",
        licence=LICENCE,
        made=f"Read from the robust tests of CATs ({names_of(paths)}).",
        normalise="mean",
        group="source",
    )
    return reading.probe(card, paths)


def _add_pair(reading: Reading, text: str, path: Path, number: int) -> None:
    fields = text.split(SEPARATOR)
    if len(fields) != 6:
        raise UserError(
            f"the line has {len(fields)} fields separated by 0x01 and a robust line has 6",
            fix="a general test is read by: horsesense import cats",
        )
    halves = {"a": sentences_of(reading, fields[:3]), "b": sentences_of(reading, fields[3:])}
    original, edited = candidates_key(halves["a"][0]), candidates_key(halves["b"][0])
    family = reading.unique(f"{stem_of(path)}: {original} > {edited}")
    flips = halves["a"][1] != halves["b"][1]
    if not flips:
        reading.notes["lines whose answer does not flip"] += 1
    for member, (options, answer) in halves.items():
        reading.add(
            Item(
                probe="cats-robust",
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


def _with_sources(items: Sequence[Item]) -> list[Item]:
    """Lines made from the same sentences, or from Winograd twins, have one source."""
    bags = [{word for option in item.options for word in words(option)} for item in items]
    originals = [place for place, item in enumerate(items) if item.member == "a"]
    pairs = [(originals[one], originals[other]) for one, other in alike([bags[place] for place in originals])]
    keys = [{item.groups["candidates"], candidates_key(item.options)} for item in items]
    sources = linked(keys, pairs)
    return [
        replace(item, groups={**item.groups, "source": source}) for item, source in zip(items, sources, strict=True)
    ]
