"""A worker of the Ray engine: a process that opens a model once and does one task after the other."""

from __future__ import annotations

import platform
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from horsesense.core import Item
from horsesense.errors import as_user_error
from horsesense.progress import NO_PROGRESS
from horsesense.runs.engine import Desk, perform
from horsesense.runs.messages import frame_of_done, frame_of_error, items_of, packed, task_of_frame
from horsesense.runs.ray_board import Telling

_SHARED = 4
"""Sets of items that many tasks are given: so many are kept as items."""


class Worker:
    """What Ray makes an actor of. It is given bytes and gives bytes."""

    def __init__(self, threads: int | None, board: Any = None, who: str = "", every: float = 0.0) -> None:
        self._desk = Desk()
        self._telling = None if board is None else Telling(board, who, every)
        self._shared: OrderedDict[str, Sequence[Item]] = OrderedDict()
        if threads is not None:
            import torch

            torch.set_num_threads(threads)  # Ray's own guess is OMP_NUM_THREADS=1

    def about(self) -> bytes:
        """Where it is, and with what it computes."""
        import ray
        import torch

        from horsesense import __version__
        from horsesense.runs.manifest import library_versions

        return packed(
            {
                "node": platform.node(),
                "id": ray.get_runtime_context().get_node_id(),
                "versions": {"horsesense": __version__, **library_versions()},
                "threads": torch.get_num_threads(),
                "gpus": torch.cuda.device_count(),
            },
            {},
        )

    def do(self, frame: bytes, names: Sequence[str], *shared: bytes) -> bytes:
        """Do a task. What the user can put right comes back as an answer; anything else is a fault of ours."""
        try:
            sets = [self._items(name, lines) for name, lines in zip(names, shared, strict=True)]
            task = task_of_frame(frame, sets)
            if self._telling is not None:
                self._telling.called = task.called
            self._desk.progress = self._telling or NO_PROGRESS
            return frame_of_done(perform(self._desk, task))
        except Exception as error:  # whatever a user can put right crosses as a sentence; the rest is raised again
            told = as_user_error(error)
            if told is None:
                raise
            return frame_of_error(told, f"the worker at {platform.node()}")

    def _items(self, name: str, lines: bytes) -> Sequence[Item]:
        if name not in self._shared:
            self._shared[name] = items_of(lines)
            while len(self._shared) > _SHARED:
                self._shared.popitem(last=False)
        self._shared.move_to_end(name)
        return self._shared[name]


def actor(options: dict[str, Any], *given: Any) -> Any:
    """A worker somewhere in the cluster."""
    import ray

    return ray.remote(Worker).options(**options).remote(*given)
