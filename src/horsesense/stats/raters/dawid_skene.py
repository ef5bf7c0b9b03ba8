"""Labels from annotators of different skill: the model of Dawid and Skene (1979), fitted by EM.

Each annotator has a confusion matrix. Labels and matrices are estimated jointly, starting from vote shares, so the
result is deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.stats.raters.votes import Votes
from horsesense.stats.resampling import Floats

STEPS = 1000
"""Maximum number of EM steps."""
SETTLED = 1e-10
"""Relative gain of the log-likelihood below which EM stops."""
_LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """Fitted model."""

    posterior: Floats
    """Probability of each label for each item: one row per item."""
    prior: Floats
    """Prevalence of each label."""
    errors: Floats
    """Confusion matrix per annotator, true labels in rows; the row of a label without items is 0."""
    likelihoods: tuple[float, ...]
    """Log-likelihood after each step; it never decreases."""


def dawid_skene(votes: Votes, steps: int = STEPS) -> DawidSkene:
    """Fit the model. An annotator may have judged an item more than once, as in the paper's example.

    >>> from horsesense.stats.raters.votes import count_votes
    >>> from horsesense.core import Judgement
    >>> given = [(str(i), who, "yn"[i % 2]) for i in range(20) for who in ("ann", "ben")]
    >>> given += [(str(i), "cid", "yn"[i % 3 == 0]) for i in range(20)]  # cid guesses
    >>> model = dawid_skene(count_votes([Judgement(i, a, "demo", v) for i, a, v in given], "yn"))
    >>> model.posterior[0].round(2).tolist(), model.prior.round(2).tolist()
    ([1.0, 0.0], [0.5, 0.5])
    """
    if not votes.number:
        raise UserError("there are no votes to adjudicate")
    if not votes.people:
        raise UserError(
            "it is not known whose votes these are, so no annotator's errors can be estimated",
            fix="use the rule majority",
        )
    counts = votes.counts()
    posterior = counts / counts.sum(axis=1, keepdims=True)
    likelihoods: list[float] = []
    for _ in range(steps):
        prior, errors = _maximise(votes, posterior)
        posterior, likelihood = _expect(votes, prior, errors)
        likelihoods.append(likelihood)
        if len(likelihoods) > 1 and likelihood - likelihoods[-2] <= SETTLED * abs(likelihood):
            break
    return DawidSkene(posterior, prior, errors, tuple(likelihoods))


def _maximise(votes: Votes, posterior: Floats) -> tuple[Floats, Floats]:
    """Estimate label prevalence and confusion matrices from the posterior (equations 2.3 and 2.4)."""
    called = np.zeros((len(votes.annotators), len(votes.labels), len(votes.labels)))
    np.add.at(called, (votes.annotator, votes.label), posterior[votes.item])
    errors = called.transpose(0, 2, 1)
    met = errors.sum(axis=2, keepdims=True)
    return posterior.mean(axis=0), np.divide(errors, met, out=np.zeros_like(errors), where=met > 0)


def _expect(votes: Votes, prior: Floats, errors: Floats) -> tuple[Floats, float]:
    """Compute the posterior of the labels (equation 2.5) and the log-likelihood (equation 2.7)."""
    logs = np.log(np.maximum(errors, _LEAST))
    joint = np.tile(np.log(np.maximum(prior, _LEAST)), (len(votes.items), 1))
    np.add.at(joint, votes.item, logs[votes.annotator, :, votes.label])
    highest = joint.max(axis=1, keepdims=True)
    weight = np.exp(joint - highest)
    total = weight.sum(axis=1, keepdims=True)
    return weight / total, float((highest + np.log(total)).sum())
