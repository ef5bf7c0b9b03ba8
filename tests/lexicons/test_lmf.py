"""Wordnets in LMF: what a file says, what is wrong with one, and WordNet itself written out and read again."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from horsesense.cli import main
from horsesense.errors import UserError
from horsesense.lexicons.graph import build_graph, load_graph
from horsesense.lexicons.sources import add_file, check_name
from horsesense.lexicons.triples import BETWEEN_CONCEPTS, RELATIONS, Origin, Triple
from horsesense.lexicons.wordnet import find_wordnet, read_synsets, wordnet_triples
from horsesense.lexicons.wordnet_lmf import read_lmf
from horsesense.methods.wordnetqa.builder import TOO_SMALL, build_wordnetqa
from horsesense.methods.wordnetqa.plan import WordNetPlan
from tests.support.made_lmf import write_lmf
from tests.support.made_trees import write_tree

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">
<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">
"""
SMALL = f"""{HEAD}<Lexicon id="own" label="Own Wordnet" language="en" email="a@b" license="CC0-1.0" version="2">
  <LexicalEntry id="own-dog-n"><Lemma writtenForm="dog" partOfSpeech="n"/><Form writtenForm="dogs"/>
    <Sense id="own-dog-1" synset="own-2-n"><SenseRelation relType="derivation" target="own-doggy-1"/>
      <Example>"the dog barked"</Example></Sense></LexicalEntry>
  <LexicalEntry id="own-hound-n"><Lemma writtenForm="domestic_dog" partOfSpeech="n"/>
    <Sense id="own-hound-1" synset="own-2-n"/></LexicalEntry>
  <LexicalEntry id="own-beast-n"><Lemma writtenForm="beast" partOfSpeech="n"/>
    <Sense id="own-beast-1" synset="own-1-n"/></LexicalEntry>
  <LexicalEntry id="own-doggy-a"><Lemma writtenForm="doggy" partOfSpeech="s"/>
    <Sense id="own-doggy-1" synset="own-3-s"><SenseRelation relType="exemplifies" target="own-dog-1"/></Sense>
  </LexicalEntry>
  <LexicalEntry id="own-rex-n"><Lemma writtenForm="Rex" partOfSpeech="n"/>
    <Sense id="own-rex-1" synset="own-4-n"/></LexicalEntry>
  <LexicalEntry id="own-tail-n"><Lemma writtenForm="tail" partOfSpeech="n"/>
    <Sense id="own-tail-1" synset="own-5-n"/></LexicalEntry>
  <Synset id="own-1-n" ili="i1" partOfSpeech="n"><Definition>a living &amp; moving
      thing</Definition><SynsetRelation relType="hyponym" target="own-2-n"/>
    <SynsetRelation relType="hypernym" target="own-6-n"/></Synset>
  <Synset id="own-2-n" ili="" partOfSpeech="n" members="own-hound-n own-dog-n"><Definition>it barks</Definition>
    <Definition>a second one</Definition><SynsetRelation relType="mero_part" target="own-5-n"/>
    <SynsetRelation relType="hypernym" target="elsewhere-n"/><Example>walk the dog</Example></Synset>
  <Synset id="own-3-s" ili="" partOfSpeech="s"><Definition>like a dog</Definition></Synset>
  <Synset id="own-4-n" ili="" partOfSpeech="n"><Definition>a dog of that name</Definition>
    <SynsetRelation relType="instance_hypernym" target="own-2-n"/></Synset>
  <Synset id="own-5-n" ili="" partOfSpeech="x"><Definition>its end</Definition>
    <SynsetRelation relType="holo_part" target="own-2-n"/></Synset>
  <Synset id="own-6-n" ili="" partOfSpeech="n" lexicalized="false"><Definition>no word has this</Definition></Synset>
</Lexicon>
</LexicalResource>
"""


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))


def test_a_file_by_hand(tmp_path: Path) -> None:
    """Counted by hand: links told from one end only, members in their order, what leads out of the file left out."""
    path = tmp_path / "own.xml"
    path.write_text(SMALL, encoding="utf-8")
    origin, triples, left_out = read_lmf("own", path)
    assert (origin.version, origin.licence, origin.language) == ("Own Wordnet 2", "CC0-1.0", "en")
    assert set(triples) == {
        Triple("pos", "own-1-n", "n"), Triple("definition", "own-1-n", "a living & moving thing"),
        Triple("lemma", "own-1-n", "beast"), Triple("isa", "own-1-n", "own-6-n"),
        Triple("pos", "own-2-n", "n"), Triple("definition", "own-2-n", "it barks"),
        Triple("example", "own-2-n", "walk the dog"), Triple("example", "own-2-n", "the dog barked"),
        Triple("lemma", "own-2-n", "domestic dog"), Triple("lemma", "own-2-n", "dog"),
        Triple("part", "own-2-n", "own-5-n"), Triple("isa", "own-2-n", "own-1-n"),
        Triple("derivation", "own-2-n", "own-3-s", "dog", "doggy"),
        Triple("pos", "own-3-s", "s"), Triple("definition", "own-3-s", "like a dog"),
        Triple("lemma", "own-3-s", "doggy"),
        Triple("pos", "own-4-n", "n"), Triple("definition", "own-4-n", "a dog of that name"),
        Triple("lemma", "own-4-n", "Rex"), Triple("instance", "own-4-n", "own-2-n"),
        Triple("pos", "own-5-n", ""), Triple("definition", "own-5-n", "its end"), Triple("lemma", "own-5-n", "tail"),
        Triple("pos", "own-6-n", "n"),
    }  # fmt: skip
    assert len(triples) == len(set(triples))
    assert [each.target for each in triples if each.relation == "lemma"][1:3] == ["domestic dog", "dog"]
    assert left_out == {
        "part of speech: x": 1,
        "relation: it leads out of the file": 1,
        "relation between words: exemplifies": 1,
        "synset: it has no word": 1,
    }
    packed = tmp_path / "own.xml.gz"
    packed.write_bytes(gzip.compress(SMALL.encode()))
    assert read_lmf("own", packed)[1] == triples
    added = add_file("own", packed)
    assert added.concepts == 6
    graph = load_graph("own")
    assert graph.up.reached(graph.number["own-4-n"]) == {graph.number[f"own-{k}-n"] for k in (2, 1, 6)}
    assert graph.origin == read_lmf("own", packed)[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SMALL[:-200], r"own\.xml:29: this is not XML: unclosed token; get"),
        ("<html><body/></html>", "begins with html and not with LexicalResource"),
        (f"{HEAD}</LexicalResource>", "there is no Lexicon"),
        (f'{HEAD}<Lexicon id="a"/><Lexicon id="b"/></LexicalResource>', "two lexicons at least, 'a' and 'b'"),
        (f'{HEAD}<Lexicon id="a"><Synset partOfSpeech="n"/></Lexicon></LexicalResource>', "no attribute 'id'"),
        (f'{HEAD}<Lexicon id="a"></Lexicon></LexicalResource>', "no synset of the file has a word"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "own.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=why):
        read_lmf("own", path)


def test_a_packed_file_that_was_cut_off_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.xml.gz"
    path.write_bytes(gzip.compress(SMALL.encode())[:-20])
    with pytest.raises(UserError, match="packed file is damaged"):
        read_lmf("own", path)
    with pytest.raises(UserError, match="cannot be called 'wordnet'"):
        check_name("wordnet")


@pytest.fixture(scope="module")
def real() -> list[Triple]:
    """Every verb of WordNet with all that is said of them among themselves."""
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    # LMF has neither NLTK's form of a definition nor the order of a word's senses.
    every = [each for each in wordnet_triples(read_synsets(folder)) if each.relation in RELATIONS]
    kept = {each.concept for each in every if each.relation == "pos" and each.target == "v"}
    return [e for e in every if e.concept in kept and (e.relation not in BETWEEN_CONCEPTS or e.target in kept)]


def test_wordnet_comes_back_as_it_was(real: list[Triple], tmp_path: Path) -> None:
    """The same facts, and the same questions built from them."""
    path = write_lmf(tmp_path / "wn.xml", real)
    _, back, left_out = read_lmf("copy", path)
    spaced = [each._replace(target=" ".join(each.target.split())) for each in real]
    assert Counter(back) == Counter(spaced)
    assert left_out == {}
    for relation in ("lemma", "example", "definition", "isa"):  # in the same order too
        assert [e for e in back if e.relation == relation] == [e for e in spaced if e.relation == relation]
    one = build_graph(Origin("copy", "", "", "x"), spaced, loops=True)
    add_file("copy", path, replace=True)
    other = load_graph("copy")
    for relation in ("hypernymy", "definitions"):
        plan = WordNetPlan(relation, limit=200, as_paper=True)
        items = build_wordnetqa(one, plan).items
        assert len(items) > 50
        assert [item.id for item in items] == [item.id for item in build_wordnetqa(other, plan).items]


WORDING = """
language = "xx"
others = " (o {words})"
event = ""
defined = "{name}: ke {definition}"
endings = ["", "n", "jn"]

[templates.definitions]
one = "Ke estas '{word}' en '{sentence}'?"

[templates.hypernymy]
one = "En '{sentence}', '{word}' estas ia"
"""


NAMES = ("blim", "crat", "dorl", "fesk", "gumo", "hapt", "jurn", "kibe", "lonz", "mard", "nisp", "orvo")


def in_another_language() -> list[Triple]:
    """A small tree in a language that is none; examples have an ending of its own."""
    triples = [Triple("pos", "x", "n"), Triple("definition", "x", "cxio"), Triple("lemma", "x", "ajxo")]
    for top in NAMES:
        triples += _leaf(top, "x", f"la speco {top[::-1]}")
        triples += [each for kind in "auo" for each in _leaf(f"{top}{kind}", top, f"la eta {kind}{top[::-1]}")]
    return triples


def _leaf(name: str, parent: str, definition: str) -> list[Triple]:
    rows = (
        ("pos", "n"),
        ("definition", definition),
        ("lemma", name),
        ("example", f"mi vidis {name}jn"),
        ("isa", parent),
    )
    return [Triple(relation, name, target) for relation, target in rows]


def test_questions_in_another_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_lmf(tmp_path / "xx.xml", in_another_language(), "xx")
    add_file("xx", path)
    graph = load_graph("xx")
    assert graph.origin.language == "xx"
    with pytest.raises(UserError, match=r"no wording .*'xx'"):
        build_wordnetqa(graph, WordNetPlan("definitions"))
    (tmp_path / "xx.toml").write_text(WORDING, encoding="utf-8")
    plan = WordNetPlan("hypernymy", as_paper=True, options=3, wording=str(tmp_path / "xx.toml"))
    for item in build_wordnetqa(graph, plan).items:
        name = str(item.facets["asked"])
        assert item.text == f"En 'mi vidis {name}jn', '{name}jn' estas ia"
        assert all(": ke " in option and "defined" not in option for option in item.options)
    with pytest.raises(UserError, match="no relation of this wording 'synonymy'"):
        build_wordnetqa(graph, WordNetPlan("synonymy", wording=str(tmp_path / "xx.toml")))
    out = tmp_path / "xx.jsonl"
    command = ["build", "wordnetqa", "--relation", "definitions", "--source", "xx", "--as-paper", "--options", "3"]
    with pytest.raises(SystemExit) as stop:
        main([*command, "--wording", str(tmp_path / "xx.toml"), "-o", str(out)])
    assert stop.value.code in (0, None)
    assert "Ke estas" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("{word}", "{wort}", "has neither"),
        ("{name}: ke {definition}", "{name}", "'defined' needs"),
        ("endings", "endngs", "did you mean 'endings'"),
        ('language = "xx"', "", "no 'language'"),
        ('language = "xx"', "language = 3", "wrong kind of value"),
        ('language = "xx"', 'language = "xx', "not TOML"),
    ],
)
def test_what_is_wrong_with_a_wording_is_told(old: str, new: str, why: str, tmp_path: Path) -> None:
    from horsesense.methods.wordnetqa.plan import find_wording

    path = tmp_path / "xx.toml"
    path.write_text(WORDING.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=why):
        find_wording(str(path))


def test_a_source_that_is_too_small_for_a_split_says_so_by_every_seed(tmp_path: Path) -> None:
    add_file("small", write_tree(tmp_path / "small.tsv", branches=6))
    graph = load_graph("small")
    for seed in range(12):
        probe = build_wordnetqa(graph, WordNetPlan("definitions", seed=seed, as_paper=True, options=3))
        assert {item.facets["split"] for item in probe.items} == {"test"}
        assert probe.card.notes[TOO_SMALL]
        assert probe.card.made.endswith(
            "The source is too small for train, dev and test, so that all questions are test."
        )


def test_a_source_that_is_large_enough_is_split(tmp_path: Path) -> None:
    add_file("large", write_tree(tmp_path / "large.tsv", branches=12))
    probe = build_wordnetqa(load_graph("large"), WordNetPlan("definitions", as_paper=True, options=3))
    assert {item.facets["split"] for item in probe.items} == {"train", "dev", "test"}
    assert TOO_SMALL not in probe.card.notes
