"""The sets that CATs was made from, in their own formats: sense making, argument reasoning, SWAG and HellaSwag, and
Winograd schemas.

- Sense making, and sense making with reasons: the files of SemEval-2020 task 4, subtasks A and B (Wang and others 2019,
  2020; CATs, sections "Sense Making (SM)" and "Sense Making with Reasoning (SMR)"). Subtask A has ``id,sent0,sent1``,
  subtask B ``id,FalseSent,OptionA,OptionB,OptionC``; answers are in a file of their own without a header. The answer
  to A is the statement *against* common sense (the starting kit's page says the opposite of what its files hold), so
  the sensible one is the other.
- Argument reasoning: a reason, one of two warrants, a claim; and its negated augmentation (Habernal and others 2018;
  Niven and Kao 2019; CATs, section "Argument Reasoning Comprehension Task (ARCT)"). Tab-separated: ``#id warrant0
  warrant1 correctLabelW0orW1 reason claim debateTitle debateInfo``. The augmentation has one column more, which says
  whether a row's claim is negated, so that the other warrant is right; it is known by that column (adversarial,
  negated …) or by its file's name (test-adv-negated). The released join says "and since" before the first warrant and
  "but since" before the second. A model that likes one of the two words better is then right or wrong by place; the
  neutral join has no such cue.
- SWAG and HellaSwag: what happens next, the context joined with each ending (Zellers and others 2018, 2019; CATs,
  sections "SWAG" and "HellaSwag"). Only the part of HellaSwag from ActivityNet is taken, as in the paper; the
  brackets of WikiHow are removed everywhere.
- Winograd schemas (Levesque, Davis, Morgenstern 2012): the XML of Davis, three kinds of JSON, or a table with a header,
  reframed as in CATs, section "Winograd Schema Challenge (WSC)", table 2. In the XML each text is cut at its pronoun;
  the kinds of JSON are recognised by their fields.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import orjson

from horsesense.core import Facet, Probe
from horsesense.data import numbered_lines, read_bytes, read_text
from horsesense.errors import UserError
from horsesense.methods.cats.joining import case_of, joined, spaced, substituted, without_brackets
from horsesense.methods.cats.reframing import Reframing, SourceRow, filled_cell, rows_of
from horsesense.methods.published.reading import Reading, check_columns, json_of, text_field, whole_number

Answers = dict[str, tuple[str, int]]
"""By id, the answer and its line."""

_REASONS = ("OptionA", "OptionB", "OptionC")
_ARGUMENT_COLUMNS = ("#id", "warrant0", "warrant1", "correctLabelW0orW1", "reason", "claim")
_TRUE = ("true", "1", "yes")
_AUGMENTED = re.compile(r"adv|negat", re.IGNORECASE)
_ENDINGS = ("ending0", "ending1", "ending2", "ending3")
_NOT_TAKEN = "items of WikiHow left out"
_HOW = "the context is joined with each ending"


# Sense making.


def read_sense_making(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Subtask A: two statements, of which the sensible one is right."""
    questions, answers = paths
    reframing, golds = Reframing(Reading(skip_bad), "sm"), _answers(answers)
    for line, row in rows_of(reframing.reading, questions, ("id", "sent0", "sent1")):
        with reframing.reading.line(questions, line):
            nonsense = _gold(golds, row, answers, {"0": 0, "1": 1})
            statements = [spaced(filled_cell(row, name)) for name in ("sent0", "sent1")]
            reframing.add(statements, 1 - nonsense, questions, line, identity=row["id"].strip())
    return reframing.probe(paths, "the statements are unchanged")


def read_sense_reasons(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Subtask B: a nonsense statement with each of three reasons."""
    questions, answers = paths
    reframing, golds = Reframing(Reading(skip_bad), "smr"), _answers(answers)
    for line, row in rows_of(reframing.reading, questions, ("id", "FalseSent", *_REASONS)):
        with reframing.reading.line(questions, line):
            gold = _gold(golds, row, answers, {"A": 0, "B": 1, "C": 2})
            statement = spaced(filled_cell(row, "FalseSent")).rstrip(" .")
            reasons = [spaced(filled_cell(row, name)).rstrip(" .") for name in _REASONS]
            options = [joined("smr", index, statement=statement, reason=each) for index, each in enumerate(reasons)]
            reframing.add(options, gold, questions, line, identity=row["id"].strip())
    return reframing.probe(paths, "the statement is said to be against common sense because of each reason")


def _answers(path: Path) -> Answers:
    """The answer to each id; a file with a header line has it left out."""
    answers: Answers = {}
    for number, line in numbered_lines(path):
        fields = [field.strip() for field in next(csv.reader([line]))]
        if len(fields) != 2:
            check_columns(fields, ("id", "answer"), path)
            raise UserError(f"the line has {len(fields)} fields and needs an id and an answer", file=path, line=number)
        if number == 1 and fields[0].lower() == "id":
            continue
        if answers.setdefault(fields[0], (fields[1], number))[0] != fields[1]:
            raise UserError(f"the id {fields[0]} has two answers", file=path, line=number, fix="leave one out")
    return answers


def _gold(golds: Answers, row: SourceRow, answers: Path, places: Mapping[str, int]) -> int:
    """Return the index that the answer to a row names; an invalid answer is an error with its line."""
    identity = filled_cell(row, "id")
    if identity not in golds:
        raise UserError(f"the id {identity} has no answer in {answers.name}", fix="give the answers of this file")
    gold, line = golds[identity]
    if gold not in places:
        *others, last = places
        problem = f"the answer {gold!r} to the id {identity} is not {', '.join(others)} or {last}"
        raise UserError(problem, file=answers, line=line, fix="put it right, or leave the id out of both files")
    return places[gold]


# Argument reasoning.


def _negation_column(row: SourceRow) -> str:
    """The column that says whether the claim is negated; empty where there is none."""
    return next((name for name in row if _AUGMENTED.search(name)), "")


def _read_arguments(paths: Sequence[Path], skip_bad: bool, wording: str) -> Probe:
    reading = Reading(skip_bad)
    rows = [(path, line, row) for path in paths for line, row in rows_of(reading, path, _ARGUMENT_COLUMNS, tabs=True)]
    negated = any(_negation_column(row) or _AUGMENTED.search(path.name) for path, _, row in rows)
    reframing = Reframing(reading, "arct_2" if negated else "arct_1", licence="Apache-2.0")
    for path, line, row in rows:
        with reading.line(path, line):
            _add_argument(reframing, row, path, line, wording)
    return reframing.probe(paths, f"reason, warrant and claim are joined ({wording} wording)")


def _add_argument(reframing: Reframing, row: SourceRow, path: Path, line: int, wording: str) -> None:
    reason, claim = (spaced(filled_cell(row, name)).rstrip(" .") for name in ("reason", "claim"))
    warrants = [spaced(filled_cell(row, name)).rstrip(" .") for name in ("warrant0", "warrant1")]
    gold = whole_number(filled_cell(row, "correctLabelW0orW1"), "label", 1)
    options = [
        joined("arct", index, wording, reason=reason, warrant=warrant, claim=claim)
        for index, warrant in enumerate(warrants)
    ]
    facets: dict[str, Facet] = {"join": wording}
    if column := _negation_column(row):
        facets["negated"] = row[column].strip().lower() in _TRUE
    identity = filled_cell(row, "#id")
    reframing.add(options, gold, path, line, facets=facets, identity=identity)


read_arct = partial(_read_arguments, wording="released")
"""As the paper joins them."""

read_arct_neutral = partial(_read_arguments, wording="neutral")
"""The same words before both warrants."""


# SWAG and HellaSwag.


def read_swag(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """SWAG's csv: ``sent1`` is the context, ``sent2`` how the next sentence begins."""
    reframing = Reframing(Reading(skip_bad), "swag")
    for path in paths:
        for line, row in rows_of(reframing.reading, path, ("sent1", "sent2", *_ENDINGS, "label")):
            with reframing.reading.line(path, line):
                endings = [filled_cell(row, name) for name in _ENDINGS]
                gold = whole_number(filled_cell(row, "label"), "label", len(endings) - 1)
                options = _with_endings("swag", filled_cell(row, "sent1"), row["sent2"], endings)
                reframing.add(options, gold, path, line, identity=row.get("video-id", "").strip())
    return reframing.probe(paths, _HOW)


def read_hellaswag(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """HellaSwag's JSON lines: ``ctx_a`` is the context, ``ctx_b`` how the next sentence begins."""
    reframing = Reframing(Reading(skip_bad), "hella_swag")
    for path in paths:
        for line, raw in reframing.reading.lines(path):
            with reframing.reading.line(path, line):
                values = json_of(raw)
                if not str(values.get("source_id", "")).startswith("activitynet"):
                    reframing.reading.notes[_NOT_TAKEN] += 1
                    continue
                _add_endings(reframing, values, path, line)
    return reframing.probe(paths, f"{_HOW}; ActivityNet only")


def _add_endings(reframing: Reframing, values: dict[str, Any], path: Path, line: int) -> None:
    endings = values.get("endings")
    if not isinstance(endings, list) or len(endings) < 2 or not all(isinstance(each, str) for each in endings):
        raise UserError("the field 'endings' is not a list of texts", fix="check that it is a file of HellaSwag")
    if "label" not in values or values["label"] in ("", None):
        raise UserError("the line has no label", fix="the test split of HellaSwag has none; use train or val")
    begins = values.get("ctx_b", "")
    start = begins[:1].upper() + begins[1:] if isinstance(begins, str) else ""
    gold = whole_number(values["label"], "label", len(endings) - 1)
    options = _with_endings("hella_swag", text_field(values, "ctx_a"), start, endings)
    facets = {"activity": values["activity_label"]} if isinstance(values.get("activity_label"), str) else {}
    reframing.add(options, gold, path, line, facets={**facets}, identity=str(values.get("ind", "")))


def _with_endings(task: str, context: str, start: str, endings: Sequence[str]) -> list[str]:
    parts = {"context": without_brackets(context), "start": without_brackets(start)}
    cleaned = [without_brackets(ending) for ending in endings]
    if not all(cleaned):
        raise UserError("an ending is empty", fix="fill it in, or leave the instance out")
    return [joined(task, index, ending=ending, **parts) for index, ending in enumerate(cleaned)]


# Winograd schemas.


_COLUMNS = {
    "text": ("text", "sentence", "context"),
    "pronoun": ("pronoun", "pron"),
    "answer": ("answer", "label", "correct", "correct_answer", "correctanswer"),
    "place": ("pronoun_loc", "pronoun_start", "pronoun_offset"),
}
_CANDIDATES = (
    ("a", "b"),
    ("answer_a", "answer_b"),
    ("option_a", "option_b"),
    ("option1", "option2"),
    ("candidate_a", "candidate_b"),
    ("candidate_0", "candidate_1"),
    ("candidate1", "candidate2"),
)
_LISTED = ("options", "candidates", "answers")
_BETWEEN = re.compile(r"\s*[,;|/]\s*")
NumberedObject = tuple[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WinogradSchema:
    """One question: a text around its pronoun, and the candidates that the pronoun may refer to."""

    before: str
    """The text up to the pronoun."""
    pronoun: str
    """As in the text; empty where the candidates are whole sentences."""
    after: str
    candidates: tuple[str, ...]
    answer: int
    line: int
    """Line in its file."""


def letter_place(text: str, number: int) -> int:
    """Return the index of a candidate from a letter (A, "B.", …) or an index from 0.

    >>> letter_place(" B. ", 2), letter_place("0", 2)
    (1, 0)
    """
    letter = text.strip().rstrip(".").upper()
    index = (
        int(letter) if letter.isdecimal() and len(letter) < 3 else ord(letter) - ord("A") if len(letter) == 1 else -1
    )
    if not letter:
        raise UserError("the right answer is missing", fix="fill it in, or leave the schema out")
    if not 0 <= index < number:
        raise UserError(
            f"the answer {text.strip()!r} is not one of the {number} candidates", fix="use A, B … or 0, 1 …"
        )
    return index


# A table with a header: a text, its pronoun, two or more candidates, the right one.


def table_schemas(reading: Reading, path: Path) -> Iterator[WinogradSchema]:
    """Yield one schema per row of the table."""
    tabs = "\t" in read_text(path).partition("\n")[0]
    for line, row in rows_of(reading, path, tabs=tabs):
        with reading.line(path, line):
            yield _row_schema({name.strip().lower(): value for name, value in row.items()}, line)


def _row_schema(row: SourceRow, line: int) -> WinogradSchema:
    text, pronoun, answer = (filled_cell(row, _column(row, role)) for role in ("text", "pronoun", "answer"))
    index = next((row[name] for name in _COLUMNS["place"] if row.get(name)), None)
    before, pronoun, after = parted(text, pronoun, int(index) if index and index.isdecimal() else None)
    candidates = _candidates(row)
    if answer in candidates:
        return WinogradSchema(before, pronoun, after, candidates, candidates.index(answer), line)
    return WinogradSchema(before, pronoun, after, candidates, letter_place(answer, len(candidates)), line)


def _column(row: SourceRow, role: str) -> str:
    for name in _COLUMNS[role]:
        if name in row:
            return name
    raise UserError(f"there is no column for the {role}", fix=f"call it {' or '.join(_COLUMNS[role])}")


def _candidates(row: SourceRow) -> tuple[str, ...]:
    for names in _CANDIDATES:
        if all(name in row for name in names):
            return tuple(filled_cell(row, name) for name in names)
    for name in _LISTED:
        if name in row:
            return tuple(part for part in _BETWEEN.split(filled_cell(row, name)) if part)
    raise UserError("there are no columns for the candidates", fix="call them A and B, or give one column 'options'")


def parted(text: str, pronoun: str, place: object = None) -> tuple[str, str, str]:
    """Return the text before the pronoun, the pronoun as written, and the text after it.

    The pronoun is found by its character offset, by marks around it ([it], _it_, *it*), or because it occurs once.

    >>> parted("The jar hit the cup and [it] broke.", "it")
    ('The jar hit the cup and ', 'it', ' broke.')
    """
    escaped = re.escape(pronoun)
    marked = re.search(rf"[\[_*]+({escaped})[\]_*]+", text, re.IGNORECASE)
    if marked:
        return text[: marked.start()], marked[1], text[marked.end() :]
    matches = list(re.finditer(rf"\b{escaped}\b", text, re.IGNORECASE))
    if type(place) is int:
        matches = [match for match in matches if match.start() == place]
    if len(matches) != 1:
        where = f" at character {place}" if type(place) is int else ""
        raise UserError(
            f"the pronoun {pronoun!r} occurs {len(matches)} times in the text{where}", fix="mark it: … [it] …"
        )
    return text[: matches[0].start()], matches[0][0], text[matches[0].end() :]


# JSON, lines or one list, of three kinds:
#
# - text, pronoun, pronoun_loc, options, label: one schema each;
# - question_id, substitution, correctness: one sentence each, the pronoun replaced already (Trinh and Le 2018);
# - text, target {span1_text, span2_text, span2_index}, label: one candidate each (SuperGLUE).


def json_schemas(reading: Reading, path: Path) -> Iterator[WinogradSchema]:
    """Yield the schemas of the file; candidates of one text in several objects are joined."""
    groups: dict[str, list[NumberedObject]] = {}
    for line, values in _objects(reading, path):
        if "options" in values:
            with reading.line(path, line):
                yield _object_schema(values, line)
        else:
            with reading.line(path, line):
                groups.setdefault(_shared_text(values), []).append((line, values))
    for members in groups.values():
        with reading.line(path, members[0][0]):
            yield _substitution_schema(members) if "substitution" in members[0][1] else _span_schema(members)


def _objects(reading: Reading, path: Path) -> Iterator[NumberedObject]:
    text = read_text(path)
    try:
        if text.lstrip().startswith("["):
            yield from ((index, _object(value)) for index, value in enumerate(orjson.loads(text), start=1))
            return
    except orjson.JSONDecodeError as error:
        raise UserError(f"this is not JSON: {error.msg}", file=path, line=error.lineno) from None
    for number, line in enumerate(text.split("\n"), start=1):
        values: dict[str, Any] = {}
        with reading.line(path, number):
            try:
                values = _object(orjson.loads(line)) if line.strip() else {}
            except orjson.JSONDecodeError as error:
                raise UserError(f"the line is not JSON: {error.msg}", fix="repair or remove it") from None
        if values:
            yield number, values


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UserError("an entry is not a JSON object", fix="repair or remove it")
    return value


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"the field {name!r} is missing or is not text", fix="check the file")
    return value


def _object_schema(values: dict[str, Any], line: int) -> WinogradSchema:
    options = values["options"]
    if not isinstance(options, list) or not all(isinstance(option, str) and option.strip() for option in options):
        raise UserError("the field 'options' is not a list of texts", fix="check the file")
    index = values.get("pronoun_loc")
    before, pronoun, after = parted(_text(values, "text"), _text(values, "pronoun"), index)
    label = values.get("label", "")
    return WinogradSchema(before, pronoun, after, tuple(options), letter_place(str(label), len(options)), line)


def _shared_text(values: dict[str, Any]) -> str:
    """Return the key that the candidates of one schema share."""
    if "substitution" in values:
        return str(values.get("question_id"))
    target = values.get("target")
    if not isinstance(target, dict):
        raise UserError("the object is of an unknown kind", fix="use text, pronoun, options and label")
    return f"{_text(values, 'text')} {target.get('span2_index')}"


def _right(members: list[NumberedObject], field: str) -> int:
    right = [index for index, (_, values) in enumerate(members) if values.get(field) in (True, 1, "true", "True")]
    if len(right) != 1:
        raise UserError(f"{len(right)} of the {len(members)} candidates of this text are right", fix="one must be")
    return right[0]


def _substitution_schema(members: list[NumberedObject]) -> WinogradSchema:
    """Return a schema of whole sentences: the sentence is the candidate, so the pronoun is empty."""
    sentences = tuple(_text(values, "substitution") for _, values in members)
    return WinogradSchema("", "", "", sentences, _right(members, "correctness"), members[0][0])


def _span_schema(members: list[NumberedObject]) -> WinogradSchema:
    text, target = members[0][1]["text"], members[0][1]["target"]
    words, index = text.split(), target.get("span2_index")
    pronoun = _text(target, "span2_text")
    if type(index) is not int or not 0 <= index < len(words) or not words[index].startswith(pronoun):
        raise UserError(f"word {index} of the text is not {pronoun!r}", fix="check the file")
    before, after = " ".join(words[:index]), " ".join([words[index][len(pronoun) :], *words[index + 1 :]])
    candidates = tuple(_text(values["target"], "span1_text") for _, values in members)
    return WinogradSchema(before, pronoun, after, candidates, _right(members, "label"), members[0][0])


def read_winograd(paths: Sequence[Path], skip_bad: bool = False) -> Probe:
    """Read each schema as one item of the set ``wsc``: its text with each candidate in place of the pronoun."""
    reframing = Reframing(Reading(skip_bad), "wsc")
    for path in paths:
        content = read_bytes(path).lstrip(b"\xef\xbb\xbf \t\r\n")
        if not content:
            raise UserError("the file is empty", file=path, fix="check that it was fetched whole")
        schemas_of = {b"<": xml_schemas, b"{": json_schemas, b"[": json_schemas}.get(content[:1], table_schemas)
        for schema in schemas_of(reframing.reading, path):
            with reframing.reading.line(path, schema.line):
                _add(reframing, schema, path)
    return reframing.probe(paths, "each candidate takes the place of the pronoun, and names keep their case")


def _add(reframing: Reframing, schema: WinogradSchema, path: Path) -> None:
    if len(schema.candidates) < 2:
        raise UserError(f"the schema has {len(schema.candidates)} candidates", fix="give two or more")
    before, pronoun, after = (spaced(part) for part in (schema.before, schema.pronoun, schema.after))
    if not pronoun and not before and not after:
        reframing.add(schema.candidates, schema.answer, path, schema.line)
        return
    if not pronoun:
        raise UserError("the schema has no pronoun", fix="mark it, or leave the schema out")
    options = [substituted(before, pronoun, after, spaced(candidate)) for candidate in schema.candidates]
    facets = {"pronoun": pronoun.lower(), "case": case_of(pronoun, f" {after}")}
    reframing.add(options, schema.answer, path, schema.line, facets={**facets})


def xml_schemas(reading: Reading, path: Path) -> Iterator[WinogradSchema]:
    """Yield every ``<schema>`` of the collection, with its first line."""
    content = read_bytes(path)
    lines: list[int] = []
    parser = expat.ParserCreate()

    def begins(name: str, _: dict[str, str]) -> None:
        if name == "schema":
            lines.append(parser.CurrentLineNumber)

    parser.StartElementHandler = begins
    try:
        parser.Parse(content, True)
        schemas = list(ElementTree.fromstring(content).iter("schema"))
    except (expat.ExpatError, ElementTree.ParseError, LookupError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise UserError(f"this is not XML: {error}", file=path, line=line, fix="get the file again") from None
    for schema, line in zip(schemas, lines, strict=True):
        with reading.line(path, line):
            yield _xml_schema(schema, line)


def _xml_schema(schema: ElementTree.Element, line: int) -> WinogradSchema:
    candidates = tuple("".join(answer.itertext()).strip() for answer in schema.iterfind("answers/answer"))
    if not all(candidates):
        raise UserError("a candidate is empty", fix="fill it in, or leave the schema out")
    return WinogradSchema(
        before=schema.findtext("text/txt1", ""),
        pronoun=schema.findtext("text/pron", ""),
        after=schema.findtext("text/txt2", ""),
        candidates=candidates,
        answer=letter_place(schema.findtext("correctAnswer", ""), len(candidates)),
        line=line,
    )
