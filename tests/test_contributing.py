"""The files that the page for contributors shows do what it says: a model family, a provider and a cue."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import horsesense as hs
from horsesense.models.api.address import PROVIDERS, is_served, parse_address
from horsesense.models.api.providers import Ask, provider_of, read_reply
from horsesense.models.api.settings import ServedSettings
from horsesense.models.hf.families import FAMILIES
from horsesense.models.protocol import Sampling, Turn
from tests.support import ROOT
from tests.support.tiny import save_tiny
from tools.docs.blocks import blocks

SHOWN = {block.title: block.text for block in blocks(ROOT / "CONTRIBUTING.md") if block.title}
SAID = {"said": "Yes.", "cut": True, "read": 11, "written": 2}
TEXTS = ("It rained all day.", "Ice is cold, and so is snow.")


def module(monkeypatch: pytest.MonkeyPatch, title: str) -> str:
    """Make a module of a shown file, and return its name."""
    name = f"shown_{title.removesuffix('.py')}"
    made = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, made)
    exec(compile(SHOWN[title], title, "exec"), vars(made))
    return name


def test_a_family(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(FAMILIES, "toy", module(monkeypatch, "toy.py"))
    folder = save_tiny("gpt2", tmp_path / "model")
    ours, theirs = (hs.score(hs.load_model(folder, model_type=name), TEXTS) for name in ("toy", "causal"))
    for one, other in zip(ours.texts, theirs.texts, strict=True):
        assert one.text == other.text
        assert one.sum == pytest.approx(other.sum, abs=1e-5)
    item = hs.Item("demo", "cloze", text="Ice is ___ in May.", options=("cold", "hot"), answer=0)
    cloze = hs.Probe.of([item], hs.Card("demo"))
    runs = [hs.ask(hs.load_model(folder, model_type=name), cloze) for name in ("toy", "causal")]
    ours_scored, theirs_scored = ([row["logprob"] for row in run.tokens()] for run in runs)
    assert ours_scored == pytest.approx(theirs_scored, abs=1e-5), "the words after the blank are scored too"


def test_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROVIDERS, "toy", f"{module(monkeypatch, 'provider.py')}:Toy")
    assert is_served("toy/one")
    provider = provider_of(parse_address("toy/one"), ServedSettings())
    assert provider.address(parse_address("toy/one"), "toy/one").url == "https://api.toy.example/v1"
    assert provider.headers("k") == {"X-Toy-Key": "k"}
    path, body = provider.chat(Ask("one", Turn(messages=(("user", "Is ice cold?"),)), Sampling(7)))
    assert (path, body["max_length"], "max_tokens" in body) == ("/chat/completions", 7, False)
    reply = read_reply(provider.as_openai(SAID))
    assert (reply.text, reply.finish) == ("Yes.", "length")


def test_a_cue() -> None:
    """In a process of its own, since a cue stays in the battery."""
    code = f"""
from random import Random

exec({SHOWN["cue.py"]!r}, {{"__name__": "horsesense.cues.shown"}})

from horsesense.core import Item
from horsesense.cues.findings import measure_cues

rng, items, noise = Random(0), [], []
for i in range(80):
    key = rng.randrange(2)
    texts = [f"word{{rng.randrange(9)}} and word{{rng.randrange(9)}}" for _ in range(2)]
    noise.append(Item("demo", "choice", text=f"Question {{i}}?", options=tuple(texts), answer=key))
    texts[key] = texts[key].replace(" and", "; and")
    items.append(Item("demo", "choice", text=f"Question {{i}}?", options=tuple(texts), answer=key))
for each in items, noise:
    found = measure_cues(each, splits=2, rounds=19)
    print(next((cue.accuracy.value for cue in found.cues if cue.name == "semicolons"), None))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    planted, unplanted = done.stdout.splitlines()
    assert float(planted) == 1.0
    assert unplanted in ("None", "0.5")
