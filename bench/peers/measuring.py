"""Times as medians, wall clock and processor; and what the machine can do at best."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """Medians over calls."""

    wall: float
    used: float
    """Seconds of processor, over all threads. Says more than the clock on a machine that does other things too."""
    calls: int
    result: Any

    def __str__(self) -> str:
        return f"{self.wall:7.2f} s ({self.used:.2f} s of processor, median of {self.calls})"


def timed(work: Callable[[], Any], calls: int = 5) -> Timed:
    walls, used, result = [], [], None
    for _ in range(calls):
        wall, own = time.perf_counter(), time.process_time()
        result = work()
        walls.append(time.perf_counter() - wall)
        used.append(time.process_time() - own)
    return Timed(statistics.median(walls), statistics.median(used), calls, result)


def matrix_rate(rows: int, wide: int, long: int, dtype: str = "float32", device: str = "cpu") -> tuple[float, float]:
    """The best that a plain matrix product of a model's shape reaches, in FLOP a second of clock and of processor."""
    import torch

    one = torch.randn(rows, wide, dtype=getattr(torch, dtype), device=device)
    other = torch.randn(long, wide, dtype=getattr(torch, dtype), device=device)

    def multiply() -> None:
        for _ in range(10):
            torch.nn.functional.linear(one, other)
        if device == "cuda":
            torch.cuda.synchronize()

    multiply()
    found = timed(multiply, 11)
    work = 10 * 2 * rows * wide * long
    return work / found.wall, work / found.used
