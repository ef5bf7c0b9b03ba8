"""Items for classifiers: two texts joined by the tokenizer, and the label or option that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.errors import UserError
from horsesense.models.entailment import label_numbers
from horsesense.models.language_model import LanguageModel
from horsesense.models.rows import Question
from horsesense.records import Item, ScoringSpec
from horsesense.scoring.questions import Framed

Pair = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids of two texts, and which of the two each belongs to."""


def frame_pairs(model: LanguageModel, items: Sequence[Item], spec: ScoringSpec) -> list[tuple[Framed, ...]]:
    """For each item one question an option: the pair of texts, and the label asked for."""
    by_label = model.family.head == "labels"
    texts = [
        (item.premise, item.text) if by_label else (_before(item), option)
        for item in items
        for option in (item.options[:1] if by_label else item.options)
    ]
    encoded = iter(_encode(model, texts, spec))
    framed = []
    for item in items:
        try:
            if by_label:
                pair = next(encoded)
                numbers = label_numbers(model.network.config.id2label, item.options)
                framed.append(tuple(_framed(pair, number) for number in numbers))
            else:
                framed.append(tuple(_framed(next(encoded), 0) for _ in item.options))
        except UserError as error:
            raise UserError(f"item {item.id}: {error.problem}", fix=error.fix) from error
    return framed


def _before(item: Item) -> str:
    return f"{item.premise} {item.text}" if item.premise else item.text


def _framed(pair: Pair, number: int) -> Framed:
    ids, types = pair
    return Framed(Question(ids, asked=(number,), words=(0,), types=types), starts=(), ends=(), flags=())


def _encode(model: LanguageModel, texts: Sequence[tuple[str, str]], spec: ScoringSpec) -> list[Pair]:
    lower = spec.case == "lower"
    first = [one.lower() if lower else one for one, _ in texts]
    second = [other.lower() if lower else other for _, other in texts]
    made = model.tokenizer(first, second, return_attention_mask=False, verbose=False)
    types = made.get("token_type_ids") or [()] * len(texts)
    encoded = []
    for ids, kinds, one in zip(made["input_ids"], types, first, strict=True):
        if len(ids) > model.window:
            # Cutting a premise or an answer can turn it into its opposite, so there is no truncation here.
            raise UserError(
                f"the pair has {len(ids)} tokens and the model sees {model.window}: {one[:60]!r} …",
                fix="shorten it, or leave the item out",
            )
        encoded.append((tuple(ids), tuple(kinds)))
    return encoded
