"""The best that can be had of a set without its question: what any score has to be held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from horsesense.analysis import chance
from horsesense.analysis.cues.battery import Number, battery
from horsesense.analysis.cues.findings import Finding, find_cues
from horsesense.analysis.cues.search import Tick, quiet
from horsesense.records import Probe

_SEES_THE_QUESTION = "overlap"
"""The file of cues that compare options with what they have in common, which is the question."""


@dataclass(frozen=True, slots=True)
class BlindCue:
    """What cues earn on one set."""

    rule: Finding | None
    """The best cue that a person could apply at once: most negations, fewest words …"""
    learnt: Finding | None
    """The best of all, those included that learn words from other items of the set."""
    chance: float
    searched: bool = True
    """False where the set is too small: cues are chosen on one half of its units and measured on the other."""


def blind_cues(probes: Mapping[str, Probe], tick: Tick = quiet) -> dict[str, BlindCue]:
    """For each set, the best cues that do not look at the question; a set of one unit has none, and is no error."""
    blind = {cue.name for cue in battery() if cue.compute.__module__.rpartition(".")[2] != _SEES_THE_QUESTION}
    rules = {cue.name for cue in battery() if isinstance(cue, Number)} & blind
    found = {}
    for name, probe in probes.items():
        if _units(probe) < 2:
            guessing = chance([len(item.options) for item in probe.items])
            found[name] = BlindCue(None, None, guessing, searched=False)
            continue
        cues = find_cues(probe.items, probe.card.group, rounds=99, tick=tick)
        ranked = [cue for cue in cues.cues if cue.name in blind]
        found[name] = BlindCue(
            rule=next((cue for cue in ranked if cue.name in rules), None),
            learnt=next(iter(ranked), None),
            chance=cues.chance,
        )
    return found


def _units(probe: Probe) -> int:
    """Units of dependence among the items that say something about cues."""
    usable = (item for item in probe.items if item.answer is not None and len(item.options) > 1)
    return len({item.unit(probe.card.group) for item in usable})
