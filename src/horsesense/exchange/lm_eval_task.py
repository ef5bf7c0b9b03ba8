"""Export a probe as tasks of lm-evaluation-harness: YAML, the items as JSON lines, and a short Python file for scoring.

The harness concatenates context and continuation and returns the log-likelihood of the latter; under the spec preset
``lm-eval`` it equals our sum. It does not return tokens, so a mean over tokens is not available there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import orjson

from horsesense import __version__
from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError, unknown
from horsesense.exchange.formats import Export, WrittenExport
from horsesense.lexicons.words import word_spans
from horsesense.scoring.normalise import BY_FORM
from horsesense.scoring.prompts import item_prompts

DATA = "items.jsonl"
_MOST_TASKS = 100
"""Maximum number of tasks of a group."""

_SCORING = '''"""How the tasks in this folder load their items and score them. Written by horsesense {version}."""

import json
from pathlib import Path

import datasets


def load(task=None, **_):
    """The items of a task; all of them without one."""
    lines = (Path(__file__).parent / "{data}").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if task is None or row["task"] == task]
    return {{"test": datasets.Dataset.from_list(rows)}}


def credit(doc, results):
    """1 where the right option scores best, a part of it in a tie: by sum, per character, and per word."""
    sums = [loglikelihood for loglikelihood, *_ in results]
    by = {{"acc": [1] * len(sums), "acc_norm": doc["characters"], "acc_word": doc["words"]}}
    earned = {{}}
    for metric, lengths in by.items():
        scores = [score / length for score, length in zip(sums, lengths)]
        best = [place for place, score in enumerate(scores) if score == max(scores)]
        earned[metric] = (doc["gold"] in best) / len(best)
    return earned
'''

_TASK = """# Written by horsesense {version}: {title}
task: {task}
custom_dataset: !function scoring.load
dataset_kwargs: {kwargs}
output_type: multiple_choice
test_split: test
doc_to_text: context
doc_to_choice: continuations
doc_to_target: gold
target_delimiter: ""
process_results: !function scoring.credit
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
  - metric: acc_word
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""

_GROUP = """# Written by horsesense {version}: {title}, by {by}
group: {group}
task: {tasks}
aggregate_metric_list:
  - metric: acc
    weight_by_size: true
  - metric: acc_norm
    weight_by_size: true
  - metric: acc_word
    weight_by_size: true
metadata:
  version: 1.0
"""


def write_lm_eval(export: Export) -> WrittenExport:
    """Write the task folder, for ``lm-eval --include_path``."""
    _check_spec(export.spec)
    judged = [item for item in export.probe.items if item.answer is not None]
    if not judged:
        raise UserError("no item has a gold, which the harness needs", fix="export a probe with golds")
    tasks = _tasks(export, judged)
    with (export.folder / DATA).open("wb") as handle:
        for item in judged:
            task = _task_of(export, item)
            row = {
                "task": task,
                "probe": export.probe_name,
                "group": export.probe.card.group,
                **_row(item, export.spec),
            }
            handle.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    (export.folder / "scoring.py").write_text(_SCORING.format(version=__version__, data=DATA), encoding="utf-8")
    title = json.dumps(export.probe.card.made or export.probe.card.name, ensure_ascii=False).strip('"')
    for task in tasks:
        text = _TASK.format(version=__version__, title=title, task=task, kwargs=json.dumps({"task": task}))
        (export.folder / f"{task}.yaml").write_text(text, encoding="utf-8")
    if export.by:
        text = _GROUP.format(
            version=__version__, title=title, by=export.by, group=export.name, tasks=json.dumps(list(tasks))
        )
        (export.folder / f"_{export.name}.yaml").write_text(text, encoding="utf-8")
    words = f"lm-eval run --model hf --model_args pretrained=MODEL --include_path DIR --tasks {export.name} "
    return WrittenExport(len(judged), f"{words}--log_samples --output_path LOGS", _notes(export, len(judged)))


def _check_spec(spec: ScoringSpec) -> None:
    if spec.shots:
        raise UserError("examples in the prompt are not exported", fix="use the harness's own num_fewshot")
    if spec.baseline:
        raise UserError("PMI is not exported", fix="leave baseline out of the spec")


def _task_of(export: Export, item: Item) -> str:
    if not export.by:
        return export.name
    value = str(item.facets.get(export.by, "other"))
    return f"{export.name}_{''.join(c if c.isalnum() and c.isascii() else '_' for c in value)}"


def _tasks(export: Export, items: Sequence[Item]) -> Sequence[str]:
    if export.by and not any(export.by in item.facets for item in items):
        raise unknown("facet", export.by, {name for item in items for name in item.facets})
    tasks = sorted({_task_of(export, item) for item in items})
    if len(tasks) > _MOST_TASKS:
        raise UserError(f"the facet {export.by!r} has {len(tasks)} values, too many for tasks", fix="choose another")
    return tasks


def _row(item: Item, spec: ScoringSpec) -> dict[str, object]:
    """Return context and continuations as in the prompts of a causal model; the space belongs to the continuation."""
    prompts = item_prompts(item, spec, scores_to_end=True).prompts
    before = {prompt.text[: prompt.start] for prompt in prompts}
    assert len(before) == 1  # prompts differ in the option only
    context = before.pop()
    cut = len(context.rstrip())
    stretches = [prompt.text[prompt.start : prompt.end] for prompt in prompts]
    return {
        "id": item.id,
        "context": context[:cut],
        "continuations": [context[cut:] + stretch for stretch in stretches],
        "gold": item.answer,
        "characters": [max(1, len(stretch.strip())) for stretch in stretches],
        "words": [max(1, sum(p.start <= start < p.end for start, _ in word_spans(p.text))) for p in prompts],
        "family": item.family,
        "item": orjson.dumps(item.to_json()).decode(),
    }


def _notes(export: Export, items: int) -> tuple[str, ...]:
    notes = []
    if items < len(export.probe.items):
        notes.append(
            f"{len(export.probe.items) - items:,} items without a gold are left out, since the harness needs one"
        )
    how = export.probe.card.normalise
    forms = {item.form for item in export.probe.items}
    if how == "mean" or (not how and any(BY_FORM[form] == "mean" for form in forms)):
        notes.append(
            "the primary metric, the mean over tokens, is not available in the harness: acc is the sum, acc_norm per "
            "character, acc_word per word; compare under the same normalisation"
        )
    if how == "pmi":
        notes.append("the primary metric, PMI, is not exported: acc is the sum")
    notes.append("the harness evaluates causal models only: there is no pseudo-likelihood of masked models")
    return tuple(notes)
