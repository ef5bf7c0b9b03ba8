"""How often somebody may ask: a bucket that fills again by itself."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

_MOST_KEYS = 10_000


@dataclass(slots=True)
class Limit:
    """So many at once, and so many a second in the long run, for each key.

    >>> limit = Limit(burst=2, rate=1.0, clock=lambda: 0.0)
    >>> [limit.allows("ann") for _ in range(3)]
    [True, True, False]
    """

    burst: int
    rate: float
    clock: Callable[[], float] = time.monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def allows(self, key: str) -> bool:
        """Count one more, if it is allowed."""
        now = self.clock()
        left, then = self._left.pop(key, (float(self.burst), now))
        left = min(self.burst, left + (now - then) * self.rate)
        fits = left >= 1
        self._left[key] = left - fits, now
        if len(self._left) > _MOST_KEYS:
            # The one that was quiet longest has a full bucket by now, or is one of a flood of made-up keys.
            self._left.popitem(last=False)
        return fits
