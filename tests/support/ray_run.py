"""Run by a test as a process of its own, to be killed: asks models two probes on a cluster."""

from __future__ import annotations

import sys
from pathlib import Path

from horsesense.records import read_probe
from horsesense.runs.ask import Settings, ask_models
from horsesense.runs.engine import engine_named

SETTINGS = Settings(shard=400, budget=200, cache=False, device="cpu")


def main(engine: str, workers: str, probes: str, out: str, *models: str) -> None:
    asked = {name: read_probe(Path(probes) / f"{name}.jsonl") for name in ("one", "two")}
    ask_models(models, asked, Path(out), SETTINGS, engine=engine_named(engine, workers=int(workers), threads=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
