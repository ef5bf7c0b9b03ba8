"""What a model is trained to do: one short file a kind of task."""

from horsesense.learning.objectives.names import OBJECTIVES, Objective, objective_for, objective_of

__all__ = ["OBJECTIVES", "Objective", "objective_for", "objective_of"]
