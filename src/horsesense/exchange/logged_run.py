"""Import logs of other tools, or a table of answers, as run folders.

A table has one row per item and model, with the chosen option or one score per option.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Answer, Card, Facet, Item, Reply, ScoringSpec, card_path
from horsesense.core.answer import NO_TOKENS
from horsesense.core.answer_columns import table_of_answers, table_of_replies
from horsesense.core.card import writing_card
from horsesense.core.document import Document
from horsesense.core.item_file import item_from_dict, write_jsonl
from horsesense.data import disk_errors, writing_folder
from horsesense.data.store import Store
from horsesense.data.table_formats import Row, any_rows, table_files
from horsesense.errors import UserError, argument, translate_errors, unknown
from horsesense.exchange.formats import Read, format_function
from horsesense.exchange.log_reader import (
    ANOTHER,
    TABLES,
    LogReader,
    Sample,
    checked,
    gold_of,
    number_of,
    own_item,
    plain_columns,
    probe_name_of,
)
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.manifest import (
    LOG,
    ModelRecord,
    Part,
    ProbeRecord,
    content_of_ids,
    new_manifest,
    write_manifest,
)
from horsesense.runs.shard_files import replies_path, shard_path, write_table
from horsesense.runs.store import probe_path
from horsesense.scoring.generate import answer_from

ROLES = ("item", "model", "choice", "scores", "text", "options", "gold", "task", "repeat", "reply")
"""Roles of columns. ``item`` is the item; ``choice`` or ``scores`` is the answer."""
_FIX = f"write it like {argument('columns')} item=id,model=name,choice=prediction,options=choices,gold=key"
_LETTERS = 40
"""Maximum number of distinct answers that can serve as options."""


def parse_answer_columns(text: str) -> dict[str, str]:
    """Parse the columns; those named like a role can be left out.

    >>> parse_answer_columns("item=id, choice=said")
    {'item': 'id', 'choice': 'said'}
    """
    columns: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        role, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals or not column:
            raise UserError(f"{part!r} in {argument('columns')} is not of the form role=column", fix=_FIX)
        if role not in ROLES:
            raise unknown(f"role in {argument('columns')}", role, ROLES)
        columns[role] = column
    return columns


def read_answer_table(paths: Sequence[Path], reader: LogReader) -> None:
    """Add the rows of all files to the reader."""
    files = [each.path for path in paths for each in table_files(path)]
    columns = _answer_columns(files[0], reader.columns)
    labels: Sequence[str] = () if "options" in columns else _labels(files, columns)
    if labels:
        first_ones = ", ".join(labels[:8])
        reader.warn(
            f"the table has no options, so the answers that occur are the options ({first_ones}), and cues see no more"
        )
    if "text" not in columns:
        reader.warn("the table has no text, so items are shown by name, and cues in the wording cannot be searched")
    if "gold" not in columns:
        reader.warn("the table has no golds, so there is no accuracy")
    for path in files:
        models = set()
        for line, row in any_rows(path):
            with reader.at(path, line):
                if isinstance(row, UserError):
                    raise row
                sample = _sample(row, columns, reader, path, tuple(sorted(labels)))
                if sample.model not in models:
                    models.add(sample.model)
                    reader.describe(sample.model, path, {"tool": "a table of answers"})
                reader.add(sample)
    used = {*columns.values(), "item"}
    first = next((row for path in files for _, row in any_rows(path) if not isinstance(row, UserError)), {})
    if left := [name for name in first if name not in used and not isinstance(first[name], str | int | float | bool)]:
        reader.warn(f"columns that are neither mapped nor facets: {', '.join(left)}")


def _labels(files: Sequence[Path], columns: Mapping[str, str]) -> list[str]:
    """Return the distinct answers, which are the options of every item if there is no column of options."""
    labels: dict[str, None] = {}
    for path in files:
        for _, row in any_rows(path):
            if isinstance(row, UserError) or own_item(row.get("item")) is not None:
                continue
            values = (row.get(columns.get(role, "")) for role in ("choice", "gold"))
            labels |= dict.fromkeys(_label(value) for value in values if value not in (None, ""))
            if len(labels) > _LETTERS:
                raise UserError(
                    f"there are more than {_LETTERS} different answers and no column of options",
                    fix=f"map {argument('columns', 'options=…')}",
                )
    return list(labels)


def _answer_columns(path: Path, named: Mapping[str, str]) -> dict[str, str]:
    """Return the given columns and those named like a role; raise an error if a needed one is missing."""
    first = next((row for _, row in any_rows(path) if not isinstance(row, UserError)), None)
    if first is None:
        raise UserError("the table has no row", file=path, fix="check the file")
    for column in named.values():
        if column not in first:
            raise unknown("column", column, map(str, first)).at(path)
    columns = {role: role for role in ROLES if role in first} | dict(named)
    if "item" not in columns:
        raise UserError("there is no column for the item", file=path, fix=_FIX)
    if "choice" not in columns and "scores" not in columns:
        raise UserError("there is no column for the answer", file=path, fix=_FIX)
    return columns


def _sample(row: Row, columns: Mapping[str, str], reader: LogReader, path: Path, labels: tuple[str, ...]) -> Sample:
    def value(role: str) -> Any:
        return row.get(columns[role]) if role in columns else None

    name = value("item")
    if name is None or name == "":
        raise UserError("the row names no item")
    model = reader.model or str(value("model") or "").strip() or "model"
    task = str(value("task") or "").strip() or path.name.partition(".")[0]
    item = own_item(name) or _item(task, str(name), value, labels)
    repeat = value("repeat")
    number = int(number_of(repeat, "repeat")) if repeat not in (None, "") else 0
    extra = plain_columns({key: each for key, each in row.items() if key not in columns.values()})
    scores = _list(value("scores"))
    if scores is not None:
        if len(scores) != len(item.options):
            raise UserError(f"there are {len(scores)} scores for {len(item.options)} options")
        return Sample(
            task, model, item, tuple(number_of(each, "score") for each in scores), repeat=number, columns=extra
        )
    chosen, reply = value("choice"), str(value("reply") or "")
    try:
        option = None if chosen in (None, "") else gold_of(_label(chosen) if labels else chosen, item.options)
    except UserError:
        option = None
    why = "as the table has it" if option is not None else "names no option"
    return Sample(
        task, model, item, parsed=option, reply=reply or str(chosen or ""), why=why, repeat=number, columns=extra
    )


def _item(task: str, name: str, value: Any, labels: tuple[str, ...]) -> Item:
    options = _list(value("options"))
    texts = tuple(str(each).strip() for each in options) if options is not None else labels
    if not texts:
        raise UserError("the row has no options", fix=f"map {argument('columns', 'options=…')}")
    gold = value("gold")
    answer = gold_of(_label(gold) if options is None and gold not in (None, "") else gold, texts)
    text = str(value("text") or "").strip() or name
    # The name is part of the identity: two rows may have the same text but different items.
    family = "" if options is not None and value("text") else name
    return checked(
        Item(probe=probe_name_of(task), form="choice", text=text, options=texts, answer=answer, member=family)
    )


def _label(value: Any) -> str:
    return str(int(value)) if type(value) is float and value.is_integer() else str(value).strip()


def _list(value: Any) -> list[Any] | None:
    """Return a list that is written as a list, as JSON, or separated by | or ;."""
    if isinstance(value, str) and value.strip():
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            value = value.split("|") if "|" in value else value.split(";") if ";" in value else None
    return value if isinstance(value, list) and value else None


# Logs.


_SHARD = 20_000
"""Answers per file."""


@dataclass(frozen=True, slots=True)
class ImportedLog(Document):
    """A log that was imported as a run folder."""

    out: Path
    """The run folder."""
    samples: int
    """Number of samples: one per model, item and repeat."""
    models: tuple[str, ...]
    """The models."""
    probes: Mapping[str, int]
    """Number of items per probe."""
    notes: Mapping[str, int]
    """Skipped, dropped and duplicate samples, counted."""
    remarks: tuple[str, ...]
    """What the log does not contain."""


def write_logged_run(
    log: LogReader,
    read: Any,
    paths: Sequence[Path],
    out: Path,
    tool: str,
    cluster: str = "",
    progress: Progress = NO_PROGRESS,
) -> ImportedLog:
    """Read logs and write the run folder, completely or not at all."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError("the folder already exists, and a log cannot be added to a run", file=out, fix=ANOTHER)
    out.parent.mkdir(parents=True, exist_ok=True)
    with writing_folder(out) as folder:
        base_path = folder / "samples.sqlite"
        with closing(sqlite3.connect(base_path, isolation_level=None)) as base:
            base.executescript(TABLES)
            log.base = base
            read(paths, log)
            log.flush()
            if not log.parts:
                if log.skipped:
                    raise log.skipped[0]
                raise UserError("there is no sample in the log", file=paths[0], fix="check the file")
            document = _Writer(log, base, folder, out, tool, cluster, progress).write()
        base_path.unlink()
    return document


@dataclass(slots=True)
class _Writer:
    """Writes the folder from the database."""

    log: LogReader
    base: Any
    folder: Path
    out: Path
    tool: str
    cluster: str
    progress: Progress

    def write(self) -> ImportedLog:
        manifest = new_manifest(ScoringSpec().to_dict(), 0, 0, None, 0)
        counts: dict[str, int] = {}
        samples = 0
        for task in dict.fromkeys(task for _, task, _ in self.log.parts):
            parts = {key: number for key, number in self.log.parts.items() if key[1] == task}
            name = probe_name_of(task)
            if name in counts:
                raise UserError(f"two tasks of the log would both be named {name!r}", fix="import them separately")
            self._choose(task, list(parts.values()))
            content = self._probe(task, name, any(prompt_format == "generate" for _, _, prompt_format in parts))
            counts[name] = content.items
            for (model, _, prompt_format), number in parts.items():
                shards, written = self._answers(model, name, prompt_format, number)
                samples += written
                source = f"from a log of {self.tool}"
                part = Part(model=self._model(model), probe=content, shards=shards, format=prompt_format, asked=source)
                manifest = manifest.with_part(part)
        write_manifest(self.folder, manifest)
        models = tuple(dict.fromkeys(model for model, _, _ in self.log.parts))
        notes = dict(sorted(self.log.notes.items()))
        return ImportedLog(self.out, samples, models, counts, notes, tuple(self.log.remarks))

    def _choose(self, task: str, parts: Sequence[int]) -> None:
        """Select the items that every model of a task answered: a run folder has each probe once."""
        placeholders = ",".join("?" * len(parts))
        self.base.execute("drop table if exists chosen")
        self.base.execute(
            "create table chosen as select item from "
            f"(select distinct part, item from answers where part in ({placeholders}))"
            " group by item having count(*) = ? order by item",
            (*parts, len(parts)),
        )
        self.base.execute("create unique index of_chosen on chosen(item)")
        (common,) = self.base.execute("select count(*) from chosen").fetchone()
        (all_of_them,) = self.base.execute("select count(*) from items where task = ?", (task,)).fetchone()
        if not common:
            raise UserError(
                f"the models in the log share no sample of {task}", fix="import the files of each model by themselves"
            )
        if common < all_of_them:
            self.log.notes[f"items of {task} that not every model answered, left out"] += all_of_them - common

    def _probe(self, task: str, name: str, replies: bool) -> ProbeRecord:
        columns = self.log.facets(task)
        if self.cluster and self.cluster not in columns.names:
            raise unknown("column to cluster by", self.cluster, columns.names)
        facets = columns.facets()
        if left := [each for each in columns.names if each not in facets and each != self.cluster]:
            self.log.warn(
                f"{task}: columns with distinct values nearly everywhere are not facets: {', '.join(sorted(left))}"
            )
        group = self.cluster or self.log.groups.get(task) or "family"
        first = self.base.execute(
            "select body from items join chosen on place = item order by place limit 1"
        ).fetchone()
        own = item_from_dict(orjson.loads(first[0]))
        ids, families = list[str](), set[str]()

        def items() -> Iterator[Item]:
            rows = self.base.execute("select body, columns from items join chosen on place = item order by place")
            for body, seen in rows:
                item = item_from_dict(orjson.loads(body))
                values: dict[str, Facet] = orjson.loads(seen)
                if values:
                    in_facets = {each: columns.shown(each, values[each]) for each in facets if each in values}
                    item = replace(item, facets={**in_facets, **item.facets})
                    if self.cluster in values:
                        item = replace(item, groups={**item.groups, self.cluster: str(values[self.cluster])})
                ids.append(item.id)
                families.add(item.unit())
                yield item

        path = probe_path(self.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_jsonl(path, items())
        card = Card(
            name=own.probe,
            items=len(ids),
            families=len(families),
            made=f"Read from a log of {self.tool}, task {task}.",
            normalise="" if replies else "sum",
            group=group,
        )
        with writing_card(card_path(path), card):
            pass
        for each in (path, card_path(path)):
            Store(self.folder).record(each)
        return ProbeRecord(name=name, items=len(ids), of=len(ids), content=content_of_ids(ids))

    def _answers(self, model: str, probe: str, prompt_format: str, part: int) -> tuple[int, int]:
        """Write the answers of one model; return the number of files and of samples."""
        rows = self.base.execute(
            "select items.body, answers.body, repeat from answers join chosen using (item) join items on place = item"
            " where part = ? order by answers.item, repeat",
            (part,),
        )
        answers: list[Answer] = []
        replies: list[Reply] = []
        shards = samples = 0
        for item, repeats in _by_item(rows):
            samples += len(repeats)
            if prompt_format == "generate":
                of_item = [_reply(item, repeat, values) for repeat, values in repeats]
                replies += of_item
                answers.append(answer_from(item, of_item))
            else:
                scores = tuple(repeats[0][1][0])
                answers.append(Answer(item.id, item.form, scores, flags=(NO_TOKENS,) * len(scores)))
            if len(answers) == _SHARD:
                self._shard(model, probe, prompt_format, shards, answers, replies)
                shards += 1
                self.progress.update(f"{model} on {probe}", shards * _SHARD, shards * _SHARD, "answers")
        if answers:
            self._shard(model, probe, prompt_format, shards, answers, replies)
            shards += 1
        return shards, samples

    def _shard(
        self, model: str, probe: str, prompt_format: str, number: int, answers: list[Answer], replies: list[Reply]
    ) -> None:
        path = shard_path(self.folder, model, probe, number, prompt_format)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(path, table_of_answers(model, probe, answers))
        if replies:
            write_table(replies_path(self.folder, model, probe, number, prompt_format), table_of_replies(replies))
        answers.clear()
        replies.clear()

    def _model(self, name: str) -> ModelRecord:
        reported = self.log.reported.get(name, {})
        parameters = reported.get("parameters")
        digest = self.log.hashes.get(name, [""])
        return ModelRecord(
            name=name,
            family="log",
            architecture="",
            direction="",
            parameters=parameters if isinstance(parameters, int) and parameters > 0 else 0,
            window=0,
            weights=digest[0] if len(digest) == 1 else content_of_ids(digest),
            revision=str(reported.get("revision") or ""),
            dtype=str(reported.get("dtype") or ""),
            frame=f"not known: imported from a log of {reported.get('tool', self.tool)}",
            kind=LOG,
            reported={key: value for key, value in reported.items() if value not in (None, "")},
        )


def _by_item(rows: Iterator[Any]) -> Iterator[tuple[Item, list[tuple[int, Any]]]]:
    """Group the repeats of each item."""
    body, repeats = None, []
    for item, answer, repeat in rows:
        if item != body and body is not None:
            yield item_from_dict(orjson.loads(body)), repeats
            repeats = []
        body = item
        repeats.append((repeat, orjson.loads(answer)))
    if body is not None:
        yield item_from_dict(orjson.loads(body)), repeats


def _reply(item: Item, repeat: int, values: Any) -> Reply:
    _, parsed, reply, why = values
    return Reply(
        item=item.id,
        format="generate",
        order=(),
        sample=repeat,
        prompt="",
        request="",
        sent="",
        text=reply,
        reasoning="",
        outcome="answered" if parsed is not None else "unparsed" if reply.strip() else "empty",
        logprobs=(),
        bounded=(),
        parsed=parsed,
        why=why,
    )


@translate_errors()
def import_log(
    format: str,
    *files: str | Path,
    out: str | Path,
    columns: str = "",
    model: str = "",
    cluster: str = "",
    filter: str = "",
    scorer: str = "",
    skip_bad: bool = False,
    progress: Progress = NO_PROGRESS,
) -> ImportedLog:
    """Import the logs of another tool as a run folder.

    Args:
        format: Format: lm-eval (samples_*.jsonl), inspect (.eval or .json), answers (any table), watts (the table of
            Nguyen, Watts and Whiting, 2026: answers of 35 models about statements), or a plug-in's.
        files: Logs, or folders of logs.
        out: Run folder to write; it must not exist.
        columns: Table: role of each column, as ``item=id,model=m,choice=said,options=opts,gold=key``.
        model: Name of the model. By default, the one in the log.
        cluster: Column of the cluster, for intervals.
        filter: lm-eval: filter to use. By default, the first.
        scorer: Inspect: scorer to use. By default, the first.
        skip_bad: Skip and count unreadable samples instead of stopping at the first.
        progress: Progress callback.

    Returns:
        Models and probes, what was left out, and what the log does not contain.
    """
    read: Read = format_function(format, "read")
    if not files:
        raise UserError("no log is given", fix="name a file")
    paths = [Path(file) for file in files]
    for path in paths:
        with disk_errors(path):
            path.stat()
    if columns and format != "answers":
        raise UserError("only a table of answers has columns to map", fix=f"leave them out for {format}")
    roles = parse_answer_columns(columns)
    log = LogReader(skip_bad=skip_bad, columns=roles, model=model, filter=filter, scorer=scorer)
    return write_logged_run(log, read, paths, Path(out), format, cluster, progress)
