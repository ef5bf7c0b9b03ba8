"""How far the workers of Ray have come: they say it on a board, and whoever asks has one place to look at.

The board is an actor beside them. A worker tells every so often and waits for nothing; who asks looks every so often,
and waits for nothing either.
"""

from __future__ import annotations

import time
from typing import Any

import orjson

from horsesense.progress import Progress
from horsesense.runs.messages import packed, unpacked

_EVERY = 0.5
"""Seconds between two looks at how far workers have come, and more where they are many."""
_MANY = 200
"""Workers that may tell within a second."""


def seconds_between(workers: int) -> float:
    """Seconds between two things that a worker tells, and between two looks at the board."""
    return max(_EVERY, workers / _MANY)


class Board:
    """What workers have said since somebody looked: remarks, and of each how far it has come by now."""

    def __init__(self) -> None:
        self._said: dict[str, bytes] = {}

    def say(self, place: str, told: bytes) -> None:
        self._said[place] = told

    def said(self) -> bytes:
        said, self._said = self._said, {}
        return packed({}, said)


def put_up() -> Any:
    """A board on the machine of whoever asks, if that has room."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    return ray.remote(Board).options(num_cpus=0, scheduling_strategy=here).remote()


class Telling(Progress):
    """Tells the board how far the task of a worker has come."""

    def __init__(self, board: Any, who: str, every: float) -> None:
        self.board, self.who, self.every = board, who, every
        self.called = ""
        """The task."""
        self.next, self.remarks = 0.0, 0

    def update(self, stage: str, done: int, total: int, unit: str = "", note: str = "") -> None:
        if (now := time.monotonic()) >= self.next:
            self.next = now + self.every
            self.board.say.remote(self.who, orjson.dumps([self.who, self.called, [stage, done, total, unit, note]]))

    def log(self, text: str) -> None:
        self.remarks += 1
        self.board.say.remote(f"{self.who} {self.remarks}", orjson.dumps([self.who, self.called, text]))


class Lookout:
    """Looks at the board."""

    def __init__(self, board: Any, every: float) -> None:
        self.board, self.every = board, every
        self._awaited: Any = None
        self._last = time.monotonic()

    def told(self) -> list[tuple[str, str, Any]]:
        """Who has told what since: the worker, what its task is called, and a remark or how far it has come."""
        import ray
        from ray.exceptions import RayError

        found: list[tuple[str, str, Any]] = []
        if self._awaited is not None and ray.wait([self._awaited], timeout=0)[0]:
            awaited, self._awaited = self._awaited, None
            try:
                found = [orjson.loads(told) for told in unpacked(ray.get(awaited))[1].values()]
            except RayError:  # it has gone with its machine; of shards it is still told when they are done
                self.board = None
        now = time.monotonic()
        if self._awaited is None and self.board is not None and now >= self._last + self.every:
            self._awaited, self._last = self.board.said.remote(), now
        return found
