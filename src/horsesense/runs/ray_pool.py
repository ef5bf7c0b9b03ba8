"""The workers of a Ray cluster, and who does what: tasks go out, come back, and are done again where a worker ended."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from horsesense.core import Item
from horsesense.errors import UserError, argument
from horsesense.progress import Progress
from horsesense.runs.engine import Done, Job, Task
from horsesense.runs.messages import done_of_frame, frame_of_task, lines_of, unpacked
from horsesense.runs.ray_board import Lookout, seconds_between

_DEATHS = 3
"""Workers that a task may end before it is given up."""
_LATE = 5.0
"""Seconds after which it is said that workers wait for room in the cluster."""
_WRITTEN = 8
"""Shards that are written before somebody looks who waits for work; one, while workers keep on coming back."""
_SAME = ("horsesense", "torch", "transformers", "tokenizers")
"""Libraries whose versions must be the same everywhere: scores depend on them."""


@dataclass(frozen=True, slots=True)
class Room:
    """What the pool may have."""

    workers: int
    threads: int
    """Of each worker, and the cores that Ray keeps for it."""
    gpus: float
    patience: float
    """Seconds after which one worker at least must have started."""


@dataclass(slots=True, eq=False)
class Seat:
    """A worker as the pool sees it."""

    actor: Any
    name: str
    """What it is called on the board."""
    ready: bool = False
    node: str = ""
    """Ray's name of its machine."""
    job: Job | None = None
    """Whose task it did last, and has a model open for."""
    task: Task | None = None


class Pool:
    """The workers of one call, and who does what."""

    def __init__(
        self,
        room: Room,
        seats: list[Seat],
        board: Any,
        jobs: Sequence[Job],
        begun: dict[int, deque[Task]],
        progress: Progress,
    ) -> None:
        self.room, self.jobs, self.waiting, self.progress = room, jobs, begun, progress
        self._seats = seats
        self.lookout = Lookout(board, seconds_between(room.workers))
        self.under_way: dict[Any, Seat] = {}
        """What is awaited of Ray → who does it."""
        self.come: deque[tuple[Job, Task, Done]] = deque()
        """What has come back and is not kept yet."""
        self.deaths: Counter[tuple[int, str]] = Counter()
        self.false_starts = 0
        self.shared: dict[int, tuple[Sequence[Item], str, Any]] = {}
        self.told_of_waiting = False
        self.began = time.monotonic()

    def run(self) -> None:
        for _ in range(self.room.workers - len(self._seats)):
            self._start()
        try:
            self._give_out()
            while self.come or any(self.waiting.values()) or any(seat.task for seat in self.under_way.values()):
                # Whoever is ready gets work before anything is written: a thousand may be ready at once.
                for reference in (ready := self._ready()):
                    self._take(reference)
                self._give_out()
                self._keep(1 if ready and len(self.come) <= self.room.workers else _WRITTEN)
                self._give_out()
        except KeyboardInterrupt:
            self._keep(len(self.come))
            for job in self.jobs:
                job.stopped()
            raise
        except UserError:
            self._keep(len(self.come))
            raise

    def _ready(self) -> list[Any]:
        """What has come back by now; somebody waits for it where there is nothing else to do."""
        import ray

        awaited = list(self.under_way)
        if awaited and not self.come and not ray.wait(awaited, num_returns=1, timeout=self.lookout.every)[0]:
            self._say_who_waits()
        self._pass_on()
        ready: list[Any] = ray.wait(awaited, num_returns=len(awaited), timeout=0)[0] if awaited else []
        return ready

    def _keep(self, most: int) -> None:
        for _ in range(min(most, len(self.come))):
            job, task, done = self.come.popleft()
            self.waiting[id(job)].extend(job.take(task, done))

    def rest(self) -> list[Seat]:
        """The workers that are ready for another call; one that is at something is stopped in it."""
        import ray

        for seat in self._seats:
            seat.job = None
            if not seat.ready or seat.task is not None:
                ray.kill(seat.actor)
        return [seat for seat in self._seats if seat.ready and seat.task is None]

    # Workers come and go.

    @property
    def _idle(self) -> list[Seat]:
        return [seat for seat in self._seats if seat.ready and seat.task is None]

    def _start(self) -> None:
        from horsesense.runs.ray_worker import actor

        options = {
            "num_cpus": self.room.threads,
            "num_gpus": self.room.gpus,
            "max_restarts": 0,
            "scheduling_strategy": "SPREAD",
        }
        name = uuid4().hex
        seat = Seat(actor(options, self.room.threads, self.lookout.board, name, self.lookout.every), name)
        self._seats.append(seat)
        self.under_way[seat.actor.about.remote()] = seat

    def _welcome(self, seat: Seat, about: bytes) -> None:
        """A worker that computes with other versions or threads would give other scores."""
        told, _ = unpacked(about)
        here = own_versions()
        for name in _SAME:
            there = told["versions"].get(name)
            if there != here.get(name):
                raise UserError(
                    f"the worker at {told['node']} has {name} {there}, and here it is {here.get(name)}",
                    fix="install the same versions everywhere",
                )
        if told["threads"] != self.room.threads:
            raise UserError(
                f"the worker at {told['node']} computes with {told['threads']} threads and not {self.room.threads}",
                fix=f"set {argument('threads')}",
            )
        seat.ready, seat.node, self.false_starts = True, told["id"], 0

    def _bury(self, seat: Seat, error: Exception) -> None:
        """Its task is done again, unless it has ended too many workers; a machine that leaves is no fault of a task."""
        import ray

        self._seats.remove(seat)
        ray.kill(seat.actor)  # one that cannot be reached may still compute
        if not seat.ready:
            self.false_starts += 1
            if self.false_starts >= _DEATHS * self.room.workers:
                why = " ".join(str(error).split())[:200]
                raise UserError(f"workers end as soon as they are started ({why})", fix="see the logs of Ray")
        if seat.task is not None and seat.job is not None:
            task, key = seat.task, (id(seat.job), seat.task.called)
            self.deaths[key] += not _left_with_its_machine(error, seat.node)
            self.progress.log(f"{task.called}: its worker ended, for the {_nth(self.deaths[key])} time")
            if self.deaths[key] >= _DEATHS:
                seat.job.failed(task, f"it ended its worker {_DEATHS} times")
            else:
                self.waiting[id(seat.job)].appendleft(task)
        self._start()

    def _say_who_waits(self) -> None:
        late, passed = sum(not seat.ready for seat in self._seats), time.monotonic() - self.began
        if late and passed > _LATE and not self.told_of_waiting:
            self.told_of_waiting = True
            self.progress.log(f"{late} of {self.room.workers} workers wait for room in the cluster, or still start")
        if late == len(self._seats) and passed > self.room.patience:
            raise UserError(
                f"no worker of Ray has started within {self.room.patience:,.0f} s",
                fix="see whether others have all its cores or GPUs, and the logs of Ray",
            )

    def _pass_on(self) -> None:
        """How far workers have come; of a task that has come back meanwhile nothing is told."""
        at_work = {seat.name: seat for seat in self._seats}
        for who, called, told in self.lookout.told():
            seat = at_work.get(who)
            if seat is None or seat.job is None or seat.task is None or seat.task.called != called:
                continue
            progress = seat.job.watching(seat.task)
            if isinstance(told, str):
                progress.log(told)
            else:
                progress.update(f"{called}: {told[0]}", *told[1:])

    # Tasks go out and come back.

    def _give_out(self) -> None:
        for seat in self._idle:
            chosen = self._choose(seat)
            if chosen is not None:
                self._send(seat, chosen, self.waiting[id(chosen)].popleft())

    def _choose(self, seat: Seat) -> Job | None:
        """The job that it has open; else one that nobody is at; else the one with the most left for each worker."""
        if seat.job is not None and self.waiting[id(seat.job)]:
            return seat.job
        if any(job is seat.job for job, _, _ in self.come):
            return None  # there may be more for it in a moment
        at_it = Counter(id(other.job) for other in self._seats if other.job is not None and other is not seat)
        wanting = [job for job in self.jobs if self.waiting[id(job)]]
        alone = next((job for job in wanting if not at_it[id(job)]), None)
        if alone is not None or not wanting:
            return alone
        return max(wanting, key=lambda job: len(self.waiting[id(job)]) / (at_it[id(job)] + 1))

    def _send(self, seat: Seat, job: Job, task: Task) -> None:
        seat.job, seat.task = job, task
        sets = [self._put(items) for items in task.shared.values()]
        names, references = [name for name, _ in sets], [reference for _, reference in sets]
        self.under_way[seat.actor.do.remote(frame_of_task(task), names, *references)] = seat

    def _put(self, items: Sequence[Item]) -> tuple[str, Any]:
        """What many tasks share lies in Ray's store once, under the hash of its content."""
        import ray

        if id(items) not in self.shared:
            lines = lines_of(items)
            self.shared[id(items)] = items, hashlib.sha256(lines).hexdigest(), ray.put(lines)
        return self.shared[id(items)][1:]

    def _take(self, reference: Any) -> None:
        from ray import get
        from ray.exceptions import RayError, RayTaskError

        seat = self.under_way.pop(reference)
        try:
            frame = get(reference)
        except RayTaskError:
            raise  # a fault of ours, with its traceback
        except RayError as error:
            self._bury(seat, error)
            return
        if seat.task is None:
            self._welcome(seat, frame)
            return
        assert seat.job is not None
        job, task = seat.job, seat.task
        done = done_of_frame(frame)
        seat.task = None
        if task.goes_on:
            self._go_on(seat, job, job.take(task, done))
            return
        self.come.append((job, task, done))
        if self.waiting[id(job)]:
            self._send(seat, job, self.waiting[id(job)].popleft())

    def _go_on(self, seat: Seat, job: Job, tasks: Sequence[Task]) -> None:
        first, *more = tasks
        self._send(seat, job, first)
        self.waiting[id(job)].extend(more)


def own_versions() -> dict[str, str]:
    """Of what scores depend on, in this process."""
    from horsesense import __version__
    from horsesense.runs.manifest import library_versions

    return {"horsesense": __version__, **library_versions()}


def _left_with_its_machine(error: Exception, node: str) -> bool:
    """Whether the whole machine went, and not only the process."""
    import ray

    alive = {each["NodeID"] for each in ray.nodes() if each["Alive"]}
    return "its node has died" in str(error) or node not in alive


def _nth(count: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(count, f"{count}th")
