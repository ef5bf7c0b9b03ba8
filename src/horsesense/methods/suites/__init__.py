"""Suites: what a paper asks, and its tables with one's own models in them. A method joins with one file.

`frame` is what all have in common: a suite opens its data as probes and makes tables of answers; `kept` remembers in a
run's folder which suite it belongs to. `SUITES` names the object of each; a new one is a line here and a file in the
house of its method (`methods/cats/paper_tables.py` is a good one to look at).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from horsesense.errors import unknown

if TYPE_CHECKING:  # the names alone are for the help of a command, which loads nothing heavy
    from horsesense.methods.suites.frame import PaperSuite

SUITES = {
    "cats": "horsesense.methods.cats.paper_tables:CATS",
    "cats-robust": "horsesense.methods.cats.paper_tables:CATS_ROBUST",
    "partwhole": "horsesense.methods.partwhole.suite:PARTWHOLE",
    "wordnetqa": "horsesense.methods.wordnetqa.suite:WORDNETQA",
    "rica": "horsesense.methods.rica.suite:RICA",
    "winoventi": "horsesense.methods.winoventi.paper_tables:WINOVENTI",
}
"""By name, the module and the suite in it."""


def find_paper_suite(name: str) -> PaperSuite:
    """A suite by its name.

    >>> find_paper_suite("cats").spec
    'paper:cats'
    """
    if name not in SUITES:
        raise unknown("suite", name, SUITES)
    module, _, suite = SUITES[name].partition(":")
    found: PaperSuite = getattr(import_module(module), suite)
    return found
