"""Items that one model gets right and another wrong, and the position of their key word (CATs, table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.words import word_spans
from horsesense.methods.cats.dual_edits import shared_ends
from horsesense.runs.comparison import by_probe
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.run import AnyRun, answers_by_place, folder_of
from horsesense.stats import Estimate
from horsesense.stats.accuracy import accuracy


def key_place(options: Sequence[str]) -> tuple[float, str] | None:
    """Return the centre of the words that differ, from 0 (beginning) to 1 (end), and those words.

    It refers to the first option; None where the options are equal or share no word.

    >>> key_place(["Ida put a lid on the jar, but the lid slid.", "Ida put a lid on the jar, but the jar slid."])
    (0.8333333333333334, 'lid')
    """
    words = [[option[start:end] for start, end in word_spans(option)] for option in options]
    first, last = shared_ends(words)
    option_words = words[0]
    if len({*map(tuple, words)}) == 1 or first + last == 0:
        return None
    stop = len(option_words) - last
    middle = (first + max(first, stop - 1)) / 2
    return middle / (len(option_words) - 1) if len(option_words) > 1 else 0.0, " ".join(option_words[first:stop])


def third_of(position: float) -> str:
    """Return the third of a sentence that contains a position.

    >>> third_of(0.1), third_of(0.5), third_of(1.0)
    ('beginning', 'middle', 'end')
    """
    return ("beginning", "middle", "end")[min(2, int(position * 3))]


@dataclass(frozen=True, slots=True)
class Gained:
    """An item that one model gets right and the other wrong."""

    item: str
    right: str
    """The right option."""
    wrong: str
    """The choice of the other model."""
    key: str
    """The words in which the options differ; empty where they share none."""
    position: float | None
    """Their position, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class OneSided:
    """All items that only one of two models gets right."""

    model: str
    direction: str
    n: int
    """Number of items."""
    key_word_thirds: Mapping[str, int]
    """Key words at the beginning, in the middle and at the end of the sentence."""
    in_the_middle: Estimate | None
    """Share of key words in the middle third; None where no item has one."""
    items: tuple[Gained, ...]


@dataclass(frozen=True, slots=True)
class WhoGetsWhat:
    """Two models on the same probe."""

    probe: str
    n: int
    """Labelled items that both models were asked."""
    key_word_thirds: Mapping[str, int]
    """Key words of all these items, for comparison."""
    only: tuple[OneSided, OneSided]
    """Items that only the first model gets right, and those that only the second does."""


@dataclass(frozen=True, slots=True)
class WhoOfRuns(Document):
    """All pairs of models that were asked the same probe."""

    pairs: tuple[WhoGetsWhat, ...]
    """One entry per probe and pair of models."""


def who_gets_what(first: ProbeAnswers, second: ProbeAnswers) -> WhoGetsWhat:
    """Return the items on which two models differ, with the position of their key words."""
    credit = {
        each.part.model.name: dict(
            zip((item.id for item in each.items), each.credits(each.primary()).values.tolist(), strict=True)
        )
        for each in (first, second)
    }
    if len(credit) < 2:
        raise UserError(f"{first.part.model.name} is compared with itself", fix="give runs of two models")
    first_credit, second_credit = credit.values()
    common = [item for item in first.items if item.id in second_credit and not np.isnan(first_credit[item.id])]
    if not common:
        raise UserError(
            f"the runs on {first.part.probe.name} have no labelled item in common", fix="use the same probe"
        )
    places = {item.id: key_place(item.options) for item in common}

    def sided(
        winner: ProbeAnswers, loser: ProbeAnswers, won: Mapping[str, float], lost: Mapping[str, float]
    ) -> OneSided:
        predicted = loser.credits(loser.primary()).predicted
        missed = dict(zip((item.id for item in loser.items), predicted, strict=True))
        gained, units = [], []
        for item in common:
            if won[item.id] == 1 and lost[item.id] == 0 and item.answer is not None:
                position, key = places[item.id] or (None, "")
                wrong = item.options[missed[item.id][0]]
                gained.append(Gained(item.id, item.options[item.answer], wrong, key, position))
                units.append(item.unit(first.probe.card.group))
        known = [(each.position, unit) for each, unit in zip(gained, units, strict=True) if each.position is not None]
        inside = [float(third_of(position) == "middle") for position, _ in known]
        return OneSided(
            winner.part.model.name,
            winner.part.model.direction,
            len(gained),
            _thirds(position for position, _ in known),
            accuracy(inside, [unit for _, unit in known]) if known else None,
            tuple(gained),
        )

    return WhoGetsWhat(
        probe=first.part.probe.name,
        n=len(common),
        key_word_thirds=_thirds(place[0] for place in places.values() if place is not None),
        only=(sided(first, second, first_credit, second_credit), sided(second, first, second_credit, first_credit)),
    )


def _thirds(positions: Iterable[float]) -> dict[str, int]:
    counts = Counter(third_of(position) for position in positions)
    return {name: counts[name] for name in ("beginning", "middle", "end")}


@translate_errors()
def who(*runs: AnyRun) -> WhoOfRuns:
    """List the items that only one of two models gets right, with the position of the key word (table 4).

    Args:
        runs: Run folders; one folder with two models is enough. In Python, also a `Run`.

    Returns:
        One entry per probe and pair of models.
    """
    pairs = [
        who_gets_what(first, second)
        for models in by_probe(answers_by_place(runs)).values()
        for first, second in combinations(models.values(), 2)
        if first.part.model.name != second.part.model.name
    ]
    if not pairs:
        fix = "give folders whose probes have the same name"
        raise UserError("no probe was asked of two models", file=folder_of(runs[0]), fix=fix)
    return WhoOfRuns(tuple(pairs))
