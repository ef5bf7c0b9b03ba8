"""What an evaluation leans on beside the texts and the answers: depths, a model's own associations, other models.

It is kept beside the answers, so that a report can count again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from horsesense.core import Probe
from horsesense.data import read_text, writing
from horsesense.methods.winoventi.asking import Asking, ask_associations, spellable
from horsesense.methods.winoventi.associations import Depths, read_depths, read_registry, write_associations
from horsesense.methods.winoventi.lexicon import Lexicon, lexicon_at_hand
from horsesense.methods.winoventi.nouns import clean_nouns
from horsesense.models.load import open_model
from horsesense.models.locate import identity_named
from horsesense.runs.ask import Settings

_BACKGROUND = "winoventi.json"


@dataclass(frozen=True, slots=True)
class Background:
    """What is known of the schemas beside their texts."""

    depths: Depths = field(default_factory=dict)
    """At which depth the generator had each association."""
    own_depths: Mapping[str, Depths] = field(default_factory=dict)
    """Model → its own associations, with their depths."""
    others: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Other models, asked elsewhere → names of the triplets that pass their filter."""
    lexicon: Lexicon | None = None


def own_depths(name: str, probe: Probe, folder: Path, settings: Settings) -> Path:
    """The file of a model's own associations with the nouns of a probe, beside its answers.

    They are asked for once for this model and these nouns, then read from the folder of its answers.

    The probe's own wording of the nouns is kept: its schemas say *The scissors is ___* where the release does.
    """
    words = sorted({item.groups["noun"] for item in probe.items if "noun" in item.groups})
    who = identity_named(name, allow_pickle=settings.allow_pickle)
    about = hashlib.sha256("\n".join((who, *words)).encode()).hexdigest()[:12]
    path = folder / f"associations-{about}.tsv"
    if not path.is_file():
        model = open_model(
            name,
            family=settings.family,
            device=settings.device,
            dtype=settings.spec.dtype,
            allow_pickle=settings.allow_pickle,
            served=settings.served,
        )
        nouns, _ = spellable(model, clean_nouns((0, word) for word in words).nouns, settings.spec)
        by_noun = ask_associations(model, nouns, Asking(spec=settings.spec))
        write_associations(path, [each for associations in by_noun for each in associations])
    return path


def keep_background(folder: Path, depths: Path | None, registry: Path | None, own: Mapping[str, Path]) -> None:
    """Write beside the answers what an evaluation leans on, so that a report can count again."""
    about = {
        "depths": None if depths is None else str(depths.resolve()),
        "registry": None if registry is None else str(registry.resolve()),
        "own": {model: path.name for model, path in own.items()},
    }
    with writing(folder / _BACKGROUND) as temporary:
        temporary.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def read_background(folder: Path) -> Background:
    """What an evaluation in this folder leans on, as far as its files are still there."""
    path = folder / _BACKGROUND
    about = json.loads(read_text(path)) if path.is_file() else {}
    depths, registry = (Path(about[name]) if about.get(name) else None for name in ("depths", "registry"))
    own = {model: folder / name for model, name in about.get("own", {}).items()}
    return Background(
        depths=read_depths(depths) if depths is not None and depths.is_file() else {},
        own_depths={model: read_depths(file) for model, file in own.items() if file.is_file()},
        others=read_registry(registry) if registry is not None and registry.is_file() else {},
        lexicon=lexicon_at_hand(),
    )
