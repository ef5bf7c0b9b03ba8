"""The probe of our own that ships: schemas that were found sound in a blind reading (see docs/methods/winoventi.md).

Our table of circumstances made them, one noun a frame; the generic word is the one that smollm2-masked prefers without
a premise. A language model read all of them without the key, no person: each schema says so in its status, and the
card has the reading.
"""

from __future__ import annotations

from pathlib import Path

from horsesense.methods.winoventi.nouns import Noun, is_plural
from horsesense.methods.winoventi.schemas import items_of
from horsesense.methods.winoventi.triplet_files import read_schemas
from horsesense.records import Probe
from horsesense.records.card import card_path, read_card

NAME = "winoventi-own"
OWN = Path(__file__).with_name("data") / "own_schemas.tsv"
LICENCE = "Apache-2.0"


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
    return Probe.of(items, read_card(card_path(OWN.with_suffix(".jsonl"))))
