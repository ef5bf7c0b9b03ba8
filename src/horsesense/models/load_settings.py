"""How a model is loaded, and where it computes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LoadSettings:
    """Model loading."""

    device: str = "auto"
    """Device: auto (``HORSESENSE_DEVICE``, or the best one found), cpu, cuda, cuda:1, mps, or map (all GPUs)."""
    family: str | None = None
    """Model family (causal, masked, seq2seq, permuted, entailment, multiple-choice). By default, from the config."""
    allow_pickle: bool = False
    """Load pickled weights, which can run any code."""
