"""Statements written by a sequence-to-sequence model (section 2.2, stage 5), and odd texts flagged by another model.

Both are proposals: `statement_of` checks each text against its form, and oddness is a facet that drops nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from horsesense.core import Item, Probe, ScoringSpec, fill_blank
from horsesense.errors import UserError
from horsesense.methods.rica.axioms import (
    Axiom,
    Comp,
    Not,
    opposite,
    plain,
)
from horsesense.methods.rica.statements import ENTITY, Statement, say
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.load import load_model
from horsesense.models.protocol import Model
from horsesense.scoring.texts import score_texts

# Statements written by a model.


def statement_of(text: str, form: Axiom) -> Statement | None:
    """Parse a statement and check it against its form; None if it does not fit.

    It needs a premise and a conclusion with the right entities, the comparative once after *so*, and a *not* exactly if
    the form has one.

    >>> from horsesense.methods.rica.notation import parse_form
    >>> form = parse_form("boss(A, B), so not Less(strict(A), strict(B))")
    >>> statement_of("A bosses B around, so A is not less strict than B.", form).before
    'A is not '
    >>> statement_of("A bosses B around, so A is less strict than B.", form) is None
    True
    """
    premise, so, conclusion = text.strip().rstrip(".").rpartition(", so ")
    denied = isinstance(form.conclusion, Not)
    term = form.conclusion.term if isinstance(form.conclusion, Not) else form.conclusion
    assert isinstance(term, Comp)
    word = plain(term.word).lower()
    comparatives = re.findall(rf"\b{word}\b", conclusion)
    has_not = bool(re.search(r"\b(?:not|cannot|never)\b|n't\b", conclusion))
    grammar = say(form)
    same_entities = all(
        set(ENTITY.findall(written)) == set(ENTITY.findall(expected))
        for written, expected in ((premise, grammar.premise), (conclusion, grammar.conclusion))
    )
    fits = len(comparatives) == 1 and has_not == denied and same_entities
    if not so or not fits or not conclusion.startswith(term.left.entity):
        return None
    before, _, after = conclusion.partition(word)
    return Statement(premise, before, word, opposite(word), after)


def words_of_model(written: Mapping[str, str], rejected: Counter[str]) -> Callable[[Axiom], Statement]:
    """Return a function that words a form as written by a model, or by the grammar if that does not fit."""

    def say_as_written(form: Axiom) -> Statement:
        text = written.get(str(form), "")
        statement = statement_of(text, form) if text else None
        if statement is None:
            rejected["realiser: what it wrote does not fit the form; the grammar's words were taken"] += 1
            return say(form)
        return statement

    return say_as_written


BATCH = 32
LONGEST = 96
FAR = 3.5
"""Robust z above which a text is an outlier (Iglewicz and Hoaglin, 1993)."""


def write_statements(model: LanguageModel, forms: Sequence[str]) -> dict[str, str]:
    """Generate a statement for each form, greedily.

    The model has to be fine-tuned on pairs of form and text.
    """
    import torch

    if not model.family.encoder_decoder:
        raise UserError(
            f"{model.name} is {model.family}, which cannot write text", fix="give a sequence-to-sequence model"
        )
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
    return written


def flag_odd_items(probe: Probe, model: str, device: str, dtype: str) -> Probe:
    """Add the facet ``odd`` to items whose statement a language model finds odd."""

    def statement(item: Item) -> str:
        option = item.options[item.answer or 0]
        return fill_blank(item.text, option) if item.form == "cloze" else item.text or option

    texts = list(dict.fromkeys(map(statement, probe.items)))
    odd = odd_texts(load_model(model, device=device, dtype=dtype), texts)
    items = [replace(item, facets={**item.facets, "odd": odd[statement(item)]}) for item in probe.items]
    count = sum(item.facets["odd"] is True for item in items)
    return replace(probe, items=items, card=replace(probe.card, notes={**probe.card.notes, "reads oddly": count}))


def odd_texts(model: Model, texts: Sequence[str]) -> dict[str, bool]:
    """Return which texts a language model finds odd: far below the median of mean log-probability."""
    means = np.array([text.mean for text in score_texts(model, texts, ScoringSpec())])
    return dict(zip(texts, outliers(means), strict=True))


def outliers(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[bool]:
    """Return which values are far below the median.

    >>> outliers(np.array([-3.0, -3.1, -2.9, -3.2, -9.0]))
    [False, False, False, False, True]
    """
    middle = np.median(values)
    spread = np.median(np.abs(values - middle))
    if spread == 0:
        return [bool(value < middle) for value in values]
    return [bool(0.6745 * (middle - value) / spread > FAR) for value in values]
