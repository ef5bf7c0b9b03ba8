"""Partial-input controls: fitted to the options, with or without the question.

They are those of Richardson and Sabharwal (2020, sections 4.1 and 5.1), after Mihaylov et al. (2018).

A text is encoded by a BiLSTM over word vectors with max pooling. The controls differ in what they see besides an
option: nothing, the other options, the question, or the question word by word (ESIM). They are trained by a softmax
over the options of each item, with early stopping on the development set.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from horsesense.core import Answer, Item
from horsesense.errors import UserError, argument
from horsesense.lexicons.vectors import open_vectors
from horsesense.lexicons.words import words
from horsesense.progress import Progress
from horsesense.training.controls.control import ControlTask, Fitted, Weights, accuracy_on
from horsesense.training.objectives import objective_of, softmax_loss, table_of

HIDDEN = 64
_DROPOUT = 0.2
_LOWEST = -1e4
PAD, UNKNOWN = 0, 1
_LONGEST = 60
"""Maximum number of words of a text; only a few definitions are longer."""
_FEWEST = 2
"""How often a word must occur in training to get an embedding of its own."""
_FROM_SCRATCH = 50
"""Dimensions of embeddings that are trained from scratch."""
_VECTORS = "vectors.weight"
_EPOCHS, _PATIENCE, _BATCH, _LEARNING_RATE = 15, 2, 32, 2e-3


@dataclass(frozen=True, slots=True)
class Batch:
    """Some items: their questions, and all their options in one flat list."""

    questions: Tensor
    """Items × words."""
    options: Tensor
    """Options of all items × words."""
    owners: Tensor
    """For each option, the index of its item in the batch."""
    golds: Tensor
    """For each item, the row of its right option; -1 without a gold."""


class InputEncoding:
    """Turns items into numbers; the words are those of the vectors, or those that training has often enough."""

    def __init__(self, task: ControlTask, known_words: Sequence[str] = ()) -> None:
        """Build the vocabulary; ``known_words`` are those of stored embeddings."""
        everything = [*task.train, *task.dev, *task.test]
        needed = {word for item in everything for text in _texts(item) for word in words(text)}
        lot = np.random.default_rng(task.seed)
        self.from_scratch = task.vectors == "none"
        if self.from_scratch:
            counts = Counter(word for item in task.train for text in _texts(item) for word in words(text))
            known = list(known_words) or sorted(word for word, number in counts.items() if number >= _FEWEST)
            table = lot.normal(0, 0.1, (len(known), _FROM_SCRATCH)).astype(np.float32)
            self.vectors = "embeddings trained from scratch"
        else:
            vectors = open_vectors(task.vectors, needed)
            known, table, self.vectors = list(vectors.places), vectors.table, vectors.described
        if not known:
            raise UserError(
                "no word of the probe is known", fix=f"give other {argument('vectors')}, or a larger training set"
            )
        self.known = known
        self._numbers = {word: number for number, word in enumerate(known, start=2)}
        # An unknown word gets a small vector of its own, which training may move.
        self.table = np.concatenate([np.zeros((1, table.shape[1])), lot.normal(0, 0.1, (1, table.shape[1])), table])
        self.unknown = sum(word not in self._numbers for word in needed)
        self._cut = {item.id: [self._cut_up(text) for text in _texts(item)] for item in everything}

    def _cut_up(self, text: str) -> list[int]:
        return [self._numbers.get(word, UNKNOWN) for word in words(text)[:_LONGEST]] or [UNKNOWN]

    def batch(self, items: Sequence[Item]) -> Batch:
        golds, owners, options, start = [], [], [], 0
        for number, item in enumerate(items):
            golds.append(-1 if item.answer is None else start + item.answer)
            owners += [number] * len(item.options)
            options += self._cut[item.id][1:]
            start += len(item.options)
        questions = [self._cut[item.id][0] for item in items]
        return Batch(table_of(questions, PAD), table_of(options, PAD), torch.tensor(owners), torch.tensor(golds))


def _texts(item: Item) -> list[str]:
    return [f"{item.premise} {item.text}".strip(), *item.options]


class BiLstmEncoder(nn.Module):
    """Word vectors through a BiLSTM."""

    def __init__(self, table: Any, frozen: bool) -> None:
        super().__init__()
        weights = torch.as_tensor(table, dtype=torch.float32)
        number, size = weights.shape
        self.vectors = nn.Embedding(number, size, padding_idx=PAD, _weight=weights, _freeze=frozen)
        self.lstm = nn.LSTM(size, HIDDEN, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, words: Tensor) -> Tensor:
        """Texts × words × 2 HIDDEN; nonsense where a text has ended."""
        lengths = (words != PAD).sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.vectors(words)), lengths, batch_first=True, enforce_sorted=False
        )
        states, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        dropped: Tensor = self.dropout(states)
        return dropped


def largest(states: Tensor, words: Tensor) -> Tensor:
    """Max-pool over the words of a text."""
    return states.masked_fill((words == PAD)[:, :, None], _LOWEST).amax(1)


class Attention(nn.Module):
    """Score two texts from both, their difference and their product (Conneau et al. 2017)."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Linear(8 * HIDDEN, 1)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        score: Tensor = self.weights(torch.cat([first, second, (first - second).abs(), first * second], -1))[..., 0]
        return score


class ChoiceOnly(nn.Module):
    """Each option by itself."""

    def __init__(self, table: Any, frozen: bool) -> None:
        super().__init__()
        self.encoder = BiLstmEncoder(table, frozen)
        self.weights = nn.Linear(2 * HIDDEN, 1)

    def forward(self, batch: Batch) -> Tensor:
        scores: Tensor = self.weights(largest(self.encoder(batch.options), batch.options))[:, 0]
        return scores


class ChoiceToChoice(nn.Module):
    """The option that is least like the others of its item."""

    def __init__(self, table: Any, frozen: bool) -> None:
        super().__init__()
        self.encoder = BiLstmEncoder(table, frozen)
        self.attention = Attention()

    def forward(self, batch: Batch) -> Tensor:
        options = largest(self.encoder(batch.options), batch.options)
        together = (batch.owners[:, None] == batch.owners[None, :]) & ~torch.eye(len(options), dtype=torch.bool)
        first, second = together.nonzero(as_tuple=True)
        alike = self.attention(options[first], options[second])
        counts = together.sum(1).clamp_min(1)
        return -torch.zeros(len(options)).index_add(0, first, alike) / counts


class QuestionToChoice(nn.Module):
    """The question and one option, each as one vector."""

    def __init__(self, table: Any, frozen: bool) -> None:
        super().__init__()
        self.encoder = BiLstmEncoder(table, frozen)
        self.attention = Attention()

    def forward(self, batch: Batch) -> Tensor:
        questions = largest(self.encoder(batch.questions), batch.questions)
        options = largest(self.encoder(batch.options), batch.options)
        scores: Tensor = self.attention(questions[batch.owners], options)
        return scores


class Esim(nn.Module):
    """The question and one option word by word (Chen et al. 2017)."""

    def __init__(self, table: Any, frozen: bool) -> None:
        super().__init__()
        self.encoder = BiLstmEncoder(table, frozen)
        self.thinner = nn.Linear(8 * HIDDEN, HIDDEN)
        self.composer = nn.LSTM(HIDDEN, HIDDEN, batch_first=True, bidirectional=True)
        self.scorer = nn.Sequential(
            nn.Linear(8 * HIDDEN, HIDDEN), nn.Tanh(), nn.Dropout(_DROPOUT), nn.Linear(HIDDEN, 1)
        )

    def forward(self, batch: Batch) -> Tensor:
        words = batch.questions[batch.owners], batch.options
        questions, options = self.encoder(batch.questions)[batch.owners], self.encoder(batch.options)
        near = questions @ options.transpose(1, 2)
        parts = (
            self._composed(
                questions, near.masked_fill((words[1] == PAD)[:, None, :], _LOWEST).softmax(2) @ options, words[0]
            ),
            self._composed(
                options,
                near.transpose(1, 2).masked_fill((words[0] == PAD)[:, None, :], _LOWEST).softmax(2) @ questions,
                words[1],
            ),
        )
        scores: Tensor = self.scorer(torch.cat(parts, -1))[:, 0]
        return scores

    def _composed(self, states: Tensor, aligned: Tensor, words: Tensor) -> Tensor:
        """Combine a text with what it is aligned with, by mean and max pooling."""
        thin = functional.relu(self.thinner(torch.cat([states, aligned, states - aligned, states * aligned], -1)))
        composed = self.composer(thin)[0]
        there = (words != PAD)[:, :, None]
        mean = (composed * there).sum(1) / there.sum(1)
        return torch.cat([mean, largest(composed, words)], -1)


class PartialInputModel:
    """A network and its vocabulary: new, or with stored weights."""

    def __init__(self, network: Callable[[Any, bool], nn.Module], task: ControlTask, weights: Weights | None) -> None:
        torch.manual_seed(task.seed)
        self.encoding = InputEncoding(task, weights.words if weights else ())
        self.network = network(self.encoding.table, not self.encoding.from_scratch)
        if weights is not None:
            stored = {name: torch.as_tensor(value) for name, value in weights.arrays.items()}
            self.network.load_state_dict(self.network.state_dict() | stored)

    def weights(self) -> Weights:
        """Return what is stored; word vectors that were not trained are looked up again."""
        state = {name: value.numpy() for name, value in self.network.state_dict().items()}
        if self.encoding.from_scratch:
            return Weights(state, tuple(self.encoding.known))
        return Weights({name: value for name, value in state.items() if not name.endswith(_VECTORS)})

    def steps(self, items: Sequence[Item], size: int, rate: float, seed: int) -> Iterator[int]:
        """Train on batches of items in a shuffled order, again and again; yield the number of steps done."""
        optimiser = torch.optim.Adam((p for p in self.network.parameters() if p.requires_grad), lr=rate)
        order, rng, done = list(items), random.Random(seed), 0
        while True:
            rng.shuffle(order)
            for start in range(0, len(order), size):
                self.network.train()
                optimiser.zero_grad()
                batch = self.encoding.batch(order[start : start + size])
                loss = softmax_loss(self.network(batch), batch.owners, batch.golds)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
                optimiser.step()
                done += 1
                yield done

    def train(self, task: ControlTask) -> tuple[float, int]:
        """Train with early stopping on the development set; the best weights are restored."""
        epochs, per_epoch = int(task.options.get("epochs", _EPOCHS)), -(-len(task.train) // _BATCH)
        top_score, state, best = -1.0, {}, 0
        task.progress.update(f"seed {task.seed}", 0, epochs, "epochs")
        for step in self.steps(task.train, _BATCH, _LEARNING_RATE, task.seed):
            if step % per_epoch:
                continue
            epoch = step // per_epoch
            score = accuracy_on(self.scores(task.dev), task.dev)
            if score > top_score:
                top_score, best = score, epoch
                state = {name: value.clone() for name, value in self.network.state_dict().items()}
            if epoch == epochs or epoch - best >= _PATIENCE:
                break
            task.progress.update(f"seed {task.seed}", epoch, epochs, "epochs")
        self.network.load_state_dict(state)
        return top_score, best

    def answers(self, items: Sequence[Item]) -> list[Answer]:
        """Return the answers to items."""
        return [Answer(item.id, item.form, row) for item, row in zip(items, self.scores(items), strict=True)]

    def scores(self, items: Sequence[Item]) -> list[tuple[float, ...]]:
        """Return one score per option of each item."""
        self.network.eval()
        scores = []
        with torch.inference_mode():
            for start in range(0, len(items), 4 * _BATCH):
                part = items[start : start + 4 * _BATCH]
                flat = iter(self.network(self.encoding.batch(part)).double().tolist())
                scores += [tuple(next(flat) for _ in item.options) for item in part]
        return scores


def _fit(
    network: Callable[[Any, bool], nn.Module], method: str, task: ControlTask, weights: Weights | None = None
) -> Fitted:
    """Train a network, or answer with stored weights where there is nothing to train on."""
    model = PartialInputModel(network, task, weights)
    notes: dict[str, float] = {}
    if task.train:
        notes["accuracy on dev"], notes["epochs"] = model.train(task)
    notes["unknown words"] = float(model.encoding.unknown)
    before = "" if task.train else ", fitted before"
    return Fitted(model.scores(task.test), f"{method} ({model.encoding.vectors}){before}", notes, model.weights())


choice_only = partial(_fit, ChoiceOnly, "a BiLSTM over each option alone")
choice_to_choice = partial(_fit, ChoiceToChoice, "a BiLSTM over each option and the others")
question_to_choice = partial(_fit, QuestionToChoice, "a BiLSTM over question and option")
esim = partial(_fit, Esim, "ESIM over question and option")
_NETWORKS: dict[str, Callable[[Any, bool], nn.Module]] = {
    "choice-only": ChoiceOnly,
    "choice-to-choice": ChoiceToChoice,
    "question-to-choice": QuestionToChoice,
    "esim": Esim,
}


def network_of(control: str) -> Callable[[Any, bool], nn.Module]:
    """Return the class of a control's network."""
    if control not in _NETWORKS:
        fix = f"use {', '.join(_NETWORKS)}, or a transformer"
        raise UserError(f"the control {control} has no network that could be trained further", fix=fix)
    return _NETWORKS[control]


class _OneSeed(Progress):
    """Reports a training as the stage of its seed; its messages are dropped."""

    def __init__(self, task: ControlTask) -> None:
        self._task = task

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self._task.progress.update(f"seed {self._task.seed}", done, total, unit, note)


def choice_only_encoder(task: ControlTask) -> Fitted:
    """Train a multiple-choice head on the encoder, on the options alone (for pairs: on the hypothesis alone)."""
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
