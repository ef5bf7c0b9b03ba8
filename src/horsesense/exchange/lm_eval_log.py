"""Read sample logs of lm-evaluation-harness (``--log_samples``), versions 0.4.0 to 0.4.13.

One line is one document under one filter. Multiple choice has one log-likelihood per option; generation has a text and
a metric. The results file beside the samples names the model and the versions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from horsesense.core import Form, Item
from horsesense.data import numbered_lines, read_bytes
from horsesense.errors import UserError
from horsesense.exchange.log_reader import (
    LogReader,
    Sample,
    checked,
    gold_of,
    loads_with_nan,
    number_of,
    of_ours,
    open_item,
    own_item,
    plain_columns,
    probe_name_of,
)
from horsesense.scoring.reply_parsing import parse_reply

_FILE = re.compile(r"samples_(?P<task>.+?)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.:-]+)\.jsonl(\.gz)?")
_NEEDED = ("doc", "arguments", "resps")
_METRICS = ("exact_match", "acc", "em", "pass@1", "f1")
"""Metrics of generation that are right or wrong, in order of preference."""


def read_lm_eval(paths: Sequence[Path], reader: LogReader) -> None:
    """Add the samples of all files to the reader; folders are searched."""
    files = [file for path in paths for file in _files(path)]
    for path in files:
        match = _FILE.fullmatch(path.name)
        task = match["task"] if match else re.sub(r"^samples_|\.jsonl(\.gz)?$", "", path.name)
        results = _results(path, match["date"] if match else "")
        model = reader.model or _model_of(results) or path.resolve().parent.name
        reader.describe(model, path, _reported(results, task))
        if not results:
            reader.warn(f"{path.name}: there is no results file, so the model is named after its folder")
        chosen = reader.filter
        for line, text in numbered_lines(path):
            with reader.at(path, line):
                values = _object(text)
                used = str(values.get("filter", "none"))
                chosen = chosen or used
                if used != chosen:
                    reader.warn(f"{task}: several filters; {chosen} is used")
                    continue
                for sample in _samples(values, task, model, reader):
                    reader.add(sample)
    reader.warn(
        "the log has no tokens: sums and their normalisation by words and characters are there, token tables are not"
    )


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(path.rglob("samples_*.jsonl"))
    if not files:
        raise UserError("the folder has no samples_*.jsonl", file=path, fix="log with --log_samples")
    return files


def _object(text: str) -> dict[str, Any]:
    try:
        values = loads_with_nan(text)
    except ValueError as error:
        raise UserError(f"the line is not JSON ({error}), or it is cut off") from None
    if not isinstance(values, dict):
        raise UserError("the line is not a JSON object")
    missing = [name for name in _NEEDED if name not in values]
    if missing:
        raise UserError(
            f"the field {missing[0]!r} is missing, so this is not a log of samples of version 0.4.0 or later",
            fix="log again with --log_samples",
        )
    return values


def _results(path: Path, date: str) -> Mapping[str, Any]:
    """The results that were written with the samples; nothing where they are not there."""
    beside = path.parent / f"results_{date}.json"
    if not date or not beside.is_file():
        every = sorted(path.parent.glob("results_*.json"))
        if not every:
            return {}
        beside = every[-1]
    try:
        values = orjson.loads(read_bytes(beside))
    except orjson.JSONDecodeError as error:
        raise UserError(f"this is not JSON: {error.msg}", file=beside, fix="get it again, or move it away") from None
    return values if isinstance(values, dict) else {}


def _model_of(results: Mapping[str, Any]) -> str:
    name = results.get("model_name")
    if not name:
        arguments = (results.get("config") or {}).get("model_args")
        if isinstance(arguments, dict):
            name = arguments.get("pretrained") or arguments.get("model")
        elif isinstance(arguments, str):
            named = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", arguments)
            name = named[1] if named else ""
    return Path(str(name)).name if str(name or "").startswith(("/", ".")) else str(name or "")


def _reported(results: Mapping[str, Any], task: str) -> dict[str, Any]:
    def section(name: str) -> Mapping[str, Any]:
        value = results.get(name)
        return value if isinstance(value, Mapping) else {}

    config = section("config")
    version = results.get("lm_eval_version", "")
    arguments = config.get("model_args")
    return {
        "tool": f"lm-eval {version}".strip(),
        "source": config.get("model"),
        "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else "",
        "parameters": config.get("model_num_parameters"),
        "dtype": str(config.get("model_dtype") or "").removeprefix("torch."),
        "revision": config.get("model_sha") or config.get("model_revision"),
        "transformers": results.get("transformers_version"),
        "chat template": bool(results.get("chat_template")),
        f"version of {task}": section("versions").get(task),
        f"examples of {task}": section("n-shot").get(task),
    }


def _samples(values: Mapping[str, Any], task: str, model: str, reader: LogReader) -> Iterator[Sample]:
    doc = values["doc"] if isinstance(values["doc"], dict) else {}
    requests = _in_order(values["arguments"], "the arguments are neither a list nor an object")
    asked = [tuple(_in_order(each, "a request has no context and continuation")) for each in requests]
    if not asked:
        raise UserError("the sample has no arguments")
    responses = values["resps"]
    if not isinstance(responses, list) or not responses:
        raise UserError("the sample has no responses")
    first = responses[0][0] if isinstance(responses[0], list) and responses[0] else None
    if isinstance(first, list | tuple) and len(asked[0]) > 1:
        yield _choice(values, doc, asked, task, model)
    elif isinstance(first, str):
        yield from _generated(values, doc, asked, task, model, reader)
    else:
        raise UserError("the responses are neither log-likelihoods of options nor texts")


def _in_order(values: Any, problem: str) -> list[Any]:
    """Return the requests of a sample, or the texts of one: a list, or numbered names in newer versions."""
    if isinstance(values, dict):
        return [values[name] for name in sorted(values, key=lambda name: (len(name), name))]
    if isinstance(values, list):
        return values
    raise UserError(problem)


def _choice(
    values: Mapping[str, Any], doc: Mapping[str, Any], asked: Sequence[tuple[Any, ...]], task: str, model: str
) -> Sample:
    answers = [each[0] if isinstance(each, list) and each else None for each in values["resps"]]
    if len(answers) != len(asked) and len(asked) == 2 * len(answers):
        asked = asked[: len(answers)]  # with acc_mutual_info every option is scored without its context too
    if len(answers) != len(asked):
        raise UserError(f"there are {len(answers)} log-likelihoods for {len(asked)} options")
    if any(not isinstance(each, list | tuple) or not each for each in answers):
        raise UserError("a response has no log-likelihood")
    scores = tuple(number_of(each[0], "log-likelihood") for each in answers if each)
    item = own_item(doc.get("item"))
    if item is not None and len(item.options) != len(scores):
        raise UserError(f"there are {len(scores)} log-likelihoods for {len(item.options)} options")
    if item is not None:
        return of_ours(doc, task, model, item, scores=scores)
    contexts, continuations = [str(each[0]) for each in asked], [str(each[1]) for each in asked]
    item = _item_of(task, contexts, continuations, values.get("target"))
    return Sample(task, model, item, scores, columns=plain_columns(doc))


def _item_of(task: str, contexts: Sequence[str], continuations: Sequence[str], target: Any) -> Item:
    """Make an item: a question with answers, or whole sentences if the contexts differ or are empty."""
    name, form, text = probe_name_of(task), "choice", contexts[0].strip()
    options = tuple(continuation.strip() for continuation in continuations)
    if len(set(contexts)) > 1 or not text:
        form, text = "sentences", ""
        options = tuple((context + rest).strip() for context, rest in zip(contexts, continuations, strict=True))
    gold = gold_of(target, options if len(set(contexts)) == 1 else [str(n) for n in range(len(options))])
    kind: Form = "choice" if form == "choice" else "sentences"
    return checked(Item(probe=name, form=kind, text=text, options=options, answer=gold))


def _generated(
    values: Mapping[str, Any],
    doc: Mapping[str, Any],
    asked: Sequence[tuple[Any, ...]],
    task: str,
    model: str,
    reader: LogReader,
) -> Iterator[Sample]:
    """Return each repeat: the option that it names if there are options, else right or wrong by the log's metric."""
    texts = [str(text) for text in values["resps"][0]]
    item = own_item(doc.get("item"))
    if item is not None:
        for repeat, text in enumerate(texts):
            parsed = parse_reply(text, item.options)
            yield of_ours(doc, task, model, item, parsed=parsed.option, reply=text, why=parsed.why, repeat=repeat)
        return
    metric = _metric(values)
    target = values.get("target")
    gold = str(target[0] if isinstance(target, list) and target else target if target is not None else "")
    item = open_item(probe_name_of(task), str(asked[0][0]).strip(), gold)
    reader.warn(
        f"{task}: asked without options, so the log's {metric} decides what is right, and cues cannot be searched"
    )
    if len(texts) > 1:
        reader.warn(f"{task}: the log scores its {len(texts)} repeats together, and so does the import")
    right = _right(values[metric], metric)
    why = f"{metric} of the log"
    yield Sample(task, model, item, parsed=0 if right else 1, reply=texts[0], why=why, columns=plain_columns(doc))


def _metric(values: Mapping[str, Any]) -> str:
    listed = values.get("metrics")
    known = [str(name) for name in listed] if isinstance(listed, list) else [n for n in _METRICS if n in values]
    for name in (*(n for n in _METRICS if n in known), *known):
        if isinstance(values.get(name), int | float):
            return name
    raise UserError("the sample has no metric that says right or wrong")


def _right(value: Any, metric: str) -> bool:
    if value in (0, 1):
        return bool(value)
    raise UserError(f"{metric} is {value!r}, neither right nor wrong")
