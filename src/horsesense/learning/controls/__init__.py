"""Controls: what a probe gives to those who see only a part of it, or who know nothing."""

from horsesense.learning.controls.control import CONTROLS, Control, Fitted, Task, Weights, control

__all__ = ["CONTROLS", "Control", "Fitted", "Task", "Weights", "control"]
