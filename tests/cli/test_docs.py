"""What the guides list is what the program has; the example of a knowledge source builds what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from horsesense.core import read_probe
from horsesense.methods.published import read_files, readers
from tests.support.calling import caller
from tools.docs.blocks import DOCS, blocks

RELEASES = (DOCS / "guides" / "releases.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", readers())
def test_every_release_is_there(name: str) -> None:
    assert re.search(rf"^\|[^|]*`{name}`", RELEASES.partition("\n## Import a CSV")[0], re.MULTILINE)


def test_the_facets_of_rica_are_those_that_are_read(tmp_path: Path) -> None:
    (tmp_path / "test_sentences.txt").write_text(
        "zim is a cork, wob is a stone, so wob is not more likely to float than zim\n", encoding="utf-8"
    )
    (tmp_path / "test_mask_words.txt").write_text("more\n", encoding="utf-8")
    (item,) = read_files("rica", [tmp_path / "test_sentences.txt", tmp_path / "test_mask_words.txt"]).items
    (told,) = re.findall(r"The facets of RICA are (.*?), where a statement has them", RELEASES)
    assert {*re.split(", | and ", told)} == {*item.facets}


def test_the_source_of_ones_own_builds_questions_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    page = list(blocks(DOCS / "guides" / "own-knowledge.md"))
    (place,) = (place for place, block in enumerate(page) if block.title == "pets.tsv")
    commands = [command.split() for command in page[place + 1].commands()]
    (tmp_path / "pets.tsv").write_text(page[place].text, encoding="utf-8")
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert [words[1] for words in commands] == ["knowledge", "build"]
    for words in commands:
        called = caller(capfd)(*words[1:])
        assert called.code == 0, called.err
    items = read_probe("pets.jsonl").items
    assert {item.groups["asked"]: item.groups["answer"] for item in items} == {"poodle": "dog", "tabby": "cat"}
    assert [len(item.options) for item in items] == [2, 2], "as the page says"
