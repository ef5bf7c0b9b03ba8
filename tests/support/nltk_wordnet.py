"""NLTK's reader over the WordNet of this machine: independent of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from horsesense.lexicons.wordnet import find_wordnet


def nltk_wordnet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A reader of a copy with LF line ends, which NLTK needs; skips where that cannot be had."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    real = find_wordnet()
    if real is None:
        pytest.skip("WordNet is not on this machine (horsesense fetch wordnet)")
    if not (real / "lexnames").is_file():
        pytest.skip("this WordNet has no lexnames, which NLTK needs")
    copy = folder / "corpora" / "wordnet"
    copy.mkdir(parents=True)
    for path in real.iterdir():
        if path.is_file() and path.suffix != ".json":
            (copy / path.name).write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    return WordNetCorpusReader(nltk.data.find("corpora/wordnet"), None)
