"""Labels of a pair of texts, with or without the language-model loss beside it (part-whole paper, section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horsesense.errors import UserError
from horsesense.learning.objectives.padding import IGNORED, inputs, table
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import Item

if TYPE_CHECKING:
    import torch

Example = dict[str, Any]


def examples(items: Sequence[Item], model: LanguageModel, kind: str, blind: bool = False, **_: Any) -> list[Example]:
    """Premise and hypothesis as the tokenizer joins them; ``blind`` leaves the premise out."""
    numbers = {name: number for number, name in model.network.config.id2label.items()}
    golds = [item.options[item.answer or 0] for item in items]
    unseen = next((gold for gold in golds if gold not in numbers), None)
    if unseen is not None:
        raise UserError(f"the label {unseen!r} never occurs in training", fix="train on items with the same options")
    firsts, seconds = ["" if blind else item.premise for item in items], [item.text for item in items]
    made = model.tokenizer(
        firsts, seconds, truncation="only_first", max_length=model.window, return_attention_mask=False, verbose=False
    )
    types = made.get("token_type_ids") or [[]] * len(items)
    rows = zip(made["input_ids"], types, golds, strict=True)
    return [{"ids": ids, "types": kinds, "label": numbers[gold]} for ids, kinds, gold in rows]


def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> dict[str, torch.Tensor]:
    import torch

    fed = inputs([one["ids"] for one in batch], [one["types"] for one in batch], tokenizer.pad_token_id)
    fed["gold"] = torch.tensor([one["label"] for one in batch])
    if kind == "lm":
        fed["text"] = table([one["ids"] for one in batch], IGNORED)
    return fed


def loss(
    network: Any, fed: dict[str, torch.Tensor], kind: str, beside: Any = None, weight: float = 0.5
) -> torch.Tensor:
    """The label's loss, and ``weight`` times the language-model loss of the head ``beside`` it on the same body."""
    from torch.nn import functional

    gold, text = fed.pop("gold"), fed.pop("text", None)
    if kind != "lm" or beside is None or text is None:
        return functional.cross_entropy(network(**fed).logits.float(), gold)
    found = network(**fed, output_hidden_states=True)
    label_loss = functional.cross_entropy(found.logits.float(), gold)
    states = found.hidden_states[-1]
    logits = beside.to(states.device)(states)[:, :-1]
    words, asked = text[:, 1:], text[:, 1:] != IGNORED
    return label_loss + weight * functional.cross_entropy(logits[asked].float(), words[asked])
