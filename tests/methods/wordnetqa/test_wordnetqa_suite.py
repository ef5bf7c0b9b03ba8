"""WordNetQA as a suite: which files are asked, tables 7 and 8 and figure 3, and a reading that a built probe brings."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from horsesense.core import Card, Probe, read_probe, write_probe
from horsesense.core.audit import content_of
from horsesense.errors import UserError
from horsesense.methods.audits import stored_audit, with_audit
from horsesense.methods.suites import find_paper_suite
from horsesense.methods.suites.ask import AskedSuite, ask_suite
from horsesense.methods.suites.charts import paper_chart
from horsesense.methods.suites.frame import HOPS
from horsesense.report.tables import latex_tables, markdown_tables
from horsesense.stats import Estimate

KINDS = (("random", 0), ("sister", 1))


def _line(number: int, hops: int) -> str:
    """A released line of our own words: hypernymy with hops, definitions without."""
    kind, far = KINDS[number % 2]
    asked, goal = f"word{number // 4}.n.01", f"kind{number % 3}.n.01"
    stem = f"In 'a word{number // 4} was seen', word{number // 4} is best described as a type of"
    notes = {"gold_synset": asked, "distractor_type": kind, "distractor_hops": far, "hops": hops, "turk_vote": "0"}
    notes |= {"chain": f"{asked}=>{goal}"} if hops else {}
    choices = [{"label": str(place), "text": f"thing {number} {place}"} for place in range(5)]
    question = {"stem": stem if hops else f"'word{number // 4}' is best defined as", "choices": choices}
    return json.dumps({"id": f"{number}", "question": question, "answerKey": str(number % 2), "notes": notes})


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcqa")
    for name, part, numbers, hops in (
        ("hypernymy", "test", range(48), (1, 2)),
        ("hypernymy", "train", range(100, 140), (1, 2)),
        ("definitions", "train", range(200, 224), (0,)),
    ):
        (folder / name).mkdir(exist_ok=True)
        lines = [_line(number, hops[number // 2 % len(hops)]) for number in numbers]
        (folder / name / f"{part}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def asked(release: Path, tiny_folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> AskedSuite:
    out = tmp_path_factory.mktemp("out") / "run"
    return ask_suite(str(tiny_folders["gpt2"]), "wordnetqa", data=release, out=out)


def test_the_test_file_is_asked_or_the_one_that_is_there(release: Path, tmp_path: Path) -> None:
    opened = find_paper_suite("wordnetqa").open_data(release, False)
    assert {name: path.name for name, path in opened.found.items()} == {
        "definitions": "train.jsonl",
        "hypernymy": "test.jsonl",
    }
    assert list(opened.training) == ["hypernymy"], "what is asked is not learnt from"
    assert opened.missing == ("synonymy", "hyponymy", "dictionary")
    # A probe of one's own: its test split is asked, its training split teaches.
    items = [
        replace(item, facets={**item.facets, "split": "train" if number % 2 else "test"})
        for number, item in enumerate(opened.probes["hypernymy"].items)
    ]
    write_probe(tmp_path / "hypernymy.jsonl", Probe.of(items, Card("own", method="wordnetqa", group="asked")))
    own = find_paper_suite("wordnetqa").open_data(tmp_path, False)
    assert {item.facets["split"] for item in own.probes["hypernymy"].items} == {"test"}
    assert {item.facets["split"] for item in own.training["hypernymy"].items} == {"train"}
    with pytest.raises(UserError, match="none of the sets"):
        find_paper_suite("wordnetqa").open_data(tmp_path_of(tmp_path), False)


def tmp_path_of(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def test_tables_have_models_controls_people_and_published_rows(asked: AskedSuite) -> None:
    seven, printed, eight, _, figure = asked.tables
    assert printed.title == f"{seven.title}, as published", "ours are not the paper's sets"
    # One control more where word vectors are installed.
    assert list(dict.fromkeys(row.kind for row in seven.rows)) == ["ours", "control", "people"]
    assert next(row.cells[2] for row in printed.rows if row.name == "RoBERTa") == pytest.approx(0.71)
    mine = {run.part.probe.name: run for run in asked.run.answered}
    run = mine["hypernymy"]
    values = run.credits(run.primary()).values
    cell = seven.rows[0].cells[2]
    assert isinstance(cell, Estimate)
    assert cell.value == pytest.approx(values.mean())
    people = seven.rows[-1].cells[2]
    assert isinstance(people, Estimate)
    assert people.value == pytest.approx(0.5), "the vote is for the first option, which is right every other time"
    # Strict, by hand: all questions of a concept.
    concepts: dict[str, list[float]] = {}
    for item, value in zip(run.items, values, strict=True):
        concepts.setdefault(item.family, []).append(value)
    strict = float(np.mean([min(each) == 1 for each in concepts.values()]))
    place = eight.columns.index("hypernymy")
    held, difference = eight.rows[0].cells[place : place + 2]
    assert isinstance(held, Estimate)
    assert held.value == pytest.approx(strict)
    assert difference == pytest.approx(strict - values.mean())
    # Figure 3, by hand.
    row = next(row for row in figure.rows if row.name == f"hypernymy{HOPS}2")
    wanted = [
        value
        for item, value in zip(run.items, values, strict=True)
        if item.facets["hops"] == 2 and item.facets["distractor_kind"] == "sister"
    ]
    shown = row.cells[figure.columns.index("sister k′=1")]
    assert isinstance(shown, Estimate)
    assert shown.value == pytest.approx(np.mean(wanted))
    drawing = paper_chart(figure)
    assert drawing is not None
    assert "hypernymy" in json.dumps(drawing)
    assert "RoBERTa (published)" in markdown_tables(asked.tables)
    assert r"\begin{table}" in latex_tables(asked.tables)


# An audit that ships with the package.


def test_an_audit_applies_to_the_audited_items_only(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = stored_audit("wordnetqa-definitions")
    assert reading is not None
    items = find_paper_suite("wordnetqa").open_data(release, False).probes["hypernymy"].items
    probe = Probe.of(list(items), Card("wordnetqa-definitions", made="Made by hand."))
    other = with_audit(probe)
    assert other.card.label_quality is None
    assert other.card.made.startswith("Made by hand. These items have not been audited; of other builds, 0.0% [")
    assert with_audit(probe, similar=False) == probe, "an audit of another kind says nothing"
    monkeypatch.setattr("horsesense.methods.audits.stored_audit", lambda _: replace(reading, content=content_of(items)))
    assert with_audit(probe).card.label_quality == replace(reading, content=content_of(items))
    assert with_audit(probe).card.made == "Made by hand."


def test_what_is_kept_is_written_with_the_probe(tmp_path: Path, release: Path) -> None:
    reading = stored_audit("wordnetqa-synonymy")
    items = find_paper_suite("wordnetqa").open_data(release, False).probes["hypernymy"].items
    write_probe(tmp_path / "p.jsonl", Probe.of(list(items), Card("wordnetqa-synonymy", label_quality=reading)))
    assert read_probe(tmp_path / "p.jsonl").card.label_quality == reading
