"""Training objectives by name, the forms and model families that each fits, and the default for a model.

Each kind of objective (filled texts, labels of pairs, options, prompts of decoders) has the same three steps:
``examples`` tokenises items once, ``collate`` makes a batch, ``loss`` is minimised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, Protocol, cast

from horsesense.core import Form, Item, ScoringSpec
from horsesense.errors import UserError, argument, unknown
from horsesense.models.hf.families import family_named

if TYPE_CHECKING:
    import torch

    from horsesense.models.hf.encoding import FramedPrompt
    from horsesense.models.hf.language_model import LanguageModel


Example = dict[str, Any]
"""One item, tokenised."""
Fed = dict[str, "torch.Tensor"]
"""The inputs of a network, and what the loss needs besides."""
_IGNORED = -100
"""A label that every loss ignores."""
_SPEC = ScoringSpec(truncation="left")
_MASKED_SHARE = 0.15
"""Share of tokens that are masked at random, as in BERT."""


class Losses(Protocol):
    """The three steps of one kind of objective."""

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **settings: Any) -> list[Example]:
        """Tokenise items once."""

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        """Put examples into one batch."""

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **settings: Any) -> torch.Tensor:
        """Return the mean loss of a batch."""


class TextLosses:
    """Language models on filled statements: the masked word, words masked at random, left to right.

    Masked models are trained with the masking of the evaluation and causal ones on the whole statement
    (Zhou et al. 2021, section 4.2), or on words of the filled sentence masked at random (Do and Pavlick 2021, section
    3.3).
    """

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
        """Tokenise the statement with its right option, in the same way as in evaluation."""
        from horsesense.scoring.option_scores import prepare

        filled = []
        for prepared in prepare(model, items, _SPEC):
            question = cast("FramedPrompt", prepared.options[prepared.item.answer or 0]).question
            ids, asked = list(question.ids), question.asked
            labels = [_IGNORED] * len(ids)
            if kind == "word":
                for position in asked:
                    labels[position] = ids[position]
                    ids[position] = model.tokenizer.mask_token_id
            elif kind == "causal":
                labels = [_IGNORED, *ids[1:]]
            filled.append({"ids": ids, "labels": labels})
        return filled

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        fed = inputs_of([example["ids"] for example in batch], [()] * len(batch), tokenizer.pad_token_id)
        fed["labels"] = table_of([example["labels"] for example in batch], _IGNORED)
        return _masked_at_random(fed, tokenizer) if kind == "random" else fed

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        """Return the mean over the predicted tokens; a network's own loss may shift the labels."""
        from torch.nn import functional

        labels = fed.pop("labels")
        logits = network(**fed).logits
        if kind == "causal":
            logits, labels = logits[:, :-1], labels[:, 1:]
        labelled = labels != _IGNORED
        return functional.cross_entropy(logits[labelled].float(), labels[labelled])


def _masked_at_random(fed: Fed, tokenizer: Any) -> Fed:
    """Mask tokens, differently in every batch: 80% masked, 10% another word, 10% unchanged (Devlin et al. 2019)."""
    import torch

    ids = fed["input_ids"]
    special = torch.tensor([[token in tokenizer.all_special_ids for token in row] for row in ids.tolist()])
    hidden = (torch.rand(ids.shape) < _MASKED_SHARE) & ~special & fed["attention_mask"].bool()
    # If no token of a text was drawn, its last one is masked.
    for row in (~hidden.any(1)).nonzero()[:, 0].tolist():
        indices = (~special[row] & fed["attention_mask"][row].bool()).nonzero()[:, 0]
        hidden[row, indices[-1:]] = True
    labels = ids.masked_fill(~hidden, _IGNORED)
    lot = torch.rand(ids.shape)
    ids = ids.masked_fill(hidden & (lot < 0.8), tokenizer.mask_token_id)
    others = torch.randint(len(tokenizer), ids.shape)
    return fed | {"input_ids": torch.where(hidden & (lot >= 0.9), others, ids), "labels": labels}


class LabelLosses:
    """Labels of a pair of texts, with or without an auxiliary language-model loss (Mullenbach et al. 2019)."""

    @staticmethod
    def examples(
        items: Sequence[Item], model: LanguageModel, kind: str, blind: bool = False, **_: Any
    ) -> list[Example]:
        """Tokenise premise and hypothesis as a pair; ``blind`` leaves the premise out."""
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
    def loss(network: Any, fed: Fed, kind: str, lm_head: Any = None, weight: float = 0.5, **_: Any) -> torch.Tensor:
        """Return the loss of the label plus ``weight`` times the language-model loss of ``lm_head``."""
        from torch.nn import functional

        gold, text = fed.pop("gold"), fed.pop("text", None)
        if kind != "lm" or lm_head is None or text is None:
            return functional.cross_entropy(network(**fed).logits.float(), gold)
        output = network(**fed, output_hidden_states=True)
        label_loss = functional.cross_entropy(output.logits.float(), gold)
        states = output.hidden_states[-1]
        logits = lm_head.to(states.device)(states)[:, :-1]
        words, labelled = text[:, 1:], text[:, 1:] != _IGNORED
        return label_loss + weight * functional.cross_entropy(logits[labelled].float(), words[labelled])


class OptionLosses:
    """Multiple choice: ``[CLS] question [SEP] answer``, a score each, a softmax over them."""

    @staticmethod
    def examples(
        items: Sequence[Item], model: LanguageModel, kind: str, fill_to: int = 0, blind: bool = False, **_: Any
    ) -> list[Example]:
        """Make one row per option; ``fill_to`` pads with empty answers, ``blind`` leaves the question out."""
        options = [[*item.options, *[""] * (fill_to - len(item.options))] for item in items]
        questions = ["" if blind else f"{item.premise} {item.text}".strip() for item in items]
        firsts = [text for text, answers in zip(questions, options, strict=True) for _ in answers]
        ids, types = _joined(model, firsts, [answer for answers in options for answer in answers])
        examples, start = [], 0
        for item, answers in zip(items, options, strict=True):
            rows = slice(start, start + len(answers))
            examples.append({"ids": ids[rows], "types": types[rows], "answer": item.answer})
            start += len(answers)
        return examples

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:

        ids = [row for example in batch for row in example["ids"]]
        fed = inputs_of(ids, [row for example in batch for row in example["types"]], tokenizer.pad_token_id)
        return fed | _owners_and_golds(batch)

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        """Return the loss of a softmax over the rows of each item, which may have any number of options."""
        owners, golds = fed.pop("owners"), fed.pop("golds")
        # The head takes items × options × tokens; each option is passed as an item with one option.
        scores = network(**{name: value[:, None] for name, value in fed.items()}).logits[:, 0].float()
        return softmax_loss(scores, owners, golds)


def _owners_and_golds(batch: Sequence[Example]) -> Fed:
    """Return the item of each row of a batch with one row per option, and the row of each item's right option."""
    import torch

    counts = torch.tensor([len(example["ids"]) for example in batch])
    golds = counts.cumsum(0) - counts + torch.tensor([example["answer"] for example in batch])
    return {"owners": torch.arange(len(batch)).repeat_interleave(counts), "golds": golds}


def softmax_loss(scores: torch.Tensor, owners: torch.Tensor, golds: torch.Tensor) -> torch.Tensor:
    """Return the mean loss of a softmax over the scores of each owner; ``golds`` are the indices of the right ones."""
    import torch

    top = torch.full((len(golds),), -torch.inf, device=scores.device)
    top = top.scatter_reduce(0, owners, scores.detach(), "amax")
    total = torch.zeros_like(top).index_add(0, owners, (scores - top[owners]).exp())
    mean: torch.Tensor = (total.log() + top - scores[golds]).mean()
    return mean


def _joined(
    model: LanguageModel, firsts: Sequence[str], seconds: Sequence[str]
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the token ids of pairs of texts, and which text each token belongs to."""
    encoded = model.tokenizer(
        firsts, seconds, truncation="only_first", max_length=model.window, return_attention_mask=False, verbose=False
    )
    return encoded["input_ids"], encoded.get("token_type_ids") or [[]] * len(firsts)


def table_of(rows: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
    """Pad rows on the right to one length.

    >>> table_of([[1, 2], [3]], 0).tolist()
    [[1, 2], [3, 0]]
    """
    import torch

    longest = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])


def inputs_of(ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]], pad: int) -> Fed:
    """Return the inputs of a network: ids, attention mask and token types."""
    fed = {"input_ids": table_of(ids, pad), "attention_mask": table_of([[1] * len(row) for row in ids], 0)}
    if any(len(row) for row in types):
        fed["token_type_ids"] = table_of(types, 0)
    return fed


class LikelihoodLosses:
    """A softmax over the options of a question, each scored by the log-likelihood of its tokens: sum or mean.

    One row per option.
    """

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
        """Tokenise every option in its place, in the same way as in evaluation."""
        from horsesense.scoring.normalise import BY_FORM
        from horsesense.scoring.option_scores import prepare

        examples = []
        for prepared in prepare(model, items, _SPEC):
            questions = [cast("FramedPrompt", option).question for option in prepared.options]
            examples.append(
                {
                    "ids": [question.ids for question in questions],
                    "asked": [question.asked for question in questions],
                    "mean": BY_FORM[prepared.item.form] == "mean",
                    "answer": prepared.item.answer,
                }
            )
        return examples

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        import torch

        ids = [row for example in batch for row in example["ids"]]
        asked = [indices for example in batch for indices in example["asked"]]
        means = [example["mean"] for example in batch for _ in example["ids"]]
        fed = inputs_of(ids, [()] * len(ids), tokenizer.pad_token_id)
        reads = [(row, index) for row, indices in enumerate(asked) for index in indices]
        fed["rows"], fed["places"] = torch.tensor(reads).T
        fed["targets"] = torch.tensor([ids[row][index] for row, index in reads])
        fed["weights"] = torch.tensor([1 / len(asked[row]) if means[row] else 1.0 for row, _ in reads])
        return fed | _owners_and_golds(batch)

    @staticmethod
    def loss(network: Any, fed: Fed, kind: str, **_: Any) -> torch.Tensor:
        import torch

        names = ("rows", "places", "targets", "weights", "owners", "golds")
        rows, indices, targets, weights, owners, golds = (fed.pop(name) for name in names)
        logits = _logits_at(network, fed, rows, indices - 1)  # the logits before a token predict it
        values = logits.log_softmax(1).gather(1, targets[:, None])[:, 0] * weights
        scores = torch.zeros(len(owners), device=values.device).index_add(0, rows, values)
        return softmax_loss(scores, owners, golds)


class LetterLosses:
    """A softmax over the letters of the options, in every order of the options, so that no position is learnt.

    One row per order. A letter counts with or without a space before it.
    """

    @staticmethod
    def examples(items: Sequence[Item], model: LanguageModel, kind: str, **_: Any) -> list[Example]:
        """Tokenise the question with its options in every order, in the same way as in evaluation."""
        from horsesense.models.hf.generation import tokens_of, turn_row
        from horsesense.scoring.letters import LETTERS, ShownItem
        from horsesense.scoring.prompts import letters_of

        examples = []
        for question in cast("list[ShownItem]", LETTERS.prepare(model, items, _SPEC, ())):
            assert question.item.answer is not None
            examples.append(
                {
                    "ids": [turn_row(model, turn, _SPEC).given.ids for turn in question.turns],
                    "letters": [tokens_of(model, letter) for letter in letters_of(question.item)],
                    "answers": [order.index(question.item.answer) for order in question.orders],
                }
            )
        return examples

    @staticmethod
    def collate(batch: Sequence[Example], tokenizer: Any, kind: str) -> Fed:
        import torch

        ids = [row for example in batch for row in example["ids"]]
        letters = [example["letters"] for example in batch for _ in example["ids"]]
        fed = inputs_of(ids, [()] * len(ids), tokenizer.pad_token_id)
        fed["places"] = torch.tensor([len(row) - 1 for row in ids])
        # One line per token that is a letter: its row, its index among all letters of the batch, the token.
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
        indices, rows, numbers, targets, owners, golds = (fed.pop(name) for name in names)
        logits = _logits_at(network, fed, torch.arange(len(indices), device=indices.device), indices)
        shares = logits.log_softmax(1)[rows, targets].exp()
        letters = torch.zeros(len(owners), device=shares.device).index_add(0, numbers, shares)
        return softmax_loss(letters.clamp_min(1e-30).log(), owners, golds)


def _logits_at(network: Any, fed: Fed, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Return logits at positions of rows in float32; the head runs only at positions that are needed, if it can."""
    import torch

    needed, which = torch.unique(places, return_inverse=True)
    bare = getattr(network, "module", network)
    bare = bare.get_base_model() if hasattr(bare, "get_base_model") else bare
    if "logits_to_keep" in signature(bare.forward).parameters:
        logits: torch.Tensor = network(**fed, logits_to_keep=needed).logits[rows, which]
    else:
        logits = network(**fed).logits[rows, places]
    return logits.float()


# Objectives.


@dataclass(frozen=True, slots=True)
class Objective:
    """A training objective."""

    name: str
    losses: type[Losses]
    """Its examples and loss."""
    family: str
    """The model family that it trains, and as which the model is evaluated afterwards."""
    forms: tuple[Form, ...]
    """Forms of items that it can be trained on."""
    about: str
    kind: str = ""
    """Passed to the losses, if they have several kinds."""
    prompt_format: str = "loglikelihood"
    """The prompt format of evaluations before, during and after training (`horsesense.scoring`)."""

    @property
    def labels(self) -> bool:
        """Whether the network needs a classification head with the labels of the training set."""
        return self.losses is LabelLosses


_TEXTS: tuple[Form, ...] = ("cloze", "sentences", "choice", "pair")
_ALL = (
    Objective("masked-word", TextLosses, "masked", ("cloze",), "prediction of the masked word", "word"),
    Objective(
        "random-mask",
        TextLosses,
        "masked",
        _TEXTS,
        "language modelling on filled sentences, words masked at random",
        "random",
    ),
    Objective(
        "causal", TextLosses, "causal", _TEXTS, "language modelling on filled statements, left to right", "causal"
    ),
    Objective(
        "options",
        LikelihoodLosses,
        "causal",
        _TEXTS,
        "a softmax over the log-likelihoods of the options",
    ),
    Objective(
        "letters",
        LetterLosses,
        "causal",
        _TEXTS,
        "a softmax over the letters of the options, in every order",
        prompt_format="letters",
    ),
    Objective("classification", LabelLosses, "entailment", ("pair",), "the label of a pair of texts"),
    Objective(
        "classification-lm",
        LabelLosses,
        "entailment",
        ("pair",),
        "the label of a pair, with the language-model loss",
        "lm",
    ),
    Objective(
        "multiple-choice", OptionLosses, "multiple-choice", ("choice",), "a softmax over the options of a question"
    ),
)
OBJECTIVES = {objective.name: objective for objective in _ALL}


def objective_of(name: str) -> Objective:
    """Return an objective by name."""
    if name not in OBJECTIVES:
        raise unknown("objective", name, OBJECTIVES)
    return OBJECTIVES[name]


def inoculation_objective(architecture: str) -> Objective:
    """Return the default objective of inoculation: options for a decoder, else multiple choice."""
    decoder = architecture.endswith(family_named("causal").architectures)
    return OBJECTIVES["options" if decoder else "multiple-choice"]


def objective_for(architecture: str, items: Sequence[Item], name: str) -> Objective:
    """Return the default objective for a model and a probe."""
    form = items[0].form
    if form == "pair":
        return OBJECTIVES["classification"]
    if architecture.endswith(family_named("masked").architectures):
        return OBJECTIVES["masked-word" if form == "cloze" else "random-mask"]
    if architecture.endswith(family_named("causal").architectures):
        return OBJECTIVES["causal"]
    if form == "choice":
        return OBJECTIVES["multiple-choice"]
    raise UserError(
        f"{name} is a {architecture or 'model of unknown kind'}, which cannot be trained on the form {form!r}",
        fix=f"say {argument('objective')} {'|'.join(OBJECTIVES)}",
    )


def check_fit(objective: Objective, items: Sequence[Item], what: str) -> None:
    """Raise an error if the objective cannot be trained on the form of an item."""
    wrong = next((item for item in items if item.form not in objective.forms), None)
    if wrong is not None:
        raise UserError(
            f"the objective {objective.name} cannot be trained on the form {wrong.form!r} of {what} item {wrong.id}",
            fix=f"it takes {', '.join(objective.forms)}",
        )
