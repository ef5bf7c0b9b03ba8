"""Engines: what Ray costs a shard, two workers against two plain processes, and a scheduler with 1,000 workers.

    python bench/engines.py [shard] [pair] [scheduler]

Each figure is a ratio, or a difference, of two things measured in one run, one after the other in turns: by the clock,
and in seconds of the processor, which say more on a machine that others use too.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from horsesense.core import Card, Item, Probe
from horsesense.progress import Progress
from horsesense.runs.ask_models import ask_models
from horsesense.runs.engine import EngineTask, Job, WorkerContext
from horsesense.runs.tasks import Settings

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # what the tests have

REPEATS = int(os.environ.get("REPEATS", "5"))
NOUNS = ("kettle", "stone", "feather", "umbrella", "coat", "butter", "chocolate", "ice", "child", "trail", "song")


def made(count: int, name: str = "made") -> Probe:
    items = [
        Item(
            probe=name,
            form="choice",
            text=f"The {NOUNS[n % 11]} of number {n} lies in the {NOUNS[n % 7]}, because it is",
            options=("hard", "soft and warm"),
            answer=n % 2,
            family=f"f{n // 2}",
        )
        for n in range(count)
    ]
    return Probe.of(items, Card(name=name))


class Spent(NamedTuple):
    """What work takes."""

    clock: float
    processor: float
    """Of this process and of Ray's workers, in seconds."""


def took(work: Callable[..., object], *given: Any, **more: Any) -> Spent:
    """What a call takes."""
    clock, processor = time.perf_counter(), time.process_time() + of_workers()
    work(*given, **more)
    return Spent(time.perf_counter() - clock, time.process_time() + of_workers() - processor)


def of_workers() -> float:
    """Seconds of the processor that Ray's workers beneath this process have had."""
    from tests.faults.workers import workers

    stats = [Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split() for process in workers(at_work=False)]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def tiny(scratch: Path) -> str:
    from tests.support.tiny import save_tiny

    return str(save_tiny("gpt2", scratch / "gpt2"))


def shard(scratch: Path) -> None:
    """One worker against this process, as many threads each: seconds more a shard."""
    import torch

    from horsesense.models.hf.load import load_model
    from horsesense.runs.ray import RayEngine

    threads = torch.get_num_threads()
    count = int(os.environ.get("ITEMS", "3000"))
    model, probe = os.environ.get("MODEL") or tiny(scratch), made(count)
    engine = RayEngine(workers=1, threads=threads)
    settings = Settings(shard=int(os.environ.get("TOKENS", "1000")), cache=False, device="cpu")
    ask_models([model], {"made": made(50)}, scratch / "warm", settings, engine=engine)
    loaded = load_model(model, device="cpu")  # the worker has it open too
    clock, processor, ratios, shards = [], [], [], 0
    for number in range(REPEATS):
        here, there = scratch / f"here-{number}", scratch / f"ray-{number}"
        plain = took(ask_models, [loaded], {"made": probe}, here, settings)
        crossed = took(ask_models, [model], {"made": probe}, there, settings, engine=engine)
        shards = len(list((there / "answers").iterdir()))
        clock.append((crossed.clock - plain.clock) / shards)
        processor.append((crossed.processor - plain.processor) / shards)
        ratios.append(crossed.clock / plain.clock)
        print(f"  here {plain.clock:.2f} s ({plain.processor:.2f} of the processor), "
              f"ray {crossed.clock:.2f} s ({crossed.processor:.2f}), {shards} shards")  # fmt: skip
    cost = median(clock)
    print(f"a shard costs {1000 * cost:.1f} ms more on Ray (median of {REPEATS}): {cost / 30:.3%} of one of 30 s; "
          f"of the processor {1000 * median(processor):.1f} ms, the driver's and the worker's; "
          f"all of it takes {median(ratios):.3f} of the time here")  # fmt: skip
    engine.close()


def pair(scratch: Path) -> None:
    """Two workers of one thread against two plain processes of one thread, the same work."""
    from horsesense.core import write_probe
    from horsesense.runs.ray import RayEngine

    probes = {name: made(int(os.environ.get("ITEMS", "60")), name) for name in ("one", "two")}
    for name, probe in probes.items():
        write_probe(scratch / f"{name}.jsonl", probe)
    settings = Settings(shard=1_024, cache=False, device="cpu")
    engine = RayEngine(workers=2, threads=1)
    ask_models(["smollm2"], {"warm": made(4, "warm")}, scratch / "warm", settings, engine=engine)
    clock, processor = [], []
    for number in range(REPEATS):
        words = [sys.executable, __file__, "plain", str(scratch)]
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        started = [
            subprocess.Popen([*words, name, str(number)], env=env, stdout=subprocess.PIPE, text=True) for name in probes
        ]
        told = [[float(each) for each in process.communicate()[0].split()[-2:]] for process in started]
        plain = Spent(max(each[0] for each in told), sum(each[1] for each in told))
        crossed = took(ask_models, ["smollm2"], probes, scratch / f"ray-{number}", settings, engine=engine)
        clock.append(plain.clock / crossed.clock)
        processor.append(plain.processor / crossed.processor)
        print(f"  two processes {plain.clock:.1f} s ({plain.processor:.1f} of the processor), "
              f"two workers {crossed.clock:.1f} s ({crossed.processor:.1f})")  # fmt: skip
    print(f"two workers do {median(clock):.2f} of what two plain processes do in the same time, and "
          f"{median(processor):.2f} with the same time of the processor (medians of {REPEATS})")  # fmt: skip
    engine.close()


def plain(scratch: Path, name: str, number: str) -> None:
    """One of the two processes: the seconds that it asks for, with its model loaded, as the workers have it."""
    from horsesense.core import read_probe
    from horsesense.models.hf.load import load_model

    model = load_model("smollm2", device="cpu")
    probe, settings = read_probe(scratch / f"{name}.jsonl"), Settings(shard=1_024, cache=False, device="cpu")
    spent = took(ask_models, [model], {name: probe}, scratch / f"plain-{name}-{number}", settings)
    print(spent.clock, spent.processor)


def _nothing(context: WorkerContext, items: Sequence[Item]) -> None:
    """Stand for a task that nobody computes."""


class Waiting(Job):
    """Shards that nobody computes: items go out, the answers of one shard come back and are written, each time."""

    name = "waiting"

    def __init__(self, shards: int, items: Sequence[Item], folder: Path) -> None:
        super().__init__()
        self.shards, self.items, self.folder = shards, items, folder
        self.written = 0.0

    def begin(self) -> list[EngineTask]:
        return [EngineTask(_nothing, {"items": self.items}, partial(self.write, n)) for n in range(self.shards)]

    def write(self, shard: int, answers: Any) -> list[EngineTask]:
        from horsesense.runs.shard_files import shard_path, write_table

        path = shard_path(self.folder, "m", "made", shard)
        began = time.perf_counter()
        write_table(path, answers)
        self.written += time.perf_counter() - began
        return []


def scheduler(scratch: Path) -> None:
    """1,000 workers in one actor, each of which only waits: how busy does the driver keep them?"""
    import ray

    from horsesense.runs import ray as engines
    from horsesense.runs.ray import RayEngine, WorkerInfo, own_versions

    seconds, workers = float(os.environ.get("SECONDS", "30")), int(os.environ.get("WORKERS", "1000"))
    waves = int(os.environ.get("WAVES", "4"))
    model, some = tiny(scratch), made(400)
    ask_models([model], {"made": some}, scratch / "run", Settings(shard=10**9, cache=False, device="cpu"))
    from pyarrow import parquet

    table = parquet.read_table(next((scratch / "run" / "answers").iterdir()))
    engine = RayEngine(workers=workers, threads=1)
    engine._connect()
    about = WorkerInfo("here", "", own_versions(), 1)

    class Crowd:
        def __init__(self) -> None:
            self.first, self.last = float("inf"), 0.0

        async def wait(self, arguments: Any) -> Any:
            self.first = min(self.first, time.monotonic())
            await asyncio.sleep(seconds)
            self.last = time.monotonic()
            return table

        async def passed(self) -> float:
            return self.last - self.first

        async def info(self) -> WorkerInfo:
            return about

    crowd = ray.remote(max_concurrency=2 * workers, num_cpus=0)(Crowd).remote()

    class Called:
        def __init__(self, method: Any) -> None:
            self.method = method

        def remote(self, *given: Any) -> Any:
            return self.method.remote(*given[2:3])

    class One:
        info, run = Called(crowd.info), Called(crowd.wait)

    engines.start_worker = lambda *_: One()
    job = Waiting(workers * waves, some.items, scratch / "kept")
    whole, spent = took(engine.carry_out, [job], Progress())
    passed = ray.get(crowd.passed.remote())
    busy = waves * seconds / passed
    print(
        f"{workers:,} workers, {workers * waves:,} shards of {seconds:g} s and {len(some.items)} items: "
        f"busy {busy:.1%} ({passed:.1f} s, all written after {whole:.1f} s); "
        f"the driver computes {1000 * spent / (workers * waves):.1f} ms a shard; "
        f"to write one takes {1000 * job.written / (workers * waves):.1f} ms by the clock"
    )


def main() -> None:
    if sys.argv[1:2] == ["plain"]:
        plain(Path(sys.argv[2]), *sys.argv[3:])
        return
    for name in sys.argv[1:] or ("shard", "pair", "scheduler"):
        with tempfile.TemporaryDirectory(prefix="engines-") as scratch:
            print(f"{name}: {globals()[name].__doc__}")
            globals()[name](Path(scratch))


if __name__ == "__main__":
    main()
