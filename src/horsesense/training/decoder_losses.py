"""What a decoder loses where it is trained as it is asked: by options, or by letters.

Both are a softmax over the options of a question. By options, each is worth its likelihood in its place, normalised as
its form has it; by letters, the probability of its letter, in every order of the options, so that no place is learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

from horsesense.core import Item, ScoringSpec
from horsesense.training.losses import Example, Fed, inputs_of, softmax_loss

if TYPE_CHECKING:
    import torch

    from horsesense.models.hf.encoding import FramedPrompt
    from horsesense.models.hf.language_model import LanguageModel

_SPEC = ScoringSpec(truncation="left")


class LikelihoodLosses:
    """One row an option, worth the log-probabilities of its scored tokens: their sum, or their mean."""

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
        """Every option in its place, tokenised once and in the same way as it is asked."""
        from horsesense.scoring.normalise import BY_FORM
        from horsesense.scoring.option_scores import prepare

        made = []
        for prepared in prepare(model, items, _SPEC):
            questions = [cast("FramedPrompt", option).question for option in prepared.options]
            made.append(
                {
                    "ids": [question.ids for question in questions],
                    "asked": [question.asked for question in questions],
                    "mean": BY_FORM[prepared.item.form] == "mean",
                    "answer": prepared.item.answer,
                }
            )
        return made

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        import torch

        ids = [row for example in batch for row in example["ids"]]
        asked = [places for example in batch for places in example["asked"]]
        means = [example["mean"] for example in batch for _ in example["ids"]]
        fed = inputs_of(ids, [()] * len(ids), tokenizer.pad_token_id)
        reads = [(row, place) for row, places in enumerate(asked) for place in places]
        fed["rows"], fed["places"] = torch.tensor(reads).T
        fed["targets"] = torch.tensor([ids[row][place] for row, place in reads])
        fed["weights"] = torch.tensor([1 / len(asked[row]) if means[row] else 1.0 for row, _ in reads])
        counts = torch.tensor([len(example["ids"]) for example in batch])
        fed["owners"] = torch.arange(len(batch)).repeat_interleave(counts)
        fed["golds"] = counts.cumsum(0) - counts + torch.tensor([example["answer"] for example in batch])
        return fed

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        import torch

        names = ("rows", "places", "targets", "weights", "owners", "golds")
        rows, places, targets, weights, owners, golds = (fed.pop(name) for name in names)
        logits = _logits_at(network, fed, rows, places - 1)  # what predicts a token stands before it
        values = logits.log_softmax(1).gather(1, targets[:, None])[:, 0] * weights
        scores = torch.zeros(len(owners), device=values.device).index_add(0, rows, values)
        return softmax_loss(scores, owners, golds)


class LetterLosses:
    """One row an order of the options; each is worth the probability of its letter, with a space before it or not."""

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
        """The question with its options in every order, tokenised once and in the same way as it is asked."""
        from horsesense.models.hf.blanks import tokens_of, turn_row
        from horsesense.scoring.letters import LETTERS, ShownItem
        from horsesense.scoring.option_prompts import letters_of

        made = []
        for shown in cast("list[ShownItem]", LETTERS.prepare(model, items, _SPEC, ())):
            assert shown.item.answer is not None
            made.append(
                {
                    "ids": [turn_row(model, turn, _SPEC).given.ids for turn in shown.turns],
                    "letters": [tokens_of(model, letter) for letter in letters_of(shown.item)],
                    "answers": [order.index(shown.item.answer) for order in shown.orders],
                }
            )
        return made

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        import torch

        ids = [row for example in batch for row in example["ids"]]
        letters = [example["letters"] for example in batch for _ in example["ids"]]
        fed = inputs_of(ids, [()] * len(ids), tokenizer.pad_token_id)
        fed["places"] = torch.tensor([len(row) - 1 for row in ids])
        # One line a token that is a letter: its row, its number among all letters of the batch, itself.
        firsts = torch.tensor([0, *map(len, letters)]).cumsum(0)
        lines = [
            (row, int(firsts[row]) + number, token)
            for row, each in enumerate(letters)
            for number, tokens in enumerate(each)
            for token in tokens
        ]
        fed["rows"], fed["numbers"], fed["targets"] = torch.tensor(lines).T
        fed["owners"] = torch.arange(len(ids)).repeat_interleave(torch.tensor([len(each) for each in letters]))
        fed["golds"] = firsts[:-1] + torch.tensor([answer for example in batch for answer in example["answers"]])
        return fed

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        import torch

        names = ("places", "rows", "numbers", "targets", "owners", "golds")
        places, rows, numbers, targets, owners, golds = (fed.pop(name) for name in names)
        logits = _logits_at(network, fed, torch.arange(len(places), device=places.device), places)
        shares = logits.log_softmax(1)[rows, targets].exp()
        letters = torch.zeros(len(owners), device=shares.device).index_add(0, numbers, shares)
        return softmax_loss(letters.clamp_min(1e-30).log(), owners, golds)


def _logits_at(network: Any, fed: Fed, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Logits at places of rows, in float32; the head runs only at places that some row reads, where it can be told."""
    import torch

    kept, which = torch.unique(places, return_inverse=True)
    bare = getattr(network, "module", network)
    bare = bare.get_base_model() if hasattr(bare, "get_base_model") else bare
    if "logits_to_keep" in signature(bare.forward).parameters:
        logits: torch.Tensor = network(**fed, logits_to_keep=kept).logits[rows, which]
    else:
        logits = network(**fed).logits[rows, places]
    return logits.float()
