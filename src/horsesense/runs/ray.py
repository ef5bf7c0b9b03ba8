"""The Ray engine: tasks run in a pool of workers, on this machine or on a cluster.

A worker is an actor that opens a model once and gets tasks of it as long as there are any; then it opens another. Only
this process writes to the run folder, and only an actor on its machine writes to the score cache. A worker that ends,
alone or with its machine, is replaced and its task runs again; a task that ends its worker three times is given up, and
the rest is done.
"""

from __future__ import annotations

import os
import platform
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import floor
from pathlib import Path
from typing import Any, NamedTuple, Self
from uuid import uuid4

from horsesense import __version__
from horsesense.core import Item
from horsesense.errors import UserError, argument, as_user_error
from horsesense.models.hf.device import usable_cores
from horsesense.models.protocol import Values
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import LOCAL, EngineTask, Job, WorkerContext
from horsesense.runs.manifest import library_versions
from horsesense.runs.score_cache import ScoreStore

_OBJECT_STORE = 2**30
"""Bytes of Ray's object store, where Ray is started here."""
_CONNECT_TRIES = "RAY_gcs_server_port_wait_time_s"
"""How often Ray tries a cluster's address, about 40 s each time. Its default of twenty tries means a quarter of an hour
for the address of a Ray that has ended."""
_START_TIMEOUT = (3600.0, 300.0)
"""Seconds until a worker must have started: in a cluster, which others may fill, and in a Ray started here."""
_MAX_DEATHS = 3
"""Workers that a task may end before it is given up."""
_LATE = 5.0
"""Seconds after which a message says that workers wait for resources."""
_WRITES_PER_ROUND = 8
"""Shards that are written before idle workers are looked for; one, while workers keep coming back."""
_SAME_VERSIONS = ("horsesense", "torch", "transformers", "tokenizers")
"""Libraries whose versions must be the same everywhere: scores depend on them."""
_SHARED_SETS = 4
"""Shared item sets that a worker keeps."""
_REPORT_SECONDS = 0.5
"""Least seconds between two progress reports of a worker, and between two polls."""
_REPORTS_PER_SECOND = 200


def _report_interval(workers: int) -> float:
    return max(_REPORT_SECONDS, workers / _REPORTS_PER_SECOND)


# Progress: workers report to one actor, and the driver polls it. Neither waits.

Report = tuple[str, str, str | tuple[Any, ...]]
"""Worker, label of its task, and a log line or the arguments of `Progress.update`."""


class ProgressActor:
    """Collects log lines, and the latest progress of each worker, until they are polled."""

    def __init__(self) -> None:
        self._reports: dict[str, Report] = {}

    def add(self, key: str, report: Report) -> None:
        self._reports[key] = report

    def poll(self) -> list[Report]:
        reports, self._reports = list(self._reports.values()), {}
        return reports


class ProgressReporter(Progress):
    """Progress callback in a worker, which reports to the progress actor."""

    def __init__(self, actor: Any, worker: str, interval: float) -> None:
        self.actor, self.worker, self.interval = actor, worker, interval
        self.label = ""
        """Label of the current task."""
        self._next, self._logs = 0.0, 0

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if (now := time.monotonic()) >= self._next:
            self._next = now + self.interval
            self.actor.add.remote(self.worker, (self.worker, self.label, (stage, done, total, unit, note)))

    def log(self, text: str) -> None:
        self._logs += 1
        self.actor.add.remote(f"{self.worker} {self._logs}", (self.worker, self.label, text))


class ProgressPoller:
    """Polls the progress actor."""

    def __init__(self, actor: Any, interval: float) -> None:
        self.actor, self.interval = actor, interval
        self._request: Any = None
        self._last = time.monotonic()

    def reports(self) -> list[Report]:
        """Return the reports that have arrived since the last call."""
        import ray
        from ray.exceptions import RayError

        reports: list[Report] = []
        if self._request is not None and ray.wait([self._request], timeout=0)[0]:
            request, self._request = self._request, None
            try:
                reports = ray.get(request)
            except RayError:  # it has gone with its machine; finished shards are still reported
                self.actor = None
        now = time.monotonic()
        if self._request is None and self.actor is not None and now >= self._last + self.interval:
            self._request, self._last = self.actor.poll.remote(), now
        return reports


# The score cache: workers look scores up on the driver's machine.


class ScoreActor:
    """Finds and stores scores in files of the driver's machine."""

    def __init__(self) -> None:
        self._open = cache(lambda path: ScoreStore(path).__enter__())

    def find(self, path: Path, keys: Sequence[bytes]) -> list[Values] | None:
        return self._open(path).find(keys)

    def keep(self, path: Path, keys: Sequence[bytes], values: Sequence[Values]) -> None:
        self._open(path).keep(keys, values)


class RemoteScoreStore(ScoreStore):
    """The score store of the driver's machine, in a worker."""

    def __init__(self, actor: Any, path: Path) -> None:
        super().__init__(path)
        self.actor = actor

    def __enter__(self) -> Self:
        return self

    def find(self, keys: Sequence[bytes]) -> list[Values] | None:
        scores: list[Values] | None = self._call(self.actor.find, keys)
        return scores

    def keep(self, keys: Sequence[bytes], values: Sequence[Values]) -> None:
        self._call(self.actor.keep, keys, values)

    def _call(self, method: Any, *arguments: Any) -> Any:
        import ray
        from ray.exceptions import RayError

        try:
            return ray.get(method.remote(self._path, *arguments))
        except RayError:  # it has gone with its machine; the scores are computed
            return None


# Workers.


class DriverActors(NamedTuple):
    """The actors on the driver's machine."""

    progress: Any
    scores: Any


def _start_driver_actors() -> DriverActors:
    """Start them on the driver's machine, if that has the resources."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    kinds = (ProgressActor, ScoreActor)
    return DriverActors(*(ray.remote(kind).options(num_cpus=0, scheduling_strategy=here).remote() for kind in kinds))


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Where a worker runs, and with what."""

    host: str
    node: str
    """Ray's id of the machine."""
    versions: dict[str, str]
    threads: int


class Worker:
    """A Ray actor that opens a model once and runs one task after the other."""

    def __init__(self, threads: int, actors: DriverActors, name: str, interval: float) -> None:
        self._context = WorkerContext()
        self._context.score_store = partial(RemoteScoreStore, actors.scores)
        self._context.progress = self._reporter = ProgressReporter(actors.progress, name, interval)
        self._shared: OrderedDict[str, Sequence[Item]] = OrderedDict()
        import torch

        torch.set_num_threads(threads)  # Ray sets OMP_NUM_THREADS=1

    def info(self) -> WorkerInfo:
        import ray
        import torch

        node = ray.get_runtime_context().get_node_id()
        return WorkerInfo(platform.node(), node, own_versions(), torch.get_num_threads())

    def run(
        self, label: str, function: Callable[..., Any], arguments: Mapping[str, Any], shared: Mapping[str, Any]
    ) -> Any:
        """Run a task. An error that the user can fix is returned; any other is a bug and is raised.

        Args:
            label: Label of the task.
            function: Its function.
            arguments: Its arguments.
            shared: Its shared arguments as references into Ray's object store.
        """
        self._reporter.label = label
        try:
            items = {name: self._items(each) for name, each in shared.items()}
            return function(self._context, **arguments, **items)
        except Exception as error:  # of any library; what is not known to be the user's is raised again
            known = as_user_error(error)
            if known is None:
                raise
            problem = f"{known.problem} (on the worker at {platform.node()})"
            return UserError(problem, file=known.file, line=known.line, fix=known.fix)

    def _items(self, reference: Any) -> Sequence[Item]:
        import ray

        key = reference.hex()
        if key not in self._shared:
            self._shared[key] = ray.get(reference)
            while len(self._shared) > _SHARED_SETS:
                self._shared.popitem(last=False)
        self._shared.move_to_end(key)
        return self._shared[key]


def start_worker(options: dict[str, Any], *arguments: Any) -> Any:
    """Start a worker somewhere in the cluster."""
    import ray

    return ray.remote(Worker).options(**options).remote(*arguments)


def own_versions() -> dict[str, str]:
    """Return the versions of the libraries that scores depend on, in this process."""
    return {"horsesense": __version__, **library_versions()}


# The pool.


@dataclass(frozen=True, slots=True)
class Resources:
    """What the pool may use."""

    workers: int
    threads: int
    """Per worker; also the cores that Ray reserves for it."""
    gpus: float
    """Per worker."""
    start_timeout: float
    """Seconds after which at least one worker must have started."""


@dataclass(slots=True, eq=False)
class PoolWorker:
    """A worker as the pool sees it."""

    actor: Any
    name: str
    """Its name in progress reports."""
    ready: bool = False
    node: str = ""
    """Ray's id of its machine."""
    job: Job | None = None
    """The job of its last task, whose model it has open."""
    task: EngineTask | None = None


class WorkerPool:
    """Assigns the tasks of jobs to workers."""

    def __init__(
        self,
        resources: Resources,
        workers: list[PoolWorker],
        actors: DriverActors,
        jobs: Sequence[Job],
        pending: dict[int, deque[EngineTask]],
        progress: Progress,
    ) -> None:
        self.resources, self.jobs, self.pending, self.progress = resources, jobs, pending, progress
        self._workers, self._actors = workers, actors
        self.poller = ProgressPoller(actors.progress, _report_interval(resources.workers))
        self.in_progress: dict[Any, PoolWorker] = {}
        """Ray reference → the worker that computes it."""
        self.finished: deque[tuple[Job, EngineTask, Any]] = deque()
        """Results that are not stored yet."""
        self.deaths: Counter[tuple[int, str]] = Counter()
        self.false_starts = 0
        self.shared: dict[int, tuple[Sequence[Item], Any]] = {}
        """Shared items and their reference in Ray's object store, by the id of the sequence."""
        self._reported_waiting = False
        self._start = time.monotonic()

    def run(self) -> None:
        for _ in range(self.resources.workers - len(self._workers)):
            self._start_worker()
        try:
            self._assign()
            while self.finished or any(self.pending.values()) or any(w.task for w in self.in_progress.values()):
                # Idle workers get work before anything is written: a thousand may be ready at once.
                for reference in (ready := self._ready()):
                    self._receive(reference)
                self._assign()
                self._store(1 if ready and len(self.finished) <= self.resources.workers else _WRITES_PER_ROUND)
                self._assign()
        except KeyboardInterrupt:
            self._store(len(self.finished))
            for job in self.jobs:
                job.interrupted()
            raise
        except UserError:
            self._store(len(self.finished))
            raise

    def _ready(self) -> list[Any]:
        """Return the references that are done; wait for one where there is nothing else to do."""
        import ray

        awaited = list(self.in_progress)
        if awaited and not self.finished and not ray.wait(awaited, num_returns=1, timeout=self.poller.interval)[0]:
            self._check_start()
        self._report_progress()
        ready: list[Any] = ray.wait(awaited, num_returns=len(awaited), timeout=0)[0] if awaited else []
        return ready

    def _store(self, most: int) -> None:
        for _ in range(min(most, len(self.finished))):
            job, task, result = self.finished.popleft()
            self.pending[id(job)].extend(task.take(result))

    def release(self) -> list[PoolWorker]:
        """Return the workers that are ready for another call; one that is busy is stopped."""
        import ray

        for worker in self._workers:
            worker.job = None
            if not worker.ready or worker.task is not None:
                ray.kill(worker.actor)
        return self._idle

    # Workers start and end.

    @property
    def _idle(self) -> list[PoolWorker]:
        return [worker for worker in self._workers if worker.ready and worker.task is None]

    def _start_worker(self) -> None:
        resources, name = self.resources, uuid4().hex
        options = {
            "num_cpus": resources.threads,
            "num_gpus": resources.gpus,
            "max_restarts": 0,
            "scheduling_strategy": "SPREAD",
        }
        worker = PoolWorker(start_worker(options, resources.threads, self._actors, name, self.poller.interval), name)
        self._workers.append(worker)
        self.in_progress[worker.actor.info.remote()] = worker

    def _admit(self, worker: PoolWorker, info: WorkerInfo) -> None:
        """Refuse a worker with other versions or threads: it would compute other scores."""
        here = own_versions()
        for name in _SAME_VERSIONS:
            there = info.versions.get(name)
            if there != here.get(name):
                raise UserError(
                    f"the worker at {info.host} has {name} {there}, and here it is {here.get(name)}",
                    fix="install the same versions everywhere",
                )
        if info.threads != self.resources.threads:
            raise UserError(
                f"the worker at {info.host} computes with {info.threads} threads and not {self.resources.threads}",
                fix=f"set {argument('threads')}",
            )
        worker.ready, worker.node, self.false_starts = True, info.node, 0

    def _replace(self, worker: PoolWorker, error: Exception) -> None:
        """Replace a worker that ended; its task runs again unless it has ended too many workers by itself."""
        import ray

        self._workers.remove(worker)
        ray.kill(worker.actor)  # one that cannot be reached may still compute
        if not worker.ready:
            self.false_starts += 1
            if self.false_starts >= _MAX_DEATHS * self.resources.workers:
                reason = " ".join(str(error).split())[:200]
                raise UserError(f"workers end as soon as they are started ({reason})", fix="see the logs of Ray")
        if worker.task is not None and worker.job is not None:
            task, key = worker.task, (id(worker.job), worker.task.label)
            self.deaths[key] += not _lost_with_machine(error, worker.node)
            self.progress.log(f"{task.label}: its worker ended ({self.deaths[key]} of {_MAX_DEATHS} tries)")
            if self.deaths[key] >= _MAX_DEATHS:
                worker.job.failed(task, f"it ended its worker {_MAX_DEATHS} times")
            else:
                self.pending[id(worker.job)].appendleft(task)
        self._start_worker()

    def _check_start(self) -> None:
        late, passed = sum(not worker.ready for worker in self._workers), time.monotonic() - self._start
        if late and passed > _LATE and not self._reported_waiting:
            self._reported_waiting = True
            self.progress.log(f"{late} of {self.resources.workers} workers wait for resources, or are still starting")
        if late == len(self._workers) and passed > self.resources.start_timeout:
            raise UserError(
                f"no worker of Ray has started within {self.resources.start_timeout:,.0f} s",
                fix="see whether others use all its cores or GPUs, and the logs of Ray",
            )

    def _report_progress(self) -> None:
        """Pass on what workers reported about tasks that are still running."""
        workers = {worker.name: worker for worker in self._workers}
        for name, label, report in self.poller.reports():
            worker = workers.get(name)
            if worker is None or worker.job is None or worker.task is None or worker.task.label != label:
                continue
            if isinstance(report, str):
                worker.task.progress.log(report)
            else:
                worker.task.progress.update(f"{label}: {report[0]}", *report[1:])

    # Tasks go out and come back.

    def _assign(self) -> None:
        for worker in self._idle:
            job = self._choose(worker)
            if job is not None:
                self._send(worker, job, self.pending[id(job)].popleft())

    def _choose(self, worker: PoolWorker) -> Job | None:
        """Choose the job whose model is open; else one without a worker; else the one with most tasks per worker."""
        if worker.job is not None and self.pending[id(worker.job)]:
            return worker.job
        if any(job is worker.job for job, _, _ in self.finished):
            return None  # its results may lead to more tasks in a moment
        assigned = Counter(id(other.job) for other in self._workers if other.job is not None and other is not worker)
        waiting = [job for job in self.jobs if self.pending[id(job)]]
        alone = next((job for job in waiting if not assigned[id(job)]), None)
        if alone is not None or not waiting:
            return alone
        return max(waiting, key=lambda job: len(self.pending[id(job)]) / (assigned[id(job)] + 1))

    def _send(self, worker: PoolWorker, job: Job, task: EngineTask) -> None:
        worker.job, worker.task = job, task
        shared = {name: self._put(items) for name, items in task.shared.items()}
        self.in_progress[worker.actor.run.remote(task.label, task.function, task.arguments, shared)] = worker

    def _put(self, items: Sequence[Item]) -> Any:
        """Put items that many tasks share into Ray's object store once."""
        import ray

        if id(items) not in self.shared:
            self.shared[id(items)] = items, ray.put(list(items))
        return self.shared[id(items)][1]

    def _receive(self, reference: Any) -> None:
        import ray
        from ray.exceptions import RayError, RayTaskError

        worker = self.in_progress.pop(reference)
        try:
            result = ray.get(reference)
        except RayTaskError:
            raise  # a bug, with its traceback
        except RayError as error:
            self._replace(worker, error)
            return
        if worker.task is None:
            self._admit(worker, result)
            return
        if isinstance(result, UserError):
            raise result
        assert worker.job is not None
        job, task = worker.job, worker.task
        worker.task = None
        self.finished.append((job, task, result))
        if self.pending[id(job)]:
            self._send(worker, job, self.pending[id(job)].popleft())


def _lost_with_machine(error: Exception, node: str) -> bool:
    """Whether the whole machine is gone, not only the process."""
    import ray

    alive = {each["NodeID"] for each in ray.nodes() if each["Alive"]}
    return "its node has died" in str(error) or node not in alive


# The engine.


class RayEngine:
    """Ray, started on this machine or joined at an address."""

    remote = True

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        gpus: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.address, self.workers, self.gpus, self.threads = address, workers, gpus, threads
        self._pool: tuple[str, Resources, list[PoolWorker], DriverActors] | None = None
        """Session, resources, idle workers and actors of an earlier call."""

    @property
    def on_gpu(self) -> bool:
        """Whether the workers have GPUs; Ray is started to find out."""
        return self._resources().gpus > 0

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        remote = [job for job in jobs if not job.local_only]
        pending = {id(job): deque(job.begin()) for job in remote}
        if any(pending.values()):
            resources = self._resources()
            workers, actors = self._open_pool(resources)
            pool = WorkerPool(resources, workers, actors, remote, pending, progress)
            try:
                pool.run()
            finally:
                self._pool = _session(), resources, pool.release(), actors
        LOCAL.carry_out([job for job in jobs if job.local_only], progress)

    def close(self) -> None:
        """Stop the workers; they end with this process in any case."""
        import ray

        if self._pool is not None and ray.is_initialized() and self._pool[0] == _session():
            for actor in (*(worker.actor for worker in self._pool[2]), *self._pool[3]):
                ray.kill(actor)
        self._pool = None

    def _open_pool(self, resources: Resources) -> tuple[list[PoolWorker], DriverActors]:
        """Reuse the workers of an earlier call if they fit: they have imported everything and loaded a model."""
        if self._pool is not None and self._pool[:2] == (_session(), resources):
            return self._pool[2:]
        self.close()
        return [], _start_driver_actors()

    def _resources(self) -> Resources:
        """Decide how many workers to start, and what each gets."""
        import ray

        self._connect()
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        total = sum(node.get("GPU", 0.0) for node in nodes)
        gpus = self.gpus if self.gpus is not None else float(total > 0)
        workers = self.workers or (max(1, floor(total / gpus)) if gpus else len(nodes))
        cores = sum(floor(node["CPU"]) for node in nodes)
        threads = self.threads or max(1, min(cores // workers, max(floor(node["CPU"]) for node in nodes)))
        if not any(node["CPU"] >= threads and node.get("GPU", 0.0) >= gpus for node in nodes):
            raise UserError(
                f"no machine of the cluster has {threads} cores and {gpus:g} GPUs for a worker",
                fix=f"use less of {argument('threads')} or {argument('gpus')}",
            )
        return Resources(workers, threads, gpus, _START_TIMEOUT[self.address is None])

    def _connect(self) -> None:
        import ray

        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
        quiet = {"log_to_driver": False, "configure_logging": False}
        if self.address is not None:
            tries = os.environ.get(_CONNECT_TRIES)
            os.environ[_CONNECT_TRIES] = tries or "1"
            try:
                ray.init(address=self.address, **quiet)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise UserError(
                    f"no Ray cluster answers at {self.address} ({_first_line(error)})",
                    fix=f"start one with: ray start --head, or use {argument('engine', 'ray')}",
                ) from error
            finally:
                if tries is None:
                    del os.environ[_CONNECT_TRIES]
            return
        cores = max(usable_cores(), (self.workers or 1) * (self.threads or 1))
        try:
            ray.init(
                address="local",
                num_cpus=cores,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE,
                _node_ip_address="127.0.0.1",  # nobody else has to reach it
                **quiet,
            )
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise UserError(
                f"Ray could not be started on this machine ({_first_line(error)})",
                fix="try again when it has less to do, or look into /tmp/ray",
            ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _session() -> str:
    """Return the id of the connection to the cluster."""
    import ray

    return str(ray.get_runtime_context().get_job_id())
