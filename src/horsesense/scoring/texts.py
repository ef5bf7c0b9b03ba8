"""Scoring texts as they stand: every token with its log-probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from horsesense.errors import UserError
from horsesense.models.language_model import LanguageModel
from horsesense.records import ScoringSpec
from horsesense.records.document import Document
from horsesense.scoring.options import framer_of, score_questions
from horsesense.scoring.prompts import Prompt, dressed


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """One token of a text."""

    token: str
    """Its text."""
    start: int
    """Its first character in the text."""
    end: int
    """One past its last character."""
    logprob: float
    """Natural logarithm."""


@dataclass(frozen=True, slots=True)
class TextDocument(Document):
    """A text, token by token, with its sums."""

    text: str
    """As the model reads it (case and leading space as the spec has them)."""
    tokens: tuple[ScoredToken, ...]
    """Those that were scored."""
    sum: float
    """Over the scored tokens."""
    mean: float
    """Over the scored tokens."""


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text, token by token."""

    text: str
    tokens: tuple[ScoredToken, ...]

    @property
    def sum(self) -> float:
        return sum(token.logprob for token in self.tokens)

    @property
    def mean(self) -> float:
        return self.sum / len(self.tokens)

    def document(self) -> TextDocument:
        """The same with its sum and mean written out."""
        return TextDocument(self.text, self.tokens, self.sum, self.mean)


def score_texts(model: LanguageModel, texts: Sequence[str], spec: ScoringSpec) -> list[ScoredText]:
    """Every scored token of each text; with ``bos=none`` the first one is left out."""
    for text in texts:
        if not text.strip():
            raise UserError("a text is empty", fix="give one with words")
    prompts = [dressed(Prompt(text, 0, len(text)), spec) for text in texts]
    framer = framer_of(model, spec)
    framed = [framer(p, t) for p, t in zip(prompts, model.tokenise([p.text for p in prompts]), strict=True)]
    scored = score_questions(model, framed, spec)
    found = []
    for prompt, one, values in zip(prompts, framed, scored, strict=True):
        names = [model.tokenizer.decode([one.question.ids[place]]) for place in one.question.asked]
        tokens = zip(names, one.starts, one.ends, values, strict=True)
        found.append(ScoredText(prompt.text, tuple(ScoredToken(n, s, e, float(v)) for n, s, e, v in tokens)))
    return found
