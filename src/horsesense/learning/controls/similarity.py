"""Vector similarity: the answer whose words are nearest to those of the question (WordNetQA, section 4.1)."""

from __future__ import annotations

import numpy as np

from horsesense.errors import UserError
from horsesense.language.vectors import Floats, Vectors, open_vectors
from horsesense.language.words import words
from horsesense.learning.controls.task import Fitted, Task


def vector_similarity(task: Task) -> Fitted:
    """The mean cosine between all words of the question and all words of an answer; nothing is trained."""
    if any(item.form == "sentences" and not item.premise for item in task.test):
        raise UserError("sentences have no question to be near to", fix="use another control")
    if task.vectors == "none":
        raise UserError("similarity needs vectors that mean something", fix="give --vectors FILE, or fetch glove")
    texts = [text for item in task.test for text in (item.premise, item.text, *item.options)]
    vectors = open_vectors(task.vectors, {word for text in texts for word in words(text)})
    scores, lost = [], 0
    for item in task.test:
        question, missing = _directions(f"{item.premise} {item.text}", vectors)
        lost += missing
        row = []
        for option in item.options:
            answer, missing = _directions(option, vectors)
            lost += missing
            # The mean of all cosines is the product of the mean directions.
            row.append(float(question @ answer))
        scores.append(tuple(row))
    told = f"the answer whose words are nearest to the question's ({vectors.described})"
    return Fitted(scores, told, {"words without a vector": lost})


def _directions(text: str, vectors: Vectors) -> tuple[Floats, int]:
    """The mean of the words' unit vectors, and how many words have none."""
    given = words(text)
    found = [
        vector / norm for word in given if (vector := vectors.of(word)) is not None and (norm := np.linalg.norm(vector))
    ]
    if not found:
        return np.zeros(vectors.dimensions, dtype=np.float32), len(given)
    return np.mean(found, axis=0, dtype=np.float32), len(given) - len(found)
