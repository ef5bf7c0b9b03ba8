"""Suites: what a paper asks, and its tables with one's own models in them.

`frame` is what all have in common: a suite opens its data as probes and turns answers into tables; `stored` records in
a run's folder which suite it belongs to. A method names its suites in its ``METHOD``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horsesense.errors import unknown
from horsesense.registry import load, provided

if TYPE_CHECKING:
    from horsesense.methods.suites.frame import PaperSuite


def find_paper_suite(name: str) -> PaperSuite:
    """Return a suite by its name.

    >>> find_paper_suite("cats").spec
    'paper:cats'
    """
    suites = provided("suites")
    if name not in suites:
        raise unknown("suite", name, suites)
    suite: PaperSuite = load(suites[name])
    return suite
