"""1,000,000 items: the driver's memory and its time a shard, then what reading the run takes.

    python bench/million.py [results] [compare] [report]

Answers are made up, so that nothing is measured but our own work. Each way of reading is a process of its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from engines import made

from horsesense.records import Card, Probe
from horsesense.records.stored import ids_of
from horsesense.runs.ask import ask_models
from horsesense.runs.engine import Done, Job
from horsesense.runs.opening import Settings
from horsesense.watching import UNWATCHED, Watcher

READINGS = ("results", "compare", "report")


def clocks() -> npt.NDArray[np.float64]:
    """The clock, and what this process has computed, in seconds."""
    return np.array([time.perf_counter(), time.process_time()])


class Echo:
    """An engine without a model: what crosses is made and read, lengths and answers are made up."""

    apart, on_gpu = True, None

    def __init__(self, model: str) -> None:
        self.model, self.seventh = model, len(model)
        """In so many of seven items it prefers the second option, whatever is right."""
        self.seconds: list[npt.NDArray[np.float64]] = []
        """Of each shard, by the clock and of the processor: made ready, sent, read and written."""

    def carry_out(self, jobs: Sequence[Job], watcher: Watcher = UNWATCHED) -> None:
        import pyarrow as pa

        from horsesense.records import Answer
        from horsesense.records.answer_columns import table_of_answers
        from horsesense.runs.wire import done_of_frame, frame_of_done, frame_of_task

        ways = [{"name": "options", "note": "", "asked": ""}]
        describe = {
            "name": self.model,
            "family": "causal",
            "architecture": "",
            "direction": "",
            "parameters": 0,
            "window": 64,
        }
        describe |= {"weights": "", "revision": "", "dtype": "float32", "dtype_reason": ""}
        opened = {"describe": describe, "notes": [], "kind": "weights", "reported": {}, "frame": "", "ways": ways}
        opened |= {"local": False, "device": "cpu", "threads": 1}
        for job in jobs:
            waiting = list(reversed(job.begin()))
            while waiting:
                task, began = waiting.pop(), clocks()
                frame_of_task(task)
                made_up = clocks()
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
                    answers = []
                    for item in ids_of(task.items):
                        sums = (-6.0, -4.0) if int(item[-4:], 16) % 7 < self.seventh else (-6.0, -9.0)
                        answers.append(Answer(item, "choice", sums, rows, at, at, ("", "")))
                    done = Done(tables={"answers": table_of_answers(self.model, "made", answers)})
                frame = frame_of_done(done)
                spent = clocks() - made_up
                waiting += reversed(job.take(task, done_of_frame(frame)))
                if name == "answer":
                    self.seconds.append(clocks() - began - spent)


def asked(folder: Path) -> None:
    """Two models that answer as they like are asked 1,000,000 items; the driver's memory, and its time a shard."""
    from horsesense.records.stored import StoredItems
    from horsesense.runs import ask as asking
    from horsesense.runs.opening import Content

    count = int(os.environ.get("ITEMS", "1000000"))
    items = StoredItems()
    began = time.perf_counter()
    for start in range(0, count, 10_000):
        for item in made(min(10_000, count), "made").items:
            items.append(replace(item, text=f"{item.text} {start}", family=f"{item.family}-{start}"))
    print(f"  stored in {time.perf_counter() - began:.0f} s, {_memory():.2f} GB at most")
    asking.content_of_model = lambda *_: Content("")
    probe = Probe(items, Card(name="made", items=count))
    settings = Settings(shard=16_384, cache=False, device="cpu")
    for model in ("one", "other"):
        engine, began = Echo(model), time.process_time()
        ask_models([model], {"made": probe}, folder / model, settings, engine=engine)
        passed, each = time.process_time() - began, engine.seconds
        tenth = len(each) // 10
        told = [
            f"{first:.1f} and {last:.1f} ms {how}"
            for first, last, how in zip(
                *(1000 * np.median(some, axis=0) for some in (each[:tenth], each[-tenth:])),
                ("by the clock", "of the processor"),
                strict=True,
            )
        ]
        print(
            f"{count:,} items, {len(each):,} shards: {_memory():.2f} GB at most; {passed:.0f} s of the processor with "
            f"made-up answers; a shard of the first and of the last tenth takes the driver {', '.join(told)}"
        )


def read(what: str, folder: Path) -> None:
    """One way of reading what is kept."""
    import horsesense as hs

    run = hs.open_run(folder / "one")
    opened, at_opening = time.process_time(), _memory()
    if what == "results":
        print(next(iter(run.results())))
    elif what == "compare":
        print(next(iter(run.compare(hs.open_run(folder / "other")).frame())))
    else:
        page = run.report(folder / "page.html", cues=False)
        print(f"a page of {page.stat().st_size / 1e6:.1f} MB")
    print(
        f"{what}: opened after {opened:.0f} s of the processor with {at_opening:.2f} GB, "
        f"{time.process_time() - opened:.0f} s more, {_memory():.2f} GB at most"
    )


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    if sys.argv[1:2] == ["read"]:
        read(sys.argv[2], Path(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory(prefix="million-") as name:
        folder = Path(os.environ.get("KEPT", name))  # KEPT: made by an earlier call
        if not folder.joinpath("one").is_dir():
            asked(folder)
        for what in sys.argv[1:] or READINGS:
            subprocess.run([sys.executable, __file__, "read", what, str(folder)], check=True)


if __name__ == "__main__":
    main()
