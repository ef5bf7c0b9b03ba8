"""Linear controls: logistic regression on the words of one part of the item.

``choice-only-linear`` sees the options of a question and nothing else; ``hypothesis-only`` sees the second text of
a pair (Poliak and others, 2018). With vectors, the mean vector of the words stands beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from horsesense.errors import UserError
from horsesense.language.vectors import open_vectors
from horsesense.language.words import words
from horsesense.learning.controls.task import Fitted, Floats, Task, gold_labels, labels, of_labels
from horsesense.records import Item

_STRENGTHS = (0.03, 0.1, 0.3, 1.0)
"""How freely weights may grow; the best on the development part is taken."""


def choice_only_linear(task: Task) -> Fitted:
    """Each option against the others of its item, by its words alone."""
    features = _Words([option for item in task.train for option in item.options], task)
    x, y = _differences(task.train, features)
    fits = [_logistic(x, y, strength, task.seed) for strength in _STRENGTHS]
    tables = [_option_scores(task.dev, features, fit) for fit in fits]
    best = max(range(len(fits)), key=lambda place: _accuracy(tables[place], task.dev))
    told = f"logistic regression on the words of each option alone{features.told}"
    return Fitted(_option_scores(task.test, features, fits[best]), told, {"strength": _STRENGTHS[best]})


def hypothesis_only(task: Task) -> Fitted:
    """The label by the words of the hypothesis alone, without the premise."""
    if any(item.form != "pair" for item in [*task.train, *task.test]):
        raise UserError("hypothesis-only is for pairs of premise and hypothesis", fix="use choice-only-linear here")
    known = labels(task.train)
    features = _Words([item.text for item in task.train], task)
    x, y = features([item.text for item in task.train]), gold_labels(task.train, known)
    if len(set(y.tolist())) < 2:
        raise UserError("all training items have the same label", fix="use the control majority")
    fits = [_logistic(x, y, strength, task.seed) for strength in _STRENGTHS]

    def scores(items: Sequence[Item], fit: Any) -> list[tuple[float, ...]]:
        found = np.full((len(items), len(known)), np.log(1e-9))
        found[:, fit.classes_] = fit.predict_log_proba(features([item.text for item in items]))
        return of_labels(items, known, np.maximum(found, np.log(1e-9)))

    best = max(range(len(fits)), key=lambda place: _accuracy(scores(task.dev, fits[place]), task.dev))
    told = f"logistic regression on the words of the hypothesis alone{features.told}"
    return Fitted(scores(task.test, fits[best]), told, {"strength": _STRENGTHS[best]})


class _Words:
    """Texts as numbers: which words they have, and the mean of their vectors."""

    def __init__(self, texts: Sequence[str], task: Task) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._counter = TfidfVectorizer(analyzer=words, min_df=2, sublinear_tf=True)
        try:
            self._counter.fit(texts)
        except ValueError as error:
            raise UserError("no word occurs twice in training", fix="give a larger training set") from error
        self._vectors = None
        if task.vectors != "none":
            everything = [*texts, *(text for item in [*task.dev, *task.test] for text in (item.text, *item.options))]
            self._vectors = open_vectors(task.vectors, {word for text in everything for word in words(text)})
        self.told = f", with their vectors ({self._vectors.described})" if self._vectors else ""

    def __call__(self, texts: Sequence[str]) -> Any:
        from scipy import sparse

        counted = self._counter.transform(texts)
        if self._vectors is None:
            return counted.tocsr()
        means = np.stack([self._vectors.mean(text)[0] for text in texts])
        return sparse.hstack([counted, sparse.csr_matrix(means)]).tocsr()


def _differences(items: Sequence[Item], features: _Words) -> tuple[Any, Floats]:
    """Right option minus wrong option, and the other way round: a softmax over two, for options of any number."""
    from scipy import sparse

    table = features([option for item in items for option in item.options])
    rights, wrongs, start = [], [], 0
    for item in items:
        for place in range(len(item.options)):
            if place != item.answer:
                rights.append(start + (item.answer or 0))
                wrongs.append(start + place)
        start += len(item.options)
    difference = table[rights] - table[wrongs]
    return sparse.vstack([difference, -difference]), np.repeat([1.0, 0.0], len(rights))


def _logistic(x: Any, y: Any, strength: float, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, max_iter=2000, random_state=seed).fit(x, y)


def _option_scores(items: Sequence[Item], features: _Words, fit: Any) -> list[tuple[float, ...]]:
    flat = iter((features([option for item in items for option in item.options]) @ fit.coef_[0]).tolist())
    return [tuple(next(flat) for _ in item.options) for item in items]


def _accuracy(scores: Sequence[Sequence[float]], items: Sequence[Item]) -> float:
    from horsesense.analysis import credits

    return float(credits(scores, [item.answer for item in items]).values.mean())
