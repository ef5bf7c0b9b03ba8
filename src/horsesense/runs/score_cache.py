"""The score cache: what one run has computed, another need not.

The key is the hash of the model's identity, the computing part of the spec, the tokens per batch, and the token ids and
scored positions of a question and of its whole shard. So it cannot go stale, a wrong name cannot hit, and cached scores
equal computed ones to the last bit: some CPUs round a row differently beside other rows. Each row ends in a checksum
over key and scores; a damaged row is computed again.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.device import threads_of
from horsesense.models.hf.encoding import FramedPrompt
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.rows import Question
from horsesense.models.protocol import Likelihood, Values

_CHECK = 8
"""Bytes of the checksum behind the scores of a row."""
_AT_ONCE = 500
"""Keys per query; SQLite limits the number of its parameters."""


def _check(key: bytes, scores: bytes) -> bytes:
    return hashlib.sha256(key + scores).digest()[:_CHECK]


def is_sound_row(key: bytes, value: bytes) -> bool:
    """Whether a row has the checksum that it was written with."""
    return value[-_CHECK:] == _check(key, value[:-_CHECK])


def count_rows(path: Path) -> tuple[int, int]:
    """Count the rows of a cache with a correct checksum, and those without: these are computed again."""
    sound = bad = 0
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
            for key, value in base.execute("SELECT key, value FROM scores"):
                sound, bad = (sound + 1, bad) if is_sound_row(key, value) else (sound, bad + 1)
    except sqlite3.Error as error:
        raise UserError(f"the cached scores are damaged ({error})", file=path, fix="remove the file") from error
    return sound, bad


class ScoreStore:
    """Log-probabilities by key, in one SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._base: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        except (sqlite3.Error, OSError):
            # A cache that cannot be used costs time, never a result.
            self._base = None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def find(self, keys: Sequence[bytes]) -> list[Values] | None:
        """Return the scores under all these keys, or None where any is missing."""
        if self._base is None:
            return None
        rows: dict[bytes, bytes] = {}
        distinct = list(dict.fromkeys(keys))
        try:
            for start in range(0, len(distinct), _AT_ONCE):
                part = distinct[start : start + _AT_ONCE]
                marks = ",".join("?" * len(part))
                rows |= dict(self._base.execute(f"SELECT key, value FROM scores WHERE key IN ({marks})", part))
                if len(rows) < start + len(part):
                    return None
        except sqlite3.Error:
            return None
        sound = {key: value[:-_CHECK] for key, value in rows.items() if is_sound_row(key, value)}
        if len(sound) < len(rows):
            return None
        return [np.frombuffer(sound[key], dtype=np.float32) for key in keys]

    def keep(self, keys: Sequence[bytes], values: Sequence[Values]) -> None:
        if self._base is None:
            return
        scores = [value.astype(np.float32).tobytes() for value in values]
        rows = [(key, score + _check(key, score)) for key, score in zip(keys, scores, strict=True)]
        try:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)
            self._base.execute("COMMIT")
        except sqlite3.Error:
            self._base = None


class ScoreCache:
    """Stored scores of one model under one spec, looked up and stored shard by shard."""

    def __init__(self, model: LanguageModel, spec: ScoringSpec, budget: int, store: ScoreStore) -> None:
        computing = {
            "model": model.identity or model.weights,
            "family": model.family.name,
            "dtype": model.dtype,
            "device": model.device.type,
            "pll": spec.pll,
            "read_offset": str(spec.read_offset),
            "seq2seq": spec.seq2seq,
            "exact": str(spec.exact),
            "budget": str(budget),
            "threads": str(threads_of(model.device)),
        }
        self._salt = json.dumps(computing, sort_keys=True).encode()
        self._store = store
        self.served = False
        """Whether the last shard was cached."""

    def likelihoods(self, prompts: Sequence[FramedPrompt]) -> list[Likelihood] | None:
        """Return the scores of a shard's prompts, or None where any is missing."""
        scores = self.find([prompt.question for prompt in prompts])
        self.served = scores is not None
        if scores is None:
            return None
        return [prompt.likelihood(values) for prompt, values in zip(prompts, scores, strict=True)]

    def remember(self, prompts: Sequence[FramedPrompt], scored: Sequence[Likelihood]) -> None:
        """Store the scores of a shard."""
        self.keep([prompt.question for prompt in prompts], [each.logprobs for each in scored])

    def find(self, questions: Sequence[Question]) -> list[Values] | None:
        """Return the scores of a shard's questions, or None where any is missing: a shard is computed whole."""
        return self._store.find(self._keys(questions))

    def keep(self, questions: Sequence[Question], values: Sequence[Values]) -> None:
        self._store.keep(self._keys(questions), values)

    def _keys(self, questions: Sequence[Question]) -> list[bytes]:
        """Return one key per question of a shard."""
        contents = [
            b"|".join(np.asarray(part, dtype=np.int64).tobytes() for part in (q.ids, q.asked, q.words, q.types))
            for q in questions
        ]
        shard = hashlib.sha256(self._salt)
        for content in contents:
            shard.update(hashlib.sha256(content).digest())
        return [hashlib.sha256(shard.digest() + content).digest() for content in contents]
