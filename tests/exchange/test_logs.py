"""Logs of other tools as run folders: what is read, what is counted, and what is told in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.cues.findings import find_cues
from horsesense.report.item_answers import ItemAnswers
from horsesense.runs.manifest import read_manifest
from tests.support.calling import caller, hold_to
from tests.support.made_logs import (
    QUESTIONS,
    choice_line,
    inspect_head,
    inspect_sample,
    write_eval,
    write_samples,
)

GOLDS = [gold for _, _, gold, _ in QUESTIONS]


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models on twelve questions: one always right, the other always first."""
    place = tmp_path_factory.mktemp("logs")
    write_samples(place / "good", "things", [choice_line(n) for n in range(12)], "org/good")
    write_samples(place / "first", "things", [choice_line(n, 0) for n in range(12)], "org/first")
    hs.import_log("lm-eval", place / "good", place / "first", out=place / "run")
    return place / "run"


def test_accuracies_are_those_of_the_log_with_interval_and_chance(logged: Path) -> None:
    found = {row["model"]: row for row in hs.open_run(logged).results()}
    assert found["org/good"]["accuracy"] == 1
    assert found["org/first"]["accuracy"] == GOLDS.count(0) / len(GOLDS)
    assert found["org/first"]["n"] == 12
    assert found["org/first"]["chance"] == pytest.approx(1 / 3)


def test_metadata_are_facets_and_what_differs_everywhere_is_not(logged: Path) -> None:
    by = {(row["model"], row["kind"]): row["accuracy"] for row in hs.open_run(logged).by("kind")}
    assert by["org/first", "heat"] == 0.5
    assert by["org/first", "sound"] == 0
    with pytest.raises(hs.UserError, match="no facet 'number'"):
        hs.open_run(logged).by("number")


def test_sums_are_kept_and_lengths_are_known_but_no_tokens(logged: Path) -> None:
    run = hs.open_run(logged, normalise="character")
    item = next(row for row in run.items() if row["model"] == "org/good" and row["text"].startswith("Question 1"))
    assert item["scores"] == pytest.approx([-4.5 / 9, -2.25 / 7, -6.5 / 4])
    assert len(run.tokens()) == 0
    with pytest.raises(hs.UserError, match="the log has no tokens"):
        hs.open_run(logged, normalise="mean").results()


def test_a_log_cannot_be_asked_on_and_compare_says_what_is_not_known(
    logged: Path, tiny_folders: dict[str, Path]
) -> None:
    parts = read_manifest(logged).parts
    assert {part.model.kind for part in parts} == {"log"}
    assert parts[0].model.reported["tool"] == "lm-eval 0.4.13"
    (probe,) = hs.compare(logged).probes
    assert sum("known from a log" in note for note in probe.notes) == 2
    with pytest.raises(hs.UserError, match=r"cannot be continued"):
        hs.ask(str(tiny_folders["gpt2"]), "starter", out=logged)
    with pytest.raises(hs.UserError, match="the folder already exists"):
        hs.import_log("lm-eval", logged, out=logged)


def test_cues_and_items_of_a_log_can_be_looked_at(logged: Path) -> None:
    probe = hs.load_probe(logged / "probes" / "things.jsonl.gz")
    assert find_cues(probe, splits=2, rounds=19).n == 12
    shown = hs.show(logged, probe.items[0].id)
    assert isinstance(shown, ItemAnswers)
    assert [answer.credit for answer in shown.answers] == [1, 1]


def test_several_filters_repeats_and_doubled_lines(tmp_path: Path) -> None:
    lines = [choice_line(n, filter=name) for name in ("strict", "loose") for n in range(3)]
    write_samples(tmp_path / "a", "t", [*lines, choice_line(0, filter="strict")])
    done = hs.import_log("lm-eval", tmp_path / "a", out=tmp_path / "run")
    assert done.samples == 3, "a line a filter is no doubled sample"
    assert done.notes == {"duplicate samples, of which the first counts": 1}
    assert "t: several filters; strict is used" in done.remarks


def test_what_was_generated_is_right_or_wrong_and_guessing_earns_nothing(tmp_path: Path) -> None:
    lines = [
        {
            "doc_id": n,
            "doc": {"q": f"What is {n}?"},
            "target": str(n),
            "arguments": [[f"What is {n}?", {"until": ["\n"]}]],
            "resps": [[f"{n}", "x"]],
            "filtered_resps": [f"{n}"],
            "filter": "none",
            "metrics": ["exact_match"],
            "exact_match": float(n < 3),
        }
        for n in range(4)
    ]
    hs.import_log("lm-eval", write_samples(tmp_path / "a", "open", lines), out=tmp_path / "run")
    (row,) = hs.open_run(tmp_path / "run").results()
    assert (row["accuracy"], row["chance"], row["format"]) == (0.75, 0, "generate")
    with pytest.raises(hs.UserError, match="asked without options"):
        find_cues(tmp_path / "run" / "probes" / "open.jsonl.gz")


BAD: dict[str, tuple[Any, str]] = {
    "cut off": (json.dumps(choice_line(1))[:200], "is not JSON"),
    "NaN": (json.dumps(choice_line(1, resps=[[[float("nan"), "False"]]] * 3)), "not a finite number"),
    "other number of options": (choice_line(1, resps=[[["-1", "False"]]] * 2), "2 log-likelihoods for 3 options"),
    "gold out of range": (choice_line(1, target=7), "the gold 7 is out of range"),
    "unknown version": ({"index": 1, "logprob": 3}, "not a log of samples"),
    "a number": ("3", "not a JSON object"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_sample_is_one_sentence_or_a_counted_skip(kind: str, tmp_path: Path) -> None:
    line, problem = BAD[kind]
    path = write_samples(tmp_path / "a", "t", [choice_line(0), line, choice_line(2)])
    with pytest.raises(hs.UserError, match=problem) as error:
        hs.import_log("lm-eval", path, out=tmp_path / "run")
    assert f"{path.name}:2: " in str(error.value)
    assert not (tmp_path / "run").exists(), "nothing half-written"
    done = hs.import_log("lm-eval", path, out=tmp_path / "run", skip_bad=True)
    assert (done.samples, done.notes) == (2, {"bad samples skipped": 1})


def test_models_that_share_only_some_samples_are_set_beside_on_those(tmp_path: Path) -> None:
    write_samples(tmp_path / "a", "t", [choice_line(n) for n in range(4)], "a")
    write_samples(tmp_path / "b", "t", [choice_line(n) for n in range(2, 6)], "b")
    done = hs.import_log("lm-eval", tmp_path, out=tmp_path / "run")
    assert done.probes == {"t": 2}
    assert done.notes == {"items of t that not every model answered, left out": 4}


def test_inspect_replies_epochs_and_attachments(tmp_path: Path) -> None:
    answers = "ABCBCA"  # the golds
    samples = [inspect_sample(n, "A", epoch) for n in range(6) for epoch in (1, 2)]
    samples += [inspect_sample(n, answers[n], 3) for n in range(6)]
    samples[0] |= {"input": "attachment://a1", "attachments": {"a1": "What is cold? (0)"}}
    done = hs.import_log("inspect", write_eval(tmp_path / "log.eval", samples), out=tmp_path / "run")
    assert (done.samples, done.models) == (18, ("hf/small",))
    run = hs.open_run(tmp_path / "run")
    (row,) = run.results()
    assert row["accuracy"] == GOLDS.count(0) / 6, "two of three epochs say A"
    assert {item["text"] for item in run.items()} >= {"What is cold? (0)"}
    assert run.results().documents[0].replies is not None
    (tmp_path / "log.json").write_text(json.dumps(inspect_head() | {"samples": samples}))
    hs.import_log("inspect", tmp_path / "log.json", out=tmp_path / "same")
    assert hs.open_run(tmp_path / "same").items().to_json() == run.items().to_json()


def test_inspect_without_options_without_scores_and_with_errors(tmp_path: Path) -> None:
    def free(number: int, value: Any, **changes: Any) -> dict[str, Any]:
        scores = {"match": {"value": value}}
        return inspect_sample(number, "A", choices=None, target="ice", scores=scores, **changes)

    samples = [
        free(0, "C"),
        free(1, "I"),
        free(2, 1),
        free(3, "P"),
        free(4, float("nan")),
        free(5, "C", error={"m": 1}),
    ]
    done = hs.import_log("inspect", write_eval(tmp_path / "log.eval", samples), out=tmp_path / "run")
    assert done.samples == 3
    assert sum(done.notes.values()) == 3, "neither right nor wrong, without a score, ended in an error"
    (row,) = hs.open_run(tmp_path / "run").results()
    assert row["accuracy"] == pytest.approx(2 / 3)


def test_a_log_of_inspect_that_is_damaged_or_of_another_version(tmp_path: Path) -> None:
    whole = write_eval(tmp_path / "log.eval", [inspect_sample(n) for n in range(3)])
    cut = tmp_path / "cut.eval"
    cut.write_bytes(whole.read_bytes()[:-300])
    flipped = tmp_path / "flipped.eval"
    content = bytearray(whole.read_bytes())
    content[content.index(b"samples/1_") + 40] ^= 0xFF
    flipped.write_bytes(bytes(content))
    far = tmp_path / "far.eval"
    content = bytearray(whole.read_bytes())
    place = content.index(b"PK\x01\x02") + 42
    content[place : place + 4] = b"\xf0\xff\xff\x7f"
    far.write_bytes(bytes(content))
    newer = write_eval(tmp_path / "newer.eval", [], inspect_head(version=9))
    for path, problem in (
        (cut, "cut off or damaged"),
        (flipped, "is damaged"),
        (far, "is damaged"),
        (newer, "has version 9"),
    ):
        with pytest.raises(hs.UserError, match=problem):
            hs.import_log("inspect", path, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_answers_in_a_table(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = ["id,who,said,right,about"]
    rows += [
        f"q{n},{who},{'ab'[n % 2] if who == 'one' else 'a'},{'ab'[n % 2]},{'xy'[n // 4]}"
        for who in ("one", "two")
        for n in range(8)
    ]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    called = caller(capfd)(
        "import-log", "answers", tmp_path / "t.csv", "--columns", "item=id,model=who,choice=said,gold=right",
        "--cluster", "about", "-o", tmp_path / "run", "--json",
    )  # fmt: skip
    assert called.code == 0, called.err
    hold_to("import-log", json.loads(called.out))
    run = hs.open_run(tmp_path / "run")
    found = {row["model"]: (row["accuracy"], row["clusters"]) for row in run.results()}
    assert found == {"one": (1.0, 2), "two": (0.5, 2)}


def test_scores_of_a_table_with_options_and_text(tmp_path: Path) -> None:
    rows = [
        {"item": n, "text": f"{n}?", "options": ["a", "b"], "gold": "b", "scores": [-1.0, -2.0 + n]} for n in range(4)
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    hs.import_log("answers", tmp_path / "t.jsonl", out=tmp_path / "run", model="mine")
    (row,) = hs.open_run(tmp_path / "run", normalise="sum").results()
    assert (row["model"], row["accuracy"]) == ("mine", (0 + 0.5 + 1 + 1) / 4)
    (tmp_path / "u.csv").write_text("item,gold\n1,a\n")
    with pytest.raises(hs.UserError, match="no column for the answer"):
        hs.import_log("answers", tmp_path / "u.csv", out=tmp_path / "other")


def test_the_page_of_a_log_says_what_it_is_and_offers_no_command(logged: Path, tmp_path: Path) -> None:
    page = hs.open_run(logged).report(tmp_path / "page.html", cues=False).read_text(encoding="utf-8")
    assert "imported from lm-eval 0.4.13" in page
    assert "To reproduce" not in page
    assert "horsesense run -m" not in page
