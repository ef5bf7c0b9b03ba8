"""Multiple choice: ``[CLS] question [SEP] answer``, a number each, a softmax over them (WordNetQA, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from horsesense.learning.objectives.padding import inputs
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import Item

if TYPE_CHECKING:
    import torch

Example = dict[str, Any]


def examples(
    items: Sequence[Item], model: LanguageModel, kind: str, fill_to: int = 0, blind: bool = False, **_: Any
) -> list[Example]:
    """One row an option. ``fill_to`` adds empty answers as the paper does; ``blind`` leaves the question out."""
    options = [[*item.options, *[""] * (fill_to - len(item.options))] for item in items]
    before = ["" if blind else f"{item.premise} {item.text}".strip() for item in items]
    firsts = [text for text, answers in zip(before, options, strict=True) for _ in answers]
    seconds = [answer for answers in options for answer in answers]
    made = model.tokenizer(
        firsts, seconds, truncation="only_first", max_length=model.window, return_attention_mask=False, verbose=False
    )
    types = made.get("token_type_ids") or [[]] * len(firsts)
    found, start = [], 0
    for item, answers in zip(items, options, strict=True):
        rows = slice(start, start + len(answers))
        found.append({"ids": made["input_ids"][rows], "types": types[rows], "answer": item.answer})
        start += len(answers)
    return found


def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> dict[str, torch.Tensor]:
    import torch

    ids = [row for one in batch for row in one["ids"]]
    fed = inputs(ids, [row for one in batch for row in one["types"]], tokenizer.pad_token_id)
    counts = torch.tensor([len(one["ids"]) for one in batch])
    fed["owners"] = torch.arange(len(batch)).repeat_interleave(counts)
    fed["golds"] = counts.cumsum(0) - counts + torch.tensor([one["answer"] for one in batch])
    return fed


def loss(network: Any, fed: dict[str, torch.Tensor], kind: str, **_: Any) -> torch.Tensor:
    """Items may have any number of options: the softmax is over the rows of one owner."""
    import torch

    owners, golds = fed.pop("owners"), fed.pop("golds")
    # The head takes items × options × tokens; each option is given as an item of one.
    scores = network(**{name: value[:, None] for name, value in fed.items()}).logits[:, 0].float()
    top = torch.full((len(golds),), -torch.inf, device=scores.device)
    top = top.scatter_reduce(0, owners, scores.detach(), "amax")
    total = torch.zeros_like(top).index_add(0, owners, (scores - top[owners]).exp())
    mean: torch.Tensor = (total.log() + top - scores[golds]).mean()
    return mean
