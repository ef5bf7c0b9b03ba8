"""Servers whose replies have one thing changed: each kind of API, as strict as its documentation, on loopback."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from horsesense.core import write_probe
from horsesense.models.api import batches
from tests.fuzz.mutations import changed_bytes
from tests.models.api.test_providers import KEY, NAMES, PROBE, VERSIONS, named
from tests.support.api_styles import knowing
from tests.support.model_server import ModelServer

_BUDGET = ("--limit", "2", "--patience", "0.2", "--timeout", "2", "--concurrency", "1")
"""One request at a time, so that the seed decides which reply is changed in which way."""
VARIABLES = {f"{name}_API_KEY": KEY for name in ("OPENAI", "ANTHROPIC", "GEMINI", "AZURE_OPENAI", "VLLM")}


def provider_calls(
    folder: Path,
) -> Iterator[tuple[str, Callable[[Path, random.Random], tuple[list[str], ModelServer]]]]:
    """Yield each kind of server with what makes a command line for it and the server to run meanwhile."""
    folder.mkdir()
    write_probe(folder / "asked.jsonl", PROBE)
    batches.GATHER, batches.POLLS = 0.1, (0.05, 0.1)  # a batch of two questions waits for nobody

    for style in NAMES:

        def prepare(work: Path, lot: random.Random, style: str = style) -> tuple[list[str], ModelServer]:
            server = ModelServer(None, "fake")
            server.says = knowing(PROBE.items, 16)
            server.behaviour.batches = lot.random() < 0.2
            server.behaviour.spoils = lambda reply: changed_bytes(reply, lot) if lot.random() < 0.3 else reply
            words = ["run", "-m", named(server, style), "-p", str(folder / "asked.jsonl"), "--out", str(work / "run")]
            words += [*_BUDGET, *(("--api-version", VERSIONS[style]) if style in VERSIONS else ())]
            words += ["--format", lot.choice(("auto", "generate", "structured", "letters"))]
            return [*words, *(["--batch"] if server.behaviour.batches else [])], server

        yield style, prepare
