"""The graph: hops and sisters against brute force, and what a user's file may not have."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from gc import collect
from pathlib import Path
from typing import Any
from weakref import ref

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph, closure, find_source, list_sources, load_graph, source_path
from horsesense.lexicons.sources import add_file, open_graph, read_triples
from horsesense.lexicons.wordnet import find_wordnet
from tests.support.graph_walks import hops, sisters
from tests.support.nltk_wordnet import nltk_wordnet
from tests.support.small_wordnet import write_small_wordnet

OWN = """# licence: CC0-1.0
# version: 2
lemma\tthing\tthing
lemma\tdog\tdog
lemma\tdog\thound
lemma\tcat\tcat
lemma\trex\tRex
definition\tdog\tan animal that barks
example\tdog\tthe dogs slept
isa\tdog\tthing
isa\tcat\tthing
instance\trex\tdog
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def small(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setenv("WNHOME", str(write_small_wordnet(tmp_path / "wordnet")))
    return open_graph()


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=25))
def test_closure_is_what_networkx_finds(links: list[tuple[int, int]]) -> None:
    pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
    found = closure(9, pairs[:, 0], pairs[:, 1])
    wanted: dict[tuple[int, int], int] = {}
    graph = networkx.DiGraph(links)
    for start, lengths in networkx.all_pairs_shortest_path_length(graph):
        wanted |= {(start, end): length for end, length in lengths.items() if length}
    got = zip(found.concept.tolist(), found.ancestor.tolist(), found.hops.tolist(), strict=True)
    assert {(a, b): hops for a, b, hops in got} == wanted
    assert set(found.loops.tolist()) == {n for part in networkx.simple_cycles(graph) for n in part}


def test_hops_go_the_shortest_way(small: Graph) -> None:
    assert hops(small, small.up, "puppy.n.01", 9) == {"dog.n.01": 1, "young.n.01": 1, "animal.n.01": 2, "thing.n.01": 3}
    assert hops(small, small.up, "puppy.n.01", 1) == {"dog.n.01": 1, "young.n.01": 1}
    assert hops(small, small.down, "animal.n.01", 1) == {"dog.n.01": 1, "cat.n.01": 1, "young.n.01": 1}


def test_an_instance_is_no_kind_and_yet_below(small: Graph) -> None:
    assert "laika.n.01" not in hops(small, small.down, "dog.n.01", 9)
    assert hops(small, small.up, "laika.n.01", 9) == {}
    assert small.number["laika.n.01"] in small.down.reached(small.number["animal.n.01"])


def test_sisters_are_the_family_of_the_paper(small: Graph) -> None:
    assert sisters(small, "cat.n.01", 1) == {"dog.n.01": 1, "young.n.01": 1}
    # Kitten is a child of its own sister-in-law "young", and a child of cat: still beside it.
    assert sisters(small, "cat.n.01", 2) == {"dog.n.01": 1, "young.n.01": 1, "puppy.n.01": 2, "kitten.n.01": 2}
    assert sisters(small, "thing.n.01", 3) == {}


def test_a_loop_of_the_database_ends(small: Graph) -> None:
    assert hops(small, small.up, "hold.v.01", 9) == {"restrain.v.01": 1, "move.v.01": 1}


def test_texts_and_words_of_a_concept(small: Graph) -> None:
    dog = small.number["dog.n.01"]
    assert small.definitions[dog] == "an animal that barks"
    assert small.examples[dog] == ("the dog slept", "a good hound")
    assert small.lemmas[small.number["young_person.n.01"]] == ("young person",)
    assert small.pos[small.number["swift.s.01"]] == "s"


def test_a_source_is_read_once(small: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("horsesense.lexicons.sources.read_synsets", lambda *_: pytest.fail("read again"))
    monkeypatch.setattr("horsesense.lexicons.graph._loaded", {})
    stored = open_graph()
    assert stored is not small
    assert (stored.ids, stored.senses, stored.definitions) == (small.ids, small.senses, small.definitions)


def test_relations_for_other_methods_are_kept(small: Graph) -> None:
    fast, slow = small.number["fast.a.01"], small.number["slow.a.01"]
    assert [column.tolist() for column in small.links("antonym")] == [[fast, slow], [slow, fast]]


def test_a_file_of_triples_is_a_source(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(OWN, encoding="utf-8")
    add_file("pets", path)
    assert (find_source("pets").version, find_source("pets").licence) == ("2", "CC0-1.0")
    graph = load_graph("pets")
    assert sisters(graph, "dog", 1) == {"cat": 1}
    assert graph.lemmas[graph.number["dog"]] == ("dog", "hound")
    # Added again, where that is asked for, it takes the place of the first, and another source stays.
    add_file("beasts", path)
    path.write_text(OWN.replace("hound", "doggy"), encoding="utf-8")
    with pytest.raises(UserError, match="another source is called 'pets' already"):
        add_file("pets", path)
    add_file("pets", path, replace=True)
    assert load_graph("pets").lemmas[1] == ("dog", "doggy")
    assert load_graph("beasts").lemmas[1] == ("dog", "hound")
    assert [source.name for source in list_sources()] == ["beasts", "pets"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text + "isa\tthing\tdog\n", r"own\.tsv:10: isa goes round in a circle: dog isa thing isa dog"),
        (lambda text: text + "isa\tdog\tdog\n", r"own\.tsv:13: isa goes round in a circle: dog isa dog"),
        (lambda text: text + "isa\tcat\tlion\n", r"own\.tsv:13: the concept 'lion' has no word"),
        (lambda text: text + "isaa\tcat\tdog\n", r"own\.tsv:13: there is no relation 'isaa'; did you mean 'isa'"),
        (lambda text: text + "isa\tcat\n", r"own\.tsv:13: the line has 2 fields"),
        (lambda text: text + "lemma\tcat\t \n", r"own\.tsv:13: the line has 3 fields and not three with something"),
        (lambda text: "# nothing\n", "there is no triple"),
    ],
)
def test_what_an_own_source_may_not_have(cache: Path, tmp_path: Path, change: Callable[[str], str], told: str) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(change(OWN), encoding="utf-8")
    with pytest.raises(UserError, match=told):
        add_file("pets", path)
    assert not source_path("pets").exists()


def test_an_own_source_has_a_name_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be called 'wordnet'"):
        read_triples("wordnet", tmp_path / "own.tsv")


def test_a_damaged_store_is_told(cache: Path) -> None:
    source_path("pets").parent.mkdir(parents=True)
    source_path("pets").write_text("no table at all", encoding="utf-8")
    with pytest.raises(UserError, match="damaged"):
        list_sources()


@pytest.mark.parametrize("key", [b'"fingerprint"', b'"origin"', b'"shape"', b'"left_out"'])
def test_a_flipped_bit_in_what_a_store_says_of_itself_is_told(cache: Path, tmp_path: Path, key: bytes) -> None:
    (tmp_path / "own.tsv").write_text(OWN, encoding="utf-8")
    add_file("pets", tmp_path / "own.tsv")
    stored = source_path("pets").read_bytes()
    source_path("pets").write_bytes(stored.replace(key, key[:-2] + bytes([key[-2] ^ 1]) + b'"'))
    with pytest.raises(UserError, match="damaged"):
        list_sources()


def test_a_stored_source_with_other_bytes_is_refused(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(OWN, encoding="utf-8")
    add_file("pets", path)
    stored = bytearray(source_path("pets").read_bytes())
    stored[len(stored) // 2] ^= 1
    source_path("pets").write_bytes(stored)
    with pytest.raises(UserError, match="damaged"):
        load_graph("pets")


def test_a_graph_in_use_is_not_loaded_twice(small: Graph, tmp_path: Path) -> None:
    assert open_graph() is small
    path = tmp_path / "own.tsv"
    path.write_text(OWN, encoding="utf-8")
    add_file("pets", path)
    pets = load_graph("pets")
    path.write_text(OWN.replace("hound", "doggy"), encoding="utf-8")
    add_file("pets", path, replace=True)
    assert load_graph("pets").lemmas != pets.lemmas


def test_the_last_graph_stays_and_no_other(cache: Path, tmp_path: Path) -> None:
    for name in ("pets", "other"):
        (tmp_path / "own.tsv").write_text(OWN, encoding="utf-8")
        add_file(name, tmp_path / "own.tsv")
    pets = ref(load_graph("pets"))
    assert pets() is load_graph("pets")
    load_graph("other")
    collect()
    assert pets() is None


@pytest.fixture(scope="module")
def real() -> Graph:
    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    return open_graph()


def test_real_families_are_what_nltk_finds(real: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = nltk_wordnet(tmp_path, monkeypatch)
    chosen = random.Random(3).sample([name for name in real.ids if name.split(".")[-2] in "nv"], 150)
    for name in chosen:
        theirs = reader.synset(name)
        for links, step in ((real.up, lambda s: s.hypernyms()), (real.down, lambda s: s.hyponyms())):
            assert hops(real, links, name, 5) == _walk(theirs, step, 5)
        family: dict[str, int] = {}
        for sister in {s for parent in theirs.hypernyms() for s in parent.hyponyms()} - {theirs}:
            near = {sister.name(): 0} | _walk(sister, lambda s: s.hyponyms(), 2)
            for other, far in near.items():
                family[other] = min(family.get(other, 9), 1 + far)
        family.pop(name, None)
        assert sisters(real, name, 3) == family


def _walk(start: Any, step: Callable[[Any], list[Any]], most: int) -> dict[str, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for other in step(here) if found[here] < most else ():
            if other not in found:
                found[other] = found[here] + 1
                waiting.append(other)
    return {synset.name(): hops for synset, hops in found.items() if hops}
