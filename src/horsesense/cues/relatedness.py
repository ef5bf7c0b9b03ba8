"""Relatedness of options to their question by encoders of texts, computed once per probe and stored in the cache."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from horsesense.core import BLANK, Item
from horsesense.core.document import Document
from horsesense.cues.battery import Number
from horsesense.cues.table import Table, apart
from horsesense.cues.tokens import Floats
from horsesense.data import cache_folder
from horsesense.data.store import Store
from horsesense.lexicons.vectors import GLOVE, Vectors, open_vectors
from horsesense.lexicons.words import words
from horsesense.models.locate import BUNDLED, bundled_folder
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats.accuracy import accuracy, chance, credits
from horsesense.stats.intervals import Estimate
from horsesense.stats.resampling import Names

Cosines = Sequence[tuple[float, ...]]
"""One cosine per option for each item; nan if undefined."""
SMOOTHING = 1e-3
"""Parameter of the frequency weighting of words: Arora, Liang and Ma (2017)."""
COMMON = 20_000
"""Number of frequent words whose mean vector is the common component of all texts."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """Text encoder."""

    name: str
    """Short name for columns and files: ``glove``."""
    about: str
    """Description: "word vectors (GloVe)"."""
    content: str
    """SHA-256 of the vectors' source."""
    encode: Callable[[Sequence[str]], Floats]
    """Function that returns one vector per text; zeros for a text without one."""

    @property
    def pick(self) -> str:
        """Answering rule."""
        return f"the option nearest to the question by {self.about}"


@dataclass(frozen=True, slots=True)
class Relatedness(Document):
    """Accuracy of picking the option nearest to the question."""

    encoder: str
    """Name of the encoder."""
    accuracy: Estimate
    """Share of items whose correct option is the nearest one."""
    coverage: float
    """Share of items whose options have different vectors."""


def cosines(items: Sequence[Item], encoder: Encoder) -> list[tuple[float, ...]]:
    """Return the cosine of the question and each option; nan for labels, and where a text has no vector.

    Sentences are split into the shared text, which is the question, and the differing text.

    >>> same = Encoder("first", "first letters", "", lambda texts: np.array([[t[:1] == "a", t[:1] != "a"]
    ...     for t in texts], dtype=np.float64))
    >>> item = Item(probe="p", form="choice", text="an apple is an", options=("air plane", "fruit"), answer=1)
    >>> cosines([item], same)
    [(1.0, 0.0)]
    """
    texts: dict[str, int] = {}
    rows: list[tuple[int, list[int]]] = []
    for item in items:
        if item.form == "pair":
            rows.append((-1, []))
            continue
        options, context = apart(item)
        question = " ".join(context.replace(BLANK, " ").split())
        indices = [texts.setdefault(option, len(texts)) for option in options]
        rows.append((texts.setdefault(question, len(texts)), indices))
    vectors = np.asarray(encoder.encode(list(texts)), dtype=np.float64)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True) if len(texts) else np.zeros((0, 1))
    units = np.divide(vectors, norms, out=np.full_like(vectors, np.nan), where=norms > 0)
    rows_of_cosines = []
    for item, (asked, indices) in zip(items, rows, strict=True):
        if asked < 0:
            rows_of_cosines.append(tuple(float("nan") for _ in item.options))
        else:
            # Rounded, so that ties do not depend on the order of summation.
            rows_of_cosines.append(tuple((units[indices] @ units[asked]).round(6).tolist()))
    return rows_of_cosines


def word_vector_encoder(vectors: Vectors, frequency: Callable[[str], float], content: str) -> Encoder:
    """Encode a text as the weighted mean of its word vectors minus the common component; rare words weigh more.

    Without weighting and subtraction a mean is dominated by function words, and reflects the topic far less.
    """
    common = vectors.table[:COMMON].mean(axis=0, dtype=np.float64)

    def encode(texts: Sequence[str]) -> Floats:
        weights: dict[str, float] = {}
        table = np.zeros((len(texts), vectors.dimensions))
        for row, text in enumerate(texts):
            for word in words(text):
                vector = vectors.of(word)
                if vector is not None:
                    if word not in weights:
                        weights[word] = SMOOTHING / (SMOOTHING + frequency(word))
                    table[row] += weights[word] * (vector - common)
        return table

    return Encoder("glove", "word vectors (GloVe)", content, encode)


def picked(cosine: Cosines) -> list[tuple[float, ...]]:
    """Return the shares of the nearest options: 1, 1/k if k tie, and chance if none has a vector.

    >>> picked([(0.2, 0.9), (float("nan"), float("nan"))])
    [(0.0, 1.0), (0.5, 0.5)]
    """
    picks = []
    for row in cosine:
        values = np.nan_to_num(np.array(row), nan=-np.inf)
        best = values == values.max() if np.isfinite(values).sum() > 1 else np.ones(len(values), dtype=bool)
        picks.append(tuple((best / best.sum()).tolist()))
    return picks


def relatedness_cue(encoder: Encoder, items: Sequence[Item], cosine: Cosines) -> Number:
    """Convert cosines to a cue of the battery."""
    by_item: Mapping[str, tuple[float, ...]] = {item.id: row for item, row in zip(items, cosine, strict=True)}

    def compute(table: Table) -> Floats:
        return np.array([value for item in table.items for value in by_item[item.id]], dtype=np.float64)

    return Number(
        f"relatedness by {encoder.name}",
        f"cosine of question and option by {encoder.about}",
        encoder.pick.removeprefix("the option "),
        f"farthest from the question by {encoder.about}",
        compute,
    )


def relatedness(encoder: Encoder, items: Sequence[Item], cosine: Cosines, clusters: Names) -> Relatedness | None:
    """Estimate the accuracy of the nearest option; None if no item has a key."""
    judged = [i for i, item in enumerate(items) if item.answer is not None and len(item.options) > 1]
    if not judged:
        return None
    shares = picked([cosine[i] for i in judged])
    earned = credits(shares, [items[i].answer for i in judged])
    names = np.asarray(clusters)[judged]
    guess = chance([len(items[i].options) for i in judged])
    covered = np.mean([max(row) > 1 / len(row) for row in shares])
    return Relatedness(encoder.about, accuracy(earned.values, names, guess), float(covered))


SENTENCES = "minilm"
MOST_ENCODED = 4_000
"""Items of a probe that sentence vectors are computed for: about a minute on a CPU."""
VERSION = 1
"""Of how cosines are computed: it is part of the name of a stored file."""
NOT_CONTROLLED = "relatedness was not controlled: word vectors are not here (horsesense fetch glove minilm)"

Related = dict[str, tuple[Encoder, list[tuple[float, ...]]]]
"""By encoder, the cosines of each item's options."""


def encoders(progress: Progress = NO_PROGRESS) -> list[Encoder]:
    """Return the encoders that are on this machine; nothing is loaded before it is used."""
    available = []
    if any(cache_folder("glove").glob("*.npy")):
        available.append(_glove())
    if (bundled_folder(SENTENCES) / "config.json").is_file() and _installed("torch") and _installed("transformers"):
        available.append(_sentences(progress))
    return available


def _installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def _glove() -> Encoder:
    loaded: list[Encoder] = []

    def encode(texts: Sequence[str]) -> Floats:
        from wordfreq import word_frequency  # not to be imported where all cosines are stored

        if not loaded:
            loaded.append(word_vector_encoder(open_vectors("glove"), lambda w: word_frequency(w, "en"), GLOVE.sha256))
        return loaded[0].encode(texts)

    return Encoder("glove", "word vectors (GloVe)", GLOVE.sha256, encode)


def _sentences(progress: Progress) -> Encoder:
    def encode(texts: Sequence[str]) -> Floats:
        from horsesense.models.hf.sentence_vectors import sentence_vectors

        vectors: Floats = sentence_vectors(SENTENCES, texts, progress)
        return vectors

    return Encoder(SENTENCES, "sentence vectors (MiniLM)", BUNDLED[SENTENCES].sha256, encode)


def related(items: Sequence[Item], progress: Progress = NO_PROGRESS, known: Sequence[Encoder] | None = None) -> Related:
    """Return the cosines of each item's options by every encoder that was fetched, cached ones where there are any."""
    by_encoder: Related = {}
    for encoder in encoders(progress) if known is None else known:
        by_encoder[encoder.name] = (encoder, _stored(items, encoder))
    return by_encoder


def _stored(items: Sequence[Item], encoder: Encoder) -> list[tuple[float, ...]]:
    """The file is named by the items in their order and by the encoder; one that is damaged is computed again."""
    content = hashlib.sha256("\n".join(item.id for item in items).encode()).hexdigest()
    path = cache_folder("relatedness", f"{VERSION}-{encoder.name}-{encoder.content[:8]}-{content[:24]}.npy")

    def compute(temporary: Path) -> None:
        flat = [value for row in cosines(items, encoder) for value in row]
        with temporary.open("wb") as out:
            np.save(out, np.array(flat, dtype=np.float64))

    values = np.load(Store(path.parent).compute(path, compute), allow_pickle=False).tolist()
    sizes = [len(item.options) for item in items]
    ends = np.cumsum(sizes).tolist()
    return [tuple(values[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
