"""Controls: what a probe gives to those who see only a part of it, or who know nothing."""

from horsesense.learning.controls.names import CONTROLS, Control, control
from horsesense.learning.controls.task import Fitted, Task

__all__ = ["CONTROLS", "Control", "Fitted", "Task", "control"]
