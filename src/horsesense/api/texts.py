"""What a model makes of texts in hand: scores, words for a blank, the words that a prediction rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from horsesense.api.frames import Frame, columns_of
from horsesense.api.models import load_model
from horsesense.core import Fill, ScoringSpec
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, translate_errors

if TYPE_CHECKING:
    from horsesense.models.protocol import Model
    from horsesense.scoring.clue_words import ExplanationOverNames
    from horsesense.scoring.evidence import ScoreDocument
    from horsesense.scoring.fill import FillDocument
    from horsesense.scoring.saliency import Method, ModelSaliency
    from horsesense.scoring.texts import ScoredText


@dataclass(frozen=True)
class Scores:
    """Texts with the log-probability of each of their tokens, in the order they were given."""

    model: str
    """Who was asked."""
    texts: tuple[ScoredText, ...]
    """Each with its tokens, their sum and their mean."""
    spec: ScoringSpec
    """What a score means."""
    around: str
    """The tokens around each text, in words."""
    against: ScoredText | None = None
    """The text that the others are set against."""

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, place: int) -> ScoredText:
        return self.texts[place]

    def __iter__(self) -> Iterator[ScoredText]:
        return iter(self.texts)

    def tokens(self) -> Frame:
        """One row a token: its text, its string, its offsets, its log-probability."""
        rows = [
            {"text": text.text, "token": token.token, "start": token.start, "end": token.end, "logprob": token.logprob}
            for text in self.texts
            for token in text.tokens
        ]
        return Frame(columns_of(rows), f"tokens scored by {self.model}")

    def frame(self) -> Frame:
        """One row a text: tokens, sum and mean."""
        rows = [
            {"text": text.text, "tokens": len(text.tokens), "sum": text.sum, "mean": text.mean} for text in self.texts
        ]
        return Frame(columns_of(rows), f"texts scored by {self.model}")

    def document(self) -> ScoreDocument:
        """All that is known of them as plain data; with a text to set them against, what each place says for them."""
        from horsesense.scoring.evidence import ScoreDocument, text_evidence

        other = self.against
        return ScoreDocument(
            model=self.model,
            spec={**self.spec.to_dict(), "frame": self.around},
            texts=self.texts,
            against=other,
            evidence=tuple(text_evidence(text, other) for text in self.texts) if other else None,
        )

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.document().to_json()

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@translate_errors()
def score(
    model: str | Path | Model,
    texts: str | Sequence[str],
    *,
    against: str | None = None,
    spec: str | ScoringSpec = "default",
) -> Scores:
    """Every token of texts with its log-probability, always exact.

    Args:
        model: A name, a folder, or what `load_model` gave.
        texts: One text or several.
        against: Another text: what speaks for each of the others against it, place by place.
        spec: What a score means: a preset (``"paper:cats"``), ``"field=value"`` by commas, or a `ScoringSpec`.

    Returns:
        The texts in their order, each with its tokens, their sum and mean.
    """
    given = [texts] if isinstance(texts, str) else list(texts)
    wanted = [*given, *([] if against is None else [against])]
    check_texts(wanted)
    from horsesense.scoring.texts import score_texts

    meaning, loaded = _exact(spec), _loaded(model)
    scored = tuple(score_texts(loaded, wanted, meaning))
    texts_alone, other = (scored, None) if against is None else (scored[:-1], scored[-1])
    return Scores(loaded.name, texts_alone, meaning, describe_frame(loaded, meaning), other)


@translate_errors()
def texts_in(file: str | Path | BinaryIO) -> list[str]:
    """The texts of a file, or of an open stream such as standard input: one a line, empty lines passed over.

    Args:
        file: UTF-8; a path or something to read bytes from.

    Returns:
        The texts in their order; a file without any is an error.
    """
    from horsesense.data import read_text

    if isinstance(file, str | Path):
        where, content = str(file), read_text(Path(file))
    else:
        where = "standard input"
        try:
            content = file.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UserError("this is not UTF-8", file=where, fix="check the encoding of what is piped") from error
    texts = [line.rstrip("\r") for line in content.split("\n") if line.strip()]
    if not texts:
        raise UserError("there is no text", file=where, fix="write one text a line")
    return texts


def check_texts(texts: Sequence[str]) -> None:
    """Texts that no model could score are refused."""
    for text in texts:
        if not text.strip():
            raise UserError("a text is empty", fix="give one with words")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise UserError(f"the text {text!r} is not UTF-8", fix="check the encoding of the terminal or script")


@dataclass(frozen=True)
class Fills:
    """The words that a model itself puts into blanks."""

    model: str
    """Who was asked."""
    prompts: tuple[str, ...]
    """Texts with one blank each."""
    words: tuple[tuple[Fill, ...], ...]
    """For each prompt its words, the most probable first."""
    spec: ScoringSpec
    """What a score means."""
    around: str
    """The tokens around each text, in words."""

    def frame(self) -> Frame:
        """One row a word: its prompt, rank and log-probability."""
        rows = [
            {"prompt": word.prompt, "rank": word.rank, "word": word.word, "logprob": word.logprob}
            for words in self.words
            for word in words
        ]
        return Frame(columns_of(rows), f"words that {self.model} puts into blanks")

    def document(self) -> FillDocument:
        """All of them, prompt by prompt, as plain data."""
        from horsesense.scoring.fill import FillDocument

        every = tuple(word for words in self.words for word in words)
        return FillDocument(self.model, {**self.spec.to_dict(), "frame": self.around}, every)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return self.document().to_json()

    def _repr_html_(self) -> str:
        return self.frame()._repr_html_()


@translate_errors()
def fill(
    model: str | Path | Model,
    prompts: str | Sequence[str],
    *,
    top: int = 10,
    spec: str | ScoringSpec = "default",
) -> Fills:
    """The most probable single tokens for the blank of each prompt, sub-word pieces included.

    Args:
        model: A name, a folder, or what `load_model` gave. Where words follow the blank, one that reads from left to
            right tries its best next tokens there, and ranks them by how likely the whole is.
        prompts: One text or several, with one blank ``___`` each.
        top: How many words a blank.
        spec: What a score means.

    Returns:
        The words of each prompt, best first.
    """
    from horsesense.scoring.fill import fill as fill_blanks

    given = [prompts] if isinstance(prompts, str) else list(prompts)
    meaning, loaded = _exact(spec), _loaded(model)
    filled = fill_blanks(loaded, given, top, meaning)
    return Fills(loaded.name, tuple(given), tuple(map(tuple, filled)), meaning, describe_frame(loaded, meaning))


@translate_errors()
def saliency(
    model: str | Path | Model,
    text: str,
    *,
    method: Method = "integrated",
    steps: int = 50,
    draws: int = 5,
    arguments: str = "",
    seed: int = 0,
    spec: str | ScoringSpec = "default",
) -> ModelSaliency | ExplanationOverNames:
    """Which words a prediction rests on; with slots, which do under most draws of names.

    Args:
        model: A name, a folder, or what `load_model` gave.
        text: With the stretch to explain in brackets: ``"Ice is [cold]."``; ``{A}`` is a name that is drawn.
        method: How gradients become values: gradient, smoothgrad or integrated.
        steps: Steps of integration, or draws of noise.
        draws: Draws of names, where the text has slots.
        arguments: The words that carry the knowledge: ``"glass, stone"``.
        seed: Of the noise and of the names.
        spec: What a score means.

    Returns:
        Each word with its value; over names, the words that most draws agree on.
    """
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.load import refuse_served
    from horsesense.scoring.clue_words import ExplanationOverNames, clues_of, draw_names, parse_marked

    marked = parse_marked(text)
    meaning, loaded = _exact(spec), _loaded(model)
    refuse_served(loaded, "gradients need the weights")
    assert isinstance(loaded, LanguageModel)
    if not marked.slots:
        return marked.explained(loaded, meaning, method, steps, seed).of_model(loaded.name, meaning)
    names = draw_names(marked.slots, draws, seed)
    drawn = [marked.named(each).explained(loaded, meaning, method, steps, seed) for each in names]
    voted = clues_of(drawn, names, arguments)
    return ExplanationOverNames(
        model=loaded.name,
        spec=meaning.to_dict(),
        seed=seed,
        drawn=tuple(drawn),
        clues=voted.clues,
        draws=voted.draws,
        stability=voted.stability,
        arguments=voted.arguments,
    )


def describe_frame(model: Model, spec: ScoringSpec) -> str:
    """The tokens that stand around a text which the model scores."""
    return model.describe_frame(spec)


def _exact(spec: str | ScoringSpec) -> ScoringSpec:
    return replace(parse_spec(spec) if isinstance(spec, str) else spec, exact=True)


def _loaded(model: str | Path | Model) -> Model:
    return load_model(model) if isinstance(model, str | Path) else model
