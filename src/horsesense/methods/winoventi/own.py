"""The probe of our own that ships: one schema a frame of our table of circumstances (see docs/winoventi.md).

The generic word is the one that smollm2-masked prefers without a premise. Each schema says in its status how far it was
validated; where not all are, evaluations of it have no headline.
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
    made="Schemas of our own: a table of circumstances with one noun a frame, written by a language model, no person. "
    "The generic word is what smollm2-masked prefers without a premise. Each schema has its status of validation.",
    normalise="sum",
    group="noun",
)


def own_probe() -> Probe:
    """The probe, built from its schemas.

    >>> probe = own_probe()
    >>> probe.items[0].facets["origin"], len(probe.items) > 400
    ('machine', True)
    """
    items = []
    for checked in read_schemas(OWN)[0]:
        word = checked.schema.triplet.noun
        items += items_of(checked.schema, Noun(word, is_plural(word)), licence=LICENCE, probe=NAME)
    return Probe.of(items, CARD)
