"""A run's own page says what cues earn and where the model stands on both sides of them, however large the run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import horsesense as hs
from horsesense.cli import main
from horsesense.core import Card, Item, Probe, write_probe
from horsesense.cues.artefact_control import best_cue
from horsesense.report.collection import collect_answered
from horsesense.report.run_report import write_report
from horsesense.report.run_text import DRAWN, WHOLE, cue_control
from horsesense.report.tables import results_table
from horsesense.runs.probe_answers import read_run
from tests.support.made_run import made_items, make_run
from tools.docs.schemas import schema_of


def long_ones(families: int) -> list[Item]:
    """Three of four right options are the longer ones."""
    return [replace(item, answer=int(number % 4 != 0)) for number, item in enumerate(made_items(families))]


def test_a_large_run_has_the_control_too(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"good": 0.9}, long_ones(2_600))
    write_report(run, pictures=False)
    html = (run / "report.html").read_text("utf-8")
    assert "No cue control" not in html
    assert re.search(r"The best of \d+ surface cues gets 7[456]\b", html)
    told = re.search(r"Model, cue right minus other items: (\S+) \[(\S+), (\S+)\]", html)
    assert told
    value, low, high = (float(number.replace("\N{MINUS SIGN}", "-")) for number in told.groups())
    assert low < value < high
    assert abs(value) < 0.05  # this model does not mind the cue


def test_cues_of_a_draw_are_said_to_be_of_the_draw(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", {"good": 0.9}, long_ones(60))
    _, (whole,) = read_run(run)
    record = replace(whole.part.probe, of=9_000)
    part = replace(whole, part=replace(whole.part, probe=record))
    for answered, said in (
        (whole, ""),
        (part, f" ({record.items:,} of 9,000), so the whole probe may not have this cue."),
    ):
        collected = collect_answered([(run, [answered])])
        (summary,) = collected.summaries
        assert summary.control is not None
        assert cue_control(summary.control).endswith(said)
        assert (DRAWN in results_table([summary]).markdown()) == bool(said)
        assert ("searched for only in the scored items" in cue_control(summary.control)) == bool(said)


def test_cues_are_judged_on_the_whole_probe_where_a_part_was_asked(
    tiny_folders: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    probe = Probe.of(long_ones(90), Card(name="long", normalise="mean"))
    write_probe(tmp_path / "long.jsonl", probe)
    model = str(tiny_folders["gpt2"])
    run = hs.ask(
        f"tiny={model}",
        tmp_path / "long.jsonl",
        limit=24,
        out=tmp_path / "run",
        compute=hs.ComputeSettings(device="cpu"),
    )
    (answered,) = run.answered
    assert 20 <= len(answered.items) < 40
    collected = collect_answered([(tmp_path / "run", [answered])], wholes=run.wholes)
    control = collected.summaries[0].control
    assert control is not None
    alone = best_cue(probe.items, probe.card.group, [item.family for item in probe.items])
    assert control.cue.value == alone.accuracy.value
    assert (control.cue.n, control.whole) == (len(probe.items), len(probe.items))
    right = {item.id for item, picked in zip(probe.items, alone.right, strict=True) if picked}
    both = control.where.answered, control.where.missed
    assert both[0] is not None
    assert both[0].n == sum(item.id in right for item in answered.items)
    assert both[1] is not None
    assert both[1].n == sum(item.id not in right for item in answered.items)
    page = tmp_path / "run" / "report.html"
    for words, said, not_said in (
        ([], "only in the scored items", WHOLE[:-1]),
        (["-p", str(tmp_path / "long.jsonl")], WHOLE[:-1], "only in the scored items"),
    ):
        with pytest.raises(SystemExit) as left:
            main(["report", str(tmp_path / "run"), *words])
        assert not left.value.code
        html = page.read_text("utf-8")
        assert said in html
        assert not_said not in html
    write_report(run, pictures=False)
    assert WHOLE[:-1] in page.read_text("utf-8"), "a run that was just asked knows its probe"
    write_probe(tmp_path / "other" / "long.jsonl", Probe.of(made_items(3), Card(name="long")))
    capsys.readouterr()
    with pytest.raises(SystemExit) as left:
        main(["report", str(tmp_path / "run"), "-p", str(tmp_path / "other" / "long.jsonl")])
    assert left.value.code == 2
    assert "lacks some of the scored items" in capsys.readouterr().err


def test_accuracy_by_facet_counts_items_and_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", {"good": 0.8}, made_items(40))
    with pytest.raises(SystemExit) as left:
        main(["report", str(run), "--by", "hops", "--by", "distractor_kind", "--no-cues", "--json"])
    assert not left.value.code
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema_of("report")).validate(document)
    slices = document["slices"]
    assert [(row["facet"], row["value"]) for row in slices] == [
        *[("hops", hops) for hops in range(3)],
        *[("distractor_kind", kind) for kind in ("far", "near")],
    ]
    _, (answered,) = read_run(run)
    right = [a.scores.index(max(a.scores)) == i.answer for a, i in zip(answered.answers, answered.items, strict=True)]
    for row in slices:
        here = [n for n, item in enumerate(answered.items) if item.facets[row["facet"]] == row["value"]]
        whole = {item.family for item in (answered.items[n] for n in here)}
        broken = {answered.items[n].family for n in here if not right[n]}
        assert row["items"]["n"] == len(here)
        assert row["items"]["value"] == pytest.approx(sum(right[n] for n in here) / len(here))
        assert row["clusters"]["n"] == len(whole)
        assert row["clusters"]["value"] == pytest.approx(1 - len(broken) / len(whole))
        assert row["clusters"]["chance"] == pytest.approx(0.25)


def test_a_facet_that_is_not_there_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", {"good": 0.8}, made_items(20))
    with pytest.raises(SystemExit) as left:
        main(["report", str(run), "--by", "hop", "--no-cues"])
    assert left.value.code == 2
    assert "hops" in capsys.readouterr().err


def other_items() -> list[Item]:
    """A probe with facets of its own: one with a single value, one with a value for each item, one that slices."""
    return [
        replace(item, probe="other", facets={"task": "odd", "number": place, "half": place % 2})
        for place, item in enumerate(made_items(20))
    ]


def test_a_facet_slices_the_probes_that_have_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = [make_run(tmp_path / "a", {"good": 0.8}, made_items(20))]
    runs.append(make_run(tmp_path / "b", {"good": 0.8, "bad": 0.4}, other_items(), probe="other"))
    words = ["report", *map(str, runs), "-o", str(tmp_path / "page.html"), "--no-cues", "--json"]
    with pytest.raises(SystemExit) as left:
        main([*words, "--by", "hops", "--by", "half", "--by", "task"])
    told = capsys.readouterr()
    assert not left.value.code
    found = {(row["probe"], row["model"], row["facet"]) for row in json.loads(told.out)["slices"]}
    assert found == {
        ("made", "good", "hops"),
        ("made", "good", "task"),
        ("other", "good", "half"),
        ("other", "bad", "half"),
    }
    assert told.err.splitlines() == [
        "not sliced by hops: other: it has no such facet, but half",
        "not sliced by half: made: it has no such facet, but distractor_kind, hops, task",
        "not sliced by task: other: it has one value only, odd",
    ]


@pytest.mark.parametrize(
    ("facet", "told"),
    [
        ("task", "nothing can be sliced by 'task' (other: it has one value only, odd); slice by one of half"),
        ("number", "(other: it has 40 values, and more than 30 are labels and not slices); slice by one of half"),
        ("hops", "there is no facet to slice by 'hops'; known: half"),
    ],
)
def test_a_facet_by_which_nothing_can_be_sliced_is_a_sentence(
    facet: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", {"good": 0.8, "bad": 0.4}, other_items(), probe="other")
    with pytest.raises(SystemExit) as left:
        main(["report", str(run), "--by", facet, "--no-cues"])
    assert left.value.code == 2
    assert told in capsys.readouterr().err
