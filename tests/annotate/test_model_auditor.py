"""A language model as the auditor: asked like any other model, and read like any other auditor."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from horsesense.annotate.audit.blind_audit import draw, read_audit
from horsesense.annotate.audit.steps import codes_of_model, questions_to_model, read_auditor_files
from horsesense.core import Probe, write_probe
from horsesense.errors import UserError
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.second_answers import second_answers
from tests.annotate.test_audit import questions
from tests.support.study_commands import document, run


def test_a_model_audits_a_folder(tmp_path: Path, tiny_folders: dict[str, Path]) -> None:
    write_probe(tmp_path / "demo.jsonl", questions(20))
    document("audit new", tmp_path / "demo.jsonl", "-o", tmp_path / "r", "--limit", 4, "--seeded", 2)
    out = tmp_path / "read.txt"
    found = document("audit ask", tmp_path / "r", "-m", tiny_folders["xlnet"], "-o", out, "--device", "cpu")
    assert found["items"] == 6
    blind = read_audit(tmp_path / "r").items
    assert set(read_auditor_files([out], blind, "audit").codes) == {each.number for each in blind}
    code, _, err = run("audit", "ask", tmp_path / "r", "-m", tiny_folders["xlnet"], "-o", tmp_path / "x.csv")
    assert (code, ".txt" in err) == (2, True)


def test_each_option_is_a_question_of_its_own() -> None:
    drawn = draw(questions(30), "d", 5, 3, 0)
    asked = questions_to_model(drawn).items
    assert len(asked) == 8 * (4 + 1)
    assert len({item.id for item in asked}) == len(asked)
    scores = [(0.0, -1.0) if item.facets["about"] in ("sense", "B") else (-1.0, 0.0) for item in asked]
    assert set(codes_of_model(asked, scores).values()) == {"FTFF"}
    nothing = [(-1.0, 0.0) if item.facets["about"] == "sense" else (0.0, 0.0) for item in asked]
    assert set(codes_of_model(asked, nothing).values()) == {"nonsense"}


@pytest.fixture(scope="module")
def built() -> dict[str, Probe]:
    from horsesense.lexicons.sources import open_graph

    try:
        graph = open_graph()
    except UserError:
        pytest.skip("WordNet is not on this machine")
    return {
        name: build_wordnetqa(graph, WordNetPlan(name, limit=120)) for name in ("hypernymy", "hyponymy", "synonymy")
    }


@pytest.mark.parametrize("relation", ["hypernymy", "hyponymy", "synonymy"])
def test_wordnet_knows_a_second_true_option(relation: str, built: dict[str, Probe]) -> None:
    """Held against the graph by hand: the new option names a concept above or below the asked one, or its own words."""
    from horsesense.lexicons.sources import open_graph

    graph, second, made = open_graph(), second_answers(), 0
    for item in built[relation].items:
        options = second(item, Random(item.id))
        if options is None:
            continue
        made += 1
        assert item.answer is not None
        new = [option for option in options if option not in item.options]
        if relation == "synonymy":
            words = set(item.options[item.answer].split(", "))
            assert set(", ".join(new).split(", ")) == words
            assert len(new) == 2
            continue
        assert len(new) == 1
        assert options[item.answer] == item.options[item.answer]
        asked = graph.number[item.groups["asked"]]
        reached = (graph.up if relation == "hypernymy" else graph.down).reached(asked)
        named = {graph.number[name] for name in item.concepts}
        definition = new[0].partition(", defined as '")[2][:-1]
        assert any(graph.definitions[other] == definition for other in reached - named)
    assert made > 20


def test_without_the_source_no_second_option_is_known(
    built: dict[str, Probe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path))
    second = second_answers("a-source-that-is-not-there")
    assert [second(item, Random(0)) for item in built["hypernymy"].items[:3]] == [None] * 3
