"""Choice-only with a transformer encoder: the same network as a question-answering model, without the question.

WordNetQA, section 5.1: such a control found twice as much in one probe as a BiLSTM did.
"""

from __future__ import annotations

from typing import Any

from horsesense.errors import UserError
from horsesense.learning.controls.task import Fitted, Task


def choice_only_encoder(task: Task) -> Fitted:
    """A multiple-choice head on the encoder, trained on the options alone; pairs: on the hypothesis alone."""
    from horsesense.learning.asking import answers_of
    from horsesense.learning.objectives import objective_of
    from horsesense.learning.recipe import Look, Recipe
    from horsesense.learning.training import train

    if not task.model:
        raise UserError("the control needs an encoder", fix="give -m minilm, or another model")
    objective = objective_of("classification" if task.test[0].form == "pair" else "multiple-choice")
    recipe = Recipe(
        objective=objective.name, lr=5e-5, epochs=task.options.get("epochs", 3.0), batch=16, seed=task.seed, blind=True
    )
    best: dict[str, Any] = {"accuracy": -1.0}

    def keep(opened: Any, network: Any, look: Look) -> None:
        if look.accuracy > best["accuracy"]:
            scores = [answer.scores for answer in answers_of(opened, network, objective, task.test, blind=True)]
            best.update(accuracy=look.accuracy, scores=scores, step=look.step)

    def tick(step: int, total: int, loss: float) -> None:
        task.tick(f"seed {task.seed}", step, total)

    train(task.model, task.train, task.dev, recipe, keep=keep, tick=tick)
    told = f"{task.model} with a new head, which sees each option alone"
    return Fitted(best["scores"], told, {"accuracy on dev": best["accuracy"], "step": float(best["step"])})
