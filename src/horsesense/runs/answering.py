"""What is done where the model is, in this process or in a worker: opened, its questions weighed, its shards asked.

Each function is a task's (`horsesense.runs.engine`): what it is told says all that it takes, so that any worker can do
it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from horsesense.core import Item, ScoringSpec, spec_from_dict
from horsesense.core.answer_columns import table_of_answers
from horsesense.core.reply_columns import table_of_replies
from horsesense.errors import UserError
from horsesense.models.folders import weight_files
from horsesense.models.hf.device import threads_of, with_threads
from horsesense.models.hf.encoding import Framed
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.locate import identify
from horsesense.models.protocol import Likelihood, Model
from horsesense.runs.cache import ScoreCache, Scores
from horsesense.runs.engine import Desk, Done, Task
from horsesense.runs.models import check_repeatable
from horsesense.scoring.precision import load_by_margins
from horsesense.scoring.prompt_formats import Call, Memory, PromptFormat, choose_prompt_formats, get_prompt_format

_MODEL, _MEMORY, _MADE = "model", "memory", "made"


def open_model(desk: Desk, task: Task) -> Done:
    """The model of a part, and all that a manifest says of it."""
    opening = task.told["opening"]
    model, spec = _model(desk, opening, task.items), spec_from_dict(opening["spec"])
    prompt_formats = [
        {"name": each.name, "note": note, "asked": each.in_words(model, each.spec(spec))}
        for each, note in choose_prompt_formats(model, opening["prompt_formats"])
    ]
    return Done(
        {
            "describe": model.describe(),
            "notes": model.notes,
            "kind": model.who.kind,
            "reported": dict(model.who.reported),
            "frame": model.frame_in_words(spec),
            "prompt_formats": prompt_formats,
            "local": isinstance(model, LanguageModel),
            "device": model.device.type if isinstance(model, LanguageModel) else "",
            "threads": _threads(model),
        }
    )


def weigh(desk: Desk, task: Task) -> Done:
    """How many tokens the questions of items have; what is prepared is kept where it will be asked in a moment."""
    import pyarrow as pa

    made = _prepared(desk, task, task.items)
    if task.told["keep"]:
        kept = desk.kept.setdefault((_MADE, task.told["probe"], task.told["format"]), {})
        kept.update((item.id, each) for item, each in zip(task.items, made, strict=True))
    columns = {"longest": [each.longest for each in made], "costs": [each.cost for each in made]}
    return Done(tables={"weights": pa.table({name: pa.array(values, pa.int64()) for name, values in columns.items()})})


def rate(desk: Desk, task: Task) -> Done:
    """How long some items take."""
    made = _prepared(desk, task, task.items)
    model, prompt_format, spec = _asking(desk, task)
    call = Call(model, spec, task.told["budget"], desk.progress)
    prompt_format.answer(made[:1], call)  # what comes first takes longer
    began = time.perf_counter()
    prompt_format.answer(made, call)
    return Done({"seconds": time.perf_counter() - began})


def keys(desk: Desk, task: Task) -> Done:
    """What the scores of a shard are kept under, so that whoever has the cache can look for them."""
    import pyarrow as pa

    model, _, spec = _asking(desk, task)
    assert isinstance(model, LanguageModel)
    with with_threads(task.told["opening"]["threads"] if _threads(model) else None):
        made = _prepared(desk, task, task.items)
        desk.kept[_MADE] = (task.told["number"], made)
        questions = [reading.question for each in made for reading in each.questions]
        found = Scores.of_model(model, spec, task.told["budget"]).keys(questions)
    return Done(tables={"keys": pa.table({"key": pa.array(found, pa.binary(32))})})


def answer(desk: Desk, task: Task) -> Done:
    """A shard: its answers, what was said, and the scores where the cache is elsewhere."""
    told = task.told
    model, prompt_format, spec = _asking(desk, task)
    with with_threads(told["opening"]["threads"] if _threads(model) else None):
        memory = _memory(desk, task, model, spec)
        made = _taken(desk, task)
        answers, replies = prompt_format.answer(made, Call(model, spec, told["budget"], desk.progress, memory))
    tables = {"answers": table_of_answers(told["opening"]["name"], told["probe"], answers)}
    if replies:
        tables["replies"] = table_of_replies(replies)
    if isinstance(memory, Carried) and memory.computed is not None:
        tables["scores"] = memory.computed
    return Done({"served": memory.served} if memory else {}, tables)


def _asking(desk: Desk, task: Task) -> tuple[Model, PromptFormat, ScoringSpec]:
    prompt_format = get_prompt_format(task.told["format"])
    opening = task.told["opening"]
    return _model(desk, opening), prompt_format, prompt_format.spec(spec_from_dict(opening["spec"]))


def _threads(model: Model) -> int | None:
    """Threads of the processor that computes here; None where something else does."""
    return threads_of(model.device) if isinstance(model, LanguageModel) else None


def _prepared(desk: Desk, task: Task, items: Sequence[Item]) -> list[Any]:
    model, prompt_format, spec = _asking(desk, task)
    return prompt_format.prepare(model, items, spec, task.shared.get("examples", ()))


def _taken(desk: Desk, task: Task) -> list[Any]:
    """A shard's items as they are asked: prepared before, or now."""
    number, made = desk.kept.pop(_MADE, (None, []))
    if number == task.told["number"]:
        return list(made)
    kept = desk.kept.get((_MADE, task.told["probe"], task.told["format"]))
    return [kept.pop(item.id) for item in task.items] if kept else _prepared(desk, task, task.items)


def _model(desk: Desk, opening: Mapping[str, Any], items: Sequence[Item] = ()) -> Model:
    """The model that is open here, or that is opened now and stays so."""
    wanted = [opening[name] for name in ("name", "found_by", "content", "family", "device")]
    model: Model
    if _MODEL in desk.kept:
        known, model = desk.kept[_MODEL]
        if known == wanted and (not isinstance(model, LanguageModel) or opening["dtype"] == model.dtype):
            return model
        del model
        desk.clear()
    model = desk.given[opening["name"]] if opening["name"] in desk.given else _loaded(opening, items)
    check_repeatable(model, spec_from_dict(opening["spec"]))
    folder = opening.get("folder")
    desk.closing.enter_context(model.asking(Path(folder) if folder else None))
    desk.kept[_MODEL] = wanted, model
    return model


def _loaded(opening: Mapping[str, Any], items: Sequence[Item]) -> LanguageModel:
    """By name; under the dtype ``auto``, as the items show that it may be."""
    name, found_by, allow_pickle = opening["name"], opening["found_by"], opening["allow_pickle"]

    def load(dtype: str) -> LanguageModel:
        model = load_model(
            found_by, family=opening["family"], device=opening["device"], dtype=dtype, allow_pickle=allow_pickle
        )
        return replace(model, name=name)

    if opening["dtype"] != "auto":
        model = load(opening["dtype"])
        model = replace(model, dtype_reason=opening["dtype_reason"]) if opening["dtype_reason"] else model
    else:
        found = identify(found_by, allow_pickle=allow_pickle).located.folder
        size = sum(path.stat().st_size for path in weight_files(found, allow_pickle=allow_pickle))
        model = load_by_margins(load, items, spec_from_dict(opening["spec"]), size)
    weights, identity = opening["content"]
    if (weights and model.weights != weights) or (identity and model.identity and model.identity != identity):
        raise UserError(f"{name} has other weights, config or tokenizer there", fix="put the same model everywhere")
    return model


class Carried:
    """The scores of one shard, which cross with it: found in a cache elsewhere, or to be kept there."""

    def __init__(self, found: Any) -> None:
        self.found, self.served = found, found is not None
        self.computed: Any = None

    def likelihoods(self, readings: Sequence[Framed]) -> list[Likelihood] | None:
        if self.found is None:
            return None
        values = self.found.column("values").combine_chunks()
        scores = [np.asarray(each.values, dtype=np.float32) for each in values]
        return [reading.likelihood(each) for reading, each in zip(readings, scores, strict=True)]

    def remember(self, readings: Sequence[Framed], scored: Sequence[Likelihood]) -> None:
        import pyarrow as pa

        values = pa.array([each.logprobs for each in scored], pa.list_(pa.float32()))
        self.computed = pa.table({"values": values})


def _memory(desk: Desk, task: Task, model: Model, spec: ScoringSpec) -> Memory | None:
    """Scores of other runs, for what is computed here; a server's replies are kept as they come."""
    told = task.told
    if not told["cache"] or not isinstance(model, LanguageModel):
        return None
    if told["apart"]:
        return Carried(task.tables.get("scores"))
    if (_MEMORY, told["format"]) not in desk.kept:
        cache = ScoreCache(model, spec, told["budget"])
        desk.kept[_MEMORY, told["format"]] = desk.closing.enter_context(cache)
    memory: Memory = desk.kept[_MEMORY, told["format"]]
    return memory
