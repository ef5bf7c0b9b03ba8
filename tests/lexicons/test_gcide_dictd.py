"""GCIDE in the format of dictd: the layout is the grammar, and what is damaged is left out and counted."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from horsesense.cli import main
from horsesense.errors import UserError
from horsesense.lexicons.gcide import fetch_gcide, find_gcide, read_gcide
from horsesense.lexicons.sources import open_graph

ENTRIES = [
    """\
Mellow \\Mel"low\\ (m[e^]l"l[-o]), a. [Made up; akin to
   {Meal}, and to nothing else.]
   [1913 Webster]
   1. Soft with ripeness; as, a mellow pear; mellow plums. See
      {Ripe}.
      [1913 Webster]

            Time mellows every wine.            --Nobody.
      [1913 Webster]

   2. (Mus.) Full and soft. [Obs.] "A mellow horn." --N. E. Body.
      [1913 Webster +PJC]

   3. (Agric.)
      (a) Easily worked, as soil is.
      (b) Rich in {loam} and m[ae]ld.
          [1913 Webster]

   4. See {Ripe}.

   Note: Not to be mixed up with yellow.

         A yellow pear is another thing.
""",
    """\
Mellow \\Mel"low\\, v. t. [imp. & p. p. {Mellowed}.]
   To make soft -- {Mel"low*ing}, n.
   [1913 Webster]
""",
    """\
Mellow \\Mel"low\\,
   n.
   A soft thing of any kind.
   [PJC]

         One mellow after the other
         fell on the grass.                     --Nobody.

   {Mellow yellow}, a tune.

         They played it twice.
""",
    "Knoll \\Knoll\\, n.\n   A small hill page 12 by the road.\n   [1913 Webster]\n",
    "Knolled \\Knolled\\, imp.\n   Rang a bell at last.\n",
    "something without a head\n",
]


def digits(number: int) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return (digits(number // 64) if number >= 64 else "") + letters[number % 64]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "dictd"
    folder.mkdir()
    text, lines = "00-database-info\nAbout this dictionary.\n", [f"00-database-info\t{digits(0)}\t{digits(40)}"]
    for entry in ENTRIES:
        word = entry.split(" ")[0].lower()
        # The same entry stands under several words in the index.
        lines += [f"{name}\t{digits(len(text))}\t{digits(len(entry))}" for name in (word, f"{word} again")]
        text += f"{entry}\n"
    (folder / "gcide.index").write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    (folder / "gcide.dict.dz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GCIDE", raising=False)
    return folder


def test_each_sense_is_an_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GCIDE", str(folder))
    graph = open_graph("gcide")
    told = dict(zip(graph.ids, zip(graph.definitions, graph.examples, strict=True), strict=True))
    assert told == {
        "mellow.a.01": ("Soft with ripeness.", ("a mellow pear", "mellow plums", "Time mellows every wine.")),
        "mellow.a.02": ("Full and soft.", ("A mellow horn.",)),
        "mellow.a.03": ("Easily worked, as soil is.", ()),
        "mellow.n.07": ("A soft thing of any kind.", ("One mellow after the other fell on the grass.",)),
    }
    assert set(graph.lemmas) == {("mellow",)}


def test_damage_is_counted(folder: Path) -> None:
    assert {reason: count for reason, count in read_gcide(folder)[1].items() if count} == {
        "entries: no word at their head": 1,
        "senses: damaged": 2,
        "senses: a definition of one word, or none": 1,
        "senses: broken off": 1,
        "senses: no part of speech that can be asked for": 1,
    }


def test_fetch_takes_it_from_a_folder(folder: Path) -> None:
    fetched = fetch_gcide(folder)
    shutil.rmtree(folder)
    assert find_gcide() == fetched.path
    assert "mellow.a.01" in open_graph("gcide").ids
    with pytest.raises(SystemExit) as left:
        main(["build", "dictionaryqa", "-o", str(folder.parent / "d.jsonl"), "--limit", "1"])
    assert left.value.code == 2  # one word is too little, and that is a sentence


def test_an_unpacked_text_works_too(folder: Path) -> None:
    packed = folder / "gcide.dict.dz"
    (folder / "gcide.dict").write_bytes(gzip.decompress(packed.read_bytes()))
    before = read_gcide(folder)
    packed.unlink()
    assert read_gcide(folder) == before


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("gcide.index", b"mellow\tB\n", "gcide.index:1: this is not a line of a dictd index"),
        ("gcide.index", b"mellow\tB\t!!\n", "gcide.index:1: this is not a line of a dictd index"),
        ("gcide.dict.dz", gzip.compress(b"short", mtime=0), "the text ends before the entry"),
        ("gcide.dict.dz", gzip.compress(b"cut in two" * 50, mtime=0)[:-20], "the gzipped file is damaged"),
    ],
)
def test_damaged_files_are_told(folder: Path, file: str, content: bytes, told: str) -> None:
    (folder / file).write_bytes(content)
    with pytest.raises(UserError, match=told):
        read_gcide(folder)
