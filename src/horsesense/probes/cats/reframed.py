"""What every reframed set has in common: the item, its units of dependence, its steps, its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.probes.cats.joining import without_separators
from horsesense.probes.cats.rows import distinct
from horsesense.probes.released.cats import facets_of, groups_of, with_sources
from horsesense.probes.released.reading import Reading, names_of, split_of
from horsesense.records import Card, Facet, Item, Probe, Source


@dataclass(frozen=True, slots=True)
class Reframing:
    """One set in the making."""

    reading: Reading
    task: str
    """The set's name in CATs: wsc, ca, sm, smr, swag, hella_swag, arct_1, arct_2."""
    licence: str = ""
    """Of the source, where it has one."""

    def add(
        self,
        options: Sequence[str],
        answer: int,
        path: Path,
        line: int,
        facets: dict[str, Facet] | None = None,
        identity: str = "",
        family: str = "",
        member: str = "",
    ) -> None:
        """Add an instance; options that are the same are refused."""
        cleaned = []
        for option in options:
            text, marks = without_separators(self.reading.clean(option))
            self.reading.notes["[SEP] replaced by a space"] += marks
            cleaned.append(text)
        item = Item(
            probe="cats",
            form="sentences",
            options=tuple(cleaned),
            answer=answer,
            family=family,
            member=member,
            groups=groups_of(self.task, cleaned, answer),
            facets=facets_of(self.task, cleaned, answer) | (facets or {}) | split_of(path),
            source=Source(file=path.name, line=line, id=identity, licence=self.licence),
        )
        self.reading.add(distinct(item))

    def probe(self, paths: Sequence[Path], how: str) -> Probe:
        """The probe of all instances; ``how`` says what was done to the source."""
        self.reading.notes = +self.reading.notes
        self.reading.items = with_sources(self.reading.items)
        card = Card(
            name=f"cats-{self.task.replace('_', '-')}",
            method="cats",
            licence=self.licence,
            made=f"Reframed from {names_of(paths)} as CATs does: {how}.",
            normalise="mean",
            group="source",
        )
        return self.reading.probe(card, paths)
