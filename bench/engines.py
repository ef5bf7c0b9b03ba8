"""Engines: what Ray costs a shard, two workers against two plain processes, and a scheduler with 1,000 workers.

    python bench/engines.py [shard] [pair] [scheduler] [million]

Each figure is a ratio, or a difference, of two things measured in one run, one after the other in turns.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from horsesense.records import Card, Item, Probe
from horsesense.runs.ask import Settings, ask_models
from horsesense.runs.engine import Done, Job, Task
from horsesense.watching import UNWATCHED, Watcher

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # what the tests have

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


def took(work: Callable[..., object], *given: Any, **more: Any) -> float:
    """Seconds that a call takes."""
    began = time.perf_counter()
    work(*given, **more)
    return time.perf_counter() - began


def tiny(scratch: Path) -> str:
    from tests.support.tiny import save_tiny

    return str(save_tiny("gpt2", scratch / "gpt2"))


def shard(scratch: Path) -> None:
    """One worker against this process, as many threads each: seconds more a shard."""
    import torch

    from horsesense.models.local.load import load_model
    from horsesense.runs.ray_engine import RayEngine

    threads = torch.get_num_threads()
    count = int(os.environ.get("ITEMS", "3000"))
    model, probe, engine = tiny(scratch), made(count), RayEngine(workers=1, threads=threads)
    settings = Settings(shard=1_000, cache=False, device="cpu")
    ask_models([model], {"made": made(50)}, scratch / "warm", settings, engine=engine)
    loaded = load_model(model, device="cpu")  # the worker has it open too
    more, shards = [], 0
    for number in range(5):
        here, there = scratch / f"here-{number}", scratch / f"ray-{number}"
        plain = took(ask_models, [loaded], {"made": probe}, here, settings)
        crossed = took(ask_models, [model], {"made": probe}, there, settings, engine=engine)
        shards = len(list((there / "answers").iterdir()))
        more.append((crossed - plain) / shards)
        print(f"  here {plain:.2f} s, ray {crossed:.2f} s, {shards} shards")
    cost = median(more)
    print(f"a shard costs {1000 * cost:.1f} ms more on Ray (median of 5): {cost / 30:.3%} of one of 30 s")
    engine.close()


def pair(scratch: Path) -> None:
    """Two workers of one thread against two plain processes of one thread, the same work."""
    from horsesense.records import write_probe
    from horsesense.runs.ray_engine import RayEngine

    probes = {name: made(int(os.environ.get("ITEMS", "60")), name) for name in ("one", "two")}
    for name, probe in probes.items():
        write_probe(scratch / f"{name}.jsonl", probe)
    settings = Settings(shard=1_024, cache=False, device="cpu")
    engine = RayEngine(workers=2, threads=1)
    ask_models(["smollm2"], {"warm": made(4, "warm")}, scratch / "warm", settings, engine=engine)
    ratios = []
    for number in range(5):
        words = [sys.executable, __file__, "plain", str(scratch)]
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        started = [
            subprocess.Popen([*words, name, str(number)], env=env, stdout=subprocess.PIPE, text=True) for name in probes
        ]
        plain = max(float(process.communicate()[0].split()[-1]) for process in started)
        crossed = took(ask_models, ["smollm2"], probes, scratch / f"ray-{number}", settings, engine=engine)
        ratios.append(plain / crossed)
        print(f"  two processes {plain:.1f} s, two workers {crossed:.1f} s")
    print(f"two workers do {median(ratios):.2f} of what two plain processes do in the same time (median of 5)")
    engine.close()


def plain(scratch: Path, name: str, number: str) -> None:
    """One of the two processes: the seconds that it asks for, with its model loaded, as the workers have it."""
    from horsesense.models.local.load import load_model
    from horsesense.records import read_probe

    model = load_model("smollm2", device="cpu")
    probe, settings = read_probe(scratch / f"{name}.jsonl"), Settings(shard=1_024, cache=False, device="cpu")
    out = scratch / f"plain-{name}-{number}"
    print(took(ask_models, [model], {name: probe}, out, settings))


class Waiting(Job):
    """Shards that nobody computes: items go out, the answers of one shard come back and are written, each time."""

    name = "waiting"

    def __init__(self, shards: int, items: Sequence[Item], folder: Path) -> None:
        self.shards, self.items, self.folder = shards, items, folder
        self.written = 0.0

    def begin(self) -> list[Task]:
        told = {"opening": {"name": "m"}, "probe": "made", "way": "options"}
        return [Task("horsesense.none:none", {**told, "number": n}, self.items) for n in range(self.shards)]

    def take(self, task: Task, done: Done) -> list[Task]:
        from horsesense.runs.folder import shard_path, write_table

        path = shard_path(self.folder, "m", "made", task.told["number"])
        self.written += took(write_table, path, done.tables["answers"])
        return []


def scheduler(scratch: Path) -> None:
    """1,000 workers in one actor, each of which only waits: how busy does the driver keep them?"""
    import ray

    from horsesense.runs import ray_worker
    from horsesense.runs.ray_engine import RayEngine
    from horsesense.runs.ray_pool import own_versions
    from horsesense.runs.wire import frame_of_done, packed

    seconds, workers = float(os.environ.get("SECONDS", "30")), int(os.environ.get("WORKERS", "1000"))
    waves = int(os.environ.get("WAVES", "4"))
    model, some = tiny(scratch), made(400)
    ask_models([model], {"made": some}, scratch / "run", Settings(shard=10**9, cache=False, device="cpu"))
    from pyarrow import parquet

    table = parquet.read_table(next((scratch / "run" / "answers").iterdir()))
    frame = frame_of_done(Done(tables={"answers": table}))
    engine = RayEngine(workers=workers, threads=1)
    engine._connect()
    about = {"node": "here", "id": "", "versions": own_versions(), "threads": 1, "gpus": 0}

    @ray.remote(max_concurrency=2 * workers, num_cpus=0)
    class Crowd:
        def __init__(self) -> None:
            self.first, self.last = float("inf"), 0.0

        async def wait(self, given: bytes) -> bytes:
            self.first = min(self.first, time.monotonic())
            await asyncio.sleep(seconds)
            self.last = time.monotonic()
            return frame

        async def passed(self) -> float:
            return self.last - self.first

        async def about(self) -> bytes:
            return packed(about, {})

    crowd = Crowd.remote()

    class Called:
        def __init__(self, method: Any) -> None:
            self.method = method

        def remote(self, *given: Any) -> Any:
            return self.method.remote(*given[:1])

    class One:
        about, do = Called(crowd.about), Called(crowd.wait)

    ray_worker.actor = lambda options, threads: One()
    job = Waiting(workers * waves, some.items, scratch / "kept")
    spent = time.process_time()
    whole = took(engine.carry_out, [job], Watcher())
    spent = time.process_time() - spent
    passed = ray.get(crowd.passed.remote())
    busy = waves * seconds / passed
    print(
        f"{workers:,} workers, {workers * waves:,} shards of {seconds:g} s and {len(some.items)} items: "
        f"busy {busy:.1%} ({passed:.1f} s, all written after {whole:.1f} s); "
        f"the driver computes {1000 * spent / (workers * waves):.1f} ms a shard; "
        f"to write one takes {1000 * job.written / (workers * waves):.1f} ms by the clock"
    )


class Echo:
    """An engine without a model: what crosses is made and read, lengths and answers are made up."""

    apart, on_gpu = True, None

    def __init__(self) -> None:
        self.seconds: list[float] = []
        """Of each shard: made ready, sent, read and written."""

    def carry_out(self, jobs: Sequence[Job], watcher: Watcher = UNWATCHED) -> None:
        import numpy as np
        import pyarrow as pa

        from horsesense.records import Answer
        from horsesense.records.answer_columns import table_of_answers
        from horsesense.runs.wire import done_of_frame, frame_of_done, frame_of_task

        ways = [{"name": "options", "note": "", "asked": ""}]
        describe = {"name": "m", "family": "causal", "architecture": "", "direction": "", "parameters": 0, "window": 64}
        describe |= {"weights": "", "revision": "", "dtype": "float32", "dtype_reason": ""}
        opened = {"describe": describe, "notes": [], "kind": "weights", "reported": {}, "frame": "", "ways": ways}
        opened |= {"local": False, "device": "cpu", "threads": 1}
        for job in jobs:
            waiting = list(reversed(job.begin()))
            while waiting:
                task, began = waiting.pop(), time.perf_counter()
                frame_of_task(task)
                made_up = time.perf_counter()
                name = task.function.partition(":")[2]
                if name == "open_model":
                    done = Done(opened)
                elif name == "weigh":
                    count = len(task.items)
                    columns = {"longest": np.arange(count) % 50 + 10, "costs": np.full(count, 60)}
                    done = Done(tables={"weights": pa.table(columns)})
                else:
                    rows = ((-1.0, -2.0, -3.0), (-1.5, -2.5))
                    at = ((0, 4, 9), (0, 5))
                    ids = [task.items.items.ids[place] for place in task.items.places]  # type: ignore[attr-defined]  # a large probe's are columns
                    answers = [Answer(item, "choice", (-6.0, -4.0), rows, at, at, ("", "")) for item in ids]
                    done = Done(tables={"answers": table_of_answers("m", "made", answers)})
                frame = frame_of_done(done)
                spent = time.perf_counter() - made_up
                waiting += reversed(job.take(task, done_of_frame(frame)))
                if name == "answer":
                    self.seconds.append(time.perf_counter() - began - spent)


def million(scratch: Path) -> None:
    """1,000,000 items: the driver's memory, and its time a shard from the first to the last."""
    import resource

    from horsesense.records.stored import StoredItems
    from horsesense.runs import ask as asking
    from horsesense.runs.opening import Content

    count = int(os.environ.get("ITEMS", "1000000"))
    items = StoredItems()
    began = time.perf_counter()
    for start in range(0, count, 10_000):
        for item in made(10_000, "made").items:
            items.append(replace(item, text=f"{item.text} {start}", family=f"{item.family}-{start}"))
    print(f"  stored in {time.perf_counter() - began:.0f} s, {_memory(resource):.2f} GB at most")
    asking.content_of_model = lambda *_: Content("")
    engine, began = Echo(), time.perf_counter()
    probe = Probe(items, Card(name="made", items=count))
    settings = Settings(shard=16_384, cache=False, device="cpu")
    ask_models(["m"], {"made": probe}, scratch / "run", settings, engine=engine)
    passed, each = time.perf_counter() - began, engine.seconds
    tenth = len(each) // 10
    first, last = median(each[:tenth]), median(each[-tenth:])
    print(
        f"{count:,} items, {len(each):,} shards: {_memory(resource):.2f} GB at most; {passed:.0f} s with made-up "
        f"answers; a shard takes the driver {1000 * first:.1f} ms in the first tenth, {1000 * last:.1f} ms in the last"
    )


def _memory(resource: Any) -> float:
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e6


def main() -> None:
    if sys.argv[1:2] == ["plain"]:
        plain(Path(sys.argv[2]), *sys.argv[3:])
        return
    for name in sys.argv[1:] or ("shard", "pair", "scheduler", "million"):
        with tempfile.TemporaryDirectory(prefix="engines-") as scratch:
            print(f"{name}: {globals()[name].__doc__}")
            globals()[name](Path(scratch))


if __name__ == "__main__":
    main()
