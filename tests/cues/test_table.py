"""Items laid flat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from horsesense.core import Item
from horsesense.cues.table import apart, table_of
from horsesense.errors import UserError
from tests.support.made_up_probes import noise

word = st.sampled_from(["ice", "is", "cold", "hot", "and", "wet"])


@given(st.lists(st.lists(word, min_size=1, max_size=5).map(" ".join), min_size=2, max_size=4))
def test_stretch_and_context_make_the_sentence_again(sentences: list[str]) -> None:
    item = Item(probe="p", form="sentences", options=tuple(sentences))
    stretches, context = apart(item)
    for sentence, stretch in zip(sentences, stretches, strict=True):
        assert context.replace("___", stretch).split() == sentence.split()


@given(st.lists(st.lists(word, min_size=1, max_size=5).map(" ".join), min_size=2, max_size=4, unique=True))
def test_stretches_share_neither_first_nor_last_word(sentences: list[str]) -> None:
    rows = [stretch.split() for stretch in apart(Item(probe="p", form="sentences", options=tuple(sentences)))[0]]
    if all(rows):
        assert len({row[0] for row in rows}) > 1
        assert len({row[-1] for row in rows}) > 1


def test_items_that_say_nothing_are_left_out() -> None:
    good = Item(probe="p", form="choice", text="?", options=("a", "b"), answer=1)
    open_ = Item(probe="p", form="choice", text="?", options=("a", "b"))
    single = Item(probe="p", form="choice", text="?", options=("a",), answer=0)
    table = table_of([open_, good, single])
    assert list(table.items) == [good]
    assert table.gold.tolist() == [1]


@pytest.mark.parametrize(
    ("items", "sentence"),
    [
        ([], "the probe is empty"),
        ([Item(probe="p", form="choice", text="?", options=("a", "b"))], "no item has a gold answer"),
        ([Item(probe="p", form="choice", text="?", options=("a",), answer=0)], "every item has one option only"),
    ],
)
def test_nothing_to_try_cues_on_is_a_sentence(items: list[Item], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        table_of(items)


def test_taking_items_is_laying_them_flat_alone() -> None:
    items = noise(30, 4, 1, in_family=3) + noise(20, 3, 2)
    chosen = np.array([2, 3, 17, 31, 49])
    taken, alone = table_of(items).take(chosen), table_of([items[i] for i in chosen.tolist()])
    for name in ("starts", "gold", "counts", "item_of", "position"):
        assert np.array_equal(getattr(taken, name), getattr(alone, name))
    assert [taken.texts[t] for t in taken.text_of] == [alone.texts[t] for t in alone.text_of]
    assert len(set(taken.unit.tolist())) == len(set(alone.unit.tolist()))
