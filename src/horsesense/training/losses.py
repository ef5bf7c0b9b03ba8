"""What each kind of objective shows a network and what it then loses: filled texts, labels of pairs, options.

Every kind has the same three steps: ``examples`` tokenises items once, ``collate`` puts some of them into one batch,
``loss`` is what the network is trained to make small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from horsesense.core import Item, ScoringSpec
from horsesense.errors import UserError

if TYPE_CHECKING:
    import torch

    from horsesense.models.hf.encoding import FramedPrompt
    from horsesense.models.hf.language_model import LanguageModel

Example = dict[str, Any]
"""One item, tokenised."""
Fed = dict[str, "torch.Tensor"]
"""What a network is fed, and beside it what the loss needs to know."""
_IGNORED = -100
"""A label that no loss looks at."""
_SHARE = 0.15
"""Share of tokens that are masked at random, as BERT does."""


class Losses(Protocol):
    """The three steps of one kind of objective."""

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **settings: Any) -> list[Example]:
        """Items, tokenised once."""

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        """Some examples in one batch."""

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **settings: Any) -> torch.Tensor:
        """The mean loss of a batch."""


class TextLosses:
    """Language models on filled statements: the masked word, words masked at random, left to right.

    RICA trains masked models "using the same masking approach" as it asks them and causal ones on the whole
    statement (section 4.2); WinoVenti masks words of the filled sentence at random (section 3.3).
    """

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
        """The statement with its right option, tokenised once and in the same way as it is asked."""
        from horsesense.scoring.option_scores import prepare

        filled = []
        for prepared in prepare(model, items, ScoringSpec(truncation="left")):
            question = cast("FramedPrompt", prepared.options[prepared.item.answer or 0]).question
            ids, asked = list(question.ids), question.asked
            marks = [_IGNORED] * len(ids)
            if kind == "word":
                for place in asked:
                    marks[place] = ids[place]
                    ids[place] = model.tokenizer.mask_token_id
            elif kind == "causal":
                marks = [_IGNORED, *ids[1:]]
            filled.append({"ids": ids, "labels": marks})
        return filled

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        fed = inputs_of([example["ids"] for example in batch], [()] * len(batch), tokenizer.pad_token_id)
        fed["labels"] = table_of([example["labels"] for example in batch], _IGNORED)
        return _masked_at_random(fed, tokenizer) if kind == "random" else fed

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        """Mean over the predicted tokens. It is computed here, because a network's own loss may shift the labels."""
        from torch.nn import functional

        labels = fed.pop("labels")
        logits = network(**fed).logits
        if kind == "causal":
            logits, labels = logits[:, :-1], labels[:, 1:]
        labelled = labels != _IGNORED
        return functional.cross_entropy(logits[labelled].float(), labels[labelled])


def _masked_at_random(fed: Fed, tokenizer: Any) -> Fed:
    """Hide tokens anew in every batch: eight in ten masked, one another word, one as it stands (Devlin and others)."""
    import torch

    ids = fed["input_ids"]
    special = torch.tensor([[token in tokenizer.all_special_ids for token in row] for row in ids.tolist()])
    hidden = (torch.rand(ids.shape) < _SHARE) & ~special & fed["attention_mask"].bool()
    # A text in which nothing is hidden teaches nothing; its last word is hidden then.
    for row in (~hidden.any(1)).nonzero()[:, 0].tolist():
        places = (~special[row] & fed["attention_mask"][row].bool()).nonzero()[:, 0]
        hidden[row, places[-1:]] = True
    labels = ids.masked_fill(~hidden, _IGNORED)
    lot = torch.rand(ids.shape)
    ids = ids.masked_fill(hidden & (lot < 0.8), tokenizer.mask_token_id)
    others = torch.randint(len(tokenizer), ids.shape)
    return fed | {"input_ids": torch.where(hidden & (lot >= 0.9), others, ids), "labels": labels}


class LabelLosses:
    """Labels of a pair of texts, with or without the language-model loss beside it (part-whole paper, section 5)."""

    @staticmethod
    def examples(
        items: Sequence[Item], model: LanguageModel, kind: str, blind: bool = False, **_: Any
    ) -> list[Example]:
        """Premise and hypothesis as the tokenizer joins them; ``blind`` leaves the premise out."""
        numbers = {name: number for number, name in model.network.config.id2label.items()}
        golds = [item.options[item.answer or 0] for item in items]
        unseen = next((gold for gold in golds if gold not in numbers), None)
        if unseen is not None:
            raise UserError(
                f"the label {unseen!r} never occurs in training", fix="train on items with the same options"
            )
        ids, types = _joined(model, ["" if blind else item.premise for item in items], [item.text for item in items])
        rows = zip(ids, types, golds, strict=True)
        return [{"ids": row, "types": kinds, "label": numbers[gold]} for row, kinds, gold in rows]

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        import torch

        ids = [example["ids"] for example in batch]
        fed = inputs_of(ids, [example["types"] for example in batch], tokenizer.pad_token_id)
        fed["gold"] = torch.tensor([example["label"] for example in batch])
        if kind == "lm":
            fed["text"] = table_of(ids, _IGNORED)
        return fed

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, beside: Any = None, weight: float = 0.5, **_: Any) -> torch.Tensor:
        """The label's loss, and ``weight`` times the language-model loss of the head ``beside`` it on the same body."""
        from torch.nn import functional

        gold, text = fed.pop("gold"), fed.pop("text", None)
        if kind != "lm" or beside is None or text is None:
            return functional.cross_entropy(network(**fed).logits.float(), gold)
        output = network(**fed, output_hidden_states=True)
        label_loss = functional.cross_entropy(output.logits.float(), gold)
        states = output.hidden_states[-1]
        logits = beside.to(states.device)(states)[:, :-1]
        words, labelled = text[:, 1:], text[:, 1:] != _IGNORED
        return label_loss + weight * functional.cross_entropy(logits[labelled].float(), words[labelled])


class OptionLosses:
    """Multiple choice: ``[CLS] question [SEP] answer``, a number each, a softmax over them (WordNetQA, section 4.1)."""

    @staticmethod
    def examples(
        items: Sequence[Item], model: LanguageModel, kind: str, fill_to: int = 0, blind: bool = False, **_: Any
    ) -> list[Example]:
        """One row an option. ``fill_to`` adds empty answers as the paper does; ``blind`` leaves the question out."""
        options = [[*item.options, *[""] * (fill_to - len(item.options))] for item in items]
        before = ["" if blind else f"{item.premise} {item.text}".strip() for item in items]
        firsts = [text for text, answers in zip(before, options, strict=True) for _ in answers]
        ids, types = _joined(model, firsts, [answer for answers in options for answer in answers])
        made, start = [], 0
        for item, answers in zip(items, options, strict=True):
            rows = slice(start, start + len(answers))
            made.append({"ids": ids[rows], "types": types[rows], "answer": item.answer})
            start += len(answers)
        return made

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        import torch

        ids = [row for example in batch for row in example["ids"]]
        fed = inputs_of(ids, [row for example in batch for row in example["types"]], tokenizer.pad_token_id)
        counts = torch.tensor([len(example["ids"]) for example in batch])
        fed["owners"] = torch.arange(len(batch)).repeat_interleave(counts)
        fed["golds"] = counts.cumsum(0) - counts + torch.tensor([example["answer"] for example in batch])
        return fed

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        """Items may have any number of options: the softmax is over the rows of one owner."""
        owners, golds = fed.pop("owners"), fed.pop("golds")
        # The head takes items × options × tokens; each option is given as an item of one.
        scores = network(**{name: value[:, None] for name, value in fed.items()}).logits[:, 0].float()
        return softmax_loss(scores, owners, golds)


def softmax_loss(scores: torch.Tensor, owners: torch.Tensor, golds: torch.Tensor) -> torch.Tensor:
    """The mean loss of a softmax over the scores of each owner; ``golds`` are the places of what is right."""
    import torch

    top = torch.full((len(golds),), -torch.inf, device=scores.device)
    top = top.scatter_reduce(0, owners, scores.detach(), "amax")
    total = torch.zeros_like(top).index_add(0, owners, (scores - top[owners]).exp())
    mean: torch.Tensor = (total.log() + top - scores[golds]).mean()
    return mean


def _joined(
    model: LanguageModel, firsts: Sequence[str], seconds: Sequence[str]
) -> tuple[list[list[int]], list[list[int]]]:
    """Token ids of two texts each, as the tokenizer joins them, and which text each token belongs to."""
    made = model.tokenizer(
        firsts, seconds, truncation="only_first", max_length=model.window, return_attention_mask=False, verbose=False
    )
    return made["input_ids"], made.get("token_type_ids") or [[]] * len(firsts)


def table_of(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    """Rows of unlike length in one table, filled up on the right.

    >>> table_of([[1, 2], [3]], 0).tolist()
    [[1, 2], [3, 0]]
    """
    import torch

    longest = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])


def inputs_of(ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]], pad: int) -> Fed:
    """What a network is fed: ids, which of them are there, and which text each belongs to."""
    fed = {"input_ids": table_of(ids, pad), "attention_mask": table_of([[1] * len(row) for row in ids], 0)}
    if any(len(row) for row in types):
        fed["token_type_ids"] = table_of(types, 0)
    return fed
