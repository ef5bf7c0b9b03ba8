"""Bag-of-words controls: logistic regression, and similarity of word vectors.

``choice-only-linear`` sees the options of a question and nothing else; ``hypothesis-only`` sees the second text of
a pair (Poliak and others, 2018). With vectors, the mean vector of the words is added.
``vector-similarity`` takes the answer whose words are nearest to those of the question (Richardson and Sabharwal 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from horsesense.core import Item
from horsesense.errors import UserError, argument
from horsesense.lexicons.vectors import Floats as Vector
from horsesense.lexicons.vectors import Vectors, open_vectors
from horsesense.lexicons.words import words
from horsesense.training.controls.control import (
    ControlTask,
    Fitted,
    Floats,
    Weights,
    accuracy_on,
    gold_labels,
    labels,
    of_labels,
)

_STRENGTHS = (0.03, 0.1, 0.3, 1.0)
"""Inverse regularisation strengths; the best on the development set is taken."""


def choice_only_linear(task: ControlTask, weights: Weights | None = None) -> Fitted:
    """Score each option against the others of its item, by its words alone."""
    features = _Words([option for item in task.train for option in item.options], task, weights)
    method = f"logistic regression on the words of each option alone{features.vectors_used}"
    if weights is not None:
        scores = _option_scores(task.test, features, weights.arrays["coefficients"])
        return Fitted(scores, f"{method}, fitted before", {}, weights)
    x, y = _differences(task.train, features)
    fits = [_logistic(x, y, strength, task.seed) for strength in _STRENGTHS]
    tables = [_option_scores(task.dev, features, fit.coef_[0]) for fit in fits]
    best = max(range(len(fits)), key=lambda place: accuracy_on(tables[place], task.dev))
    coefficients = fits[best].coef_[0]
    weights = Weights({"coefficients": coefficients, "rarity": features.rarity}, features.known)
    return Fitted(_option_scores(task.test, features, coefficients), method, {"strength": _STRENGTHS[best]}, weights)


def hypothesis_only(task: ControlTask) -> Fitted:
    """Predict the label by the words of the hypothesis alone."""
    if any(item.form != "pair" for item in [*task.train, *task.test]):
        raise UserError("hypothesis-only is for pairs of premise and hypothesis", fix="use choice-only-linear here")
    known = labels(task.train)
    features = _Words([item.text for item in task.train], task)
    x, y = features([item.text for item in task.train]), gold_labels(task.train, known)
    if len(set(y.tolist())) < 2:
        raise UserError("all training items have the same label", fix="use the control majority")
    fits = [_logistic(x, y, strength, task.seed) for strength in _STRENGTHS]

    def scores(items: Sequence[Item], fit: Any) -> list[tuple[float, ...]]:
        logprobs = np.full((len(items), len(known)), np.log(1e-9))
        logprobs[:, fit.classes_] = fit.predict_log_proba(features([item.text for item in items]))
        return of_labels(items, known, np.maximum(logprobs, np.log(1e-9)))

    best = max(range(len(fits)), key=lambda place: accuracy_on(scores(task.dev, fits[place]), task.dev))
    method = f"logistic regression on the words of the hypothesis alone{features.vectors_used}"
    return Fitted(scores(task.test, fits[best]), method, {"strength": _STRENGTHS[best]})


class _Words:
    """Features of texts: their words, and the mean of their vectors."""

    def __init__(self, texts: Sequence[str], task: ControlTask, learned: Weights | None = None) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        if learned is not None:
            self._counter = TfidfVectorizer(analyzer=words, sublinear_tf=True, vocabulary=learned.words)
            self._counter.idf_ = learned.arrays["rarity"]
        else:
            self._counter = TfidfVectorizer(analyzer=words, min_df=2, sublinear_tf=True)
            try:
                self._counter.fit(texts)
            except ValueError as error:
                raise UserError("no word occurs twice in training", fix="give a larger training set") from error
        self._vectors = None
        if task.vectors != "none":
            everything = [*texts, *(text for item in [*task.dev, *task.test] for text in (item.text, *item.options))]
            self._vectors = open_vectors(task.vectors, {word for text in everything for word in words(text)})
        self.vectors_used = f", with their vectors ({self._vectors.described})" if self._vectors else ""

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(self._counter.get_feature_names_out().tolist())

    @property
    def rarity(self) -> Any:
        return np.asarray(self._counter.idf_)

    def __call__(self, texts: Sequence[str]) -> Any:
        from scipy import sparse

        counted = self._counter.transform(texts)
        if self._vectors is None:
            return counted.tocsr()
        means = np.stack([self._vectors.mean(text)[0] for text in texts])
        return sparse.hstack([counted, sparse.csr_matrix(means)]).tocsr()


def _differences(items: Sequence[Item], features: _Words) -> tuple[Any, Floats]:
    """Return right minus wrong option and vice versa: pairwise logistic regression for any number of options."""
    from scipy import sparse

    table = features([option for item in items for option in item.options])
    rights, wrongs, start = [], [], 0
    for item in items:
        for index in range(len(item.options)):
            if index != item.answer:
                rights.append(start + (item.answer or 0))
                wrongs.append(start + index)
        start += len(item.options)
    difference = table[rights] - table[wrongs]
    return sparse.vstack([difference, -difference]), np.repeat([1.0, 0.0], len(rights))


def _logistic(x: Any, y: Any, strength: float, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, max_iter=2000, random_state=seed).fit(x, y)


def _option_scores(items: Sequence[Item], features: _Words, coefficients: Any) -> list[tuple[float, ...]]:
    flat = iter((features([option for item in items for option in item.options]) @ coefficients).tolist())
    return [tuple(next(flat) for _ in item.options) for item in items]


def vector_similarity(task: ControlTask) -> Fitted:
    """Score each option by its mean cosine with the words of the question; nothing is trained."""
    if any(item.form == "sentences" and not item.premise for item in task.test):
        raise UserError("sentences have no question to be near to", fix="use another control")
    if task.vectors == "none":
        raise UserError(
            "similarity needs vectors that mean something", fix=f"give {argument('vectors', 'FILE')}, or fetch glove"
        )
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
    method = f"the answer whose words are nearest to the question's ({vectors.described})"
    return Fitted(scores, method, {"words without a vector": lost})


def _directions(text: str, vectors: Vectors) -> tuple[Vector, int]:
    """Return the mean of the words' unit vectors, and the number of words without one."""
    tokens = words(text)
    units = [
        vector / norm
        for word in tokens
        if (vector := vectors.of(word)) is not None and (norm := np.linalg.norm(vector))
    ]
    if not units:
        return np.zeros(vectors.dimensions, dtype=np.float32), len(tokens)
    return np.mean(units, axis=0, dtype=np.float32), len(tokens) - len(units)
