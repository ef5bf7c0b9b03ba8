"""Forms into text by a sequence-to-sequence model (section 2.2, stage 5), and odd texts flagged by another model.

Only proposals: what is written is checked by `statements.statement_of`, and oddness is a facet and drops nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import Model
from horsesense.scoring.texts import score_texts

BATCH = 32
LONGEST = 96
FAR = 3.5
"""Robust z from which on a text counts as an outlier (Iglewicz and Hoaglin, 1993)."""


def write_statements(
    model: LanguageModel, forms: Sequence[str], step: Callable[[int], None] = lambda done: None
) -> dict[str, str]:
    """What the model writes for each form, the most probable word at every place.

    The model is one that was fine-tuned on pairs of form and text; no other has any idea of the notation.
    """
    import torch

    if not model.family.encoder_decoder:
        raise UserError(f"{model.name} is {model.family}, which cannot write", fix="give a sequence-to-sequence model")
    written: dict[str, str] = {}
    for start in range(0, len(forms), BATCH):
        batch = list(forms[start : start + BATCH])
        encoded = model.tokenizer(batch, return_tensors="pt", padding=True, truncation=True, max_length=model.window)
        ids, mask = encoded["input_ids"].to(model.device), encoded["attention_mask"].to(model.device)
        with torch.inference_mode():
            longest = min(LONGEST, model.window)
            out = model.network.generate(
                input_ids=ids, attention_mask=mask, max_new_tokens=longest, do_sample=False, num_beams=1
            )
        written |= dict(zip(batch, model.tokenizer.batch_decode(out, skip_special_tokens=True), strict=True))
        step(len(batch))
    return written


def odd_texts(model: Model, texts: Sequence[str]) -> dict[str, bool]:
    """Which texts a language model finds odd beside the others: far below the median of mean log-probability."""
    means = np.array([text.mean for text in score_texts(model, texts, ScoringSpec())])
    return dict(zip(texts, outliers(means), strict=True))


def outliers(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[bool]:
    """Which values lie far below the middle.

    >>> outliers(np.array([-3.0, -3.1, -2.9, -3.2, -9.0]))
    [False, False, False, False, True]
    """
    middle = np.median(values)
    spread = np.median(np.abs(values - middle))
    if spread == 0:
        return [bool(value < middle) for value in values]
    return [bool(0.6745 * (middle - value) / spread > FAR) for value in values]
