"""A model's own associations with the nouns of a probe, kept beside its answers."""

from __future__ import annotations

import hashlib
from pathlib import Path

from horsesense.models.local.load import load_model
from horsesense.models.locating import identify
from horsesense.probes.winoventi.associations import read_associations, write_associations
from horsesense.probes.winoventi.depths import Depths, depths_of
from horsesense.probes.winoventi.nouns import clean_nouns
from horsesense.records import Probe
from horsesense.runs.ask import Settings
from horsesense.studies.winoventi.asking import Asking, ask_associations, spellable


def own_depths(name: str, probe: Probe, folder: Path, settings: Settings) -> Depths:
    """Noun and word → least depth; asked once for these weights and nouns, then read from the folder.

    The probe's own wording of the nouns is kept: its schemas say *The scissors is ___* where the release does.
    """
    words = sorted({item.groups["noun"] for item in probe.items if "noun" in item.groups})
    weights = identify(name, allow_pickle=settings.allow_pickle).weights
    about = hashlib.sha256("\n".join((weights, *words)).encode()).hexdigest()[:12]
    path = folder / f"associations-{about}.tsv"
    if not path.is_file():
        model = load_model(
            name,
            family=settings.family,
            device=settings.device,
            dtype=settings.spec.dtype,
            allow_pickle=settings.allow_pickle,
        )
        asking = Asking(spec=settings.spec)
        nouns, _ = spellable(model, clean_nouns((0, word) for word in words).nouns, settings.spec)
        found = ask_associations(model, nouns, asking)
        write_associations(path, [each for own in found for each in own])
    return depths_of(read_associations(path))
