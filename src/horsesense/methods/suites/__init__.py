"""Suites: the sets of a paper, and its tables with a user's models in them.

`frame` is their common form: a suite opens its data as probes and turns answers into tables; a run folder records which
suite it belongs to. `ask` asks models all sets, `render` prints tables. A method names its suites in its ``METHOD``.
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
