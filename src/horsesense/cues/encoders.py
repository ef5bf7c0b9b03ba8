"""Relatedness of a probe by the encoders at hand, computed once per probe and encoder and stored in the cache.

GloVe comes by `horsesense fetch glove` and needs nothing else; the sentence encoder by `horsesense fetch minilm` and
needs torch. What is not here is left out, and `NOT_CONTROLLED` is what a document says where nothing is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from horsesense.core import Item
from horsesense.cues.relatedness import Encoder, cosines, word_vector_encoder
from horsesense.cues.tokens import Floats
from horsesense.data import cache_folder, writing
from horsesense.lexicons.vectors import GLOVE, open_vectors
from horsesense.models.bundled import BUNDLED, bundled_folder
from horsesense.progress import NO_PROGRESS, Progress

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
    found = []
    if any(cache_folder("glove").glob("*.npy")):
        found.append(_glove())
    if (bundled_folder(SENTENCES) / "config.json").is_file() and _installed("torch") and _installed("transformers"):
        found.append(_sentences(progress))
    return found


def _installed(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def _glove() -> Encoder:
    from wordfreq import word_frequency

    loaded: list[Encoder] = []

    def encode(texts: Sequence[str]) -> Floats:
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
    """Return the cosines of each item's options by every encoder at hand, from the cache where they are stored."""
    found: Related = {}
    for encoder in encoders(progress) if known is None else known:
        found[encoder.name] = (encoder, _stored(items, encoder))
    return found


def _stored(items: Sequence[Item], encoder: Encoder) -> list[tuple[float, ...]]:
    """The file is named by the items in their order and by the encoder; one that is damaged is computed again."""
    content = hashlib.sha256("\n".join(item.id for item in items).encode()).hexdigest()
    path = cache_folder("relatedness", f"{VERSION}-{encoder.name}-{encoder.content[:8]}-{content[:24]}.npy")
    sizes = [len(item.options) for item in items]
    try:
        flat = np.load(path, allow_pickle=False)
        if flat.shape != (sum(sizes),) or flat.dtype.kind != "f":
            raise ValueError("of other items")
    except (OSError, ValueError, EOFError):
        computed = cosines(items, encoder)
        flat = np.array([value for row in computed for value in row], dtype=np.float64)
        with writing(path) as temporary, temporary.open("wb") as out:
            np.save(out, flat)
    ends = np.cumsum(sizes).tolist()
    values = flat.tolist()
    return [tuple(values[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
