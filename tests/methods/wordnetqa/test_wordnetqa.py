"""The generator on a small taxonomy of our own: laws, determinism, bad input."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from horsesense.core import check_item
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph, load_graph
from horsesense.lexicons.sources import add_file, open_graph
from horsesense.lexicons.wordnet import find_wordnet
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.plan import RELATIONS, WordNetPlan
from horsesense.methods.wordnetqa.word_forms import find_form
from tests.support.graph_walks import hops
from tests.support.made_trees import write_tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("tree")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORSESENSE_CACHE", str(folder / "cache"))
        add_file("tree", write_tree(folder / "tree.tsv"))
        return load_graph("tree")


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("as_paper", [True, False])
def test_items_are_sound(tree: Graph, relation: str, as_paper: bool) -> None:
    probe = build_wordnetqa(tree, WordNetPlan(relation, as_paper=as_paper, options=4))
    assert probe.card.licence == "CC0-1.0"
    places = Counter()  # type: ignore[var-annotated]
    for item in probe.items:
        check_item(item)
        assert len(item.options) == len(set(item.options)) == len(item.concepts) == 4
        assert item.answer is not None
        assert item.concepts[item.answer] == item.groups["answer"]
        assert item.family == f"{relation}: {item.facets['asked']}"
        assert "{" not in item.text
        places[item.answer] += 1
    assert len(places) > 1


def test_the_word_stands_as_in_the_example(tree: Graph) -> None:
    for item in build_wordnetqa(tree, WordNetPlan("definitions", as_paper=True, options=4)).items:
        assert f"'{item.facets['asked']}s'" in item.text


def test_hops_and_chains(tree: Graph) -> None:
    up = build_wordnetqa(tree, WordNetPlan("hypernymy", as_paper=True, options=3))
    for item in up.items:
        asked, answer = str(item.facets["chain"]).split("=>")
        assert hops(tree, tree.up, asked, 9)[answer] == item.facets["hops"]
    down = build_wordnetqa(tree, WordNetPlan("hyponymy", as_paper=True, options=3))
    for item in down.items:
        asked, answer = str(item.facets["chain"]).split("<=")
        assert hops(tree, tree.up, answer, 9)[asked] == item.facets["hops"]


@pytest.mark.parametrize("limit", [None, 24])
def test_controlled_answers_are_wrong_elsewhere_as_often_as_the_balance_wants(tree: Graph, limit: int | None) -> None:
    """Also in a small set: a limit draws questions that share their own answers."""
    probe = build_wordnetqa(tree, WordNetPlan("definitions", options=4, limit=limit))
    assert len(probe.items) <= (limit or 10_000)
    assert len(probe.items) >= 8
    for split in {item.facets["split"] for item in probe.items}:
        members = [item for item in probe.items if item.facets["split"] == split]
        right = Counter(item.concepts[item.answer or 0] for item in members)
        offered = Counter(concept for item in members for concept in item.concepts)
        spread = [offered[concept] - 4 * right[concept] for concept in offered]
        assert not any(spread)
        assert all(item.facets["fillers"] in (0, 1, 2) for item in members)


def test_answers_do_not_cross_splits(tree: Graph) -> None:
    for relation in RELATIONS:
        probe = build_wordnetqa(tree, WordNetPlan(relation, as_paper=True, options=3))
        for group in ("answer", "asked"):
            splits: dict[str, set[object]] = {}
            for item in probe.items:
                splits.setdefault(item.groups[group], set()).add(item.facets["split"])
            assert all(len(names) == 1 for names in splits.values())


def test_limit_and_seed(tree: Graph) -> None:
    whole = build_wordnetqa(tree, WordNetPlan("definitions", as_paper=True, options=3))
    few = build_wordnetqa(tree, WordNetPlan("definitions", as_paper=True, options=3, limit=60))
    assert 0 < len(few.items) <= 60 < len(whole.items)
    other = build_wordnetqa(tree, WordNetPlan("definitions", as_paper=True, options=3, limit=60, seed=1))
    assert [item.id for item in few.items] != [item.id for item in other.items]


def test_the_file_is_the_same_byte_for_byte(tmp_path: Path) -> None:
    source = write_tree(tmp_path / "tree.tsv")
    made = []
    for hashing in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashing, "HORSESENSE_CACHE": str(tmp_path / f"cache{hashing}")}
        out = tmp_path / f"{hashing}.jsonl"
        build = ["build", "wordnetqa", "--relation", "hypernymy", "--source", "tree", "--options", "3", "-o", str(out)]
        for arguments in (["knowledge", "add", "tree", str(source)], build):
            subprocess.run([sys.executable, "-m", "horsesense", *arguments], env=environment, check=True)
        made.append((out.read_bytes(), (tmp_path / f"{hashing}.card.json").read_bytes()))
    assert made[0] == made[1]


def test_what_a_source_lacks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    text = write_tree(tmp_path / "tree.tsv").read_text()
    kept = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("isa"))
    (tmp_path / "flat.tsv").write_text(kept)
    add_file("flat", tmp_path / "flat.tsv")
    with pytest.raises(UserError, match="flat has no isa, which hypernymy needs"):
        build_wordnetqa(load_graph("flat"), WordNetPlan("hypernymy"))


def test_one_parent_that_is_named_first_is_an_isa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first concept of a source has the number 0."""
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "one.tsv").write_text(
        "lemma\tdog\tdog\ndefinition\tdog\ta beast\n"
        "lemma\tpug\tpug\ndefinition\tpug\ta small one\nexample\tpug\tthe pug sat\nisa\tpug\tdog\n"
    )
    add_file("one", tmp_path / "one.tsv")
    with pytest.raises(UserError, match=r"no question of hypernymy with 5 options"):
        build_wordnetqa(load_graph("one"), WordNetPlan("hypernymy"))


def test_a_small_limit_is_exact_in_wordnet() -> None:
    """Among so few questions of synonymy, most find no distractors."""
    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    assert len(build_wordnetqa(open_graph(), WordNetPlan("synonymy", limit=5, exact=True)).items) == 5


def test_too_few_candidates_are_told(tree: Graph) -> None:
    with pytest.raises(UserError, match="no question of hypernymy with 120 options"):
        build_wordnetqa(tree, WordNetPlan("hypernymy", as_paper=True, options=120))


def test_an_unknown_relation_is_told() -> None:
    with pytest.raises(UserError, match="did you mean 'hypernymy'"):
        WordNetPlan("hypernimy")


@pytest.mark.parametrize(
    ("sentence", "lemma", "pos", "form"),
    [
        ("He was Running late", "run", "v", "Running"),
        ("the mice ate it", "mouse", "n", "mice"),
        ("she gave up smoking", "give up", "v", "gave up"),
        ("prime ministers met", "prime minister", "n", "prime ministers"),
        ("the best of all", "good", "a", "best"),
        ("a catalogue of cats", "cat", "n", "cats"),
        ("a catalogue", "cat", "n", None),
        ("a cat-like step", "cat", "n", None),
    ],
)
def test_inflected_forms_are_found(sentence: str, lemma: str, pos: str, form: str | None) -> None:
    assert find_form(sentence, [lemma], pos) == form
