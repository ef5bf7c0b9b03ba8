"""The page *Check your benchmark* shows what the program prints for the published dataset."""

from __future__ import annotations

import gzip
import shlex
from pathlib import Path

import pytest

from horsesense.cues.relatedness import encoders
from horsesense.lexicons.wordnet import find_wordnet
from tests.support.calling import caller
from tools.docs.blocks import DOCS, blocks

PAGE = DOCS / "guides" / "check-benchmark.md"


def lines(text: str) -> list[str]:
    """Lines without the layout of a table."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.mark.slow
def test_the_page_shows_what_is_printed(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if find_wordnet() is None or len(encoders()) < 2:
        pytest.skip("not in the cache: horsesense fetch wordnet glove minilm")
    published = shared / "data" / "mcqa" / "data_mcqa" / "hypernymy" / "test.jsonl.gz"
    (tmp_path / "test.jsonl").write_bytes(gzip.decompress(published.read_bytes()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    call, checked = caller(capfd), 0
    printed: list[str] = []
    for block in blocks(PAGE):
        if block.kind == "sh":
            printed = []
            if block.mark == "tried":
                outcome = call(*shlex.split(block.commands()[0])[1:])
                assert outcome.code == 0
                printed = lines(outcome.out + outcome.err)
        elif block.kind == "text" and printed:
            for line in lines(block.text):
                assert line == "…" or line in printed
                checked += line != "…"
    assert checked == 12
