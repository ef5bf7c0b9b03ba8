"""An MLP over the word vectors of slots (Mullenbach et al. 2019, section 5).

The vectors of the slots are put side by side; a noun of several words is the mean of theirs. Labels on a
scale can be learnt as such: how far up the scale, one threshold after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from horsesense.core import Item
from horsesense.errors import UserError, argument
from horsesense.lexicons.vectors import Vectors, open_vectors
from horsesense.lexicons.words import words
from horsesense.training.controls.control import ControlTask, Fitted, gold_labels, labels, of_labels, slot_value

if TYPE_CHECKING:
    import torch

TRIPLE = ("whole", "part", "adjective")
_HIDDEN = (128, 384)
_LEARNING_RATES = (1e-3, 3e-3)
_BATCH, _EPOCHS, _PATIENCE = 64, 60, 6


def slots_mlp(task: ControlTask) -> Fitted:
    """Fit the MLP; hidden size, learning rate and stopping are selected on the development set."""
    import torch

    slots = task.slots or TRIPLE
    if task.vectors == "none":
        raise UserError("the MLP needs vectors", fix=f"give {argument('vectors', 'FILE')}, or fetch glove")
    known = labels(task.train)
    ordinal = bool(task.options.get("ordinal"))
    if ordinal and not all(item.ordered for item in task.train):
        raise UserError("the options are not a scale, so nothing is ordinal", fix=f"leave {argument('ordinal')} out")
    everything = [*task.train, *task.dev, *task.test]
    needed = {word for item in everything for slot in slots for word in _words(slot_value(item, slot))}
    vectors = open_vectors(task.vectors, needed)
    parts = [_inputs(items, slots, vectors) for items in (task.train, task.dev, task.test)]
    (x, _), (x_dev, _), (x_test, lost) = parts
    y, y_dev = gold_labels(task.train, known), gold_labels(task.dev, known)
    best: tuple[float, Any, int, float] | None = None
    epochs = int(task.options.get("epochs", _EPOCHS))
    choices = list(product(_HIDDEN, _LEARNING_RATES))
    for number, (hidden, rate) in enumerate(choices):
        task.progress.update(f"mlp, seed {task.seed}", number, len(choices), "networks")
        torch.manual_seed(task.seed)
        network = _network(x.shape[1], hidden, len(known), ordinal)
        reached = _fit(network, (x, y), (x_dev, y_dev), rate, ordinal, task.seed, epochs)
        if best is None or reached > best[0]:
            best = reached, network, hidden, rate
    assert best is not None
    with torch.inference_mode():
        table = _logprobs(best[1](torch.from_numpy(x_test)), ordinal).double().numpy()
    kind = "an ordinal" if ordinal else "a categorical"
    method = f"{kind} MLP over the vectors of {', '.join(slots)} ({vectors.described})"
    notes = {"slots without any vector": lost, "hidden": best[2], "rate": best[3], "accuracy on dev": best[0]}
    return Fitted(of_labels(task.test, known, table), method, notes)


def _words(value: str) -> list[str]:
    return [value, value.lower(), *words(value)]


def _inputs(items: Sequence[Item], slots: Sequence[str], vectors: Vectors) -> tuple[Any, int]:
    rows, lost = [], 0
    for item in items:
        slot_vectors = [vectors.mean(slot_value(item, slot))[0] for slot in slots]
        lost += sum(not vector.any() for vector in slot_vectors)
        rows.append(np.concatenate(slot_vectors))
    return np.stack(rows), lost


def _network(size: int, hidden: int, number: int, ordinal: bool) -> Any:
    from torch import nn

    outputs = number - 1 if ordinal else number
    return nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Dropout(0.3), nn.Linear(hidden, outputs))


def _fit(
    network: Any, train: tuple[Any, Any], dev: tuple[Any, Any], rate: float, ordinal: bool, seed: int, epochs: int
) -> float:
    """Train with early stopping on the development set; the best weights are restored."""
    import torch

    x, y = torch.from_numpy(train[0]), torch.from_numpy(train[1])
    order = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.01)
    reached, best, waited = -1.0, {}, 0
    for _ in range(epochs):
        network.train()
        for rows in torch.randperm(len(x), generator=order).tensor_split(tuple(range(_BATCH, len(x), _BATCH))):
            optimiser.zero_grad()
            _loss(network(x[rows]), y[rows], ordinal).backward()
            optimiser.step()
        network.eval()
        with torch.inference_mode():
            predicted = _logprobs(network(torch.from_numpy(dev[0])), ordinal).argmax(1).numpy()
        score = float((predicted == dev[1]).mean())
        if score > reached:
            reached, waited = score, 0
            best = {name: value.clone() for name, value in network.state_dict().items()}
        elif (waited := waited + 1) >= _PATIENCE:
            break
    network.load_state_dict(best)
    return reached


def _loss(outputs: torch.Tensor, gold: torch.Tensor, ordinal: bool) -> torch.Tensor:
    import torch
    from torch.nn import functional

    if not ordinal:
        return functional.cross_entropy(outputs, gold)
    above = (gold[:, None] > torch.arange(outputs.shape[1])).float()
    return functional.binary_cross_entropy_with_logits(outputs, above)


def _logprobs(outputs: torch.Tensor, ordinal: bool) -> torch.Tensor:
    """Return log-probabilities of labels; on a scale, differences of cumulative probabilities."""
    import torch

    if not ordinal:
        return outputs.log_softmax(1)
    # Thresholds are learnt apart and may cross; a running minimum puts them in order.
    passed = outputs.sigmoid().cummin(1).values
    ends = torch.ones(len(outputs), 1), torch.zeros(len(outputs), 1)
    chances = torch.cat([ends[0], passed], 1) - torch.cat([passed, ends[1]], 1)
    return chances.clamp_min(1e-9).log()
