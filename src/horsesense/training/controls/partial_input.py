"""Partial-input controls (wordnetqa.txt, 4.1 and 5.1): fitted to the options, with or without the question.

A softmax over the options of each item, with early stopping on the development set.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from horsesense.core import Item
from horsesense.errors import UserError, argument
from horsesense.progress import Progress
from horsesense.training.controls.control import ControlTask, Fitted, Weights, accuracy_on

if TYPE_CHECKING:
    import torch

    from horsesense.training.controls.partial_input_networks import Batch, InputEncoding

_VECTORS = "vectors.weight"
_EPOCHS, _PATIENCE, _BATCH, _LEARNING_RATE = 15, 2, 32, 2e-3


def choice_only(task: ControlTask) -> Fitted:
    """Sees the options and nothing else."""
    from horsesense.training.controls.partial_input_networks import ChoiceOnly

    return _fitted(task, ChoiceOnly, "a BiLSTM over each option alone")


def choice_to_choice(task: ControlTask) -> Fitted:
    """Sees the options of an item together."""
    from horsesense.training.controls.partial_input_networks import ChoiceToChoice

    return _fitted(task, ChoiceToChoice, "a BiLSTM over each option and the others")


def question_to_choice(task: ControlTask) -> Fitted:
    """Sees question and option, each as one vector."""
    from horsesense.training.controls.partial_input_networks import QuestionToChoice

    return _fitted(task, QuestionToChoice, "a BiLSTM over question and option")


def esim(task: ControlTask) -> Fitted:
    """Sees question and option, aligned word by word."""
    from horsesense.training.controls.partial_input_networks import Esim

    return _fitted(task, Esim, "ESIM over question and option")


def _fitted(task: ControlTask, network: Callable[[Any, bool], torch.nn.Module], method: str) -> Fitted:
    import torch

    from horsesense.training.controls.partial_input_networks import InputEncoding

    torch.manual_seed(task.seed)
    reader = InputEncoding(task)
    model = network(reader.table, not reader.from_scratch)
    dev_accuracy, epochs = _train(model, reader, task)
    notes = {"accuracy on dev": dev_accuracy, "epochs": float(epochs), "unknown words": float(reader.unknown)}
    state = {name: value.numpy() for name, value in model.state_dict().items()}
    if not reader.from_scratch:  # the vectors are looked up again
        state = {name: value for name, value in state.items() if not name.endswith(_VECTORS)}
    weights = Weights(state, tuple(reader.known) if reader.from_scratch else ())
    return Fitted(_scores(model, reader, task.test), f"{method} ({reader.vectors})", notes, weights)


def choice_only_again(task: ControlTask, weights: Weights) -> Fitted:
    """Answer other items with stored weights."""
    from horsesense.training.controls.partial_input_networks import ChoiceOnly

    return _again(task, weights, ChoiceOnly, "a BiLSTM over each option alone")


def choice_to_choice_again(task: ControlTask, weights: Weights) -> Fitted:
    """Answer other items with stored weights."""
    from horsesense.training.controls.partial_input_networks import ChoiceToChoice

    return _again(task, weights, ChoiceToChoice, "a BiLSTM over each option and the others")


def question_to_choice_again(task: ControlTask, weights: Weights) -> Fitted:
    """Answer other items with stored weights."""
    from horsesense.training.controls.partial_input_networks import QuestionToChoice

    return _again(task, weights, QuestionToChoice, "a BiLSTM over question and option")


def esim_again(task: ControlTask, weights: Weights) -> Fitted:
    """Answer other items with stored weights."""
    from horsesense.training.controls.partial_input_networks import Esim

    return _again(task, weights, Esim, "ESIM over question and option")


def _again(task: ControlTask, weights: Weights, network: Callable[[Any, bool], torch.nn.Module], method: str) -> Fitted:
    """Restore the weights; words that only the vectors contain are known too."""
    import torch

    from horsesense.training.controls.partial_input_networks import InputEncoding

    reader = InputEncoding(task, weights.words)
    model = network(reader.table, not reader.from_scratch)
    state = {name: torch.as_tensor(value) for name, value in weights.arrays.items()}
    model.load_state_dict(model.state_dict() | state)
    notes = {"unknown words": float(reader.unknown)}
    return Fitted(_scores(model, reader, task.test), f"{method} ({reader.vectors}), fitted before", notes, weights)


def _train(model: torch.nn.Module, reader: InputEncoding, task: ControlTask) -> tuple[float, int]:
    """Train with early stopping on the development set; the best weights are restored."""
    import torch

    optimiser = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=_LEARNING_RATE)
    order, rng = list(task.train), random.Random(task.seed)
    max_epochs = int(task.options.get("epochs", _EPOCHS))
    top_score, state, best = -1.0, {}, 0
    for epoch in range(1, max_epochs + 1):
        task.progress.update(f"seed {task.seed}", epoch - 1, max_epochs, "epochs")
        rng.shuffle(order)
        model.train()
        for start in range(0, len(order), _BATCH):
            optimiser.zero_grad()
            batch = reader.batch(order[start : start + _BATCH])
            loss = _loss(model(batch), batch)
            loss.backward()  # type: ignore[no-untyped-call]  # torch has no type here
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimiser.step()
        score = accuracy_on(_scores(model, reader, task.dev), task.dev)
        if score > top_score:
            top_score, best = score, epoch
            state = {name: value.clone() for name, value in model.state_dict().items()}
        elif epoch - best >= _PATIENCE:
            break
    model.load_state_dict(state)
    return top_score, best


def _loss(scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Return the cross-entropy over the options of each item, which may have any number of options."""
    import torch

    top = torch.full((len(batch.golds),), -torch.inf).scatter_reduce(0, batch.owners, scores.detach(), "amax")
    total = torch.zeros_like(top).index_add(0, batch.owners, (scores - top[batch.owners]).exp())
    return (total.log() + top - scores[batch.golds]).mean()


def _scores(model: torch.nn.Module, reader: InputEncoding, items: Sequence[Item]) -> list[tuple[float, ...]]:
    import torch

    model.eval()
    scores = []
    with torch.inference_mode():
        for start in range(0, len(items), 4 * _BATCH):
            part = items[start : start + 4 * _BATCH]
            flat = iter(model(reader.batch(part)).double().tolist())
            scores += [tuple(next(flat) for _ in item.options) for item in part]
    return scores


class _OneSeed(Progress):
    """Reports a training as the stage of its seed; its messages are dropped."""

    def __init__(self, task: ControlTask) -> None:
        self._task = task

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self._task.progress.update(f"seed {self._task.seed}", done, total, unit, note)


def choice_only_encoder(task: ControlTask) -> Fitted:
    """Train a multiple-choice head on the encoder, on the options alone (for pairs: on the hypothesis alone)."""
    from horsesense.training.objectives import objective_of
    from horsesense.training.trainer import answers_of, train_model
    from horsesense.training.training_record import EvalPoint, Recipe

    if not task.encoder:
        raise UserError("the control needs an encoder", fix=f"give {argument('encoder', 'minilm')}, or another model")
    objective = objective_of("classification" if task.test[0].form == "pair" else "multiple-choice")
    recipe = Recipe(
        objective=objective.name, lr=5e-5, epochs=task.options.get("epochs", 3.0), batch=16, seed=task.seed, blind=True
    )
    best: dict[str, Any] = {"accuracy": -1.0}

    def store_best(opened: Any, network: Any, point: EvalPoint) -> None:
        if point.dev > best["accuracy"]:
            scores = [answer.scores for answer in answers_of(opened, network, objective, task.test, blind=True)]
            best.update(accuracy=point.dev, scores=scores, step=point.step)

    train_model(task.encoder, task.train, task.dev, recipe, on_eval=store_best, progress=_OneSeed(task))
    method = f"{task.encoder} with a new head, which sees each option alone"
    return Fitted(best["scores"], method, {"accuracy on dev": best["accuracy"], "step": float(best["step"])})
