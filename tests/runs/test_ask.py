"""Runs: they resume, they repeat to the byte, they refuse what does not fit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from horsesense.core import Card, Item, Probe, ScoringSpec, write_probe
from horsesense.data.store import SUMS
from horsesense.errors import UserError
from horsesense.models.hf.rows import Question
from horsesense.progress import Progress
from horsesense.runs.ask_models import ask_models
from horsesense.runs.manifest import manifest_path, read_manifest
from horsesense.runs.probe_answers import read_run, result_of
from horsesense.runs.store import locked
from horsesense.runs.tasks import Settings
from horsesense.scoring.option_scores import answer_items
from tests.support import ROOT

NOUNS = [
    "kettle",
    "stone",
    "feather",
    "umbrella",
    "coat",
    "butter",
    "chocolate",
    "ice",
    "café",
    "child",
    "trail",
    "song",
]


def make_probe(families: int = 150) -> Probe:
    items = [
        Item(
            probe="probe",
            form="sentences",
            options=(
                f"The {NOUNS[n % 12]} number {n} melts in the sun.",
                f"The sun melts {n} in the {NOUNS[n % 7]}{'!' * (n % 3)}",
            ),
            answer=(n + role) % 2,
            family=f"f{n}",
            member="ab"[role],
            facets={"task": NOUNS[n % 12]},
        )
        for n in range(families)
        for role in (0, 1)
    ]
    return Probe.of(items, Card(name="probe"))


SETTINGS = Settings(shard=400, budget=200, cache=False, device="cpu")


class Listener(Progress):
    def __init__(self) -> None:
        self.heard: list[str] = []
        self.seen: list[tuple[str, int, int, str]] = []

    def log(self, text: str) -> None:
        self.heard.append(text)

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.seen.append((stage, done, total, unit))


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "answers").iterdir())}


def test_killed_twenty_times_it_ends_with_the_same_bytes(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe = make_probe()
    write_probe(tmp_path / "probe.jsonl", probe)
    model = str(tiny_folders["gpt2"])
    ask_models([model], {"probe": probe}, tmp_path / "whole", SETTINGS)
    command = [sys.executable, "-m", "tests.support.killed_run", model]
    command += [str(tmp_path / "probe.jsonl"), str(tmp_path / "killed"), "22", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    killed, at_work, before, after = map(int, done.stdout.split())
    assert killed >= 20
    assert at_work >= 5
    assert 0 < before < after, "the kills must have fallen into the work"
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def test_answers_are_those_of_the_engine(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """Sharding, Parquet and reading back change nothing."""
    from horsesense.models.hf.load import load_model

    probe, model = make_probe(20), str(tiny_folders["bert"])
    manifest = ask_models([model], {"probe": probe}, tmp_path / "run", SETTINGS)
    _, (answered,) = read_run(tmp_path / "run")
    kept = {answer.item: answer for answer in answered.answers}
    assert manifest.parts[0].shards > 3
    for answer in answer_items(load_model(model, device="cpu"), probe.items, ScoringSpec()):
        found = kept[answer.item]
        assert (found.starts, found.ends, found.flags) == (answer.starts, answer.ends, answer.flags)
        for one, other in zip(found.logprobs, answer.logprobs, strict=True):
            assert one == pytest.approx(other, abs=1e-5)


def test_a_finished_run_is_not_computed_again(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe, model = make_probe(5), str(tiny_folders["gpt2"])
    ask_models([model], {"probe": probe}, tmp_path, SETTINGS)
    before, listener = tables(tmp_path), Listener()
    ask_models([model], {"probe": probe}, tmp_path, SETTINGS, listener)
    assert not listener.seen
    assert listener.heard == [f"{model} on probe: all answers are stored already"]
    assert tables(tmp_path) == before


@pytest.mark.parametrize("cache", [False, True])
def test_whoever_watches_sees_what_is_kept_and_every_token_after_it(
    tiny_folders: dict[str, Path], tmp_path: Path, cache: bool
) -> None:
    probe, model = make_probe(20), str(tiny_folders["gpt2"])
    stage = f"{model} on probe"
    settings = replace(SETTINGS, cache=cache)
    first, second = Listener(), Listener()
    ask_models([model], {"probe": probe}, tmp_path, settings, first)
    (total,) = {total for _, _, total, _ in first.seen}
    assert first.heard[-1] == f"{stage}: {total:,} tokens to compute"
    assert first.seen[0] == (stage, 0, total, "tokens")
    assert first.seen[-1] == (stage, total, total, "tokens")
    sorted((tmp_path / "answers").iterdir())[-1].unlink()
    ask_models([model], {"probe": probe}, tmp_path, settings, second)
    kept = second.seen[0][1]
    assert 0 < kept < total
    assert f"{stage}: {total:,} tokens to compute, {kept:,} of them stored already" in second.heard
    assert (f"{stage}: {total - kept:,} tokens came from the cache" in second.heard) is cache
    assert second.seen[-1] == (stage, total, total, "tokens")


def test_the_cache_serves_another_run_with_the_same_numbers(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe, model = make_probe(10), str(tiny_folders["bert"])
    cached = replace(SETTINGS, cache=True)
    ask_models([model], {"probe": probe}, tmp_path / "one", cached)
    served, computed = Listener(), Listener()
    ask_models([model], {"probe": probe}, tmp_path / "two", cached, served)
    ask_models([model], {"probe": probe}, tmp_path / "bare", SETTINGS, computed)
    (_, _, total, _) = served.seen[-1]
    assert served.heard[-1] == f"{model} on probe: {total:,} tokens came from the cache"
    assert not any("cache" in each for each in computed.heard)
    assert tables(tmp_path / "one") == tables(tmp_path / "two") == tables(tmp_path / "bare")
    other = replace(cached, spec=ScoringSpec(pll="token"))
    ask_models([model], {"probe": probe}, tmp_path / "three", other)
    assert tables(tmp_path / "three") != tables(tmp_path / "one"), "another spec must not hit"


def test_a_question_is_served_as_its_own_shard_gave_it(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """Some processors round a row differently beside other rows, so what another shard gave is not served."""
    from horsesense.models.hf.load import load_model
    from horsesense.runs.score_cache import ScoreCache, ScoreStore

    here, there, elsewhere = (Question((1, 2, n), (2,), (0,)) for n in (3, 4, 5))
    first, second = (np.array([value], dtype=np.float32) for value in (0.25, 0.5))
    with ScoreStore(tmp_path / "kept") as store:
        cache = ScoreCache(load_model(str(tiny_folders["gpt2"]), device="cpu"), ScoringSpec(), 9, store)
        cache.keep([here, there], [first, first])
        cache.keep([here, elsewhere], [second, second])
        found = {len(shard): cache.find(shard) for shard in ([here], [here, there])}
        assert found[1] is None, "a question alone was never asked"
        assert found[2] is not None
        assert [value.tolist() for value in found[2]] == [[0.25], [0.25]]
        assert cache.find([there, here]) is None, "the order is the batch's"


def test_what_was_computed_in_other_batches_is_not_served(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    from horsesense.models.hf.load import load_model
    from horsesense.runs.score_cache import ScoreCache, ScoreStore

    model, question = load_model(str(tiny_folders["gpt2"]), device="cpu"), Question((1, 2, 3), (2,), (0,))
    with ScoreStore(tmp_path / "kept") as store:
        ScoreCache(model, ScoringSpec(), 4096, store).keep([question], [np.array([0.25], dtype=np.float32)])
        for budget, there in ((4096, True), (100, False)):
            assert (ScoreCache(model, ScoringSpec(), budget, store).find([question]) is not None) == there


def test_a_run_goes_on_with_the_threads_it_began_with(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """The order of sums, and with it last bits, depends on them."""
    probe, model, out = make_probe(20), str(tiny_folders["gpt2"]), tmp_path / "run"
    before, used = torch.get_num_threads(), list[int]()

    class Looking(Progress):
        def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
            used.append(torch.get_num_threads())

    try:
        torch.set_num_threads(2)
        ask_models([model], {"probe": probe}, out, SETTINGS)
        shards = sorted((out / "answers").iterdir())
        kept = [path.read_bytes() for path in shards]
        assert read_manifest(out).threads == 2
        shards[-1].unlink()
        torch.set_num_threads(1)
        ask_models([model], {"probe": probe}, out, SETTINGS, Looking())
        assert torch.get_num_threads() == 1, "the process has its own again"
        assert (2 in used, read_manifest(out).threads) == (True, 2)
        assert [path.read_bytes() for path in sorted((out / "answers").iterdir())] == kept
        ask_models([model], {"probe": probe}, tmp_path / "other", SETTINGS)
        assert read_manifest(tmp_path / "other").threads == 1
    finally:
        torch.set_num_threads(before)


def test_a_second_process_is_refused(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(UserError, match="another process"):
        ask_models([str(tiny_folders["gpt2"])], {"probe": make_probe(2)}, tmp_path, SETTINGS)


def test_other_settings_weights_or_items_are_refused(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(tiny_folders["gpt2"], model)
    out = tmp_path / "run"
    ask_models([str(model)], {"probe": make_probe(4)}, out, SETTINGS)
    with pytest.raises(UserError, match=r"spec\.bos 'auto', .* 'none'"):
        ask_models([str(model)], {"probe": make_probe(4)}, out, replace(SETTINGS, spec=ScoringSpec(bos="none")))
    with pytest.raises(UserError, match="another version of probe"):
        ask_models([str(model)], {"probe": make_probe(5)}, out, SETTINGS)
    shutil.copy(tiny_folders["llama"] / "model.safetensors", model / "model.safetensors")
    with pytest.raises(UserError, match="other weights"):
        ask_models([str(model)], {"probe": make_probe(4)}, out, SETTINGS)
    assert len(read_manifest(out).parts) == 1


@pytest.mark.parametrize("families", [2, 6])
def test_another_version_of_a_probe_is_refused_of_a_new_model_too(
    tiny_folders: dict[str, Path], tmp_path: Path, families: int
) -> None:
    """A part of the items, or more of them: the folder keeps a probe once, so the first answers would be lost."""
    first, second = str(tiny_folders["gpt2"]), str(tiny_folders["bert"])
    ask_models([first], {"probe": make_probe(4)}, tmp_path, SETTINGS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(UserError, match="another version of probe"):
        ask_models([second], {"new": make_probe(3), "probe": make_probe(families)}, tmp_path, SETTINGS)
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert after == before, "nothing is asked, not even the probe that would fit"
    ask_models([second], {"probe": make_probe(4)}, tmp_path, SETTINGS)
    assert [result_of(one).accuracy.n for one in read_run(tmp_path)[1]] == [8, 8]


def test_a_refused_call_leaves_nothing_behind(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    """A model that is not there, one that cannot answer, and a spec that does not fit the items."""
    broken = tmp_path / "broken"
    shutil.copytree(tiny_folders["gpt2"], broken)
    (broken / "config.json").write_text('{"model_type": "vit", "architectures": ["ViTModel"]}', encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    gpt2 = str(tiny_folders["gpt2"])
    for model, spec in ((str(tmp_path / "none"), None), (str(broken), None), (gpt2, ScoringSpec(baseline=True))):
        settings = replace(SETTINGS, spec=spec or SETTINGS.spec)
        with pytest.raises(UserError):
            ask_models([model], {"probe": make_probe(2)}, tmp_path / "runs" / "new", settings)
        assert sorted(tmp_path.rglob("*")) == before
    out = tmp_path / "begun"
    ask_models([gpt2], {"probe": make_probe(2)}, out, SETTINGS)
    kept = tables(out), (out / "manifest.json").read_bytes()
    with pytest.raises(UserError):
        ask_models([str(broken)], {"probe": make_probe(2)}, out, SETTINGS)
    assert (tables(out), (out / "manifest.json").read_bytes()) == kept, "a run that was there stays"


def test_models_and_probes_can_be_added_to_a_folder(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probes = {"one": make_probe(3), "two": make_probe(4)}
    models = [str(tiny_folders["gpt2"]), str(tiny_folders["bert"])]
    ask_models(models[:1], {"one": probes["one"]}, tmp_path, SETTINGS)
    before = tables(tmp_path)
    ask_models(models, probes, tmp_path, SETTINGS)
    assert before.items() <= tables(tmp_path).items()
    _, answered = read_run(tmp_path)
    assert [(a.part.model.name, a.part.probe.name) for a in answered] == [
        (models[0], "one"),
        (models[0], "two"),
        (models[1], "one"),
        (models[1], "two"),
    ]


def test_results_count_what_brute_force_counts(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe = make_probe(30)
    ask_models([str(tiny_folders["gpt2"])], {"probe": probe}, tmp_path, SETTINGS)
    _, (answered,) = read_run(tmp_path)
    right = 0
    for item, answer in zip(answered.items, answered.answers, strict=True):
        means = [sum(tokens) / len(tokens) for tokens in answer.logprobs]
        right += means.index(max(means)) == item.answer
    result = result_of(answered)
    assert result.accuracy.n == 60
    assert result.accuracy.clusters == 30
    assert result.accuracy.value == pytest.approx(right / 60)
    assert result.accuracy.chance == 0.5


def test_a_missing_shard_is_told(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    ask_models([str(tiny_folders["gpt2"])], {"probe": make_probe(20)}, tmp_path, SETTINGS)
    sorted((tmp_path / "answers").iterdir())[1].unlink()
    with pytest.raises(UserError, match="not finished"):
        read_run(tmp_path)


@pytest.mark.parametrize(("version", "told"), [(2, "older horsesense"), (99, "newer horsesense")])
def test_a_folder_of_another_version_is_refused(
    tiny_folders: dict[str, Path], tmp_path: Path, version: int, told: str
) -> None:
    ask_models([str(tiny_folders["gpt2"])], {"probe": make_probe(4)}, tmp_path, SETTINGS)
    path = manifest_path(tmp_path)
    path.write_text(path.read_text().replace('"format": 3', f'"format": {version}', 1))
    (tmp_path / SUMS).unlink()
    with pytest.raises(UserError, match=told):
        read_manifest(tmp_path)
