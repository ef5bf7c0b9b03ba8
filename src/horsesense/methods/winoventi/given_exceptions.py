"""Exceptions that people gave (winoventi.txt, 2.3): collected judgements, and the release's collection and registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from horsesense.core import Item, Judgement, iter_judgements
from horsesense.data import numbered_lines
from horsesense.data.tables import iter_rows, open_table, read_table
from horsesense.errors import UserError
from horsesense.methods.winoventi.associations import Association
from horsesense.methods.winoventi.nouns import AGREEING, Noun, fill_template
from horsesense.methods.winoventi.schemas import Triplet
from horsesense.progress import Progress

NONSENSE = "nonsense"
REGISTRY = ("Word", "Associative Bias", "Alternative")
"""Columns of the release's registry: triplets that people gave."""


def read_given(
    path: Path, by_item: Mapping[str, Association], progress: Progress
) -> tuple[list[Triplet], set[str], list[Triplet]]:
    """Exceptions of one file: judgements, or the release's outcome collection; and those of others' associations."""
    first = next(iter(numbered_lines(path)), (0, ""))[1]
    if "makeSense" in first:
        released, pairs = read_released_exceptions(path)
        depths = {(each.noun, each.word): each.k for each in by_item.values()}
        fitting = [t for t in released if (t.noun, t.generic) in depths]
        progress.log(
            f"{path.name}: {len(fitting):,} of {len(released):,} released triplets are this model's associations"
        )
        return [], {association_name(noun, word) for noun, word in pairs}, released
    triplets, nonsense, notes = from_people([placed.judgement for placed in iter_judgements(path)], by_item)
    for note, count in notes.items():
        progress.log(f"{path.name}: {note}: {count:,}")
    return triplets, {association_name(by_item[item].noun, by_item[item].word) for item in nonsense}, []


def from_people(
    judgements: Iterable[Judgement], associations: Mapping[str, Association]
) -> tuple[list[Triplet], list[str], dict[str, int]]:
    """Exceptions that people wrote, the items that they call nonsense, and what was odd.

    Associations are named by their items (see `association_item`). One person who finds no sense in a statement
    drops it, as in the release.
    """
    judged = list(judgements)
    nonsense = [each.item for each in judged if each.value.strip().lower() == NONSENSE and each.item in associations]
    others = sum(each.item not in associations for each in judged)
    triplets = [
        Triplet(associations[each.item].noun, associations[each.item].word, word, "people", associations[each.item].k)
        for each in judged
        if each.item in associations and each.item not in nonsense
        for word in (given.strip().lower() for given in each.value.split(","))
        if word
    ]
    return triplets, nonsense, {"judgements of other associations": others} if others else {}


def association_name(noun: str, word: str) -> str:
    """How an association is called where people judge it."""
    return f"{noun} | {word}"


def association_item(association: Association, noun: Noun) -> Item:
    """What people are shown to find exceptions to: the instrument ``exceptions`` asks about noun and bias."""
    return Item(
        probe="winoventi-associations",
        form="cloze",
        text=fill_template(AGREEING, noun) + ".",
        options=(association.word,),
        family=association_name(association.noun, association.word),
        groups={"noun": association.noun, "generic_word": association.word},
        facets={"bias": association.word, "k": association.k},
    )


def read_released_exceptions(path: Path) -> tuple[list[Triplet], list[tuple[str, str]]]:
    """Triplets of the release's outcome collection, and the pairs that its workers call nonsense.

    Its column ``min_k`` is left alone: that depth is the one of other models.
    """
    triplets, nonsense = [], []
    for line, row in _released_rows(path):
        missing = next((name for name in ("Word", "Associative Bias", "makeSense") if not row.get(name)), None)
        if missing is not None:
            raise UserError(f"the column {missing!r} is missing or empty", file=path, line=line)
        pair = row["Word"], row["Associative Bias"]
        if row["makeSense"] == "No":
            nonsense.append(pair)
            continue
        words = [row.get(f"antonym{number}", "").strip() for number in (1, 2, 3)]
        triplets += [Triplet(*pair, word, "release") for word in words if word]
    return triplets, nonsense


def _released_rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    """The cleaned file is called .csv and has tabs."""
    table = open_table(path)
    if len(table.header) > 1:
        for number, cells in table.rows:
            yield number, dict(zip(table.header, cells, strict=False))
    else:
        yield from iter_rows(path)


def is_registry(path: Path) -> bool:
    """Whether a file is the release's registry: noun, association, alternative, and what models do with them."""
    first = next(iter(numbered_lines(path)), (0, ""))[1].split("\t")
    return tuple(first[:3]) == REGISTRY and "makeSense" not in first


def read_registry_triplets(path: Path) -> list[Triplet]:
    """Triplets of the release's registry, which people gave for other models' associations."""
    noun, generic, exception = REGISTRY
    return [Triplet(row[noun], row[generic], row[exception], "release") for _, row in read_table(path, REGISTRY)]
