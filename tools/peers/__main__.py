"""``python -m tools.peers``; see `tools.peers`."""

from __future__ import annotations

import argparse
import json
import threading
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

from horsesense.core import Card, Item, Probe, write_probe
from tests.support.api_styles import STYLES, Says, knowing
from tests.support.model_server import Behaviour, ModelServer

ITEMS = [
    Item("made", "choice", text=f"What is number {n:02}?", options=("fire", "ice"), answer=n % 2, family=str(n))
    for n in range(20)
]


def main() -> None:
    """Serve until interrupted, then print what came in."""
    parser = argparse.ArgumentParser(prog="python -m tools.peers")
    parser.add_argument("style", choices=sorted(STYLES))
    parser.add_argument("--port", type=int, default=8090)
    parser.add_argument("--known", type=float, default=0.8, help="Share of the questions that it knows.")
    parser.add_argument("--form", default="{letter}", help="Words of its answer, with {letter} and {option}.")
    parser.add_argument("--profile", action="store_true", help="Know questions of the quick profile, not the 20 made.")
    parser.add_argument("--probe", type=Path, help="File to write the 20 questions to.")
    parser.add_argument("--set", action="append", default=[], help="Field of Behaviour: per_window=12.")
    arguments = parser.parse_args()
    if arguments.probe:
        write_probe(arguments.probe, Probe.of(ITEMS, Card(name="made")))
    known = round(arguments.known * len(ITEMS))
    says = _knows_profile(arguments.known) if arguments.profile else knowing(ITEMS, known, arguments.form)
    server = ModelServer(None, "fake", arguments.port)
    server.says, server.behaviour = says, _behaviour(arguments.style, arguments.set)
    with server.running():
        print(f"{arguments.style} at {server.address}", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
    seen = server.seen
    print(f"{seen.requests} requests, {seen.limited} limited, at most {seen.most_in_flight} at once", dict(seen.paths))
    print("last request:", seen.bodies[-1] if seen.bodies else "none")


def _behaviour(style: str, settings: list[str]) -> Behaviour:
    types = {each.name: type(each.default) for each in fields(Behaviour)}
    values: dict[str, Any] = {}
    for name, value in (each.split("=", 1) for each in settings):
        values[name] = value if types[name] is str else json.loads(value)
    return Behaviour(style=style, **values)


def _knows_profile(share: float) -> Says:
    """Answer a share of the questions of the quick profile rightly, the same in any wording, and guess the others."""
    from horsesense.profiling.abilities import chosen
    from horsesense.profiling.material import material
    from tests.support.reply_model import SHOWN, key_of

    asked = [material(ability, "quick") for ability in chosen([])]
    key = key_of(item for each in asked for half in (each.frozen, each.twin) if half is not None for item in half.items)

    def says(question: str) -> str:
        shown = dict(SHOWN.findall(question))
        right = key(question, shown)
        known = right and Random(f"{shown[right]} {sorted(shown.values())}").random() < share
        return right if known else Random(question).choice(sorted(shown) or ["B"])

    return says


if __name__ == "__main__":
    main()
