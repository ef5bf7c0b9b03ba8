"""Readings of our own probes that come with the program: a probe that is built has its reading on its card.

A reading is of the very items that were read, so it is found by their content. Another version of the builder, another
seed, limit or source makes other items; their card has no share of its own and says what was read instead. One file
a probe in ``readings``, named as the card is, as ``annotate soundness apply --json`` prints it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

from horsesense.annotate.audit.blind_audit import content_of
from horsesense.core import Probe
from horsesense.core.audit import Soundness
from horsesense.data import FieldProblem, check_json
from horsesense.errors import UserError


@cache
def kept_reading(name: str) -> Soundness | None:
    """The last reading of a probe of ours, by the name on its card."""
    file = files(__package__).joinpath("readings", f"{name}.json")
    return check_json(Soundness, file.read_text(encoding="utf-8"), _broken) if file.is_file() else None


def _broken(problem: FieldProblem) -> UserError:
    return UserError(f"a reading that comes with the program is broken at {problem.field}", fix="install it again")


def with_reading(probe: Probe, like: bool = True) -> Probe:
    """The probe with the reading of these very items on its card; where others were read, ``made`` says so.

    ``like``: whether it is made in the way of what was read, so that the earlier reading is of interest at all.
    """
    reading = kept_reading(probe.card.name)
    if reading is None:
        return probe
    if reading.content == content_of(probe.items):
        return replace(probe, card=replace(probe.card, soundness=reading))
    if not like:
        return probe
    share = reading.final.corrected or reading.final.bad
    told = (
        f"These very items have not been read; of another build of it ({reading.items:,} items, {reading.date}) "
        f"{share.value:.1%} ({share.ci[0]:.1%} to {share.ci[1]:.1%}) were found bad."
    ).replace("%", " %")
    return replace(probe, card=replace(probe.card, made=f"{probe.card.made} {told}".strip()))
