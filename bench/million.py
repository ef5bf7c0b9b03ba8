"""1,000,000 items: the driver's memory and its time a shard, then what reading the run takes.

    python bench/million.py [results] [compare] [report] [replies]

Items are as large as those of WordNetQA (1.2 kB as JSON, five options, nine facets), their answers have 18 tokens an
option; SMALL=1 takes items of 0.2 kB with two options and 5 tokens. Answers are made up, so that nothing is measured
but our own work. Each way of reading is a process of its own; replies are letters in two orders.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from engines import made

from horsesense.core import Card, Item, Probe, Source
from horsesense.core.item_file import ids_of
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.ask_models import ask_models
from horsesense.runs.engine import Job
from horsesense.runs.tasks import Settings

READINGS = ("results", "compare", "report", "replies")
SMALL = bool(os.environ.get("SMALL"))
OPTIONS, TOKENS = (2, 5) if SMALL else (5, 18)
"""Options an item, and tokens an option."""
MEANING = "defined as a thing of that kind which people know from where they live and work, and which others call"


def questions(count: int) -> Iterator[Item]:
    """As large as real ones; four make a family."""
    if SMALL:
        for start in range(0, count, 10_000):
            for item in made(min(10_000, count), "made").items:
                yield replace(item, text=f"{item.text} {start}", family=f"{item.family}-{start}")
        return
    for n in range(count):
        asked, kinds = f"thing_{n // 4}.n.01", [f"kind_{(7 * n + k) % 9_999}.n.0{k}" for k in range(OPTIONS)]
        chain = f"{asked}=>{kinds[n % OPTIONS]}"
        yield Item(
            probe="made",
            form="choice",
            text=f"Given the context 'somebody saw thing number {n // 4} there and took it home', it is a kind of",
            options=tuple(f"{kind} (or {kind[:-5]}), {MEANING} so" for kind in kinds),
            answer=n % OPTIONS,
            concepts=tuple(kinds),
            family=f"hypernymy: {asked}",
            member=f"{kinds[n % OPTIONS]} random {n % 4}",
            groups={"asked": asked, "answer": kinds[n % OPTIONS]},
            facets={
                "task": "hypernymy",
                "split": ("train", "dev", "test")[n % 3],
                "template": ("given", "general", "kind", "which")[n % 4],
                "hops": n % 6 + 1,
                "distractor_kind": ("random", "sister", "down")[n // 7 % 3],
                "fillers": n % 2,
                "asked": asked,
                "pos": "nv"[n % 2],
                "chain": chain,
            },
            source=Source(triples=(("hypernymy", asked, kinds[n % OPTIONS]),), licence="WordNet licence"),
        )


def clocks() -> npt.NDArray[np.float64]:
    """The clock, and what this process has computed, in seconds."""
    return np.array([time.perf_counter(), time.process_time()])


class Echo:
    """An engine without a model: what crosses is made and read, lengths and answers are made up."""

    remote, on_gpu = True, None

    def __init__(self, model: str, prompt_format: str) -> None:
        self.model, self.format, self.seventh = model, prompt_format, len(model)
        """In so many of seven items it prefers the second option, whatever is right."""
        self.seconds: list[npt.NDArray[np.float64]] = []
        """Of each shard, by the clock and of the processor: made ready, sent, read and written."""

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        from horsesense.core import Answer, Reply
        from horsesense.core.answer_columns import table_of_answers, table_of_replies
        from horsesense.runs.manifest import ModelRecord
        from horsesense.runs.tasks import ChosenFormat, OpenedModel, ScoredShard, count_tokens, open_model, score_shard

        logprobs = tuple(tuple(-1.0 - 0.1 * k - 0.01 * t for t in range(TOKENS)) for k in range(OPTIONS))
        starts = (tuple(range(100, 100 + 6 * TOKENS, 6)),) * OPTIONS
        ends = (tuple(range(105, 105 + 6 * TOKENS, 6)),) * OPTIONS
        record = ModelRecord(
            name=self.model,
            family="causal",
            architecture="",
            direction="",
            parameters=0,
            window=64,
            weights="",
            revision="",
            dtype="float32",
            frame="",
        )
        formats = (ChosenFormat(self.format, "", ""),)
        opened = OpenedModel(record, (), formats, local=False, device="cpu", threads=1)
        for job in jobs:
            waiting = list(reversed(job.begin()))
            while waiting:
                task, began = waiting.pop(), clocks()
                pickle.dumps(task.arguments, protocol=5)
                made_up, items = clocks(), task.arguments["items"]
                done: object
                if task.function is open_model:
                    done = opened
                elif task.function is count_tokens:
                    done = np.arange(len(items)) % 50 + 10, np.full(len(items), 60)
                else:
                    answers, replies = [], []
                    for item in ids_of(items):
                        second = int(item[-4:], 16) % 7 < self.seventh
                        sums = (-6.0, -4.0 if second else -9.0, *(-7.0 - k for k in range(OPTIONS - 2)))
                        if self.format == "loglikelihood":
                            answers.append(Answer(item, "choice", sums, logprobs, starts, ends, ("",) * OPTIONS, sums))
                            continue
                        answers.append(Answer(item, "choice", sums, flags=("",) * OPTIONS))
                        no = (False,) * OPTIONS
                        replies += [
                            Reply(
                                item=item,
                                format="letters",
                                order=tuple(range(OPTIONS))[:: 1 - 2 * n],
                                sample=0,
                                prompt="",
                                request="ab" * 32,
                                sent="",
                                text="",
                                reasoning="",
                                outcome="answered",
                                logprobs=sums,
                                bounded=no,
                                parsed=int(second),
                                why="best letter",
                                prompt_tokens=60,
                                tokens=1,
                            )
                            for n in range(2)
                        ]
                    done = ScoredShard(
                        table_of_answers(self.model, "made", answers), table_of_replies(replies) if replies else None
                    )
                message = pickle.dumps(done, protocol=5)
                spent = clocks() - made_up
                waiting += reversed(task.take(pickle.loads(message)))
                if task.function is score_shard:
                    self.seconds.append(clocks() - began - spent)


def asked(folder: Path) -> None:
    """Two models that answer as they like are asked 1,000,000 items; the driver's memory, and its time a shard."""
    from horsesense.core.item_file import StoredItems
    from horsesense.runs import ask_models as asking
    from horsesense.runs.tasks import Content

    count = int(os.environ.get("ITEMS", "1000000"))
    began = time.perf_counter()
    items = StoredItems(questions(count))
    print(f"  stored in {time.perf_counter() - began:.0f} s, {_memory():.2f} GB at most")
    asking.content_of_model = lambda *_: Content("")
    probe = Probe(items, Card(name="made", items=count))
    for model, prompt_format in (("one", "loglikelihood"), ("other", "loglikelihood"), ("letters", "letters")):
        settings = Settings(shard=16_384, cache=False, device="cpu", formats=(prompt_format,))
        engine, began = Echo(model, prompt_format), time.process_time()
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

    run = hs.open_run(folder / ("letters" if what == "replies" else "one"))
    opened, at_opening = time.process_time(), _memory()
    if what in ("results", "replies"):
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
