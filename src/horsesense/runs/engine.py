"""Where a run computes, and how much at a time: a job gives out tasks, and an engine runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Protocol, Self

from annotated_types import Ge

from horsesense.core import Item
from horsesense.errors import UserError, argument, need
from horsesense.models.locate import LoadSettings
from horsesense.progress import NO_PROGRESS, Progress


@dataclass(frozen=True)
class EngineSettings:
    """Workers."""

    engine: str | Engine = "here"
    """Engine: here (this process), ray (started on this machine) or ray:ADDRESS (a running cluster)."""
    workers: Annotated[int, Ge(1)] | None = None
    """Number of Ray workers. By default, one per GPU, or one per machine without a GPU."""
    gpus: Annotated[float, Ge(0)] | None = None
    """Number of GPUs per Ray worker. By default, 1 if there is a GPU."""
    threads: Annotated[int, Ge(1)] | None = None
    """Number of threads per Ray worker. By default, the cores of the machine, shared among its workers."""

    def chosen_engine(self) -> Engine:
        """The engine with its workers."""
        if not isinstance(self.engine, str):
            return self.engine
        return engine_named(self.engine, workers=self.workers, gpus=self.gpus, threads=self.threads)


@dataclass(frozen=True)
class ComputeSettings(EngineSettings, LoadSettings):
    """Compute."""

    batch_tokens: Annotated[int, Ge(1)] | None = None
    """Maximum number of tokens per batch. By default, chosen for the device."""
    cache: bool = True
    """Reuse scores that another run has stored in the cache."""


class WorkerContext:
    """State that stays open between the tasks of one process, such as a loaded model."""

    def __init__(self, local_models: Mapping[str, Any] | None = None) -> None:
        self.local_models = local_models or {}
        """Models that exist only in this process, by name."""
        self.score_store: Callable[[Path], Any] | None = None
        """Opens the driver's score cache where another process has it; None: it is a file here."""
        self.progress: Progress = NO_PROGRESS
        self.state: dict[Any, Any] = {}
        self.exit_stack = ExitStack()

    def reporting_to(self, progress: Progress) -> WorkerContext:
        """Return the same state for a task with its own progress callback, which may run beside others."""
        context = copy(self)
        context.progress = progress
        return context

    def clear(self) -> None:
        self.exit_stack.close()
        self.state.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.exit_stack.__exit__(kind, error, at)
        self.state.clear()


@dataclass(frozen=True, slots=True, eq=False)
class EngineTask:
    """A function call that is carried out completely or not at all, and what becomes of its result."""

    function: Callable[..., Any]
    """A top-level function, so that another process can import it by name; its first argument is the context."""
    arguments: Mapping[str, Any]
    take: Callable[[Any], Sequence[EngineTask]]
    """Stores the result, in this process, and returns the tasks that can run now."""
    shared: Mapping[str, Sequence[Item]] = field(default_factory=dict)
    """Arguments that many tasks have in common; an engine transfers each sequence once."""
    label: str = ""
    """Description in messages; two tasks of a job have different labels."""
    progress: Progress = NO_PROGRESS

    def run(self, context: WorkerContext) -> Any:
        """Call the function."""
        return self.function(context, **self.arguments, **self.shared)


class Job:
    """A source of tasks that need the same model open."""

    name: str
    local_models: Mapping[str, Any] = {}
    """Models for a `WorkerContext` in this process."""
    local_only = False
    """Whether the tasks must run in this process: requests to a server are sent from here."""
    at_once = 1
    """Tasks that may run at once in this process, in threads."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        """Descriptions of the tasks that were given up."""

    def begin(self) -> Sequence[EngineTask]:
        """Return the first tasks."""
        raise NotImplementedError  # the one hook without a default

    def interrupted(self) -> None:
        """React to Ctrl-C."""

    def stop(self, error: BaseException) -> None:
        """End the tasks that run beside one that failed."""

    def failed(self, task: EngineTask, reason: str) -> None:
        """Record a task that ended its worker each time; the others continue."""
        self.lost.append(f"{task.label} ({reason})")


class Engine(Protocol):
    """Runs the tasks of jobs."""

    @property
    def remote(self) -> bool:
        """Whether tasks run in other processes."""

    @property
    def on_gpu(self) -> bool | None:
        """Whether tasks run on GPUs; None: whatever this process has."""

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        """Run all tasks of all jobs. Results that a job has taken stay stored, whatever happens later."""


class LocalEngine:
    """Runs tasks in this process: one after the other, or in threads where they wait for a server."""

    remote = False
    on_gpu = None

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        for job in jobs:
            with WorkerContext(job.local_models) as context:
                try:
                    (_in_threads if job.at_once > 1 else _in_turn)(job, context)
                except KeyboardInterrupt:
                    job.interrupted()
                    raise


def _in_turn(job: Job, context: WorkerContext) -> None:
    pending = [*reversed(job.begin())]
    while pending:
        task = pending.pop()
        context.progress = task.progress
        pending += reversed(task.take(task.run(context)))


def _in_threads(job: Job, context: WorkerContext) -> None:
    """Run tasks beside one another, so that none waits for the slowest reply to another; results are taken here."""
    running: dict[Future[Any], EngineTask] = {}
    with ThreadPoolExecutor(job.at_once, "horsesense-task") as threads:

        def start(tasks: Sequence[EngineTask]) -> None:
            for task in tasks:
                running[threads.submit(task.run, context.reporting_to(task.progress))] = task

        try:
            start(job.begin())
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    start(running.pop(future).take(future.result()))
        except BaseException as error:
            job.stop(error)
            threads.shutdown(cancel_futures=True)
            raise


LOCAL = LocalEngine()


def engine_named(
    name: str, *, workers: int | None = None, gpus: float | None = None, threads: int | None = None
) -> Engine:
    """Return an engine: ``here``; ``ray``, started on this machine; ``ray:ADDRESS``, a running cluster.

    Args:
        name: Name of the engine.
        workers: Number of workers; by default one per GPU, or one per machine without GPUs.
        gpus: GPUs per worker.
        threads: Threads per worker; by default the cores of a machine are shared among its workers.
    """
    kind, _, address = name.partition(":")
    if kind == "here" and not address:
        if workers is not None or gpus is not None or threads is not None:
            raise UserError(
                "workers, their GPUs and their threads are for an engine with workers",
                fix=f"add {argument('engine', 'ray')}",
            )
        return LOCAL
    if kind != "ray" or (name != "ray" and not address):
        raise UserError(f"there is no engine {name!r}", fix="use here, ray or ray:ADDRESS")
    from horsesense.runs.ray import RayEngine

    need("ray")
    return RayEngine(address or None, workers, gpus, threads)
