"""Item scores from stored answers."""

from __future__ import annotations

import numpy as np

from horsesense.profiling.from_answers import relatedness_columns


def test_encoders_that_are_right_on_the_same_items_are_one_control() -> None:
    """Decided by the items: whether a model happens to score alike on both must not matter."""
    near, far = "the option nearest by word vectors (GloVe)", "the option nearest by sentence vectors (MiniLM)"
    first, second = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0, 1.0])
    (one,) = relatedness_columns({near: first, far: first.copy()})
    assert one.name == f"{near} or sentence vectors (MiniLM)"
    assert one.right.tolist() == first.tolist()
    two = relatedness_columns({near: first, far: second})
    assert [each.name for each in two] == [near, far], "right equally often, but on other items"
    assert relatedness_columns({}) == ()
