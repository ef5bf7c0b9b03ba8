"""What answers mean: pure functions over tables."""

from horsesense.analysis.accuracy import Estimate, accuracy
from horsesense.analysis.prediction import Credits, chance, credits

__all__ = ["Credits", "Estimate", "accuracy", "chance", "credits"]
