"""Planted cues: an experiment on which surface features a model's answers follow."""
