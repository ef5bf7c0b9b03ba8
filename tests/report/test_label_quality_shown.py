"""Label quality is shown beside every score of an audited probe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from horsesense.core.audit import AuditStage, LabelQuality, Party, Share
from horsesense.core.card import add_label_quality, card_path
from horsesense.data.store import Store
from horsesense.report.run_report import write_report
from horsesense.runs.probe_answers import read_run, related_auditor
from horsesense.runs.store import probe_path
from tests.support.calling import Call, caller, hold_to
from tests.support.made_run import made_items, make_run


def stage(bad: float) -> AuditStage:
    share = Share(bad, (bad / 2, bad * 2), 300)
    found = Share(0.93, (0.87, 0.97), 100)
    best = Share(1 - bad / 2, (0.9, 0.99), 300)
    return AuditStage(share, {"wrong key": bad}, found, {"nonsense": found}, None, share, False, True, best)


def reading(reader: Party) -> LabelQuality:
    people = Party("two students", "people")
    return LabelQuality(
        date="2026-01-02", n=300, items=900, content="0123456789abcdef", seed=1, seeded={"nonsense": 100}, known=0,
        before=stage(0.08), after=stage(0.0625), auditor=reader, writer=people, judge=people, notes=("mind <this>",),
    )  # fmt: skip


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_run(tmp_path / "run", {"smollm2": 0.9, "gpt2-large": 0.5}, made_items(20))
    read_by(made, Party("SmolLM2-1.7B", "smollm"))
    return made


def read_by(folder: Path, reader: Party) -> None:
    """The kept card as if the probe had been read before it was asked."""
    path = probe_path(folder, "made")
    add_label_quality(path, reading(reader))
    Store(folder).record(card_path(path))


def test_the_page_has_it_in_words(folder: Path) -> None:
    write_report(folder, pictures=False)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<dt>Label quality</dt>" in page
    assert "Bad items: 6.2% [3.1%, 12.5%]" in page
    assert "Ceiling, if bad items are answered by chance: 96.9%" in page
    assert "(a language model)" in page
    assert "Mind &lt;this&gt;" in page
    assert page.count("are related models") == 1, "only for the model that is related to the auditor"


def test_a_model_related_to_the_auditor_gets_a_warning(folder: Path) -> None:
    warnings = {each.part.model.name: related_auditor(each) for each in read_run(folder)[1]}
    assert warnings["gpt2-large"] == ""
    assert "SmolLM2-1.7B" in warnings["smollm2"]
    read_by(folder, Party("smollm2", "people"))
    assert {related_auditor(each) for each in read_run(folder)[1]} == {""}


def test_commands_show_it_beside_the_score(folder: Path, call: Call, tmp_path: Path) -> None:
    words = "bad items 6.2% [3.1%, 12.5%], corrected for the auditor's errors; ceiling 96.9%"
    assert call("compare", folder).out.count(words) == 1
    assert call("report", folder, "--no-cues", "-o", tmp_path / "p.html").out.count(words) == 1
    assert words in call("show", probe_path(folder, "made"), "--samples", 0).out
    compared = json.loads(call("compare", folder, "--json").out)
    hold_to("compare", compared)
    assert compared["probes"][0]["label_quality"]["after"]["ceiling"]["value"] == pytest.approx(0.96875)
    reported = json.loads(call("report", folder, "--no-cues", "--json", "-o", tmp_path / "p.html").out)
    hold_to("report", reported)
    assert [result["label_quality"]["n"] for result in reported["results"]] == [300, 300]
    assert "label_quality" not in json.loads(
        call("show", write_bare(tmp_path), "--samples", 0, "--json").out
    )["card"]  # fmt: skip


def write_bare(folder: Path) -> Path:
    from horsesense.core import Card, Probe, write_probe

    write_probe(folder / "bare.jsonl", Probe.of(made_items(2), Card(name="made")))
    return folder / "bare.jsonl"
