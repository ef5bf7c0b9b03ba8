"""Controls: what a probe gives to those who see only a part of it, or who know nothing."""

from horsesense.training.controls.control import CONTROLS, Control, Fitted, Task, Weights, control

__all__ = ["CONTROLS", "Control", "Fitted", "Task", "Weights", "control"]
