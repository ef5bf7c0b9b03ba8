"""Where work is done: what a task is, what an engine has to do with it, and the engine that is this process.

Work is a *job* that gives out *tasks* and takes what comes of them; an engine decides where a task is done. A task is a
named function of ours with plain data, so that it can cross to another machine as JSON and Arrow; whoever gave it out
alone writes. `here` does one task after the other; `horsesense.runs.ray_engine` has a pool of workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from types import TracebackType
from typing import Any, Protocol, Self

from horsesense.core import Item
from horsesense.errors import UserError, argument
from horsesense.progress import NO_PROGRESS, Progress

_OURS = "horsesense."


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A piece of work that is done whole or not at all."""

    function: str
    """``module:function`` of this package, which is given the desk and the task."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """What it is told, as JSON has it."""
    items: Sequence[Item] = ()
    """Items of this task alone."""
    shared: Mapping[str, Sequence[Item]] = field(default_factory=dict)
    """Items that many tasks are given, by name; each sequence crosses once."""
    tables: Mapping[str, Any] = field(default_factory=dict)
    """Arrow tables that it is given."""
    called: str = ""
    """What people call it; two tasks that are steps of one thing are called alike."""
    goes_on: bool = False
    """Whether what follows is for the same worker, which has prepared it."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task."""

    told: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)
    """Arrow tables, by name."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files that a library wrote, by their path in a folder: trained weights."""


class Desk:
    """Where tasks are done: what stays open from one to the next, closed when something else is opened."""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        self.given = given or {}
        """What cannot cross, such as a network in memory; only this process has any."""
        self.progress: Progress = NO_PROGRESS
        self.kept: dict[Any, Any] = {}
        self.closing = ExitStack()

    def clear(self) -> None:
        self.closing.close()
        self.kept.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.__exit__(kind, error, at)
        self.kept.clear()


def perform(desk: Desk, task: Task) -> Done:
    """Do a task; its function is one of this package, whoever sent it."""
    module, _, name = task.function.partition(":")
    if not module.startswith(_OURS):
        raise ValueError(f"{task.function} is no function of this package")
    done: Done = getattr(import_module(module), name)(desk, task)
    return done


class Job:
    """Work that gives out tasks and takes what comes of them; the tasks of a job want the same things open."""

    name: str
    given: Mapping[str, Any] = {}
    """What a desk in this process is given."""
    only_here = False
    """Whether it must be done in this process: a server is asked from here."""

    def begin(self) -> Sequence[Task]:
        """The first tasks."""
        raise NotImplementedError

    def take(self, task: Task, done: Done) -> Sequence[Task]:
        """Keep what came of a task; the tasks that can be done now."""
        raise NotImplementedError

    def watching(self, task: Task) -> Progress:
        """Who is told how far a task has come."""
        return NO_PROGRESS

    def stopped(self) -> None:
        """Somebody has pressed Ctrl-C."""

    def failed(self, task: Task, why: str) -> None:
        """A task that ends its worker each time is given up; the others go on."""


class Engine(Protocol):
    """Does the tasks of jobs, somewhere."""

    @property
    def apart(self) -> bool:
        """Whether tasks are done in other processes."""

    @property
    def on_gpu(self) -> bool | None:
        """Whether they are done on GPUs; None: as this process finds it."""

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        """All tasks of all jobs. What a job has taken stays taken, whatever happens later."""


class Here:
    """This process: one job after the other, one task after the other."""

    apart = False
    on_gpu = None

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        for job in jobs:
            with Desk(job.given) as desk:
                try:
                    waiting = [*reversed(job.begin())]
                    while waiting:
                        task = waiting.pop()
                        desk.progress = job.watching(task)
                        waiting += reversed(job.take(task, perform(desk, task)))
                except KeyboardInterrupt:
                    job.stopped()
                    raise


HERE = Here()


def engine_named(
    name: str, *, workers: int | None = None, gpus: float | None = None, threads: int | None = None
) -> Engine:
    """``here``; ``ray``, started on this machine; ``ray:ADDRESS``, a cluster that runs already.

    Args:
        name: Which engine.
        workers: How many; by default one a GPU, or one a machine where there is none.
        gpus: GPUs of each worker.
        threads: Threads of each worker; by default the cores of a machine shared among its workers.
    """
    kind, _, address = name.partition(":")
    if kind == "here" and not address:
        if workers is not None or gpus is not None or threads is not None:
            raise UserError(
                "workers, their GPUs and their threads are for an engine with workers",
                fix=f"add {argument('engine', 'ray')}",
            )
        return HERE
    if kind != "ray" or (name != "ray" and not address):
        raise UserError(f"there is no engine {name!r}", fix="use here, ray or ray:ADDRESS")
    from horsesense.errors import need
    from horsesense.runs.ray_engine import RayEngine

    need("ray")
    return RayEngine(address or None, workers, gpus, threads)
