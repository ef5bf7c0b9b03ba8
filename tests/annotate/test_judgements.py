"""Judgements in: task files filled in, the platforms' exports, and what is refused."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horsesense.annotate.instrument import find_instrument
from horsesense.annotate.judgements import CollectedJudgements, read_files
from horsesense.annotate.task import assign, tasks_of
from horsesense.annotate.task_files import write_tasks
from horsesense.core import Probe
from horsesense.errors import UserError
from tests.support.judged_probes import choices, schemas, triples


def handed_out(folder: Path, probe: Probe, instrument: str, name: str, people: list[str], form: str = "table") -> Path:
    asked = find_instrument(instrument)
    path = folder / name
    write_tasks(path, asked, assign(tasks_of(probe, asked), people, len(people)), form=form)
    return path


def fill(path: Path, answers: dict[tuple[str, str], dict[str, str]]) -> None:
    """Fill in a CSV as a person would: by item and annotator."""
    with path.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow(row | answers.get((row["item"], row["annotator"]), {}))


def test_a_filled_table(tmp_path: Path) -> None:
    probe = choices()
    path = handed_out(tmp_path, probe, "choice", "t.csv", ["ann", "ben"])
    first, second = probe.items[0].id, probe.items[1].id
    fill(
        path, {(first, "ann"): {"value": "b"}, (first, "ben"): {"value": "HOT0"}, (second, "ann"): {"value": "unknown"}}
    )
    for known in (probe, None):
        found = read_files([path], probe=known)
        assert sorted((j.item, j.annotator, j.value) for j in found.judgements) == sorted(
            [(first, "ann", "cold0"), (first, "ben", "hot0"), (second, "ann", "unknown")]
        )
        assert len(found.unanswered) == 5
        assert found.scales[first].labels == ("hot0", "cold0")


def test_criteria_have_columns(tmp_path: Path) -> None:
    path = handed_out(tmp_path, schemas(), "schema", "s.csv", ["ann"])
    names = list(find_instrument("schema").criteria)
    fill(
        path,
        {("pan0", "ann"): dict.fromkeys(names, "no"), ("pan1", "ann"): dict.fromkeys(names, "no") | {names[2]: "yes"}},
    )
    assert {j.item: j.value for j in read_files([path], probe=schemas()).judgements} == {
        "pan0": "pass",
        "pan1": "ambiguous-generic",
    }


def test_who_filled_it_in(tmp_path: Path) -> None:
    path = handed_out(tmp_path, triples(1), "partwhole", "t.csv", [])
    item = triples(1).items[0].id
    fill(path, {(item, ""): {"value": "probably"}})
    with pytest.raises(UserError, match=r"t\.csv:2: the annotator is empty"):
        read_files([path])
    assert read_files([path], annotator="ann").judgements[0].annotator == "ann"


def label_studio(path: Path, answers: list[list[tuple[Any, dict[str, Any]]]]) -> Path:
    """A JSON export: for each task, who answered what."""
    tasks = json.loads(path.read_text())
    for task, entries in zip(tasks, answers, strict=True):
        task["annotations"] = [
            {
                "completed_by": who,
                "created_at": "2026-01-31T12:00:00.000000Z",
                "was_cancelled": "skip" in results,
                "result": [
                    {"from_name": name, "to_name": "question", "type": "choices", "value": value}
                    for name, value in results.items()
                    if name != "skip"
                ],
            }
            for who, results in entries
        ]
    out = path.with_name("export.json")
    out.write_text(json.dumps(tasks))
    return out


def test_label_studio(tmp_path: Path) -> None:
    path = handed_out(tmp_path, choices(2), "choice", "t.json", [], "label-studio")
    page = (tmp_path / "t.page.xml").read_text()
    assert 'value="$choices"' in page
    export = label_studio(
        path,
        [
            [(10, {"value": {"choices": ["hot0"]}}), ({"id": 11, "email": "b@x"}, {"value": {"choices": ["unknown"]}})],
            [(10, {"skip": {}})],
        ],
    )
    found = read_files([export], probe=choices(2))
    assert [(j.annotator, j.value) for j in found.judgements] == [("10", "hot0"), ("b@x", "unknown")]
    assert read_files([export]).scales[choices(2).items[0].id].labels == ("hot0", "cold0")


def test_label_studio_criteria_and_words(tmp_path: Path) -> None:
    path = handed_out(tmp_path, schemas(1), "schema", "s.json", [], "label-studio")
    answers = {
        name: {"choices": ["yes" if "ambiguous" in name else "no"]} for name in find_instrument("schema").criteria
    }
    found = read_files([label_studio(path, [[(3, answers)]])])
    assert found.judgements[0].value == "ambiguous-generic+ambiguous-exception"
    about = Probe.of(schemas(1).items[:1], schemas(1).card)
    noun = Probe.of([replace(item, groups={"noun": "pan"}) for item in about.items], about.card)
    path = handed_out(tmp_path, noun, "exceptions", "x.json", [], "label-studio")
    found = read_files([label_studio(path, [[(3, {"value": {"text": ["rusty", "new"]}})]])])
    assert found.judgements[0].value == "rusty, new"


@pytest.mark.parametrize(
    "content", ["{}", "[1]", '[{"data": {}}]', "[", '[{"data": {"item": "i"}, "annotations": []}]']
)
def test_not_an_export(content: str, tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    path.write_text(content)
    with pytest.raises(UserError) as caught:
        read_files([path])
    assert str(caught.value).startswith(f"{path}:")


def test_potato(tmp_path: Path) -> None:
    probe = choices(2)
    path = handed_out(tmp_path, probe, "choice", "t.jsonl", [], "potato")
    shown = [json.loads(line) for line in path.read_text().splitlines()]
    assert shown[0] == {"id": probe.items[0].id, "text": "Thing 0 is ___.\nA. hot0\nB. cold0"}
    config = json.loads((tmp_path / "t.config.yaml").read_text())
    assert config["annotation_schemes"][0]["labels"] == ["A", "B", "unknown"]
    export = tmp_path / "annotations.jsonl"
    rows = [
        {
            "instance_id": probe.items[0].id,
            "user_id": "ann",
            "labels": {"choice": {"B": True}},
            "spans": {},
            "links": {},
        },
        {"instance_id": probe.items[1].id, "user_id": "ann", "labels": {"choice": {"unknown": "unknown"}}, "spans": {}},
    ]
    export.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [j.value for j in read_files([export], probe=probe).judgements] == ["cold0", "unknown"]
    export.write_text(json.dumps(rows[0] | {"labels": {"choice": {"A": True, "B": True}}}) + "\n")
    with pytest.raises(UserError, match=r"annotations\.jsonl:1: .*one label"):
        read_files([export], probe=probe)


ROW = "item,annotator,instrument,value,round\n"


def rows(folder: Path, *lines: str, name: str = "j.csv") -> Path:
    path = folder / name
    path.write_text(ROW + "".join(f"{line}\n" for line in lines))
    return path


def test_a_person_judges_an_item_once_a_round(tmp_path: Path) -> None:
    path = rows(tmp_path, "i,ann,partwhole,probably,1", "i,ann,partwhole,probably,1", "i,ann,partwhole,unlikely,2")
    found = read_files([path])
    assert found.notes == {"repeated judgements": 1}
    assert [j.round for j in found.judgements] == [1, 2]
    again = rows(tmp_path, "i,ann,partwhole,unlikely,1", name="k.csv")
    with pytest.raises(UserError) as caught:
        read_files([path, again])
    assert f"{again}:2: ann judged i already, as 'probably' (j.csv:2), and now as 'unlikely'" in str(caught.value)
    changed = read_files([path, again], last=True)
    assert [(j.round, j.value) for j in changed.judgements] == [(1, "unlikely"), (2, "unlikely")]
    assert changed.notes["changed judgements, the last counts"] == 1


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["i,ann,partwhole,likely,1"], "j.csv:2: there is no answer 'likely'; did you mean 'unlikely'?"),
        (["i,ann,partwhole,probably,1", "i,ben,partwhole,,1"], "j.csv:3: the value is empty"),
        (["i,ann,partwhole,probably,1", "i,ben,steps,1,1"], "j.csv:3: the judgement is of the instrument 'steps'"),
        (["i,ann,partwhoel,probably,1"], "j.csv:2: there is no instrument 'partwhoel'; did you mean 'partwhole'?"),
        ([",ann,partwhole,probably,1"], "j.csv:2: the column 'item' is missing or empty"),
        (["i,ann,,probably,1"], "j.csv:2: the column 'instrument' is missing or empty"),
        ([], "j.csv: there is no judgement"),
    ],
)
def test_refused(lines: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_files([rows(tmp_path, *lines)])
    assert message in str(caught.value)


def test_an_item_that_is_not_in_the_probe(tmp_path: Path) -> None:
    path = rows(tmp_path, f"{triples().items[0].id},ann,partwhole,probably,1", "other,ann,partwhole,probably,1")
    with pytest.raises(UserError, match=r"j\.csv:3: the item 'other'"):
        read_files([path], probe=triples())


def test_rounds(tmp_path: Path) -> None:
    found: CollectedJudgements = read_files(
        [rows(tmp_path, "i,ann,partwhole,probably,1", "i,ben,partwhole,probably,3")]
    )
    assert [j.annotator for j in found.in_round(3).judgements] == ["ben"]
    with pytest.raises(UserError, match=r"no judgement of round 2.*rounds 1, 3"):
        found.in_round(2)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 10**12)
    | st.sampled_from(["", "i", "ann", "partwhole", "A", "yes", "#1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["value", "choice", "id"]), inner),
    max_leaves=4,
)
NAMES = [
    "item",
    "annotator",
    "value",
    "reason",
    "round",
    "order",
    "at",
    "question",
    "choices",
    "A",
    "user_id",
    "labels",
]


@settings(max_examples=150, deadline=None)
@given(changes=st.dictionaries(st.sampled_from([*NAMES, "instance_id", "instrument"]), ANYTHING, max_size=4))
def test_whatever_a_row_holds(changes: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    """A row is read, or refused in a sentence that names the line."""
    path = tmp_path_factory.mktemp("rows") / "j.jsonl"
    row = {"item": triples().items[0].id, "annotator": "ann", "instrument": "partwhole", "value": "probably"}
    path.write_text(json.dumps(row) + "\n" + json.dumps(row | {"annotator": "ben"} | changes) + "\n")
    told = ""
    try:
        found = read_files([path], probe=triples())
    except UserError as error:
        told = str(error)
    if told:
        assert told.startswith(f"{path}:2: ")
    else:
        assert 1 <= len(found.judgements) + len(found.unanswered) <= 2
