"""Gold items: items with a known answer, for qualification and attention checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from horsesense.annotate.instrument import Instrument
from horsesense.annotate.task import Task, tasks_of
from horsesense.core import Judgement, Probe
from horsesense.errors import UserError
from horsesense.stats.raters.qualification import Qualification, Threshold, choose_gold, qualify
from horsesense.stats.raters.votes import letter


def answers_of(probe: Probe, instrument: Instrument) -> dict[str, str]:
    """Return the answers of a probe, in the words that people could choose.

    For an instrument that sets no answer, the gold is the facet with its name.
    """
    if instrument.effect != "answer":
        named = ((item, str(item.facets.get(instrument.name, ""))) for item in reversed(probe.items))
        return {item.id if instrument.unit == "item" else item.family: value for item, value in named if value}
    choices = {task.item: task.choices for task in tasks_of(probe, instrument)}
    by_option = instrument.kind == "options"
    return {
        item.id: (choices[item.id] if by_option else item.options)[item.answer]
        for item in probe.items
        if item.answer is not None
    }


def _coded(value: str, task: Task, instrument: Instrument) -> str:
    """Replace an item's own option by its letter, so that items can be compared."""
    if instrument.kind == "options" and value in task.choices:
        return letter(task.choices.index(value))
    return value


def _labels(tasks: Mapping[str, Task], instrument: Instrument, gold: Mapping[str, str]) -> tuple[str, ...]:
    if instrument.kind == "options":
        return tuple(letter(i) for i in range(max((len(task.choices) for task in tasks.values()), default=0)))
    if instrument.kind == "labels":
        return (*instrument.labels, *(name for name in instrument.objections if name in gold.values()))
    return tuple(sorted(set(gold.values())))


def sample_gold(probe: Probe, instrument: Instrument, each: int, seed: int = 0) -> list[str]:
    """Draw gold items, ``each`` of every label (of every position, if options are the items' own); 0 takes all.

    Returns their ids.
    """
    answers = answers_of(probe, instrument)
    tasks = {task.item: task for task in tasks_of(probe, instrument)}
    if not answers:
        raise UserError("the gold items have no answers", fix="give a probe with answers")
    if not each:
        return list(answers)
    coded = {item: _coded(value, tasks[item], instrument) for item, value in answers.items()}
    labels = instrument.labels if instrument.kind == "labels" else _labels(tasks, instrument, coded)
    return choose_gold(coded, labels, each, seed)


def compare_with_gold(
    judgements: Sequence[Judgement],
    gold: Mapping[str, str],
    tasks: Mapping[str, Task],
    instrument: Instrument,
    threshold: Threshold,
) -> Qualification:
    """Return the qualification of one person by their answers to gold items."""
    coded = {item: _coded(value, tasks[item], instrument) for item, value in gold.items()}
    answers = [
        Judgement(each.item, each.annotator, each.instrument, _coded(each.value, tasks[each.item], instrument))
        for each in judgements
    ]
    return qualify(answers, coded, _labels(tasks, instrument, coded), threshold)[0]
