"""Run folders of the first format: read, compared and resumed as what they were."""

from __future__ import annotations

import json
from pathlib import Path

import horsesense as hs
from horsesense.core.spec import WAY_FIELDS
from horsesense.data.checksums import SUMS
from horsesense.runs.ask import ask_models
from horsesense.runs.manifest import manifest_path, read_manifest
from tests.runs.test_ask import SETTINGS, make_probe, tables


def _as_format_one(folder: Path) -> None:
    """The manifest as the first format had it: no ways, no kinds, a shorter spec."""
    kept = json.loads(manifest_path(folder).read_text())
    kept["format"] = 1
    for part in kept["parts"]:
        del part["way"], part["asked"], part["model"]["kind"], part["model"]["reported"]
    for name in WAY_FIELDS:
        del kept["spec"][name]
    manifest_path(folder).write_text(json.dumps(kept))
    (folder / SUMS).unlink()  # there were none then


def test_it_is_resumed_to_the_same_bytes_and_compared(tiny_folders: dict[str, Path], tmp_path: Path) -> None:
    probe, gpt2, bert = make_probe(12), str(tiny_folders["gpt2"]), str(tiny_folders["bert"])
    for folder in ("whole", "old"):
        ask_models([gpt2], {"probe": probe}, tmp_path / folder, SETTINGS)
    whole = tables(tmp_path / "whole")
    sorted((tmp_path / "old" / "answers").iterdir())[-1].unlink()
    _as_format_one(tmp_path / "old")
    assert read_manifest(tmp_path / "old").parts[0].way == "options"
    ask_models([gpt2], {"probe": probe}, tmp_path / "old", SETTINGS)
    assert tables(tmp_path / "old") == whole
    assert read_manifest(tmp_path / "old").format == 1, "nothing of today was added"
    ask_models([bert], {"probe": probe}, tmp_path / "new", SETTINGS)
    (side,) = hs.compare(tmp_path / "old", tmp_path / "new").sides
    assert list(side.accuracies) == [gpt2, bert]
    ask_models([bert], {"probe": probe}, tmp_path / "old", SETTINGS)
    assert read_manifest(tmp_path / "old").format == 2, "what is added is of today"
