"""Questions are dropped until no cue is above the limit, and no more than that takes."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from horsesense.core import Item
from horsesense.cues.battery import Number, battery
from horsesense.cues.search import prepare
from horsesense.cues.table import table_of
from horsesense.methods.wordnetqa.trimming import drop_answered, trim


@pytest.mark.parametrize("seed", range(5))
def test_no_cue_is_above_the_limit_and_the_last_drop_was_needed(seed: int) -> None:
    credit = (np.random.default_rng(seed).random((200, 6)) < [0.2, 0.2, 0.5, 0.1, 0.3, 0.2]).astype(float)
    kept = drop_answered(credit, 0.22)
    means = credit[kept].mean(axis=0)
    assert means.max() <= 0.22
    assert len(kept) > 60, "half of the third cue's excess is 64 items of 200"
    dropped = sorted(set(range(200)) - set(kept))
    assert (credit[dropped].max(axis=1) == 1).all(), "only questions that a cue answers are dropped"


def test_fixed_questions_stay_and_the_others_make_up_for_them() -> None:
    credit = np.array([[1.0]] * 30 + [[1.0]] * 30 + [[0.0]] * 140)
    kept = drop_answered(credit, 0.2, fixed=30)
    assert kept[:30] == list(range(30))
    assert np.isclose(credit[kept].mean(), 0.2, atol=0.005)


def _long_answers(share: float) -> list[Item]:
    rng = Random(0)
    words = iter(lambda: "".join(rng.choices("bdfgjklmnprt", k=6)), "")
    items = []
    for index in range(150):
        options = [" ".join(next(words) for _ in range(3)) for _ in range(5)]
        answer = rng.randrange(5)
        if rng.random() < share:
            options[answer] += f" {next(words)} {next(words)}"
        items.append(
            Item(
                probe="p",
                form="choice",
                text=f"{next(words)}?",
                options=tuple(options),
                answer=answer,
                family=str(index),
            )
        )
    return items


def test_a_planted_cue_is_gone() -> None:
    items = _long_answers(0.6)
    cues = [cue for cue in battery() if isinstance(cue, Number)]
    assert prepare(table_of(items), cues).directed.mean(axis=0).max() > 0.5
    left = trim(items, (), None, "family", most=0.3)
    assert left == sorted(set(left))
    assert 40 < len(left) < 120
    assert prepare(table_of([items[index] for index in left]), cues).directed.mean(axis=0).max() <= 0.3
