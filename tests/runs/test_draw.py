"""Drawing whole families by seed, and shards that a larger draw has too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from horsesense.core import Card, Item, Probe
from horsesense.models.hf.batches import score_questions
from horsesense.models.hf.encoding import FramedPrompt
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import Values
from horsesense.progress import Progress
from horsesense.runs.ask_models import ask_models
from horsesense.runs.shards import SAMPLE, TokenCounts, benchmark_sample, calibrate_shard_size, cut, draw, ranks_of
from horsesense.runs.tasks import Settings


def make(sizes: list[int]) -> list[Item]:
    return [
        Item(probe="p", form="choice", text=f"{family} {n}", options=("a", "b"), family=str(family))
        for family, size in enumerate(sizes)
        for n in range(size)
    ]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=20), st.integers(1, 40), st.integers(0, 40), st.integers(0, 5))
def test_a_larger_limit_draws_what_a_smaller_one_draws(sizes: list[int], limit: int, more: int, seed: int) -> None:
    items = make(sizes)
    drawn = draw(items, limit, seed)
    counts = Counter(item.family for item in drawn)
    assert all(count == sizes[int(family)] for family, count in counts.items())
    assert drawn
    assert len(drawn) <= limit or len(counts) == 1
    assert {item.id for item in drawn} <= {item.id for item in draw(items, limit + more, seed)}
    ranks = ranks_of(items, seed)
    assert sorted(ranks[item.id] for item in drawn) == list(range(len(drawn)))


def weights_of(items: Sequence[Item], longest: list[int], cost: int) -> TokenCounts:
    return TokenCounts([item.id for item in items], np.array(longest), np.full(len(items), cost))


def shards_of(items: Sequence[Item], whole: Sequence[Item]) -> list[frozenset[str]]:
    weights = weights_of(items, [len(item.text) + len(item.id[:2]) % 3 for item in items], 7)
    return [frozenset(items[place].id for place in shard) for shard in cut(weights, 100, ranks_of(whole, 3))]


def test_most_shards_of_a_small_draw_are_shards_of_the_whole() -> None:
    whole = make([1, 2, 3] * 170)
    for limit in (64, 130, 300, 700):
        drawn = draw(whole, limit, 3)
        small, large = shards_of(drawn, whole), shards_of(whole, whole)
        assert sorted(i for shard in small for i in shard) == sorted(item.id for item in drawn)
        again = sum(len(shard) for shard in small if shard in large)
        assert again >= len(drawn) / 2 - 64  # what lies in whole blocks


def test_a_slow_model_gets_smaller_shards_and_a_quick_one_the_usual() -> None:
    items = make([1] * 400)
    weights = weights_of(items, [5] * 400, 10)
    chosen = benchmark_sample(weights, SAMPLE)
    assert len(chosen) == 26  # of 10 tokens each
    assert {items[place].id for place in chosen} <= set(sorted(item.id for item in items)[200:])
    assert calibrate_shard_size(16_384, 260 / 500, 260) == 16_384  # half a minute
    assert calibrate_shard_size(16_384, 260 / 50, 260) == 2_048  # 41 s instead of five minutes and a half
    assert not benchmark_sample(weights_of(items[:5], [5] * 5, 10), SAMPLE)  # a short run is not measured


def test_the_order_of_the_file_does_not_matter_and_the_seed_does() -> None:
    items = make([2] * 50)
    one = {item.id for item in draw(items, 20, seed=1)}
    assert one == {item.id for item in draw(items[::-1], 20, seed=1)}
    assert one != {item.id for item in draw(items, 20, seed=2)}


class Stopping(Progress):
    """Presses Ctrl-C when so many tokens are done, and listens."""

    def __init__(self, after: int) -> None:
        self.after, self.heard = after, list[str]()

    def log(self, text: str) -> None:
        self.heard.append(text)

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if done > self.after:
            raise KeyboardInterrupt


def test_a_larger_draw_computes_only_what_is_new_and_a_stopped_one_says_what_it_keeps(
    tiny_folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    model, probe = str(tiny_folders["gpt2"]), Probe.of(make([2] * 150), Card(name="p"))
    settings = Settings(shard=400, budget=200, device="cpu")
    ask_models([model], {"p": probe}, tmp_path / "small", replace(settings, limit=160))
    computed: list[int] = []

    def counting(model: LanguageModel, questions: Sequence[FramedPrompt], *more: object) -> list[Values]:
        computed.append(len(questions))
        return score_questions(model, questions, *more)  # type: ignore[arg-type]

    monkeypatch.setattr("horsesense.models.hf.batches.score_questions", counting)
    stopping = Stopping(after=3_000)
    with pytest.raises(KeyboardInterrupt):
        ask_models([model], {"p": probe}, tmp_path / "large", settings, stopping)
    there = sum(parquet.read_metadata(path).num_rows for path in (tmp_path / "large" / "answers").iterdir())
    assert 0 < there < 300
    assert any(f"{there} of 300 items are stored" in line for line in stopping.heard)
    ask_models([model], {"p": probe}, tmp_path / "large", settings)
    assert 2 * (300 - 160) <= sum(computed) <= 2 * (300 - 128) + 150  # and what was stopped in the middle of a shard
    small = {path.read_bytes() for path in (tmp_path / "small" / "answers").iterdir()}
    large = {path.read_bytes() for path in (tmp_path / "large" / "answers").iterdir()}
    assert len(small & large) >= 128 * len(small) // 160 - 1
