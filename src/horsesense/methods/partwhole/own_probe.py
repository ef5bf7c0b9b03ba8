"""The probe that ships with the package: does an adjective of the whole hold for the part?

A row of the table is a whole, an adjective, a part of which the adjective holds as well, and a part of which it does
not. It becomes two questions with the same two options: which part has it too, and which does not. So each part is
right once, and a cue that uses the parts alone, or the fit of part and adjective, cannot get both.

A language model wrote the table and a related model looked for errors; no person has checked it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from horsesense.core import Card, Item, Probe, Source
from horsesense.data.tables import iter_rows
from horsesense.errors import UserError

NAME = "partwhole-own"
OWN = Path(__file__).with_name("data") / "own_parts.tsv"
LICENCE = "Apache-2.0"
STATUS = "written by a language model, no person"
MEMBERS = {"has": "The {whole} is {adjective}, and that goes for its ___ too.",
           "lacks": "The {whole} is {adjective}, but that does not go for its ___."}  # fmt: skip
"""The two questions of a row, by the part that answers them; they fit one part and several."""

CARD = Card(
    name=NAME,
    method="partwhole",
    licence=LICENCE,
    made="Rows of a whole, an adjective, a part that has it and one that has it not, written by a language model, no "
    "person; each row asks for either part.",
    normalise="sum",
    group="whole",
)


@dataclass(frozen=True, slots=True)
class PartRow:
    """One row of the table."""

    whole: str
    adjective: str
    """What the whole is."""
    has: str
    """A part of which the adjective holds as well."""
    lacks: str
    """A part of which it does not."""
    line: int = 0
    """Line in its file, from 1."""

    @property
    def parts(self) -> tuple[str, str]:
        """Both parts in the order in which either question lists them: by a hash, so that the position is not a cue.

        >>> PartRow("axe", "sharp", "edge", "handle").parts
        ('handle', 'edge')
        """
        digest = hashlib.sha256(f"{self.whole} {self.adjective}".encode()).digest()
        return (self.has, self.lacks) if digest[0] % 2 else (self.lacks, self.has)


def own_probe() -> Probe:
    """The probe, built from its rows.

    >>> for item in own_probe().items[:2]:
    ...     print(item.text, item.options[item.answer])
    The acorn is smooth, and that goes for its ___ too. shell
    The acorn is smooth, but that does not go for its ___. cup
    """
    items = [_question(row, member, OWN.name) for row in read_rows(OWN) for member in MEMBERS]
    return Probe.of(items, CARD)


def read_rows(path: Path) -> list[PartRow]:
    """Read a table with the columns whole, adjective, has and lacks; an incomplete row is an error."""
    rows: dict[tuple[str, str], PartRow] = {}
    for line, cells in iter_rows(path):
        values = [str(cells.get(name) or "").strip() for name in ("whole", "adjective", "has", "lacks")]
        if not all(values) or values[2] == values[3]:
            raise UserError(
                "the row needs a whole, an adjective and two different parts", file=path, line=line, fix="repair it"
            )
        whole, adjective, has, lacks = values
        row = PartRow(whole, adjective, has, lacks, line)
        if (known := rows.setdefault((row.whole, row.adjective), row)) is not row:
            raise UserError(f"the {row.adjective} {row.whole} is in line {known.line} already", file=path, line=line)
    return list(rows.values())


def _question(row: PartRow, member: str, file: str) -> Item:
    """Return which part has it too, or which does not."""
    right = row.has if member == "has" else row.lacks
    return Item(
        probe=NAME,
        form="cloze",
        text=MEMBERS[member].format(whole=row.whole, adjective=row.adjective),
        options=row.parts,
        answer=row.parts.index(right),
        family=f"{row.adjective} {row.whole}",
        member=member,
        groups={"whole": row.whole, "adjective": row.adjective},
        facets={"whole": row.whole, "adjective": row.adjective, "part": right, "status": STATUS},
        source=Source(file=file, line=row.line, licence=LICENCE),
    )
