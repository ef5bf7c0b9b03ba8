"""Sequence-to-sequence models: BART as a masked infiller, T5 by its sentinel, or either conditionally.

A model with a mask token (BART) is asked as in Zhou et al. (2021, section 4): the encoder gets the masked text, the
decoder the same shifted, and the prediction is read at the mask. A model with sentinels (T5) gets the text with one
word, or the option, replaced by a sentinel, and scores the replaced words. Under ``--spec seq2seq=conditional`` the
encoder gets the text before the option, the decoder the option.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from horsesense.core import ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.models.hf import masked
from horsesense.models.hf.families import Family
from horsesense.models.hf.forward import Outputs, ids_tensor
from horsesense.models.hf.rows import ModelInput, Question, Row, SpecialIds
from horsesense.models.hf.tokens import SpecialTokens, masked_frame

_SENTINEL = "<extra_id_0>"
"""T5's first sentinel: replaces the words that are taken out."""


def marks(tokenizer: Any, config: Any) -> SpecialIds:
    sentinel = tokenizer.convert_tokens_to_ids(_SENTINEL) if _SENTINEL in tokenizer.get_vocab() else None
    return SpecialIds(tokenizer.mask_token_id, sentinel, getattr(config, "decoder_start_token_id", None))


def frame(tokenizer: Any, spec: ScoringSpec) -> SpecialTokens:
    return masked_frame(tokenizer, spec.special_tokens)


def rows(question: Question, spec: ScoringSpec, marks: SpecialIds) -> list[Row]:
    """Masked copies (BART), or the words that a sentinel replaces (T5).

    >>> question = Question(ids=(5, 6, 7, 1), asked=(1, 2), words=(0, 0))
    >>> given = rows(question, ScoringSpec(), SpecialIds(sentinel=99, start=0))[0].given
    >>> given.ids, given.decoder
    ((5, 99, 1), (0, 99, 6))
    """
    if spec.seq2seq == "conditional":
        return [_taken_out(question, question.asked, (), marks)]
    if marks.mask is not None:
        return masked.rows(question, spec, marks)
    if marks.sentinel is None:
        raise UserError(
            "the model has neither a mask token nor sentinels to take a word out with",
            fix=f"use {argument('spec', 'seq2seq=conditional')}",
        )
    pairs = zip(question.words, question.asked, strict=True)
    words = [tuple(position for _, position in positions) for _, positions in groupby(pairs, key=lambda pair: pair[0])]
    return [_taken_out(question, positions, (marks.sentinel,), marks) for positions in words]


def _taken_out(question: Question, positions: tuple[int, ...], sentinel: tuple[int, ...], marks: SpecialIds) -> Row:
    """Return the input without ``places`` for the encoder; the removed tokens are read from the decoder."""
    assert marks.start is not None
    targets = tuple(question.ids[position] for position in positions)
    encoder = (*question.ids[: positions[0]], *sentinel, *question.ids[positions[-1] + 1 :])
    decoder = (marks.start, *sentinel, *targets[:-1])
    return Row(ModelInput(encoder, decoder=decoder), tuple(range(len(sentinel), len(decoder))), targets)


def outputs(network: Any, model_inputs: list[ModelInput], rows: list[Row], device: Any) -> Outputs:
    inputs = {"input_ids": ids_tensor([each.ids for each in model_inputs], device)}
    if model_inputs[0].decoder:
        inputs["decoder_input_ids"] = ids_tensor([each.decoder for each in model_inputs], device)
    return Outputs(network(**inputs).logits, [list(row.reads) for row in rows])


FAMILY = Family(
    name="seq2seq",
    architectures=("ForConditionalGeneration",),
    auto_class="AutoModelForSeq2SeqLM",
    frame=frame,
    rows=rows,
    outputs=outputs,
    encoder_decoder=True,
    marks=marks,
    trial=(
        Row(ModelInput((5, 6, 7, 8), decoder=(9, 8, 7)), (0, 2), (5, 6)),
        Row(ModelInput((8, 7, 9, 5), decoder=(9, 5, 6)), (1,), (7,)),
    ),
)
