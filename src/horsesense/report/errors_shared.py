"""Do two models fail at the same items? The Jaccard index of their errors, beside what independence gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from horsesense.report.summary import Summary


@dataclass(frozen=True, slots=True)
class SharedErrors:
    """Items that two models miss; a tie counts as missed."""

    both: int
    either: int
    expected: float
    """The Jaccard index if the two had nothing to do with each other."""

    @property
    def jaccard(self) -> float:
        return self.both / self.either


def shared_errors(summaries: Sequence[Summary]) -> dict[tuple[str, str], SharedErrors]:
    """For each pair of models that miss anything, on the judged items that both were asked."""
    missed = {
        summary.label: {
            item.id: value < 1
            for item, value in zip(summary.answered.items, summary.earned.values.tolist(), strict=True)
            if item.answer is not None
        }
        for summary in summaries
    }
    found = {}
    for one, other in combinations(missed, 2):
        pairs = [(wrong, missed[other][item]) for item, wrong in missed[one].items() if item in missed[other]]
        either = sum(a or b for a, b in pairs)
        if either:
            p, q = (sum(pair[place] for pair in pairs) / len(pairs) for place in (0, 1))
            expected = p * q / (p + q - p * q)
            found[one, other] = SharedErrors(sum(a and b for a, b in pairs), either, expected)
    return found
