"""Tasks: what people see, who gets what, and that no gold is among it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.task import Task, assign, tasks_of
from horsesense.annotate.task_files import write_tasks
from horsesense.core import Item, Probe
from horsesense.errors import UserError
from tests.support.judged_probes import choices, schemas, triples


def test_questions() -> None:
    task = tasks_of(triples(), find_instrument("partwhole"))[0]
    assert task.question.startswith("Consider any box0. If the box0 is red,")
    assert task.choices[-1] == "guaranteed"
    task = tasks_of(choices(), find_instrument("choice"))[1]
    assert (task.question, task.choices) == ("Thing 1 is ___.", ("hot1", "cold1"))
    task = tasks_of(choices(), find_instrument("statements"))[1]
    assert task.choices == ("Thing 1 is hot1.", "Thing 1 is cold1.")
    assert task.question == "Which statement follows common sense?"


def test_sentences_are_the_choices() -> None:
    item = Item(probe="s", form="sentences", options=("Ice is hot.", "Ice is cold."), facets={"text": "no"})
    probe = Probe.of([item], choices().card)
    task = tasks_of(probe, find_instrument("choice"))[0]
    assert (task.question, task.choices) == ("Choose the best answer", item.options)
    assert tasks_of(probe, find_instrument("naturalness"))[0].question == "Ice is hot. / Ice is cold."


def test_families() -> None:
    tasks = tasks_of(schemas(), find_instrument("schema"))
    assert [task.item for task in tasks] == ["pan0", "pan1"]
    texts = ["1. Pan 0 was on the stove. The pan is ___.", "2. Pan 0 was on the fridge. The pan is ___."]
    assert tasks[0].question.split("\n") == texts
    assert tasks[0].criteria["synonym-generic"] == "Do 'hot' and 'stove' mean the same?"
    assert tasks[0].criteria["ambiguous-exception"] == "Can 'hot' be a sensible answer in text 2?"


def test_no_gold_is_shown() -> None:
    """A task is the same whatever the answer is, but for the id."""
    probe = choices()
    other = Probe.of([replace(item, answer=1 - (item.answer or 0)) for item in probe.items], probe.card)
    for name in ("choice", "statements"):
        one, two = (tasks_of(each, find_instrument(name)) for each in (probe, other))
        assert [replace(task, item="") for task in one] == [replace(task, item="") for task in two]


@pytest.mark.parametrize(
    ("probe", "instrument", "message"),
    [
        (choices(), "partwhole", "does not have the options impossible, unlikely"),
        (choices(), "schema", "judges families, and demo-"),
        (triples(), "exceptions", "refers to the text with option 1 in its blank, which pw-"),
        (
            Probe.of([replace(triples().items[0], form="pair", premise="Look.")], triples().card),
            "statements",
            "cannot be shown in the form sentences",
        ),
    ],
)
def test_what_does_not_fit(probe: Probe, instrument: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        tasks_of(probe, find_instrument(instrument))
    assert message in str(caught.value)


@given(st.integers(1, 30), st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_assignment_is_even(tasks: int, people: int, each: int, seed: int) -> None:
    names = [f"p{place}" for place in range(people)]
    given_tasks = [Task(str(place), "?") for place in range(tasks)]
    if each > people:
        with pytest.raises(UserError, match="name more people"):
            assign(given_tasks, names, each, seed)
        return
    found = assign(given_tasks, names, each, seed)
    assert Counter(a.task.item for a in found) == Counter({str(place): each for place in range(tasks)})
    assert len({(a.task.item, a.annotator) for a in found}) == len(found), "nobody judges an item twice"
    loads = Counter(dict.fromkeys(names, 0)) + Counter(a.annotator for a in found)
    assert max(loads.values()) - min(loads.get(name, 0) for name in names) <= 1
    for name in names:
        assert [a.order for a in found if a.annotator == name] == list(range(1, loads[name] + 1))
    assert found == assign(given_tasks, names, each, seed)


def test_people_are_named_once() -> None:
    with pytest.raises(UserError, match="named twice"):
        assign([Task("i", "?")], ["ann", "ann"], 1)


def test_platforms_hand_out_tasks_themselves(tmp_path: Path) -> None:
    instrument = find_instrument("choice")
    named = assign(tasks_of(choices(), instrument), ["ann"], 1)
    with pytest.raises(UserError, match="label-studio assigns tasks itself"):
        write_tasks(tmp_path / "t.json", instrument, named, form="label-studio")
    nobody = assign(tasks_of(choices(), instrument), [], 1)
    with pytest.raises(UserError, match=r"takes tasks as \.json"):
        write_tasks(tmp_path / "t.csv", instrument, nobody, form="label-studio")
    with pytest.raises(UserError, match=r"takes items as \.jsonl"):
        write_tasks(tmp_path / "t.csv", instrument, nobody, form="potato")
    with pytest.raises(UserError, match="does not return the round"):
        write_tasks(tmp_path / "t.jsonl", instrument, nobody, round=2, form="potato")
    with pytest.raises(UserError, match="did you mean 'potato'"):
        write_tasks(tmp_path / "t.jsonl", instrument, nobody, form="potatoes")
    assert list(tmp_path.iterdir()) == []
