"""Whether a model may run in bfloat16: only if the margins between options exceed the rounding errors, on a sample.

The head and the softmax are in float32 in any case; the question is about the layers below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median

from horsesense.core import Item, ScoringSpec
from horsesense.models.hf.device import has_bfloat16
from horsesense.models.hf.language_model import LanguageModel
from horsesense.scoring.option_scores import answer_items

SAMPLE = 16
"""Items that are scored in both precisions."""
SHARE = 0.25
"""Maximum error as a share of the median margin."""

LARGE = 8 * 2**30
"""Bytes of weight files from which a model is large: about four billion parameters."""

Loader = Callable[[str], LanguageModel]
"""Loads the model in a dtype."""


def load_by_margins(load: Loader, items: Sequence[Item], spec: ScoringSpec, size: int = 0) -> LanguageModel:
    """Load the model in bfloat16 if the hardware has it and the margins hold, else in float32, with the reason.

    ``size`` is that of its weight files in bytes: a large model is not loaded in float32 for a comparison.
    """
    if size >= LARGE:
        return _noted(load("bfloat16"), f"auto: {size / 2**30:.0f} GB of weights, too large for a copy in float32")
    exact = load("float32")
    if not has_bfloat16(exact.device):
        return _noted(exact, f"auto: {exact.device.type} here has no arithmetic in bfloat16")
    # Ids are hashes of content, so the first of them are a sample that does not depend on the order of the file.
    sample = sorted((item for item in items if len(item.options) > 1), key=lambda item: item.id)[:SAMPLE]
    exact_scores = [answer.scores for answer in answer_items(exact, sample, spec)]
    del exact  # the two are never in memory together: a large model would not fit twice
    rough = load("bfloat16")
    holds, reason = margins_hold(exact_scores, [answer.scores for answer in answer_items(rough, sample, spec)])
    if holds:
        return _noted(rough, f"auto: {reason}")
    del rough
    return _noted(load("float32"), f"auto: {reason}")


def _noted(model: LanguageModel, reason: str) -> LanguageModel:
    notes = (*(note for note in model.notes if not note.startswith("dtype ")), f"dtype {model.dtype} ({reason})")
    return replace(model, notes=notes, dtype_reason=reason)


def margins_hold(exact: Sequence[Sequence[float]], rough: Sequence[Sequence[float]]) -> tuple[bool, str]:
    """Whether rounding leaves every choice as it was, and its errors are small compared with the margins; and in words.

    >>> margins_hold([(-1.0, -3.0), (-5.0, -2.0)], [(-1.1, -3.0), (-5.0, -2.1)])
    (True, 'of 2 items 0 choices change, largest error 0.100, median margin 2.500')
    """
    if not exact:
        return False, "no item to compare the precisions on"
    margins, errors, changed = [], [], 0
    for scores, rounded in zip(exact, rough, strict=True):
        best = max(range(len(scores)), key=scores.__getitem__)
        margins.append(scores[best] - max(score for number, score in enumerate(scores) if number != best))
        errors.append(max(abs((a - scores[best]) - (b - rounded[best])) for a, b in zip(scores, rounded, strict=True)))
        changed += rounded[best] < max(rounded)
    reason = (
        f"of {len(exact)} items {changed} choices change, largest error {max(errors):.3f}, "
        f"median margin {median(margins):.3f}"
    )
    return not changed and max(errors) <= SHARE * median(margins), reason
