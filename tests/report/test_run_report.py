"""Run reports of unusual runs: imported answers, unparsed replies, odd facet values, few slices; tables that fit."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cli import main
from horsesense.cli.render import print_results
from horsesense.core import Item
from horsesense.core.spec import Normalisation
from horsesense.progress import NO_PROGRESS
from horsesense.report.charts import svg_charts, write_charts
from horsesense.report.collection import collect
from horsesense.report.page import write_report
from horsesense.report.run_text import verdict, verdict_label
from horsesense.report.stored_run import with_report
from horsesense.report.tables import results_table
from horsesense.report.terms import TERMS
from horsesense.runs import probe_answers
from horsesense.runs.replies import ReplyStatistics
from horsesense.runs.result import Result
from horsesense.terminal import print_fitting
from tests.support.made_run import made_items, make_run


def run_command(*arguments: object) -> object:
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in arguments])
    return stopped.value.code


def page_of(*runs: Path, cues: bool = False) -> str:
    path = runs[0].parent / "page.html"
    write_report(collect(runs, cues=cues), path, drawn=False)
    return path.read_text("utf-8")


def test_the_page_shows_the_results_that_the_run_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = hs.open_run(make_run(tmp_path / "run", {"a": 0.9, "b": 0.5}, made_items(12)))
    compute, computed = probe_answers._compute_result, list[str]()

    def counted(answered: probe_answers.ProbeAnswers, how: Normalisation | None) -> Result:
        computed.append(answered.part.model.name)
        return compute(answered, how)

    monkeypatch.setattr(probe_answers, "_compute_result", counted)
    stored = with_report(run, NO_PROGRESS)
    assert [result.model for result in stored.results] == ["a", "b"]
    assert list(run.result_list()) == list(stored.results)
    assert computed == ["a", "b"]


def test_imported_answers_have_a_page(tmp_path: Path) -> None:
    """The template wanted the arguments of a model that no log had named."""
    (tmp_path / "a.csv").write_text("id,who,said,key\n1,m,a,a\n2,m,b,a\n3,m,a,a\n4,m,b,b\n")
    columns = "item=id,model=who,choice=said,gold=key"
    assert run_command("import-log", "answers", tmp_path / "a.csv", "--columns", columns, "--out", tmp_path / "rr") == 0
    assert run_command("report", tmp_path / "rr") == 0
    assert "imported from" in (tmp_path / "rr" / "report.html").read_text("utf-8")


def test_an_lm_eval_log_without_its_results_has_a_page(tmp_path: Path) -> None:
    samples = tmp_path / "samples_toy_2026-01-01T00-00-00.jsonl"
    lines = [
        {
            "doc_id": place,
            "doc": {"question": f"What is {place}?", "choices": ["this", "that"], "label": place % 2},
            "target": place % 2,
            "arguments": [[f"What is {place}?", " this"], [f"What is {place}?", " that"]],
            "resps": [[[-1.0, False]], [[-2.0, False]]],
            "filtered_resps": [[-1.0, False], [-2.0, False]],
            "acc": float(place % 2 == 0),
        }
        for place in range(12)
    ]
    samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run_command("import-log", "lm-eval", samples, "--out", tmp_path / "rr") == 0
    assert run_command("report", tmp_path / "rr") == 0


def test_where_no_reply_was_parsed_there_is_no_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", {"m": 0.0}, made_items(20))
    collected = collect([run], cues=False)
    (summary,) = collected.summaries
    silent = ReplyStatistics(20, 0, {"refused": 20}, {"refuses": 20}, 0, None, None, None, 40)
    outcomes = {"right": 0, "wrong": 0, "refused": 20}
    result = replace(summary.result, replies=silent, outcomes=outcomes, bounds=(0.0, 1.0), format="generate")
    assert result.verdict == verdict_label(result) == "too few answered"
    assert "0.0%" not in verdict(result)
    print_results([result])
    assert "0.000" not in capsys.readouterr().out
    silenced = replace(summary, result=result)
    assert "0.000" not in results_table([silenced]).markdown().splitlines()[2]
    path = tmp_path / "page.html"
    write_report(replace(collected, probes={"made": [silenced]}), path, drawn=False)
    card = path.read_text("utf-8").partition('id="grid"')[2].partition('id="details"')[0]
    assert "too few answered" in card
    assert "0.0%" not in re.sub(r"<dt>Surface cues.*", "", card.partition("</button>")[0])


@pytest.mark.parametrize("value", ["a\x00b", "\x1b", "\b", "\ufffe", "\uffff", "\U0001fffe", "\x7f", "a\u2028b"])
def test_charts_survive_characters_that_no_chart_can_show(tmp_path: Path, value: str) -> None:
    """The library that draws them ends the whole process at some of these."""
    items = [
        replace(item, facets={f"kind{value}": value if place % 2 else "plain", "hops": place % 2})
        for place, item in enumerate(made_items(12))
    ]
    collected = collect([make_run(tmp_path / "run", {"m": 0.7}, items)], cues=False)
    assert svg_charts(collected)
    assert write_charts(collected, tmp_path / "charts")


def test_the_title_names_model_and_probe(tmp_path: Path) -> None:
    page = page_of(make_run(tmp_path / "run", {"good": 0.9}, made_items(20)))
    assert re.search(r"<title>good on made", page)
    assert "<h1>good on made</h1>" in page
    many = make_run(tmp_path / "many", {f"m{place}": 0.9 for place in range(5)}, made_items(20))
    assert "<h1>5 models on made</h1>" in page_of(many)


def few(words: bool) -> list[Item]:
    """One large slice and several small ones."""
    items = made_items(20)
    values = ["large" if place < 24 else f"small {place % 5}" for place in range(len(items))]
    return [
        replace(item, facets={"part": value if words else int(value[-1]) if "small" in value else 9})
        for item, value in zip(items, values, strict=True)
    ]


def test_small_slices_are_folded_and_counted(tmp_path: Path) -> None:
    page = page_of(make_run(tmp_path / "run", {"good": 0.9}, few(words=True)))
    assert re.search(r'<details class="few"><summary>5 slices with n &lt; 10</summary>', page)
    assert "of fewer than" not in page


@pytest.mark.parametrize("words", [True, False])
def test_the_order_of_words_is_explained_only_where_there_are_words(tmp_path: Path, words: bool) -> None:
    page = page_of(make_run(tmp_path / "run", {"good": 0.9}, few(words)))
    assert ("sorted by their distance from chance" in page) == words


def test_the_page_defines_its_terms(tmp_path: Path) -> None:
    page = html.unescape(page_of(make_run(tmp_path / "run", {"good": 0.9}, made_items(20))))
    for term in ("Probe", "Family", "Cluster", "Ceiling", "Tie", "PMI"):
        assert f"<dt>{term}</dt><dd>{TERMS[term]}</dd>" in page


def test_all_places_have_one_count_of_cues(tmp_path: Path) -> None:
    from horsesense.cues.battery import battery

    page = page_of(make_run(tmp_path / "run", {"good": 0.9}, made_items(40)), cues=True)
    assert set(re.findall(r"(\d+) surface cues", page)) == {str(len(battery()))}


LONG = "an-organisation/a-model-with-quite-a-long-name-70b-instruct"


@pytest.mark.parametrize("width", [120, 80, 50, 30])
def test_no_name_and_no_number_is_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    collected = collect([make_run(tmp_path / "run", {LONG: 0.6, "short": 0.9}, made_items(20))], cues=False)
    results = [summary.result for summary in collected.summaries]
    print_results(results)
    out = capsys.readouterr().out
    for result in results:
        assert result.model in out
        assert f"{result.accuracy:i.3f}" in out
    assert "…" not in out
    assert ("●" in out) == (width > 125), "the drawing goes first"


def test_titles_wrap_between_words_only(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_fitting(
        ["ability", "accuracy", "drawn"], [["inference about novel things", "60%", "x" * 20]], optional=("drawn",)
    )
    out = capsys.readouterr().out
    assert "xxx" not in out
    assert {"inference", "about", "novel", "things", "60%"} <= set(out.split())
