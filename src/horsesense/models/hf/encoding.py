"""From a prompt to the question that a model is asked: which tokens are scored, and as which words.

A language model gets a prompt; a classifier gets two texts that its tokenizer joins, and a label or option.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.core import Item, ScoringSpec
from horsesense.core.spec import Truncation
from horsesense.errors import UserError, argument
from horsesense.lexicons.words import word_spans
from horsesense.models.hf.entailment import label_numbers
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.rows import Question
from horsesense.models.hf.tokens import SpecialTokens, TokenizedText
from horsesense.models.protocol import Likelihood, Prompt, Values, in_stretch

Pair = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids of two texts, and which of the two each belongs to."""


def require_token_head(model: LanguageModel) -> None:
    """Refuse a classifier where the probability of words is needed."""
    if model.family.head != "tokens":
        raise UserError(
            f"{model.name} is a classifier of {model.family.head} and has no probabilities of words",
            fix="use a causal or a masked model, or run it on a probe",
        )


@dataclass(frozen=True, slots=True)
class FramedPrompt:
    """A question with the character offsets of its scored tokens."""

    question: Question
    starts: tuple[int, ...]
    """For each scored token, its start in the prompt."""
    ends: tuple[int, ...]
    flags: tuple[str, ...]
    rows: int = 1
    """Number of inputs: one, or one per token."""

    @property
    def length(self) -> int:
        return len(self.question.ids)

    @property
    def cost(self) -> int:
        """Number of tokens to compute."""
        return self.length * self.rows

    def likelihood(self, values: Values) -> Likelihood:
        """Attach the computed log-probabilities."""
        return Likelihood(values, self.starts, self.ends, self.flags)


@dataclass(frozen=True, slots=True)
class PromptEncoder:
    """Turns prompts into questions for one model under one spec."""

    frame: SpecialTokens
    window: int
    truncation: Truncation
    unknown_token: int | None
    row_per_token: bool = False
    """Whether each token needs an input of its own."""

    def __call__(self, prompt: Prompt, tokens: TokenizedText) -> FramedPrompt:
        return _encode(prompt, tokens, self)


def prompt_encoder_of(model: LanguageModel, spec: ScoringSpec) -> PromptEncoder:
    """Return the encoder of a model under a spec."""
    frame = model.family.frame(model.tokenizer, spec)
    unknown = model.tokenizer.unk_token_id
    # SmolLM2 declares its BOS token as the unknown token too; byte-level text never needs one.
    return PromptEncoder(
        frame, model.window, spec.truncation, None if unknown in frame.before else unknown, _row_per_token(model)
    )


def encode_prompts(model: LanguageModel, prompts: Sequence[Prompt], spec: ScoringSpec) -> list[FramedPrompt]:
    """Tokenise prompts in one call and encode them."""
    require_token_head(model)
    encoder = prompt_encoder_of(model, spec)
    return [encoder(p, t) for p, t in zip(prompts, model.tokenise([p.text for p in prompts]), strict=True)]


def _row_per_token(model: LanguageModel) -> bool:
    return model.family.head == "tokens" and not model.family.scores_to_end


def _encode(prompt: Prompt, tokens: TokenizedText, encoder: PromptEncoder) -> FramedPrompt:
    """Add the special tokens, find the scored tokens, and flag what is unusual about them."""
    whole = SpecialTokens((), scores_first=False) if prompt.bare else encoder.frame
    frame, window = whole.around(prompt.text[: prompt.start]), encoder.window
    # The last token is scored and never fed, which lm-evaluation-harness makes use of.
    room = window - len(frame.before) - len(frame.after) + whole.alone
    dropped = max(0, len(tokens.ids) - room)
    if dropped and encoder.truncation == "error":
        raise UserError(
            f"the text has {len(tokens.ids) + window - room} tokens and the model sees {window}: "
            f"{prompt.text[:60]!r} …",
            fix=f"add {argument('spec', 'truncation=left')} to keep its end only",
        )
    flags = ["truncated"] if dropped else []
    positions = [
        position
        for position in range(dropped, len(tokens.ids))
        if in_stretch(prompt, tokens.starts[position], tokens.ends[position])
        # The line break that ends a template belongs to the template; elsewhere space belongs to the following word.
        and not (prompt.bare and tokens.ends[position] <= prompt.start)
    ]
    if any(tokens.starts[p] < prompt.start or tokens.ends[p] > prompt.end for p in positions):
        flags.append("straddle")
    if not frame.scores_first and positions and positions[0] == dropped:
        positions = positions[1:]
        flags.append("first-unscored")
    if not positions:
        raise UserError(
            f"no token of {prompt.text[prompt.start : prompt.end]!r} remains to be scored",
            fix="the tokenizer drops these characters, or the text is a single token without BOS",
        )
    if any(tokens.ids[position] == encoder.unknown_token for position in positions):
        flags.append("unknown-token")
    shift = len(frame.before) - dropped
    return FramedPrompt(
        question=Question(
            ids=(*frame.before, *tokens.ids[dropped:], *frame.after),
            asked=tuple(position + shift for position in positions),
            words=_words(prompt, tokens, positions),
        ),
        starts=tuple(tokens.starts[position] for position in positions),
        ends=tuple(tokens.ends[position] for position in positions),
        flags=tuple(flags),
        rows=len(positions) if encoder.row_per_token else 1,
    )


def _words(prompt: Prompt, tokens: TokenizedText, positions: list[int]) -> tuple[int, ...]:
    if prompt.whole:
        return (0,) * len(positions)
    beginnings = [start for start, _ in word_spans(prompt.text)]
    return tuple(bisect_right(beginnings, tokens.starts[position]) for position in positions)


def encode_pairs(model: LanguageModel, items: Sequence[Item], spec: ScoringSpec) -> list[tuple[FramedPrompt, ...]]:
    """Encode one question per option of each item: the pair of texts, and the label."""
    by_label = model.family.head == "labels"
    texts = [
        (item.premise, item.text) if by_label else (_before(item), option)
        for item in items
        for option in (item.options[:1] if by_label else item.options)
    ]
    encoded = iter(_joined(model, texts, spec))
    framed = []
    for item in items:
        try:
            if by_label:
                pair = next(encoded)
                numbers = label_numbers(model.network.config.id2label, item.options)
                framed.append(tuple(_encode_pair(pair, number) for number in numbers))
            else:
                framed.append(tuple(_encode_pair(next(encoded), 0) for _ in item.options))
        except UserError as error:
            raise UserError(f"item {item.id}: {error.problem}", fix=error.fix) from error
    return framed


def _before(item: Item) -> str:
    return f"{item.premise} {item.text}" if item.premise else item.text


def _encode_pair(pair: Pair, number: int) -> FramedPrompt:
    ids, types = pair
    return FramedPrompt(Question(ids, asked=(number,), words=(0,), types=types), starts=(), ends=(), flags=())


def _joined(model: LanguageModel, texts: Sequence[tuple[str, str]], spec: ScoringSpec) -> list[Pair]:
    lower = spec.case == "lower"
    firsts = [first.lower() if lower else first for first, _ in texts]
    seconds = [second.lower() if lower else second for _, second in texts]
    tokenized = model.tokenizer(firsts, seconds, return_attention_mask=False, verbose=False)
    types = tokenized.get("token_type_ids") or [()] * len(texts)
    encoded = []
    for ids, kinds, first in zip(tokenized["input_ids"], types, firsts, strict=True):
        if len(ids) > model.window:
            # Truncating a premise or an answer can turn it into its opposite, so it is an error here.
            raise UserError(
                f"the pair has {len(ids)} tokens and the model sees {model.window}: {first[:60]!r} …",
                fix="shorten it, or leave the item out",
            )
        encoded.append((tuple(ids), tuple(kinds)))
    return encoded
