"""Language models on filled statements: the masked word, words masked at random, left to right.

RICA trains masked models "using the same masking approach" as it asks them and causal ones on the whole statement
(section 4.2); WinoVenti masks words of the filled sentence at random (section 3.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horsesense.learning.objectives.padding import IGNORED, inputs, table
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import Item, ScoringSpec
from horsesense.scoring.options import prepare

if TYPE_CHECKING:
    import torch

Example = dict[str, Any]
_SHARE = 0.15
"""Share of tokens that are masked at random, as BERT does."""


def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
    """The statement with its right option, tokenised once and in the same way as it is asked."""
    found = []
    for one in prepare(model, items, ScoringSpec(truncation="left")):
        question = one.options[one.item.answer or 0].question
        ids, asked = list(question.ids), question.asked
        marks = [IGNORED] * len(ids)
        if kind == "word":
            for place in asked:
                marks[place] = ids[place]
                ids[place] = model.tokenizer.mask_token_id
        elif kind == "causal":
            marks = [IGNORED, *ids[1:]]
        found.append({"ids": ids, "labels": marks})
    return found


def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> dict[str, torch.Tensor]:
    fed = inputs([one["ids"] for one in batch], [()] * len(batch), tokenizer.pad_token_id)
    fed["labels"] = table([one["labels"] for one in batch], IGNORED)
    return _masked_at_random(fed, tokenizer) if kind == "random" else fed


def _masked_at_random(fed: dict[str, torch.Tensor], tokenizer: Any) -> dict[str, torch.Tensor]:
    """Hide tokens anew in every batch: eight in ten masked, one another word, one as it stands (Devlin and others)."""
    import torch

    ids = fed["input_ids"]
    special = torch.tensor([[token in tokenizer.all_special_ids for token in row] for row in ids.tolist()])
    hidden = (torch.rand(ids.shape) < _SHARE) & ~special & fed["attention_mask"].bool()
    # A text in which nothing is hidden teaches nothing; its last word is hidden then.
    for row in (~hidden.any(1)).nonzero()[:, 0].tolist():
        places = (~special[row] & fed["attention_mask"][row].bool()).nonzero()[:, 0]
        hidden[row, places[-1:]] = True
    labels = ids.masked_fill(~hidden, IGNORED)
    lot = torch.rand(ids.shape)
    ids = ids.masked_fill(hidden & (lot < 0.8), tokenizer.mask_token_id)
    others = torch.randint(len(tokenizer), ids.shape)
    return fed | {"input_ids": torch.where(hidden & (lot >= 0.9), others, ids), "labels": labels}


def loss(network: Any, fed: dict[str, torch.Tensor], kind: str, **_: Any) -> torch.Tensor:
    """Mean over the predicted tokens. It is computed here, because a network's own loss may shift the labels."""
    from torch.nn import functional

    labels = fed.pop("labels")
    logits = network(**fed).logits
    if kind == "causal":
        logits, labels = logits[:, :-1], labels[:, 1:]
    asked = labels != IGNORED
    return functional.cross_entropy(logits[asked].float(), labels[asked])
