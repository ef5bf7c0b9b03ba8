"""Hypotheses as released, premises by phrase with all forms, a template where there is none."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from horsesense.core import Card, Probe
from horsesense.core.item import NO_SOURCE
from horsesense.errors import UserError
from horsesense.lexicons.corpus import Corpus, read_sentences
from horsesense.methods.partwhole.dataset import unjudged
from horsesense.methods.partwhole.recasting import as_inference, find_premise, hypothesis
from tests.support.made_corpora import text


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    return Corpus([text(tmp_path / "t.txt")])


def test_hypotheses_are_the_released_ones(shared: Path) -> None:
    path = shared / "data/partwhole/data/annotated/nli_style_dev.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    same = sum(hypothesis(row["whole"], row["part"], row["jj"]) == row["sentence2"] for row in rows)
    assert (same, len(rows)) == (1360, 1360)


@pytest.mark.parametrize(
    ("whole", "adjective", "kind", "premise"),
    [
        ("jeep", "old", "adjacent", "He drove an old jeep to the lake."),
        ("jeep", "muddy", "adjacent", "Two muddy jeeps stood there."),  # the plural
        ("tire", "muddy", "copula", "The tire was muddy."),
        ("jeep", "red", "template", "The jeep is red."),  # the paint is red, not the jeep
        ("boat", "old", "template", "The boat is old."),  # only a boat-cloak is old
        ("jeep", "nuclear", "template", "The jeep is nuclear."),
        ("jeep", 'o"dd', "template", 'The jeep is o"dd.'),
    ],
)
def test_the_best_sentence(corpus: Corpus, whole: str, adjective: str, kind: str, premise: str) -> None:
    best = find_premise(corpus, whole, adjective)
    assert (best.kind, best.text) == (kind, premise)


def test_a_probe_as_inference(corpus: Corpus) -> None:
    items = [replace(unjudged("jeep", "tire", word, NO_SOURCE), answer=3) for word in ("old", "nuclear")]
    with closing(corpus):
        made = as_inference(Probe.of(items, Card("demo", group="whole")), corpus)
    assert [item.form for item in made.items] == ["pair", "pair"]
    assert [item.text for item in made.items] == ["The jeep's tire is old.", "The jeep's tire is nuclear."]
    assert [item.facets["premise_kind"] for item in made.items] == ["adjacent", "template"]
    assert [item.answer for item in made.items] == [3, 3]
    assert made.card.notes == {"premises: adjacent": 1, "premises: template": 1}


def test_an_index_is_kept_and_follows_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    path = text(tmp_path / "t.txt")
    with closing(Corpus([path])) as first, closing(Corpus([path])) as again:
        assert first.path == again.path
        assert len(first) == 9
    path.write_text("A nuclear jeep.\n")
    with closing(Corpus([path])) as changed:
        assert changed.path != first.path
        assert [sentence.text for sentence in changed.find(["nuclear jeep"])] == ["A nuclear jeep."]


def test_an_index_that_has_rotted_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "corpus.txt"
    file.write_text("The lamp is warm.\nThe desk is wide.\n")
    first = Corpus([file])
    first.close()
    kept = first.path.read_bytes()
    assert b"warm" in kept
    first.path.write_bytes(kept.replace(b"warm", b"cold"))
    again = Corpus([file])
    assert [sentence.text for sentence in again.find(["lamp"])] == ["The lamp is warm."]
    again.close()


def test_layouts_of_corpora(tmp_path: Path) -> None:
    (tmp_path / "wrapped.txt").write_text(
        "The old jeep stood\nin the rain. Mr. Hyde\nsaw it there and\nwas glad. He\nleft\n"
    )
    assert list(read_sentences(tmp_path / "wrapped.txt")) == [
        "The old jeep stood in the rain.",
        "Mr. Hyde saw it there and was glad.",
        "He left",
    ]
    (tmp_path / "table.tsv").write_text("7\tA man sleeps here.\tA man is awake.\tCONTRADICTION\n")
    assert list(read_sentences(tmp_path / "table.tsv")) == ["A man sleeps here.", "A man is awake."]
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(UserError, match="empty"):
        list(read_sentences(tmp_path / "empty.txt"))
    with pytest.raises(UserError, match="no such file"):
        Corpus([tmp_path / "missing.txt"])
