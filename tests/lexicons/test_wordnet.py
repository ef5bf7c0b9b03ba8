"""WordNet's files, read by us and by NLTK."""

from __future__ import annotations

import random
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph, source_path
from horsesense.lexicons.sources import open_graph, read_wordnet
from horsesense.lexicons.wordnet import (
    Synset,
    definition_key,
    fetch_wordnet,
    find_wordnet,
    is_wordnet,
    meaning_of,
    read_synsets,
)
from tests.support.small_wordnet import ENTRIES, write_small_wordnet


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small_wordnet(tmp_path / "corpora" / "wordnet")


@pytest.fixture
def taxonomy(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    return read_wordnet(small)


def nltk_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """NLTK reads files only below its own data path, and only with LF ends."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    monkeypatch.setattr(nltk.data, "path", [str(folder.parents[1])])
    return WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)


def assert_like_nltk(ours: Synset, theirs: Any) -> None:
    assert ours.offset == theirs.offset()
    if ours.pos != "s":  # NLTK 3.10 numbers satellites apart from other adjectives
        assert ours.id == theirs.name()
    assert ours.pos == theirs.pos()
    assert list(ours.lemmas) == theirs.lemma_names()
    assert ours.definition == theirs.definition()
    assert list(ours.examples) == theirs.examples()
    for symbol, relation in (("@", theirs.hypernyms), ("@i", theirs.instance_hypernyms), ("~", theirs.hyponyms)):
        assert {p.target for p in ours.pointers if p.symbol == symbol} == {s.name() for s in relation()}
    assert len([p for p in ours.pointers if p.symbol == "&"]) == len(theirs.similar_tos())


def test_small_database_is_read_as_nltk_reads_it(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = nltk_reader(small, monkeypatch)
    synsets = read_synsets(small)
    assert len(synsets) == len(ENTRIES)
    for synset in synsets:
        assert_like_nltk(synset, reader.synset_from_pos_and_offset(synset.pos, synset.offset))


def test_line_ends_do_not_matter(small: Path, tmp_path: Path) -> None:
    assert read_synsets(write_small_wordnet(tmp_path / "crlf", ends="\r\n")) == read_synsets(small)


def test_sense_numbers_follow_the_index(small: Path) -> None:
    ids = {synset.id for synset in read_synsets(small)}
    assert {"dog.n.01", "andiron.n.01", "dog.v.01", "laika.n.01"} <= ids
    assert {"swift.s.01", "swift.a.02", "swift.s.03"} <= ids  # one row of numbers for all adjectives


def test_hyponyms_count_each_synset_below_once(taxonomy: Graph) -> None:
    below = {name: int(taxonomy.hyponyms[place]) for name, place in taxonomy.number.items()}
    # animal: dog, cat, young, puppy, kitten and Laika, though puppy and kitten are reached twice.
    assert below["animal.n.01"] == 6
    assert below["dog.n.01"] == 2
    assert below["thing.n.01"] == 10
    assert int(taxonomy.children[taxonomy.number["animal.n.01"]]) == 3  # dog, cat, young
    assert int(taxonomy.children[taxonomy.number["dog.n.01"]]) == 1  # puppy; Laika is an instance


def test_a_loop_of_hypernyms_ends(taxonomy: Graph) -> None:
    place = taxonomy.number
    assert taxonomy.hyponyms[place["hold.v.01"]] == 1
    assert taxonomy.hyponyms[place["restrain.v.01"]] == 1
    assert taxonomy.depth[place["restrain.v.01"]] == 2


def test_depth_is_the_shortest_way_up(taxonomy: Graph) -> None:
    depth = {name: int(taxonomy.depth[place]) for name, place in taxonomy.number.items()}
    assert (depth["thing.n.01"], depth["animal.n.01"], depth["puppy.n.01"], depth["run.v.01"]) == (0, 1, 3, 1)


def test_words_lead_to_their_senses_in_order(taxonomy: Graph) -> None:
    assert [taxonomy.ids[p] for p in taxonomy.senses["dog"]] == ["dog.n.01", "andiron.n.01", "dog.v.01"]
    assert [taxonomy.ids[p] for p in taxonomy.senses["young person"]] == ["young_person.n.01"]


def test_a_damaged_stored_graph_is_built_again(
    taxonomy: Graph, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WNHOME", str(small))
    assert open_graph("wordnet").ids == taxonomy.ids
    stored = source_path("wordnet")
    whole = stored.read_bytes()
    for damaged in (b"{", whole[:900] + b"?" + whole[901:]):
        stored.write_bytes(damaged)
        assert open_graph("wordnet").ids == taxonomy.ids
        assert stored.read_bytes() == whole


def test_a_damaged_line_is_named(small: Path) -> None:
    path = small / "data.verb"
    path.write_text(path.read_text().replace(" 03 v 02 ", " 03 v zz ", 1), encoding="utf-8")
    with pytest.raises(UserError, match=r"data\.verb:3: .*not a line of a WordNet database"):
        read_synsets(small)


def test_wnhome_is_looked_into(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "nothing"))
    monkeypatch.setenv("WNHOME", str(small))
    assert find_wordnet() == small
    (small / "index.adv").unlink()
    assert not is_wordnet(small)
    assert find_wordnet() != small


def test_nltks_data_is_looked_into(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "nothing"))
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    assert find_wordnet() == small


@pytest.mark.parametrize("packed", [False, True])
def test_fetch_takes_it_from_a_folder(
    packed: bool, small: Path, taxonomy: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path if packed else small
    if packed:  # as NLTK's downloader leaves it
        shutil.make_archive(str(small), "zip", small.parent, "wordnet")
        shutil.rmtree(small)
    fetched = fetch_wordnet(source)
    assert fetched.path == find_wordnet() == tmp_path / "cache" / "wordnet"
    assert read_wordnet(fetched.path).ids == taxonomy.ids


def test_a_damaged_package_of_nltk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    packed = tmp_path / "wordnet.zip"
    packed.write_bytes(b"PK no zip")
    with pytest.raises(UserError, match=r"wordnet.zip: the packed file is damaged"):
        fetch_wordnet(tmp_path)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("wordnet/data.noun", "")
    with pytest.raises(UserError, match="there is no whole WordNet"):
        fetch_wordnet(tmp_path)
    assert not (tmp_path / "cache" / "wordnet").exists()


def test_a_meaning_has_no_quotation_and_no_author() -> None:
    assert meaning_of('making no sound; "the noiseless foot of time"- Bard; "a noiseless car"') == "making no sound"
    assert meaning_of('a fabric "he wore a suit of it"') == "a fabric"
    assert meaning_of('by chance, "perchance to dream.."') == "by chance"
    assert meaning_of("a peak (7,360 feet high); in the south") == "a peak (7,360 feet high); in the south"


def test_a_part_of_the_files_is_refused(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    nouns = (small / "data.noun").read_bytes().splitlines(keepends=True)
    (small / "data.noun").write_bytes(b"".join(nouns[:-1]))
    with pytest.raises(UserError, match=r"cut off or damaged"):
        fetch_wordnet(small)
    (small / "index.verb").unlink()
    with pytest.raises(UserError, match=r"index\.verb is missing"):
        fetch_wordnet(small)
    assert not (tmp_path / "cache" / "wordnet").exists()


@pytest.fixture(scope="module")
def real() -> Path:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    return folder


def test_real_wordnet_is_read_as_nltk_reads_it(real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "corpora" / "wordnet"
    copy.mkdir(parents=True)
    for path in real.iterdir():
        if path.is_file() and path.suffix != ".json":
            (copy / path.name).write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    if not (copy / "lexnames").is_file():
        pytest.skip("this WordNet has no lexnames, which NLTK needs")
    reader = nltk_reader(copy, monkeypatch)
    synsets = read_synsets(real)
    table = open_graph("wordnet")
    assert len(synsets) == 117_659
    for synset in random.Random(0).sample(synsets, 500):
        assert_like_nltk(synset, reader.synset_from_pos_and_offset(synset.pos, synset.offset))
    for synset in random.Random(1).sample([s for s in synsets if s.pos in "nv"], 25):
        theirs = reader.synset(synset.id)
        place = table.number[synset.id]
        below = set(theirs.closure(lambda s: s.hyponyms() + s.instance_hyponyms()))
        assert table.hyponyms[place] == len(below)
        assert table.depth[place] == theirs.min_depth()
        assert table.children[place] == len(theirs.hyponyms())
        assert place in table.by_gloss[definition_key(theirs.definition())]


def test_the_root_has_all_nouns_below_it(real: Path) -> None:
    table = open_graph("wordnet")
    nouns = sum(name.split(".")[-2] == "n" for name in table.ids)
    assert table.hyponyms[table.number["entity.n.01"]] == nouns - 1
