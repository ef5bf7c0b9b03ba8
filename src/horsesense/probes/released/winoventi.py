"""WinoVenti: schemas where the usual property of a thing holds (generic) or does not (exception).

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions"
(Findings of ACL 2021). Tab-separated with a header, no quoting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from horsesense.errors import UserError
from horsesense.probes.released.reading import (
    Reading,
    check_columns,
    fields_of,
    names_of,
    row_of,
    split_of,
    whole_number,
)
from horsesense.records import BLANK, Card, Item, Probe, Source

LICENCE = "MIT"
MASK = "[MASK]"
COLUMNS = (
    "Word",
    "Associative Bias",
    "Alternative",
    "biased_word_context",
    "adversarial_word_context",
    "masked_prompt",
    "target",
    "incorrect",
    "test_type",
)
_SCHEMA = COLUMNS[:5]
_TESTS = {1: "generic", 2: "exception"}


def read_winoventi(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Each row is a cloze; the two rows of a schema are a family, members generic and exception."""
    reading = Reading(skip_bad)
    for path in paths:
        lines = reading.lines(path)
        try:
            header = fields_of(lines[0][1], "\t", quoted=False)
        except UserError as error:
            raise error.at(path, 1) from None
        check_columns(header, COLUMNS, path)
        for number, raw in lines[1:]:
            with reading.line(path, number):
                reading.add(_item(reading, row_of(raw, header, "\t", quoted=False), path, number))
    members = defaultdict(list)
    for item in reading.items:
        members[item.family].append(item.member)
    lone = sum(sorted(found) != ["exception", "generic"] for found in members.values())
    if lone:
        reading.notes["schemas without one generic and one exception"] += lone
    card = Card(
        name="winoventi",
        method="winoventi",
        licence=LICENCE,
        made=f"Read from the benchmark of WinoVenti ({names_of(paths)}).",
        normalise="sum",
        group="noun",
    )
    return reading.probe(card, paths)


def _item(reading: Reading, row: dict[str, str], path: Path, number: int) -> Item:
    row = {name: reading.clean(value) for name, value in row.items()}
    for name in COLUMNS:
        if not row[name]:
            raise UserError(f"the column {name!r} is empty", fix="repair or remove the line")
    kind = whole_number(row["test_type"], "test_type", 2)
    generic, alternative = row["Associative Bias"], row["Alternative"]
    expected = {1: (generic, alternative), 2: (alternative, generic)}.get(kind)
    if expected is None:
        raise UserError("the test_type is neither 1 (generic) nor 2 (exception)", fix="repair or remove the line")
    if (row["target"], row["incorrect"]) != expected:
        raise UserError(
            f"the target {row['target']!r} does not fit a row of test_type {kind}",
            fix="the target is the bias in a generic row and the alternative in an exception",
        )
    prompt = row["masked_prompt"]
    if prompt.count(MASK) != 1:
        raise UserError(f"the prompt has {prompt.count(MASK)} {MASK} and needs one", fix="repair or remove the line")
    # In alphabetical order: the place of an option says nothing of which is right.
    options = tuple(sorted((generic, alternative)))
    return Item(
        probe="winoventi",
        form="cloze",
        text=prompt.replace(MASK, BLANK),
        options=options,
        answer=options.index(row["target"]),
        family=" | ".join(row[name] for name in _SCHEMA),
        member=_TESTS[kind],
        groups={"noun": row["Word"], "generic_word": generic},
        facets={
            "test": _TESTS[kind],
            "bias": generic,
            "alternative": alternative,
            "context": row[_SCHEMA[2 + kind]],
        }
        | split_of(path),
        source=Source(file=path.name, line=number, licence=LICENCE),
    )
