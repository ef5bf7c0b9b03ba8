"""Frozen lists of near questions give the same questions without an encoder."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from horsesense.core import Probe
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.methods.wordnetqa.frozen_questions import frozen_probe, store_questions
from horsesense.methods.wordnetqa.plan import WordNetPlan
from tests.methods.wordnetqa.test_near_distractors import life, near

__all__ = ["life", "near"]
PLAN = WordNetPlan("hyponymy", distractors="near", options=3)


def test_a_frozen_list_gives_the_same_questions_without_an_encoder(life: Graph, near: Probe, tmp_path: Path) -> None:
    path = tmp_path / "near.tsv.xz"
    store_questions(path, near.items, life, PLAN)
    again = frozen_probe(path, life, PLAN)
    assert len(again.items) == len(near.items)
    for one, other in zip(near.items, again.items, strict=True):
        assert (one.text, one.unit(), one.groups, set(one.options)) == (
            other.text,
            other.unit(),
            other.groups,
            set(other.options),
        )
        assert one.options[one.answer or 0] == other.options[other.answer or 0]
    places = [item.answer for item in again.items]
    assert len(set(places)) == 3, "the answer is at every place"
    store_questions(path, again.items, life, PLAN)
    assert frozen_probe(path, life, PLAN).items == again.items


def test_a_frozen_list_has_no_text_of_the_source(life: Graph, near: Probe, tmp_path: Path) -> None:
    path = tmp_path / "near.tsv.xz"
    store_questions(path, near.items, life, PLAN)
    text = lzma.decompress(path.read_bytes()).decode()
    assert not any(definition in text for definition in life.definitions if definition)
    assert len(text.splitlines()) == len(near.items)


def test_a_list_of_another_source_is_one_sentence(life: Graph, near: Probe, tmp_path: Path) -> None:
    path = tmp_path / "near.tsv.xz"
    store_questions(path, near.items, life, PLAN)
    text = lzma.decompress(path.read_bytes()).decode()
    for damaged in (lzma.compress(text.replace("k1", "dog").encode()), b"no list"):
        path.write_bytes(damaged)
        with pytest.raises(UserError, match="the frozen questions do not fit life"):
            frozen_probe(path, life, PLAN)
