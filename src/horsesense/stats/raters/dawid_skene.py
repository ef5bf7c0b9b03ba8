"""Which label is true, when people differ in skill: the model of Dawid and Skene (1979), by EM.

Each person has a table of how often a true label is called what. Labels and tables are found together; the
start is the share of votes, so the outcome depends on nothing but the votes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from horsesense.errors import UserError
from horsesense.stats.raters.votes import Votes
from horsesense.stats.resampling import Floats

STEPS = 1000
"""EM steps at most."""
SETTLED = 1e-10
"""EM stops where a step gains less than this part of the log-likelihood."""
_LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """The fitted model."""

    posterior: Floats
    """Probability of each label for each item: one row an item."""
    prior: Floats
    """How common each label is."""
    errors: Floats
    """Per person, how often a true label (down) is called what (across); a row of a label never met is 0."""
    likelihoods: tuple[float, ...]
    """Log-likelihood after each step; it never falls."""


def dawid_skene(votes: Votes, steps: int = STEPS) -> DawidSkene:
    """Fit the model. A person may have judged an item more than once, as in the paper's own example.

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
            "it is not known whose votes these are, so nobody's errors can be told", fix="use the rule majority"
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
    """How common each label is, and each person's errors, given what the items are (equations 2.3 and 2.4)."""
    called = np.zeros((len(votes.annotators), len(votes.labels), len(votes.labels)))
    np.add.at(called, (votes.annotator, votes.label), posterior[votes.item])
    errors = called.transpose(0, 2, 1)
    met = errors.sum(axis=2, keepdims=True)
    return posterior.mean(axis=0), np.divide(errors, met, out=np.zeros_like(errors), where=met > 0)


def _expect(votes: Votes, prior: Floats, errors: Floats) -> tuple[Floats, float]:
    """What the items are, given errors (equation 2.5), and the log-likelihood (equation 2.7)."""
    logs = np.log(np.maximum(errors, _LEAST))
    joint = np.tile(np.log(np.maximum(prior, _LEAST)), (len(votes.items), 1))
    np.add.at(joint, votes.item, logs[votes.annotator, :, votes.label])
    highest = joint.max(axis=1, keepdims=True)
    weight = np.exp(joint - highest)
    total = weight.sum(axis=1, keepdims=True)
    return weight / total, float((highest + np.log(total)).sum())
