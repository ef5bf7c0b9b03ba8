"""The published files of WinoVenti: schemas whose usual property holds (generic) or does not (exception).

Do and Pavlick, "Are Rotten Apples Edible? Challenging Commonsense Inference Ability with Exceptions"
(Findings of ACL 2021). The benchmark is tab-separated with a header, without quoting. The judgements behind it say
whether a schema is valid (section 2.6), and how people answer it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from horsesense.core import BLANK, Card, Facet, Item, Judgement, Probe, Source
from horsesense.data import read_bytes
from horsesense.errors import UserError
from horsesense.methods.published.reading import (
    Reading,
    ReleasedVotes,
    names_of,
    row_of,
    split_of,
    whole_number,
)

LICENCE = "MIT"
BENCHMARK = "winoventi_bert_large_final.tsv"
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
PROMPTS = ("biased_context_prompt", "adversarial_context_prompt")
CRITERIA = {
    "Are these words synonymous?[ {{Associative Bias}} / {{biased_word_context}} ]": "synonym-generic",
    "Are these words synonymous?[ {{Alternative}} / {{adversarial_word_context}} ]": "synonym-exception",
    "Given the prompt:{{biased_context_prompt}}Can {{Alternative}} be a sensible answer to the blank?": (
        "ambiguous-generic"
    ),
    "Given the prompt:{{adversarial_context_prompt}}Can {{Associative Bias}} be a sensible answer to the blank?": (
        "ambiguous-exception"
    ),
}
"""The four questions, which are the names of the columns; yes is an objection."""
ANSWER = ("Please select the best answer to fill in the blank.", "human_input")
"""Column of the answer in the raw and in the cleaned file."""

_LISTED = {"both_generic_exception": "half-exception", "only_exception": "full-exception"}
"""Folders of the fine-tuning files, and the paper's setting of each."""
_SCHEMA = COLUMNS[:5]
"""Columns that identify a schema."""
_TESTS = {1: "generic", 2: "exception"}
_SPACED = re.compile(r" ([.,;:!?])")
_BLANKS = re.compile(r"_{3,}")
_PARTED = re.compile(rb"[\x00-\x1f]")


def read_winoventi(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read rows as clozes; the two rows of a schema are a family, members generic and exception.

    Fine-tuning files (``.txt``, one filled text per line) are read too: see `_of_lists`.
    """
    lists = [path for path in paths if path.suffix == ".txt"]
    if lists:
        return _of_lists(lists, [path for path in paths if path.suffix != ".txt"], skip_bad)
    reading = Reading(skip_bad)
    reading.add_rows(paths, COLUMNS, _item, "\t", quoted=False)
    members = defaultdict(list)
    for item in reading.items:
        members[item.family].append(item.member)
    lone = sum(sorted(tests) != ["exception", "generic"] for tests in members.values())
    if lone:
        reading.notes["schemas without one generic and one exception"] += lone
    return reading.probe(_card(paths, "Read from the benchmark of WinoVenti"), paths)


def _of_lists(lists: Sequence[Path], tables: Sequence[Path], skip_bad: bool) -> Probe:
    """Read the items of fine-tuning files, each with its file (facet ``scenario``) and split.

    A line only has the right outcome; the wrong one is in the benchmark, which is searched for in the folders above the
    file if it is not given.
    """
    for path in lists:
        _check_texts(path)
    found = list(tables) or list(dict.fromkeys(filter(None, map(_benchmark_above, lists))))
    if not found:
        raise UserError(
            f"as a file of texts for fine-tuning it has no wrong outcomes: they are in {BENCHMARK}, "
            "which is not in a folder above",
            file=lists[0],
            fix="give that file too, or check that this is the file you mean",
        )
    by_text = {_filled(item): item for item in read_winoventi(found, skip_bad).items}
    reading = Reading(skip_bad)
    seen: set[str] = set()
    for path in lists:
        facets = {**split_of(path), "scenario": path.stem, "setting": _LISTED.get(path.parent.name, path.parent.name)}
        for number, raw in reading.lines(path):
            with reading.line(path, number):
                item = by_text.get(_joinable(raw.decode("utf-8", "replace")))
                if item is None:
                    raise UserError("no row of the benchmark has this text", fix="give the benchmark that it is from")
                if item.id in seen:
                    reading.notes["lines that are in several files"] += 1
                    continue
                seen.add(item.id)
                source = Source(file=path.name, line=number, licence=LICENCE)
                reading.add(replace(item, facets={**item.facets, **facets}, source=source))
    return reading.probe(_card(lists, "Read from the fine-tuning files of WinoVenti"), lists)


def _check_texts(path: Path) -> None:
    """Refuse files with fields: a line of a fine-tuning file is one text."""
    for number, raw in Reading().lines(path):
        if _PARTED.search(raw):
            raise UserError(
                "the line has fields, so this is not a fine-tuning file of WinoVenti, where a line is one text",
                file=path,
                line=number,
                fix="check which dataset it is from",
            )


def _benchmark_above(path: Path) -> Path | None:
    return next((file for folder in path.resolve().parents if (file := folder / BENCHMARK).is_file()), None)


def _filled(item: Item) -> str:
    """Return the text with its right outcome, as the fine-tuning files have it."""
    assert item.answer is not None
    return _joinable(item.text.replace(BLANK, item.options[item.answer]))


def _joinable(text: str) -> str:
    """Return a text by which two files are joined: an outcome with a trailing space leaves one before the full stop.

    >>> _joinable("The tree is  nonmobile .")
    'The tree is nonmobile.'
    """
    return _SPACED.sub(r"\1", " ".join(text.split()))


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
    return _schema_item(row, prompt.replace(MASK, BLANK), _TESTS[kind], path, number, split_of(path))


# The judgements behind the benchmark.


def read_winoventi_schemas(paths: Sequence[Path], skip_bad: bool = False) -> ReleasedVotes:
    """Read judgements of schemas: each row is one worker's four answers; the probe has both items of the schema."""
    reading = Reading(skip_bad)
    judgements = []
    for path, number, row in _rows(reading, paths, ("User ID", *_SCHEMA, *PROMPTS, *CRITERIA)):
        with reading.line(path, number):
            objections = [name for question, name in CRITERIA.items() if _yes(row[question], question)]
            items = [
                _judged_item(row, row[prompt], test, path, number)
                for prompt, test in zip(PROMPTS, _TESTS.values(), strict=True)
            ]
            for item in items:
                reading.add(item)
            value = "+".join(objections) or "pass"
            judgements.append(Judgement(items[0].family, row["User ID"], "schema", value))
    # Several people judge a schema; its items are the same each time.
    reading.items = list({item.id: item for item in reading.items}.values())
    return ReleasedVotes(
        reading.probe(_card(paths, "The schemas that people checked for WinoVenti"), paths), tuple(judgements)
    )


def read_winoventi_answers(paths: Sequence[Path], skip_bad: bool = False) -> ReleasedVotes:
    """Read answers: each row is one worker's answer to one item; the raw and the cleaned file agree."""
    reading = Reading(skip_bad)
    judgements = []
    columns = ("User ID", *_SCHEMA, "masked_prompt", "target", "incorrect", "test_type", "choiceA", "choiceB")
    for path, number, row in _rows(reading, paths, columns):
        with reading.line(path, number):
            column = next((name for name in ANSWER if name in row), None)
            if column is None:
                raise UserError("the column of the answer is missing", fix=f"it is called {' or '.join(ANSWER)}")
            choice = row[column].strip("{}")
            if choice not in ("choiceA", "choiceB"):
                raise UserError(f"the answer {row[column]!r} is neither choiceA nor choiceB")
            test = whole_number(row["test_type"], "test_type", 2)
            if test == 0:
                raise UserError("the test_type is neither 1 (generic) nor 2 (exception)", fix="repair the line")
            item = _judged_item(row, row["masked_prompt"], _TESTS[test], path, number)
            if row[choice] not in item.options:
                raise UserError(f"the answer {row[choice]!r} is neither the bias nor the alternative")
            reading.add(item)
            judgements.append(Judgement(item.id, row["User ID"], "choice", row[choice]))
    return ReleasedVotes(
        reading.probe(_card(paths, "The items that people answered for WinoVenti"), paths), tuple(judgements)
    )


def _rows(
    reading: Reading, paths: Sequence[Path], columns: Sequence[str]
) -> Iterator[tuple[Path, int, dict[str, str]]]:
    for path in paths:
        tabs = b"\t" in read_bytes(path).partition(b"\n")[0]
        delimiter = "\t" if tabs else ","
        header, lines = reading.header(path, columns, delimiter, quoted=not tabs)
        for number, raw in lines:
            row: dict[str, str] = {}
            with reading.line(path, number):
                row = row_of(raw, header, delimiter, quoted=not tabs)
                row = {name: reading.clean(value) for name, value in row.items()}
                empty = next((name for name in columns if not row[name]), None)
                if empty is not None:
                    row = {}
                    raise UserError(f"the column {empty!r} is empty", fix="repair or remove the line")
            if row:
                yield path, number, row


def _judged_item(row: dict[str, str], prompt: str, test: str, path: Path, number: int) -> Item:
    """Return the item as the reader of the benchmark makes it."""
    if len(_BLANKS.findall(prompt)) != 1:
        raise UserError("the prompt does not have one blank", fix="repair or remove the line")
    return _schema_item(row, _BLANKS.sub(BLANK, prompt), test, path, number, {})


def _yes(answer: str, question: str) -> bool:
    if answer not in ("Yes", "No"):
        raise UserError(f"the answer {answer!r} to {question!r} is neither Yes nor No")
    return answer == "Yes"


# Shared code.


def _schema_item(
    row: dict[str, str], text: str, test: str, path: Path, number: int, split: Mapping[str, Facet]
) -> Item:
    """Make one of the two items of a schema."""
    generic, alternative = row["Associative Bias"], row["Alternative"]
    # In alphabetical order: the position of an option gives nothing away.
    options = tuple(sorted((generic, alternative)))
    context = row["biased_word_context" if test == "generic" else "adversarial_word_context"]
    return Item(
        probe="winoventi",
        form="cloze",
        text=text,
        options=options,
        answer=options.index(generic if test == "generic" else alternative),
        family=" | ".join(row[name] for name in _SCHEMA),
        member=test,
        groups={"noun": row["Word"], "generic_word": generic},
        facets={"test": test, "bias": generic, "alternative": alternative, "context": context, **split},
        source=Source(file=path.name, line=number, licence=LICENCE),
    )


def _card(paths: Sequence[Path], description: str) -> Card:
    return Card(
        name="winoventi",
        method="winoventi",
        licence=LICENCE,
        made=f"{description} ({names_of(paths)}).",
        normalise="sum",
        group="noun",
    )
