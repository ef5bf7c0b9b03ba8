"""Ray's workers give the bytes of this process, whatever happens to them. One cluster of two nodes serves all tests."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import horsesense as hs
from horsesense.core import ScoringSpec, write_probe
from horsesense.errors import UserError
from horsesense.progress import Progress
from horsesense.runs.ask_models import ask_models
from horsesense.runs.engine import EngineTask, Job, engine_named
from horsesense.runs.manifest import read_manifest
from horsesense.runs.ray import _CONNECT_TRIES, RayEngine
from horsesense.runs.score_cache import count_rows
from tests.runs.test_ask import SETTINGS, Listener, make_probe, tables
from tests.support import ROOT
from tests.support.deadly_model import install_deadly
from tests.support.tiny import save_tiny
from tests.training.test_taken_up_again import inoculation, kept, training

ray = pytest.importorskip("ray", reason="the extra ray is not installed")

pytestmark = [pytest.mark.enable_socket, pytest.mark.slow]

ENGINE = RayEngine(workers=2, threads=1)
PROBES = {"one": make_probe(40), "two": make_probe(12)}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two nodes on this machine; workers find the repository and the plug-in of the tests.

    Each says that it has two cores, so that beside the two workers that serve most tests others can be started: it is
    starting them that takes long.
    """
    from ray.cluster_utils import Cluster

    plugins = tmp_path_factory.mktemp("plugins")
    install_deadly(plugins)
    before, threads, path = dict(os.environ), torch.get_num_threads(), list(sys.path)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT), str(plugins)])
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_health_check_period_ms": "500"}
    os.environ |= {"RAY_health_check_failure_threshold": "2", "RAY_health_check_initial_delay_ms": "500"}
    sys.path.append(str(plugins))
    torch.set_num_threads(1)
    node = {"num_cpus": 2, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.second = cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False, configure_logging=False)
    yield cluster
    ENGINE.close()
    ray.shutdown()
    cluster.shutdown()
    torch.set_num_threads(threads)
    sys.path[:] = path
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(scope="module")
def models(tiny_folders: dict[str, Path]) -> list[str]:
    return [str(tiny_folders["gpt2"]), str(tiny_folders["bert"])]


@pytest.fixture(scope="module")
def here(cluster: Any, models: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    ask_models(models, PROBES, folder, SETTINGS)
    return folder


def test_models_and_probes_fill_one_pool_with_the_bytes_of_this_process(
    here: Path, models: list[str], tmp_path: Path
) -> None:
    ask_models(models, PROBES, tmp_path, SETTINGS, engine=ENGINE)
    assert tables(tmp_path) == tables(here)
    assert len(tables(here)) > 20
    one, other = (replace(read_manifest(folder), created="") for folder in (here, tmp_path))
    assert one == other
    listener = Listener()
    ask_models(models, PROBES, tmp_path, SETTINGS, listener, engine=ENGINE)
    assert not listener.seen, "what is kept is not asked again"


def test_scores_are_looked_up_and_kept_where_it_is_asked(
    cluster: Any, models: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, probes = replace(SETTINGS, cache=True), {"two": PROBES["two"]}
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "other"))
    ask_models(models[:1], probes, tmp_path / "alone", settings)
    monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
    for name, engine in (("first", ENGINE), ("here", engine_named("here")), ("ray", ENGINE)):
        listener = Listener()
        ask_models(models[:1], probes, tmp_path / name, settings, listener, engine=engine)
        assert tables(tmp_path / name) == tables(tmp_path / "alone")
        assert any("from the cache" in line for line in listener.heard) == (name != "first"), "both found all of it"
        rows, reference = (count_rows(tmp_path / cache / "scores.sqlite") for cache in ("cache", "other"))
        assert rows == reference
        assert rows[0] > 0


def test_examples_and_ways_cross_and_a_run_in_memory_is_the_same(cluster: Any, models: list[str]) -> None:
    spec = ScoringSpec(shots=1, shots_from="all", truncation="left")
    two = {"two": PROBES["two"]}
    one, other = (
        hs.ask(
            models[0], two, spec=spec, formats="loglikelihood", compute=hs.ComputeSettings(device="cpu", engine=engine)
        )
        for engine in ("here", ENGINE)
    )
    assert [each.answers for each in one.answered] == [each.answers for each in other.answered]


def test_a_profile_by_workers_says_what_it_says_here(cluster: Any, wide_gpt2: str) -> None:
    one, other = (
        hs.profile(wide_gpt2, abilities=["parts"], limit=4, compute=hs.ComputeSettings(device="cpu", engine=engine))
        for engine in ("here", ENGINE)
    )
    assert one.models[0].verdicts == other.models[0].verdicts
    cues, others = (repr(each.models[0].planted_cues) for each in (one, other))
    assert cues == others, "as text, because a share of no items is nan"
    assert one.models[0].mistakes == other.models[0].mistakes
    assert one.models[0].forecast is not None, "here it is foretold"


def test_a_worker_that_ends_once_costs_nothing_but_its_shard(here: Path, models: list[str], tmp_path: Path) -> None:
    listener = Listener()
    name = f"deadly:{models[0]}::{tmp_path / 'deaths'}:1"
    settings = replace(SETTINGS, labels={models[0]: name})
    ask_models([models[0]], PROBES, tmp_path / "run", settings, listener, engine=ENGINE)
    assert (tmp_path / "deaths").stat().st_size == 1
    assert sum("its worker ended" in line for line in listener.heard) == 1
    mine = {name: content for name, content in tables(here).items() if name in tables(tmp_path / "run")}
    assert tables(tmp_path / "run") == mine
    assert len(mine) > 5


def test_a_shard_that_ends_three_workers_is_named_and_the_rest_is_done(
    here: Path, models: list[str], tmp_path: Path
) -> None:
    deaths, probes = tmp_path / "deaths", {"two": PROBES["two"]}
    words = f"number {_family_in_one_shard(here)} melts"
    settings = replace(SETTINGS, labels={models[0]: f"deadly:{models[0]}:{words}:{deaths}:99"})
    with pytest.raises(UserError, match=r"two \(it ended its worker 3 times\).*items probe-") as told:
        ask_models([models[0]], probes, tmp_path / "run", settings, engine=ENGINE)
    mine = {name: content for name, content in tables(here).items() if "two" in name and "gpt2" in name}
    done = tables(tmp_path / "run")
    named = {int(number) for number in re.findall(r"answer file (\d+) of", str(told.value))}
    assert {int(name.split(".")[-2]) for name in set(mine) - set(done)} == named
    assert (len(named), deaths.stat().st_size) == (1, 3)
    assert done
    deaths.write_bytes(b"x" * 99)
    ask_models([models[0]], probes, tmp_path / "run", settings, engine=ENGINE)
    assert tables(tmp_path / "run") == mine


def _family_in_one_shard(here: Path) -> int:
    """The number of a family of the second probe that lies in one file, so that no more than that has to be lost."""
    from pyarrow import parquet

    files = sorted((here / "answers").glob("*gpt2*two.*.parquet"))
    shards = [set(parquet.read_table(path, columns=["item"]).column("item").to_pylist()) for path in files]
    items = [item.id for item in PROBES["two"].items]
    return next(n for n in range(12) if any({*items[2 * n : 2 * n + 2]} <= shard for shard in shards))


def test_a_driver_that_is_killed_goes_on_with_the_same_bytes(
    cluster: Any, here: Path, models: list[str], tmp_path: Path
) -> None:
    for name, probe in PROBES.items():
        write_probe(tmp_path / f"{name}.jsonl", probe)
    words = [sys.executable, "-m", "tests.support.ray_run", f"ray:{cluster.address}", "1", str(tmp_path)]
    words += [str(tmp_path / "run"), *models]
    driver = subprocess.Popen(words, cwd=ROOT)
    while len(list(tmp_path.glob("run/answers/*.parquet"))) < 3 and driver.poll() is None:
        time.sleep(0.01)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("run/answers/*.parquet")}
    assert 3 <= len(kept) < len(tables(here))
    ask_models(models, PROBES, tmp_path / "run", SETTINGS, engine=ENGINE)
    assert tables(tmp_path / "run") == tables(here)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "what was kept is not written again"


def test_workers_of_other_versions_or_weights_are_refused(
    cluster: Any, models: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("horsesense.runs.ray.own_versions", lambda: {"torch": "1.0"})
        with pytest.raises(UserError, match=r"the worker at .* has (torch|horsesense) "):
            ask_models(models[:1], PROBES, tmp_path / "versions", SETTINGS, engine=RayEngine(workers=1, threads=1))
    with monkeypatch.context() as patch:
        from horsesense.runs.tasks import Content

        patch.setattr("horsesense.runs.ask_models.content_of_model", lambda *_: Content("other"))
        with pytest.raises(UserError, match=r"other weights, .* \(on the worker at"):
            ask_models(models[:1], PROBES, tmp_path / "weights", SETTINGS, engine=ENGINE)
        with pytest.raises(UserError, match=r"no such model folder .* \(on the worker at"):
            ask_models(["/nowhere/model"], PROBES, tmp_path / "path", SETTINGS, engine=ENGINE)
    assert not (tmp_path / "versions").exists()


def test_a_network_in_memory_cannot_cross(cluster: Any, models: list[str]) -> None:
    model = hs.load_model(models[0], device="cpu")
    with pytest.raises(UserError, match="is in the memory of this process"):
        hs.ask(model, PROBES["two"], compute=hs.ComputeSettings(engine=ENGINE))


def test_doses_and_trainings_leave_what_they_leave_here(
    cluster: Any, models: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice, left = save_tiny("choice", tmp_path / "choice"), list[dict[str, bytes]]()
    for name, engine in (("here", "here"), ("ray", ENGINE)):
        place = tmp_path / name
        place.mkdir()
        monkeypatch.chdir(place)
        inoculation(choice, Path("trials"), seeds=(0, 1), engine=engine)
        training(Path(models[0]), Path("trained"), epochs=1, engine=engine)
        written = {path: (place / "trials" / path).read_bytes() for path in ("trials.jsonl", "selected.jsonl")}
        left.append(written | kept(place))
        again = Listener()
        training(Path(models[0]), Path("trained"), epochs=1, engine=engine, progress=again)
        assert not again.seen, "what is trained is not trained again"
    assert left[0] == left[1]
    assert sum(path.endswith("model.safetensors") for path in left[0]) == 2


class Pausing(Progress):
    """Lets a model go on that waits, as soon as it has heard that some of its tokens are computed."""

    def __init__(self, file: Path) -> None:
        self.file, self.seen = file, list[tuple[str, int, int, str]]()

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        self.seen.append((stage, done, total, unit))
        if 0 < done < total:
            self.file.touch()


def test_what_a_worker_has_computed_of_a_shard_is_told_while_it_is_at_it(
    cluster: Any, models: list[str], tmp_path: Path
) -> None:
    pausing = Pausing(tmp_path / "go on")
    settings = replace(SETTINGS, shard=10**9, labels={models[0]: f"patient:{models[0]}:{pausing.file}"})
    ask_models(models[:1], {"two": PROBES["two"]}, tmp_path / "run", settings, pausing, engine=ENGINE)
    (answers,) = (tmp_path / "run" / "answers").iterdir()
    assert answers.name.endswith("two.00000.parquet"), "one shard, of which nothing is kept before its end"
    assert pausing.file.exists()
    (stage, total) = {(stage, total) for stage, _, total, _ in pausing.seen}.pop()
    assert {each for each in pausing.seen if each[0] != stage or each[2:] != (total, "tokens")} == set()
    counted = [done for _, done, _, _ in pausing.seen]
    assert counted == sorted(counted)
    assert (counted[0], counted[-1]) == (0, total)


def test_what_does_not_answer_or_start_is_told_in_a_sentence(
    cluster: Any, models: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("horsesense.runs.ray._START_TIMEOUT", (0.0, 0.0))
    with pytest.raises(UserError, match=r"no worker of Ray .* within 0 s"):
        ask_models(models[:1], PROBES, tmp_path, SETTINGS, engine=RayEngine(workers=1, threads=1))
    tries: list[str | None] = []

    def init(**given: Any) -> None:
        tries.append(os.environ.get(_CONNECT_TRIES))
        raise ConnectionError("Failed to connect\nand more")

    with monkeypatch.context() as patch:
        patch.setattr(ray, "is_initialized", lambda: False)
        patch.setattr(ray, "init", init)  # to wait for Ray itself takes 40 s
        for address, told in (("127.0.0.1:9", "no Ray cluster answers at 127.0.0.1:9"), (None, "could not be started")):
            with pytest.raises(UserError, match=rf"{told}.* \(Failed to connect\); (start one|try again)"):
                RayEngine(address).carry_out([Waiting()])
    assert tries == ["1", None]


class Waiting(Job):
    """Work that is never done."""

    name = "waiting"

    def begin(self) -> list[EngineTask]:
        return [EngineTask(lambda _: None, {}, lambda _: [])]


class Leaving(Progress):
    """Takes a node out of the cluster when some work is done."""

    def __init__(self, cluster: Any) -> None:
        self.cluster, self.gone, self.heard = cluster, False, list[str]()

    def log(self, text: str) -> None:
        self.heard.append(text)

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if not self.gone and done > total // 4:
            self.gone = True
            self.cluster.remove_node(self.cluster.second, allow_graceful=False)


def test_a_node_that_leaves_takes_nothing_with_it(cluster: Any, here: Path, models: list[str], tmp_path: Path) -> None:
    """The last test: one node is left afterwards."""
    leaving = Leaving(cluster)
    ask_models(models, PROBES, tmp_path, SETTINGS, leaving, engine=ENGINE)
    assert leaving.gone
    assert tables(tmp_path) == tables(here)


def test_without_ray_a_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"needs ray, .* 'horsesense\[ray\]'"):
        engine_named("ray")
    for name in ("rya", "ray:", "here:x"):
        with pytest.raises(UserError, match="there is no engine"):
            engine_named(name)
    with pytest.raises(UserError, match="for an engine with workers"):
        engine_named("here", workers=2)
