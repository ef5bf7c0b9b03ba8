"""``horsesense annotate``: each document against its type, a study from end to end, and bad input."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from horsesense.cli import main
from horsesense.core import Card, Item, Judgement, Probe, read_probe, write_judgements, write_probe
from tests.support.calling import hold_to

LABELS = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")


def run(*arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, in this process."""
    out, err, code = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(["annotate", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def document(command: str, *arguments: object) -> dict[str, Any]:
    """The document of a command, checked against its type."""
    code, out, err = run(command, *arguments, "--json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    hold_to(f"annotate {command}", found)
    return found


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """Six triples that nobody has judged."""
    items = [
        Item(
            probe="pw",
            form="choice",
            text=f"If the box{k} is red, how likely is it that its lid is red?",
            options=LABELS,
            ordered=True,
            facets={"whole": f"box{k}", "part": "lid", "adjective": "red", "half": "low" if k < 3 else "high"},
        )
        for k in range(6)
    ]
    path = tmp_path / "probe.jsonl"
    write_probe(path, Probe.of(items, Card(name="pw", made="Made for a test.")))
    return path


def ids(probe: Path) -> list[str]:
    return [item.id for item in read_probe(probe).items]


def judged(probe: Path, name: str = "j.jsonl", **answers: str) -> Path:
    """A file of judgements: one digit an item; ``!`` is nonsense, a dot nothing."""
    found = []
    for who, digits in answers.items():
        for item, digit in zip(ids(probe), digits, strict=True):
            if digit != ".":
                found.append(Judgement(item, who, "partwhole", "nonsense" if digit == "!" else LABELS[int(digit)]))
    path = probe.with_name(name)
    write_judgements(path, found)
    return path


def test_a_study_from_end_to_end(probe: Path, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.csv"
    made = document("new", probe, "--instrument", "partwhole", "-o", tasks, "--people", "ann,ben,cid")
    assert (made["items"], made["tasks"], made["people"]) == (6, 18, 3)
    assert [Path(path).name for path in made["files"]] == ["tasks.csv", "tasks.instructions.md"]
    answers = {"ann": "44!012", "ben": "444013", "cid": "430024"}
    with tasks.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert "answer" not in rows[0], "no gold is handed out"
    for row in rows[:-1]:
        digit = answers[row["annotator"]][ids(probe).index(row["item"])]
        row["value"] = "nonsense" if digit == "!" else LABELS[int(digit)]
    with tasks.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    state = document("status", tasks, "-p", probe)
    assert (state["judgements"], state["unanswered"], state["target"], state["done"]) == (17, 1, 3, 5)
    assert state["by_votes"] == {"2": 1, "3": 5}
    kept = document("collect", tasks, "-p", probe, "-o", tmp_path / "j.jsonl")
    assert (kept["judgements"], kept["unanswered"], kept["people"]) == (17, 1, 3)
    labels = tmp_path / "labels.jsonl"
    # Every answer is decided but the one of the last row, which has two votes whichever it is.
    settled = document("export", tmp_path / "j.jsonl", "-p", probe, "-o", labels)
    assert settled["rule"] == "partwhole"
    assert settled["dropped"]["judged nonsense"] == 1
    assert settled["dropped"]["fewer than 3 votes"] == 1
    found = document("apply", probe, labels, "-o", tmp_path / "judged.jsonl")
    assert found["items"] == settled["labels"]
    assert found["dropped"] == settled["dropped"]
    judged_probe = read_probe(tmp_path / "judged.jsonl")
    assert {item.answer for item in judged_probe.items} <= {0, 1, 2, 3, 4}
    assert judged_probe.card.notes["dropped: judged nonsense"] == 1


def test_agreement(probe: Path) -> None:
    path = judged(probe, ann="440123", ben="440133", cid="430111")
    found = document("agreement", path, "-p", probe, "--disputed", "2")
    assert {figure["name"] for figure in found["figures"]} == {
        "percent agreement",
        "Fleiss' kappa",
        "alpha, nominal",
        "alpha, ordinal",
        "kappa of pairs, quadratic",
    }
    assert all(figure["estimate"]["n"] == 6 and figure["people"] == 3 for figure in found["figures"])
    assert [person["annotator"] for person in found["annotators"]] == ["ann", "ben", "cid"]
    assert len(found["disputed"]) == 2
    assert found["disputed"][0]["agree"] <= found["disputed"][1]["agree"]


def test_performance(probe: Path, tmp_path: Path) -> None:
    path = judged(probe, ann="440123", ben="440133", cid="430111")
    labels = tmp_path / "labels.jsonl"
    run("export", path, "-o", labels)
    found = document("performance", path, "-p", probe, "--labels", labels, "--by", "half")
    assert [(score["slice"], score["against"]) for score in found["human"]] == [
        ("high", "own label"),
        ("high", "others"),
        ("low", "own label"),
        ("low", "others"),
    ]
    assert found["human"][2]["estimate"]["value"] == pytest.approx(8 / 9)


def test_qualify(probe: Path, tmp_path: Path) -> None:
    run("export", judged(probe, ann="001344", ben="001344", cid="001344"), "-o", tmp_path / "labels.jsonl")
    gold = tmp_path / "gold.jsonl"
    run("apply", probe, tmp_path / "labels.jsonl", "-o", gold)
    path = judged(gold, "q.jsonl", good="001344", lazy="222222")
    found = document("qualify", path, "--gold", gold, "--accuracy", "0.9")
    assert [(each["annotator"], each["passed"]) for each in found["people"]] == [("good", True), ("lazy", False)]
    assert (found["passed"], found["threshold"]) == (
        1,
        {"kappa": 0.7, "accuracy": 0.9, "items": 6, "weights": "quadratic"},
    )


def test_one_label_only_is_told(probe: Path) -> None:
    found = document("agreement", judged(probe, ann="444444", ben="444444"))
    values = {figure["name"]: figure["estimate"]["value"] for figure in found["figures"]}
    assert values["percent agreement"] == 1
    assert values["alpha, nominal"] is None
    code, out, _ = run("agreement", judged(probe, ann="444444", ben="444444"))
    assert code == 0
    assert "is undefined" in out


def test_released_votes(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("whole,part,jj,result1,result2,result3\nbox,lid,red,probably,probably,unlikely\n")
    items, out = tmp_path / "items.jsonl", tmp_path / "j.csv"
    found = document("collect", path, "--published", "partwhole", "-o", out, "--items", items)
    assert (found["judgements"], found["people"]) == (3, 0)
    settled = document("export", out, "-p", items, "-o", tmp_path / "l.jsonl", "--rule", "median")
    assert settled["counts"] == {"probably": 1}


def test_what_people_see(probe: Path, tmp_path: Path) -> None:
    path = judged(probe, ann="440123", ben="440133", cid="!30111")
    code, out, err = run("export", path, "-o", tmp_path / "labels.jsonl")
    assert (code, err) == (0, "")
    for told in ("judged nonsense", "alpha, ordinal", "labelled items", "by 3 people"):
        assert told in out
    for command in (
        ("agreement", path),
        ("status", path),
        ("performance", path),
        ("collect", path, "-o", tmp_path / "c.csv"),
    ):
        code, out, err = run(*command)
        assert (code, err) == (0, "")
        assert out.strip()
    assert run("new", probe, "--instrument", "partwhole", "-o", tmp_path / "t.csv")[0] == 0
    assert run("apply", probe, tmp_path / "labels.jsonl", "-o", tmp_path / "p.jsonl")[0] == 0


HEAD = "item,annotator,instrument,value,round\n"

Bad = Callable[[Path, Path], tuple[list[object], str]]


def table(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "bad.csv"
    path.write_text(head + "".join(f"{line}\n" for line in lines))
    return path


BAD: dict[str, Bad] = {
    "unknown label": lambda probe, folder: (
        ["export", table(folder, f"{ids(probe)[0]},ann,partwhole,likely,1"), "-o", folder / "l.jsonl"],
        "bad.csv:2: there is no answer 'likely'; did you mean 'unlikely'?",
    ),
    "empty text": lambda probe, folder: (
        ["collect", table(folder, f"{ids(probe)[0]},ann,exceptions,,1"), "-o", folder / "l.jsonl"],
        "bad.csv:2: the value is empty; give an answer, or remove the row",
    ),
    "an item that is not in the probe": lambda probe, folder: (
        ["agreement", table(folder, "pw-0,ann,partwhole,probably,1"), "-p", probe],
        "bad.csv:2: the item 'pw-0' is not in the probe",
    ),
    "one annotator only": lambda probe, folder: (
        ["agreement", judged(probe, ann="440123")],
        "all judgements are ann's, so there is no agreement",
    ),
    "one vote each": lambda probe, folder: (
        ["export", judged(probe, ann="440123"), "-o", folder / "l.jsonl"],
        "no item gets a label: fewer than 3 votes; accept fewer votes with --min-votes 1",
    ),
    "no overlap": lambda probe, folder: (
        ["agreement", judged(probe, ann="440...", ben="...123")],
        "no item was judged twice in a round",
    ),
    "two rounds": lambda probe, folder: (
        [
            "export",
            table(folder, *(f"i,{who},partwhole,probably,{round}" for who in "abc" for round in (1, 2))),
            *("-o", folder / "l.jsonl"),
        ],
        "bad.csv: the judgements are of rounds 1 and 2, which the rule partwhole would mix",
    ),
    "a second opinion": lambda probe, folder: (
        ["export", table(folder, "i,a,partwhole,probably,1", "i,a,partwhole,unlikely,1"), "-o", folder / "l.jsonl"],
        "bad.csv:3: a judged i already, as 'probably' (bad.csv:2), and now as 'unlikely'",
    ),
    "wrong columns": lambda probe, folder: (
        ["status", table(folder, "i,a,partwhole,probably", head="item,who,instrument,value\n")],
        "bad.csv:2: the column 'annotator' is missing (there are: item, who, instrument, value)",
    ),
    "unknown rule": lambda probe, folder: (
        ["export", judged(probe, ann="440123"), "-o", folder / "l.jsonl", "--rule", "medain"],
        "there is no rule 'medain'; did you mean 'median'?",
    ),
    "a rule that does not fit": lambda probe, folder: (
        ["export", judged(probe, ann="440123"), "-o", folder / "l.jsonl", "--rule", "winoventi"],
        "the rule winoventi does not adjudicate labels",
    ),
    "nobody's errors": lambda probe, folder: (
        [
            "export",
            judged(probe, **{"#1": "440123", "#2": "440123"}),
            "-o",
            folder / "l.jsonl",
            "--rule",
            "dawid-skene",
        ],
        "it is not known whose votes these are",
    ),
    "options that are not known": lambda probe, folder: (
        ["agreement", table(folder, "i,a,choice,hot,1", "i,b,choice,hot,1")],
        "the instrument choice takes its answers from the items; give the probe with -p",
    ),
    "no such file": lambda probe, folder: (["status", folder / "none.csv"], "none.csv: no such file"),
    "labels of another probe": lambda probe, folder: (
        ["apply", probe, _labels(folder, "pw-1"), "-o", folder / "p.jsonl"],
        "labels.jsonl:1: the item 'pw-1' is not in the probe",
    ),
    "not labels": lambda probe, folder: (
        ["apply", probe, judged(probe, ann="440123"), "-o", folder / "p.jsonl"],
        "j.jsonl:1: the field 'rule' of a label is missing",
    ),
    "onto itself": lambda probe, folder: (
        ["apply", probe, _labels(folder, "pw-1"), "-o", probe],
        "the probe would overwrite what it is made from",
    ),
    "tasks onto the probe": lambda probe, folder: (
        ["new", probe, "--instrument", "partwhole", "-o", probe],
        "the tasks would overwrite the probe",
    ),
    "too few people": lambda probe, folder: (
        ["new", probe, "--instrument", "partwhole", "-o", folder / "t.csv", "--people", "ann", "--per-item", "2"],
        "2 people should judge each item, but only 1 are named",
    ),
    "no facet": lambda probe, folder: (
        ["performance", judged(probe, ann="440123", ben="440123"), "-p", probe, "--by", "test"],
        "no item of the probe has the facet 'test'",
    ),
    "gold without answers": lambda probe, folder: (
        ["qualify", judged(probe, ann="440123"), "--gold", probe],
        "the gold items have no answers",
    ),
}


def _labels(folder: Path, item: str) -> Path:
    path = folder / "labels.jsonl"
    path.write_text(
        json.dumps({"item": item, "instrument": "partwhole", "rule": "majority", "value": "probably"}) + "\n"
    )
    return path


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, probe: Path, tmp_path: Path) -> None:
    arguments, message = BAD[name](probe, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("horsesense: ")
    assert err.count("\n") == 1, "one sentence, no traceback"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before, "nothing half-written"
