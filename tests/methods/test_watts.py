"""The statements of Nguyen, Watts and Whiting: reader, probe, and the models' answers as a run."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import horsesense as hs

HEAD = (
    ",statement,behavior,everyday,figure_of_speech,judgment,opinion,reasoning,category,elicitation,human_q1,"
    "Owl-2_q1,Wren Pro 1.0_q1,Owl-2_q2,Wren Pro 1.0_q2"
)
LINES = (
    "0,Two socks make a pair.,0,1,0,0,0,1,Mathematics and logic,category response,1,1,1,1,0",
    '1,"A wet dog, when it shakes, is dry.",1,1,0,0,0,0,Natural and physical sciences,Concept Net,0,0,1,0,1',
    "2,If max drops a plate then max feels sorry.,1,1,0,1,1,0,Human activities,Atomic,1,1,0,1,1",
    "3,If max drops a plate then max feels glad.,1,1,0,1,1,0,Human activities,Atomic,0,0,0,0,0",
    "4,A closed mouth catches no flies.,0,0,1,1,1,0,Philosophy and thinking,aphorism,0,1,0,,1",
)


def _file(folder: Path, *lines: str) -> Path:
    path = folder / "all_models.csv.gz"
    path.write_bytes(gzip.compress("\r\n".join((HEAD, *(lines or LINES))).encode()))
    return path


def test_both_questions_about_a_statement_are_a_family_with_the_key_of_the_majority(tmp_path: Path) -> None:
    probe = hs.read_release("watts", _file(tmp_path))
    assert len(probe.items) == 10
    first, second = probe.items[:2]
    assert (first.family, first.member) == (second.family, "agree")
    assert first.premise == "Two socks make a pair."
    assert [item.options[item.answer or 0] for item in probe.items[::2]] == ["yes", "no", "yes", "no", "no"]
    assert probe.items[2].facets["source"] == "Concept Net"
    assert probe.items[2].facets["everyday"] is True
    assert probe.items[2].facets["judgment"] is False
    assert probe.card.notes["CRLF line ends"] == 5
    assert probe.card.notes["no final newline"] == 1


def test_statements_about_one_event_are_a_cluster(tmp_path: Path) -> None:
    probe = hs.read_release("watts", _file(tmp_path))
    groups = [item.groups["similar"] for item in probe.items]
    assert groups[4] == groups[6]
    assert len(set(groups)) == 4
    assert probe.card.group == "similar"


def test_models_are_a_run_with_one_probe_per_question(tmp_path: Path) -> None:
    imported = hs.import_log("watts", _file(tmp_path), out=tmp_path / "run")
    assert imported.models == ("Owl-2", "Wren Pro 1.0")
    assert dict(imported.probes) == {"watts-agree": 5, "watts-others": 5}
    results = {(row["model"], row["probe"]): row for row in hs.open_run(tmp_path / "run").results()}
    assert results["Owl-2", "watts-agree"]["accuracy"] == pytest.approx(4 / 5)
    assert results["Wren Pro 1.0", "watts-agree"]["accuracy"] == pytest.approx(3 / 5)
    assert results["Owl-2", "watts-others"]["accuracy"] == 1.0, "of the four that it answered"
    assert results["Owl-2", "watts-agree"]["clusters"] == 4


def test_a_probe_and_its_log_have_the_same_items(tmp_path: Path) -> None:
    probe = hs.read_release("watts", _file(tmp_path))
    hs.import_log("watts", _file(tmp_path), out=tmp_path / "run")
    asked = {row["item"] for row in hs.open_run(tmp_path / "run").items()}
    assert asked == {item.id for item in probe.items}


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("5,A bad line.,0,1,0,0,0,1,General reference,news media,2,1,1,1,1", "human_q1"),
        ("5,A bad line.,0,1,0,0,0,1,General reference,news media,1,maybe,1,1,1", "Owl-2_q1"),
        ("5,A bad line.,0,1,x,0,0,1,General reference,news media,1,1,1,1,1", "figure_of_speech"),
        ("5,too,few", "3"),
    ],
)
def test_a_bad_cell_is_reported_with_its_line_or_skipped(tmp_path: Path, line: str, fact: str) -> None:
    path = _file(tmp_path, *LINES, line)
    with pytest.raises(hs.UserError, match=fact) as error:
        hs.import_log("watts", path, out=tmp_path / "run")
    assert error.value.line == 7
    assert not (tmp_path / "run").exists()
    imported = hs.import_log("watts", path, out=tmp_path / "run", skip_bad=True)
    assert imported.notes["bad samples skipped"] == 1
    assert dict(imported.probes) == {"watts-agree": 5, "watts-others": 5}


def test_another_table_is_refused_by_its_header(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("statement,label\nIce is cold.,1\n", encoding="utf-8")
    with pytest.raises(hs.UserError, match="behavior"):
        hs.read_release("watts", path)
