"""What every way to pick by a cue earns, in both directions, on all items and on those where the cue speaks."""

from __future__ import annotations

from dataclasses import dataclass

from horsesense.analysis.cues.battery import phrase
from horsesense.analysis.cues.search import Prepared, Searched


@dataclass(frozen=True, slots=True)
class Way:
    """One way to pick by a cue."""

    cue: str
    pick: str
    """How to tell a person to pick by it: "the option …"."""
    accuracy: float
    """On all items; where the cue is silent, a guess."""
    coverage: float
    """Share of items where the cue tells options apart."""
    speaking: float
    """Accuracy on these; chance where there are none."""


def ways(prepared: Prepared, searched: Searched) -> list[Way]:
    """Each direction of a number cue, and each learnt cue as other items teach it, the most accurate first."""
    chance = float(prepared.table.chance.mean())
    found = []
    for number, cue in enumerate(prepared.cues):
        coverage = float(searched.coverage[number])
        if number < prepared.numbers:
            coverage = float(prepared.coverage[number])
            earned = [(way, float(prepared.directed[:, 2 * number + way].mean(dtype="f8"))) for way in (0, 1)]
        else:
            earned = [(0, float(searched.credit[:, number].mean(dtype="f8")))]
        for way, accuracy in earned:
            speaking = (accuracy - chance * (1 - coverage)) / coverage if coverage else chance
            found.append(Way(cue.name, f"the option {phrase(cue, way)}", accuracy, coverage, speaking))
    return sorted(found, key=lambda way: (-way.accuracy, way.pick))
