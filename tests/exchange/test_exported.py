"""Probes as other tools take them: the files, the ids that come back, and what cannot be told."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.exchange.formats import export
from horsesense.models.hf.tokens import causal_frame
from tests.support.calling import caller, hold_to
from tests.support.made_logs import DATE, inspect_head, write_eval

ITEMS = [
    Item("forms", "sentences", "It is dark.", "", ("She sees well.", "She sees nothing."), 1, facets={"task": "x"}),
    Item("forms", "cloze", "", "Ice is ___ to touch.", ("cold", "hot"), 0, family="b", facets={"task": "y"}),
    Item("forms", "choice", "", "What floats?", ("iron", "cork", "lead"), 1, family="c", facets={"task": "y"}),
    Item("forms", "pair", "A red box.", "Its lid is red.", ("true", "false"), 0, groups={"whole": "box"}),
    Item("forms", "sentences", "", "", ("Snow is white.", "Snow is black."), 0),
]  # fmt: skip
PROBE = Probe.of(ITEMS, Card("forms", method="cats", licence="CC0-1.0", made="made for tests", seed=3))


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    export(PROBE, to="lm-eval", out=folder / "tasks", by="task")
    return folder / "tasks"


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]


def test_contexts_and_continuations_are_cut_as_the_harness_cuts_them(tasks: Path) -> None:
    rows = [(row["context"], row["continuations"][0]) for row in _rows(tasks, "items.jsonl")]
    assert rows == [
        ("It is dark.", " She sees well."),
        ("Ice is", " cold to touch."),
        ("What floats?", " iron"),
        ("A red box. Its lid is red. That is", " true."),
        ("", "Snow is white."),
    ]


def test_tasks_are_grouped_by_a_facet(tasks: Path) -> None:
    names = {path.name for path in tasks.iterdir()}
    assert names == {"items.jsonl", "scoring.py", "forms_x.yaml", "forms_y.yaml", "forms_other.yaml", "_forms.yaml"}
    assert [row["task"] for row in _rows(tasks, "items.jsonl")] == [
        "forms_x",
        "forms_y",
        "forms_y",
        *["forms_other"] * 2,
    ]
    assert 'task: ["forms_other", "forms_x", "forms_y"]' in (tasks / "_forms.yaml").read_text()


def test_the_scoring_file_gives_our_credit(tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    from types import SimpleNamespace

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(Dataset=SimpleNamespace(from_list=list)))
    spec = importlib.util.spec_from_file_location("scoring", tasks / "scoring.py")
    assert spec is not None
    assert spec.loader is not None
    scoring = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scoring)
    (row,) = scoring.load(task="forms_x", version=1.0)["test"]
    assert scoring.credit(row, [(-3.0, False), (-2.0, True)])["acc"] == 1
    assert scoring.credit(row, [(-2.0, False), (-2.0, True)])["acc"] == 0.5, "a tie earns its share"
    by_length = scoring.credit(row, [(-14.0, False), (-17.5, False)])
    assert by_length["acc"] == 0
    assert by_length["acc_norm"] == float(-17.5 / 17 > -14.0 / 14)


def test_a_log_made_of_the_task_gives_the_same_ids_name_and_unit(tasks: Path, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {
            "doc": row,
            "target": str(row["gold"]),
            "arguments": [[row["context"], continuation] for continuation in row["continuations"]],
            "resps": [[[str(-1.0 - n), "False"]] for n in range(len(row["continuations"]))],
            "filter": "none",
        }
        for row in _rows(tasks, "items.jsonl")
    ]  # fmt: skip
    for task in {line["doc"]["task"] for line in lines}:
        mine = [json.dumps(line) for line in lines if line["doc"]["task"] == task]
        (tmp_path / f"samples_{task}_{DATE}.jsonl").write_text("\n".join(mine) + "\n")
    done = hs.import_log("lm-eval", tmp_path, out=tmp_path / "run", model="m")
    assert done.probes == {"forms": 5}, "the tasks of a group are one probe again"
    run = hs.open_run(tmp_path / "run")
    assert {row["item"] for row in run.items()} == {item.id for item in ITEMS}
    assert {row["item"]: row["credit"] for row in run.items()} == {item.id: float(item.answer == 0) for item in ITEMS}


def test_a_log_of_inspect_gives_the_same_ids_whatever_the_order_shown(tmp_path: Path) -> None:
    export(PROBE, to="inspect", out=tmp_path / "task")
    compile((tmp_path / "task" / "forms.py").read_text(), "forms.py", "exec")
    samples = []
    for row in _rows(tmp_path / "task", "samples.jsonl"):
        shown = row["choices"][::-1]
        gold = "ABC"[shown.index(row["choices"]["ABC".index(row["target"])])]
        score = {"choice": {"value": "C", "answer": gold}}
        samples.append(row | {"choices": shown, "target": gold, "epoch": 1, "scores": score})
    done = hs.import_log("inspect", write_eval(tmp_path / "l.eval", samples, inspect_head()), out=tmp_path / "run")
    assert done.probes == {"forms": 5}
    run = hs.open_run(tmp_path / "run")
    assert {row["item"] for row in run.items()} == {item.id for item in ITEMS}
    assert run.results()["accuracy"] == [1.0]
    assert json.loads((tmp_path / "task" / "card.json").read_text())["made"] == "made for tests"


def test_a_data_set_for_the_hub(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    PROBE.save(tmp_path / "forms.jsonl")
    called = caller(capfd)("export", tmp_path / "forms.jsonl", "--to", "hf", "-o", tmp_path / "set", "--json")
    assert called.code == 0, called.err
    hold_to("export", json.loads(called.out))
    table = pyarrow.parquet.read_table(tmp_path / "set" / "data" / "test-00000-of-00001.parquet").to_pylist()
    assert [row["id"] for row in table] == [item.id for item in ITEMS]
    assert [row["facet_task"] for row in table] == ["x", "y", "y", None, None]
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    header = card.split("---")[1]
    assert "license: cc0-1.0" in header
    assert "- split: test\n    path: data/test-00000-of-00001.parquet" in header
    for part in ("Made for tests. Seed 3.", "Not audited", "Chance is", "doi:10.1609/aaai"):
        assert part in card


def test_what_cannot_be_exported_is_told(tmp_path: Path) -> None:
    unjudged = Probe.of([Item("u", "choice", "", "?", ("a", "b"))], Card("u"))
    for to, problem in (
        ("lm-eval", "no item has a gold"),
        ("inspect", "no item has a gold"),
        ("answers", "only be imported"),
    ):
        with pytest.raises(hs.UserError, match=problem):
            export(unjudged, to=to, out=tmp_path / "x")
    with pytest.raises(hs.UserError, match="'lm-evla'; did you mean 'lm-eval'"):
        export(PROBE, to="lm-evla", out=tmp_path / "x")
    with pytest.raises(hs.UserError, match="examples in the prompt are not exported"):
        export(PROBE, to="lm-eval", out=tmp_path / "x", spec="shots=2")
    with pytest.raises(hs.UserError, match="is not usable"):
        export(PROBE, to="inspect", out=tmp_path / "x", name="\udcff")
    assert not (tmp_path / "x").exists()
    notes = export(PROBE, to="lm-eval", out=tmp_path / "x").notes
    assert any("mean over tokens" in note for note in notes)
    with pytest.raises(hs.UserError, match="the folder already exists"):
        export(PROBE, to="hf", out=tmp_path / "x")


def test_the_beginning_of_a_text_is_that_of_the_harness() -> None:
    class Tokenizer:
        bos_token, eos_token = "<s>", "</s>"

        def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
            return {"input_ids": [5]}

        def convert_tokens_to_ids(self, token: str) -> int:
            return {"<s>": 1, "</s>": 2}[token]

    frame = causal_frame(Tokenizer(), "lm-eval")
    assert frame.around("").before == (1,)
    assert frame.around("Ice is ").before == ()
    assert not frame.around("Ice is ").scores_first
