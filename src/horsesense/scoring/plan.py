"""What is computed, in which batches: pure, and the same for the same questions and budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from horsesense.models.rows import Given, Row


@dataclass(frozen=True, slots=True)
class Plan:
    """Distinct inputs in batches, and where each wanted number will stand."""

    inputs: tuple[Row, ...]
    """Each distinct input once, with all that is read from it."""
    batches: tuple[tuple[int, ...], ...]
    """Places in ``inputs``; one batch has one shape."""
    slots: tuple[tuple[tuple[int, int], ...], ...]
    """For each row that was asked: (input, number among its reads) of each of its targets."""

    @property
    def tokens(self) -> int:
        return sum(sum(row.given.shape) for row in self.inputs)


def make_plan(rows: Sequence[Row], budget: int) -> Plan:
    """Merge rows with the same input, then cut batches of one shape with at most ``budget`` tokens.

    All one-token candidates of a blank share one masked input, so they cost one forward.

    >>> blank = Given((1, 0, 2))
    >>> rows = [Row(blank, (1,), (7,)), Row(blank, (1,), (8,)), Row(Given((1, 5)), (0,), (5,))]
    >>> plan = make_plan(rows, budget=100)
    >>> len(plan.inputs), plan.slots
    (2, (((0, 0),), ((0, 1),), ((1, 0),)))
    """
    numbers: dict[Given, int] = {}
    wanted: list[dict[tuple[int, int], int]] = []
    slots = []
    for row in rows:
        number = numbers.setdefault(row.given, len(numbers))
        if number == len(wanted):
            wanted.append({})
        asked = wanted[number]
        slots.append(
            tuple((number, asked.setdefault(pair, len(asked))) for pair in zip(row.reads, row.targets, strict=True))
        )
    inputs = tuple(
        Row(given, tuple(read for read, _ in asked), tuple(target for _, target in asked))
        for given, asked in zip(numbers, wanted, strict=True)
    )
    return Plan(inputs, tuple(_batches(inputs, budget)), tuple(slots))


def _batches(inputs: Sequence[Row], budget: int) -> Iterator[tuple[int, ...]]:
    """Longest first, so that what needs most memory fails first; the order inside a length is that of the rows."""
    by_shape: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(inputs):
        by_shape.setdefault(row.given.shape, []).append(number)
    for shape in sorted(by_shape, reverse=True):
        size = max(1, budget // sum(shape))
        members = by_shape[shape]
        for start in range(0, len(members), size):
            yield tuple(members[start : start + size])
