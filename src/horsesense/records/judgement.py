"""What one person says about one item."""

from __future__ import annotations

from dataclasses import dataclass

NOBODY = "#"
"""Begins the annotator of a vote whose owner is not known: ``#1``, ``#2`` … are places in a row, not people."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One person's answer to one item.

    >>> Judgement(item="pw-1", annotator="#2", instrument="partwhole", value="unlikely").anonymous
    True
    """

    item: str
    """Id of the item as it was asked; the name of its family where the instrument judges families."""
    annotator: str
    """A code for the person; ``#1``, ``#2`` … where only the place of the vote is known, not whose it was."""
    instrument: str
    """Name of the instrument: what was asked, and which answers there are."""
    value: str
    """The label, the text of the option, the criteria that fail joined by ``+``, or the words written."""
    reason: str = ""
    """Why, where the instrument asks for it."""
    round: int = 1
    """Which round of judging, from 1."""
    order: int = 0
    """Position in the annotator's own sequence."""
    at: str = ""
    """When, as ISO 8601."""

    @property
    def anonymous(self) -> bool:
        """Whether it is not known whose judgement this is."""
        return self.annotator.startswith(NOBODY)
