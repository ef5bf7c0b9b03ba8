"""The probe of our own that ships: schemas that passed a blind reading (see docs/winoventi.md).

Our table of circumstances made them, one noun a frame; the generic word is the one that smollm2-masked prefers without
a premise. A language model read all of them without the key, no person: each schema says so in its status.
"""

from __future__ import annotations

from pathlib import Path

from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.schemas import items_of
from horsesense.methods.winoventi.triplet_files import read_schemas
from horsesense.records import Card, Probe

NAME = "winoventi-own"
OWN = Path(__file__).with_name("data") / "own_schemas.tsv"
LICENCE = "Apache-2.0"

CARD = Card(
    name=NAME,
    method="winoventi",
    licence=LICENCE,
    made="Schemas of our own: a table of circumstances with one noun a frame, both tables written by a language model; "
    "those that a language model found sound in a blind reading, no person. The generic word is what smollm2-masked "
    "prefers without a premise.",
    normalise="sum",
    group="noun",
)


def own_probe() -> Probe:
    """The probe, built from its schemas.

    >>> probe = own_probe()
    >>> {item.facets["status"] for item in probe.items}
    {'validated by a language model, no person'}
    """
    items = []
    for checked in read_schemas(OWN)[0]:
        word = checked.schema.triplet.noun
        items += items_of(checked.schema, Noun(word, is_plural(word)), licence=LICENCE, probe=NAME)
    return Probe.of(items, CARD)
