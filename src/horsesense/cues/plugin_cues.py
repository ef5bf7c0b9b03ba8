"""Cues of plug-ins. They run only if requested by name, and never enter a verdict otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from horsesense.cues.battery import Cue, Keys, Learnt, Number
from horsesense.cues.table import Table
from horsesense.cues.tokens import Floats
from horsesense.registry import Plugin, found


def foreign(name: str) -> Cue:
    """Return the cue of that name, labelled with its package; its output is checked."""
    plugin = found("cues", name)
    cue = plugin.load(object, "anything")
    if not isinstance(cue, Number | Learnt):
        raise plugin.another(cue, "a Number or a Learnt")
    called = {"name": f"{name} ({plugin.origin})", "about": f"{cue.about} (from {plugin.origin})"}
    called["most"] = f"{cue.most} ({plugin.package})"
    if isinstance(cue, Number):
        return replace(cue, **called, least=f"{cue.least} ({plugin.package})", compute=_checked_numbers(plugin, cue))
    return replace(cue, **called, compute=_checked_keys(plugin, cue))


def _checked_numbers(plugin: Plugin, cue: Number) -> Callable[[Table], Floats]:
    def compute(table: Table) -> Floats:
        numbers = plugin.made(cue.compute, np.ndarray, table)
        if numbers.shape != table.text_of.shape or numbers.dtype.kind not in "fiu":
            raise plugin.wrong("does not give one number per option")
        return numbers.astype(np.float64)

    return compute


def _checked_keys(plugin: Plugin, cue: Learnt) -> Callable[[Table], Keys]:
    def compute(table: Table) -> Keys:
        result = plugin.made(cue.compute, Keys, table)
        rising = result.codes.shape == result.option.shape and bool((np.diff(result.option) >= 0).all())
        if not rising or (len(result.option) and not 0 <= result.option[0] <= result.option[-1] < len(table.text_of)):
            raise plugin.wrong("does not give an option for each category, in increasing order")
        return result

    return compute
