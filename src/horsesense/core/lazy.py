"""Sequences whose members are made when they are looked at, since they take far less memory as something else."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

Member = TypeVar("Member", covariant=True)


class Made(Sequence[Member]):
    """Equal to any sequence of the same members, as a list is to a list, and so without a hash, as that is."""

    @abstractmethod
    def member(self, place: int) -> Member:
        """The one at a place, which there is, counted from 0."""

    @overload
    def __getitem__(self, place: int) -> Member: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Member]: ...

    def __getitem__(self, place: int | slice) -> Member | Sequence[Member]:
        if isinstance(place, slice):
            return [self.member(each) for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self.member(place % len(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        if self is other or len(self) != len(other):
            return self is other
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))
