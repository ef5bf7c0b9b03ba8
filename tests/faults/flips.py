"""``python -m tests.faults.flips``: one bit at a time flips in what is kept; the table for docs/results/reliability.md."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.made_tasks import clozes
from tests.support.tiny import save_tiny

FLIPS = int(os.environ.get("FLIPS", "400"))


def flip(path: Path, lot: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[lot.randrange(len(content))] ^= 1 << lot.randrange(8)
    path.write_bytes(content)


def count(folder: Path, files: Callable[[Path], list[Path]], look: Callable[[Path], Any], flips: int) -> Counter[str]:
    """Copy, flip, look: told, the same as before, or another number in silence."""
    from horsesense.errors import UserError

    whole, lot, ends = look(folder), random.Random(1), Counter[str]()
    for number in range(flips):
        copy = Path(shutil.copytree(folder, folder.with_name(f"{folder.name}-{number}")))
        flip(lot.choice(files(copy)), lot)
        try:
            ends["the same" if look(copy) == whole else "silent"] += 1
        except UserError:
            ends["told"] += 1
        shutil.rmtree(copy)
    return ends


def main() -> None:
    import horsesense as hs
    from horsesense.models.hf.load import load_model
    from horsesense.runs.ask_models import ask_models
    from horsesense.runs.probe_answers import read_run, result_of
    from horsesense.runs.tasks import Settings
    from horsesense.training.training_record import TrainingSettings

    scratch = Path(tempfile.mkdtemp(prefix="flips-"))
    os.environ["HORSESENSE_CACHE"] = str(scratch / "cache")
    model, probe = save_tiny("gpt2", scratch / "model"), clozes(30, 1)
    settings = Settings(device="cpu", shard=400)
    ask_models([str(model)], {"made": probe}, scratch / "run", settings)

    def numbers(folder: Path) -> Any:
        return [(result_of(each), each.scores("sum")) for each in read_run(folder)[1]]

    def inside(pattern: str) -> Callable[[Path], list[Path]]:
        return lambda folder: sorted(path for path in folder.glob(pattern) if path.is_file() and path.stat().st_size)

    rows: dict[str, Counter[str]] = {}
    for name, pattern in (
        ("answer files", "answers/*"),
        ("manifest", "manifest.json"),
        ("kept probe and card", "probes/*"),
    ):
        rows[name] = count(scratch / "run", inside(pattern), numbers, FLIPS)
    more: dict[str, Any] = {"dev": clozes(4, 2), "tests": [clozes(4, 3)]}
    hs.train(
        str(model),
        train=clozes(12, 1),
        out=scratch / "trained",
        seeds=1,
        settings=TrainingSettings(epochs=1, device="cpu"),
        **more,
    )
    trained = scratch / "trained" / "seed-0"
    texts = ["Ice melts in the sun."]
    score: Callable[[Path], Any] = lambda folder: hs.score(load_model(str(folder), device="cpu"), texts).texts[0].sum  # noqa: E731
    rows["trained model"] = count(trained, inside("*.safetensors"), score, FLIPS // 10)
    rows["scores in the cache"] = _cached(scratch, str(model), probe, settings, numbers)
    print("| what | flips | told | the same, or computed again | another number in silence |\n|---|---|---|---|---|")
    for name, ends in rows.items():
        print(f"| {name} | {ends.total()} | {ends['told']} | {ends['the same']} | {ends['silent']} |")
    sys.exit(1 if any(ends["silent"] for ends in rows.values()) else 0)


def _cached(scratch: Path, model: str, probe: Any, settings: Any, numbers: Callable[[Path], Any]) -> Counter[str]:
    from horsesense.runs.ask_models import ask_models

    whole, lot, ends = numbers(scratch / "run"), random.Random(2), Counter[str]()
    for number in range(FLIPS // 10):
        base = sqlite3.connect(scratch / "cache" / "scores.sqlite")
        key, value = lot.choice(base.execute("SELECT key, value FROM scores").fetchall())
        content = bytearray(value)
        content[lot.randrange(len(content))] ^= 1 << lot.randrange(8)
        base.execute("UPDATE scores SET value = ? WHERE key = ?", (bytes(content), key))
        base.commit()
        base.close()
        ask_models([model], {"made": probe}, scratch / f"again-{number}", settings)
        ends["the same" if numbers(scratch / f"again-{number}") == whole else "silent"] += 1
    return ends


if __name__ == "__main__":
    main()
