"""Tasks done by a pool of Ray workers, on this machine or on a cluster.

A worker is an actor that opens a model once and is given tasks of it as long as there are any; then it opens another.
Only this process writes, and only it has the folder's lock and the cache. A worker that ends, alone or with its
machine, is replaced and what it was at is done again; a task that ends its worker three times is given up, and the rest
is done.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from math import floor
from typing import Any

from horsesense.errors import UserError, argument
from horsesense.models.hf.device import usable_cores
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import HERE, Job
from horsesense.runs.ray_board import put_up
from horsesense.runs.ray_pool import Pool, Room, Seat

_STORE = 2**30
"""Bytes of Ray's store of objects, where it is started here."""
_TRIES = "RAY_gcs_server_port_wait_time_s"
"""How often Ray tries a cluster's address, some 40 s each time. By itself it tries twenty times, so that the address of
a Ray that has ended keeps it for a quarter of an hour."""
_PATIENCE = (3600.0, 300.0)
"""Seconds until a worker must have started: in a cluster, where others may have all room, and in a Ray started here."""


class RayEngine:
    """Ray, started on this machine or joined at an address."""

    apart = True

    def __init__(
        self,
        address: str | None = None,
        workers: int | None = None,
        gpus: float | None = None,
        threads: int | None = None,
    ) -> None:
        self.address, self.workers, self.gpus, self.threads = address, workers, gpus, threads
        self._kept: tuple[str, Room, list[Seat], Any] | None = None
        """Workers of an earlier call, with the model that they have open, where they are, and their board."""

    @property
    def on_gpu(self) -> bool:
        """Whether the workers have GPUs; Ray is started for the answer."""
        return self._room().gpus > 0

    def carry_out(self, jobs: Sequence[Job], progress: Progress = NO_PROGRESS) -> None:
        elsewhere = [job for job in jobs if not job.only_here]
        begun = {id(job): deque(job.begin()) for job in elsewhere}
        if any(begun.values()):
            room = self._room()
            seats, board = self._workers(room)
            pool = Pool(room, seats, board, elsewhere, begun, progress)
            try:
                pool.run()
            finally:
                self._kept = _session(), room, pool.rest(), board
        HERE.carry_out([job for job in jobs if job.only_here], progress)

    def close(self) -> None:
        """Let the workers go; they go with this process in any case."""
        import ray

        if self._kept is not None and ray.is_initialized() and self._kept[0] == _session():
            for seat in self._kept[2]:
                ray.kill(seat.actor)
            ray.kill(self._kept[3])
        self._kept = None

    def _workers(self, room: Room) -> tuple[list[Seat], Any]:
        """Those of an earlier call, where they are such as this one wants: they have imported all, and loaded much."""
        if self._kept is not None and self._kept[:2] == (_session(), room):
            return self._kept[2:]
        self.close()
        return [], put_up()

    def _room(self) -> Room:
        """How many workers, and what each of them has."""
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
        return Room(workers, threads, gpus, _PATIENCE[self.address is None])

    def _connect(self) -> None:
        import ray

        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
        quiet = {"log_to_driver": False, "configure_logging": False}
        if self.address is not None:
            tries = os.environ.get(_TRIES)
            os.environ[_TRIES] = tries or "1"
            try:
                ray.init(address=self.address, **quiet)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise UserError(
                    f"no Ray cluster answers at {self.address} ({_first_line(error)})",
                    fix=f"start one with: ray start --head, or use {argument('engine', 'ray')}",
                ) from error
            finally:
                if tries is None:
                    del os.environ[_TRIES]
            return
        cores = max(usable_cores(), (self.workers or 1) * (self.threads or 1))
        try:
            ray.init(
                address="local",
                num_cpus=cores,
                include_dashboard=False,
                object_store_memory=_STORE,
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
    """Which connection to which cluster this is."""
    import ray

    return str(ray.get_runtime_context().get_job_id())
