"""Controls: baselines that see only a part of each item, or nothing."""

from horsesense.training.controls.control import CONTROLS, Control, ControlTask, Fitted, Weights, control

__all__ = ["CONTROLS", "Control", "ControlTask", "Fitted", "Weights", "control"]
