"""Texts of the user: score their tokens, fill their blanks, attribute a prediction to their words."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

from annotated_types import Ge, Interval

from horsesense.core import Fill, ScoringSpec
from horsesense.core.catalogue import PathLike
from horsesense.core.document import Frame, TableDocument, columns_of
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, argument, translate_errors
from horsesense.models.locate import LoadSettings
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.fill import fill_blanks
from horsesense.scoring.texts import ScoredText, TextEvidence, score_texts, text_evidence

if TYPE_CHECKING:
    from horsesense.models.protocol import Model
    from horsesense.scoring.clue_words import ExplanationOverNames
    from horsesense.scoring.saliency import ModelSaliency

Method = Literal["gradient", "smoothgrad", "integrated"]


@dataclass(frozen=True)
class Scores(TableDocument):
    """Texts as a model scores them, in the order they were given."""

    model: str
    """Name of the model."""
    spec: Mapping[str, str | int | float | bool]
    """Scoring spec, and the special tokens around each text."""
    texts: tuple[ScoredText, ...]
    """Each text, token by token."""
    against: ScoredText | None = None
    """The text that the others are compared with."""
    evidence: tuple[TextEvidence, ...] | None = None
    """One per text, if there is one to compare it with."""
    out: Path | None = None
    """The table, if it was written."""

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> ScoredText:
        return self.texts[index]

    def __iter__(self) -> Iterator[ScoredText]:
        return iter(self.texts)

    def tokens(self) -> Frame:
        """Return one row per token: its text, its string, its offsets, its log-probability."""
        rows = [
            {"text": text.text, "token": token.token, "start": token.start, "end": token.end, "logprob": token.logprob}
            for text in self.texts
            for token in text.tokens
        ]
        return Frame(columns_of(rows), f"tokens scored by {self.model}")

    def frame(self) -> Frame:
        """Return one row per text: tokens, sum and mean."""
        rows = [
            {"text": text.text, "tokens": len(text.tokens), "sum": text.sum, "mean": text.mean} for text in self.texts
        ]
        return Frame(columns_of(rows), f"texts scored by {self.model}")


@translate_errors()
def score(
    model: str | Path | Model,
    texts: str | Sequence[str] = (),
    /,
    *,
    file: PathLike | None = None,
    against: str | None = None,
    out: PathLike | None = None,
    tokens: bool = False,
    spec: str | ScoringSpec = "default",
    loading: LoadSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Scores:
    """Print the log-probability (natural logarithm) of every token of a text.

    Args:
        model: Name, folder or GGUF file of a model, or a Hugging Face name. In Python, also a loaded model.
        texts: Text to score. By default, standard input, one text per line.
        file: File of texts to score, one per line.
        against: Text to compare each of the others with, token by token.
        out: Table to write, with one row per text: .csv, .jsonl or .parquet.
        tokens: Write one row per token.
        spec: Scoring spec.
        loading: How the model is loaded.
        progress: Progress callback.

    Returns:
        The texts in their order, each with its tokens, their sum and mean.
    """
    meaning = _exact(spec)
    if tokens and out is None:
        raise UserError(f"{argument('tokens')} is for {argument('out')}", fix=f"add {argument('out', 'FILE')}")
    inputs = _given(texts, file)
    all_texts = [*inputs, *([] if against is None else [against])]
    check_texts(all_texts)
    loaded = _loaded(model, meaning, loading, progress)
    scored = tuple(score_texts(loaded, all_texts, meaning))
    if against is None:
        scores = Scores(loaded.name, _described(loaded, meaning), scored)
    else:
        *alone, other = scored
        evidence = tuple(text_evidence(text, other) for text in alone)
        scores = Scores(loaded.name, _described(loaded, meaning), tuple(alone), other, evidence)
    if out is None:
        return scores
    return replace(scores, out=(scores.tokens() if tokens else scores.frame()).write(out))


def _given(texts: str | Sequence[str], file: PathLike | None) -> list[str]:
    """The texts of the call, of a file, or of standard input."""
    if texts and file is not None:
        raise UserError("there are texts in the call and a file", fix="choose one of the two")
    if texts:
        return [texts] if isinstance(texts, str) else list(texts)
    if file is None and sys.stdin.isatty():
        fix = f"name one, add {argument('file', 'FILE')}, or pipe texts in, one per line"
        raise UserError("there is no text to score", fix=fix)
    return read_texts(file if file is not None else sys.stdin.buffer)


def read_texts(file: PathLike | BinaryIO) -> list[str]:
    """Read texts from a file or an open stream: one per line, without empty lines."""
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
        raise UserError("there is no text", file=where, fix="write one text per line")
    return texts


def check_texts(texts: Sequence[str]) -> None:
    """Texts that no model could score are refused."""
    for text in texts:
        if not text.strip():
            raise UserError("a text is empty", fix="give one with words")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise UserError(f"the text {text!r} is not UTF-8", fix="check the encoding of the terminal or script")


@dataclass(frozen=True)
class Fills(TableDocument):
    """The words that a model puts into blanks."""

    model: str
    """Name of the model."""
    spec: Mapping[str, str | int | float | bool]
    """Scoring spec, and the special tokens around each text."""
    fills: tuple[Fill, ...]
    """For each prompt in turn, its words, best first."""

    def frame(self) -> Frame:
        """Return one row per word: its prompt, rank and log-probability."""
        rows = [{"prompt": f.prompt, "rank": f.rank, "word": f.word, "logprob": f.logprob} for f in self.fills]
        return Frame(columns_of(rows), f"words that {self.model} puts into blanks")


@translate_errors()
def fill(
    model: str | Path | Model,
    prompts: str | Sequence[str],
    *,
    top: Annotated[int, Ge(1)] = 10,
    spec: str | ScoringSpec = "default",
    loading: LoadSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Fills:
    """Print the most probable tokens for the blank of each prompt.

    Where words follow the blank, a causal model ranks its best next tokens by the probability of the whole text.

    Args:
        model: Name, folder or GGUF file of a model, or a Hugging Face name. In Python, also a loaded model.
        prompts: Text with one blank ``___``.
        top: Number of tokens per blank.
        spec: Scoring spec.
        loading: How the model is loaded.
        progress: Progress callback.

    Returns:
        The words of each prompt, best first.
    """
    inputs = [prompts] if isinstance(prompts, str) else list(prompts)
    meaning = _exact(spec)
    loaded = _loaded(model, meaning, loading, progress)
    filled = fill_blanks(loaded, inputs, top, meaning)
    return Fills(loaded.name, _described(loaded, meaning), tuple(word for words in filled for word in words))


@translate_errors()
def saliency(
    model: str | Path | Model,
    text: str,
    *,
    method: Method = "integrated",
    steps: Annotated[int, Interval(ge=1, le=2000)] = 50,
    draws: Annotated[int, Interval(ge=2, le=1000)] = 5,
    arguments: str = "",
    seed: int = 0,
    spec: str | ScoringSpec = "default",
    loading: LoadSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> ModelSaliency | ExplanationOverNames:
    """Attribute a prediction to the words of the text, by gradients.

    Args:
        model: Name or folder of a model, or a Hugging Face name. In Python, also a loaded model.
        text: Text with the words to explain in brackets: ``Ice is [cold].``; ``{A}`` stands for a random name.
        method: Attribution method.
        steps: Number of integration steps or noise samples.
        draws: Number of draws of names, if the text has slots such as {A}.
        arguments: Words that the answer should depend on ('glass, stone'), to be counted among the words with the
            highest attribution; for texts with slots.
        seed: Random seed of the noise and the names.
        spec: Scoring spec.
        loading: How the model is loaded.
        progress: Progress callback.

    Returns:
        Each word with its value; over names, the words that most draws agree on.
    """
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.load import refuse_served
    from horsesense.scoring.clue_words import ExplanationOverNames, clues_of, draw_names, parse_marked

    marked = parse_marked(text)
    meaning = _exact(spec)
    loaded = _loaded(model, meaning, loading, progress)
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


def _described(model: Model, spec: ScoringSpec) -> dict[str, str | int | float | bool]:
    """Return the scoring spec with the special tokens around each text."""
    return {**spec.to_dict(), "frame": model.describe_frame(spec)}


def _exact(spec: str | ScoringSpec) -> ScoringSpec:
    """The spec of texts in hand: no text sees another, and there are no questions to try ``auto`` on."""
    meaning = parse_spec(spec)
    if meaning.dtype == "auto":
        problem = f"{argument('dtype', 'auto')} is tried on the questions of a probe"
        raise UserError(problem, fix="name float32, bfloat16 or float16")
    return replace(meaning, exact=True)


def _loaded(model: str | Path | Model, spec: ScoringSpec, loading: LoadSettings | None, progress: Progress) -> Model:
    if isinstance(model, str | Path):
        from horsesense.models.load import load_model

        how = loading or LoadSettings()
        loaded = load_model(
            model, model_type=how.model_type, device=how.device, dtype=spec.dtype, allow_pickle=how.allow_pickle
        )
        notes = ", ".join(loaded.notes)
        progress.log(
            f"{loaded.name}: {loaded.describe()['family']}, {notes}, special tokens {loaded.describe_frame(spec)}"
        )
        return loaded
    return model
