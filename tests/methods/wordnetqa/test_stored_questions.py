"""Stored lists of near questions give the same items without an encoder."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.builder import build_wordnetqa
from horsesense.methods.wordnetqa.plan import WordNetPlan
from horsesense.methods.wordnetqa.stored_questions import store_questions
from tests.methods.wordnetqa.test_near_distractors import life, near

__all__ = ["life", "near"]
PLAN = WordNetPlan("hyponymy", distractors="near", options=3)


def test_a_stored_list_gives_the_same_items_without_an_encoder(life: Graph, near: Probe, tmp_path: Path) -> None:
    path = tmp_path / "near.tsv.xz"
    store_questions(path, near, life, PLAN)
    again = build_wordnetqa(life, PLAN, stored=path)
    assert [item.id for item in again.items] == [item.id for item in near.items]
    assert again.items == near.items
    fresh = build_wordnetqa(life, PLAN)
    assert {item.id for item in fresh.items} != {item.id for item in near.items}, "without encoders other items result"


def test_a_stored_list_has_no_text_of_the_source(life: Graph, near: Probe, tmp_path: Path) -> None:
    path = tmp_path / "near.tsv.xz"
    store_questions(path, near, life, PLAN)
    text = lzma.decompress(path.read_bytes()).decode()
    for concept in range(len(life)):
        assert life.definitions[concept] not in text
    assert len(text.splitlines()) == len(near.items)


def test_a_list_of_another_source_is_one_sentence(life: Graph, near: Probe, tmp_path: Path) -> None:
    path = tmp_path / "near.tsv.xz"
    store_questions(path, near, life, PLAN)
    text = lzma.decompress(path.read_bytes()).decode()
    for damaged in (lzma.compress(text.replace("k1", "dog").encode()), b"no list"):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="the stored questions do not fit life"):
            build_wordnetqa(life, PLAN, stored=path)
