"""Whom statements are about: strings that nobody has heard of, first names, or the letters A and B."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from horsesense.errors import UserError, unknown
from horsesense.files import numbered_lines
from horsesense.language.novel import check_names, novel_names
from horsesense.probes.rica.shipped import shipped_list

MODES = ("novel", "names", "letters")
POOL = 1_000
"""How many novel names there are: enough for half a million pairs, and one list for all models."""
NAME_PAIRS = 3
"""How often a statement is asked about names (section 4.3)."""


@dataclass(frozen=True, slots=True)
class Entities:
    """Where pairs of names come from."""

    mode: str
    names: tuple[str, ...]
    pairs: int
    """How many pairs each axiom is told about (five in the high-resource setting, section 3.3)."""
    seed: int

    @property
    def tellings(self) -> int:
        """How many times each statement is told."""
        return 1 if self.mode == "letters" else self.pairs

    def draw(self, family: str) -> list[dict[str, str]]:
        """The names of A and B, for each telling; the same for a family whatever else is built."""
        if self.mode == "letters":
            return [{"A": "A", "B": "B"}]
        chance = Random(f"{self.seed} {family}")
        found: list[dict[str, str]] = []
        while len(found) < self.pairs:
            one, other = chance.sample(self.names, 2)
            pair = {"A": one, "B": other}
            # Names that begin alike are taken for one another by people too.
            if one[:2].lower() != other[:2].lower() and pair not in found:
                found.append(pair)
        return found


def entities_of(choice: str, pairs: int | None, seed: int, words: Collection[str] = frozenset()) -> Entities:
    """``novel``, ``names``, ``letters``, or a file with a name a line; ``words`` must not be met by novel ones."""
    if choice == "novel":
        return Entities(choice, tuple(novel_names(POOL, seed, words)), pairs or 1, seed)
    if choice == "names":
        return Entities(choice, shipped_list("names"), pairs or NAME_PAIRS, seed)
    if choice == "letters":
        return Entities(choice, (), 1, seed)
    path = Path(choice)
    if not path.is_file():
        raise unknown("kind of entities", choice, (*MODES, "FILE"))
    return Entities("given", _given(path, words), pairs or 1, seed)


def _given(path: Path, words: Collection[str]) -> tuple[str, ...]:
    names: Sequence[str] = [line.strip() for _, line in numbered_lines(path)]
    try:
        check_names(names, words)
    except UserError as error:
        raise error.at(path, error.line) from None
    return tuple(names)
