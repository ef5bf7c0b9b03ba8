"""Report how models do on probes, with intervals: run once, when everything has been chosen.

    python evaluate.py MODEL… --probes PROBE.jsonl… -o results.json

Models are named as for ``horsesense run -m``. Where a probe groups its items by noun, nouns that the training prompts
named and nouns that they left out are told apart.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from prompts import left_out

from horsesense.core import Answer, Item, Probe, parse_spec, read_probe
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.scoring.normalise import BY_FORM, normalised
from horsesense.scoring.option_scores import answer_items
from horsesense.stats import accuracy, chance, credits


def slices(probe: Probe, answers: Sequence[Answer]) -> Iterator[tuple[str, list[int]]]:
    """Names and places: all items; by test; of these, nouns in and out of the prompts, and options of one token."""
    yield "all", list(range(len(probe.items)))
    for test in sorted({str(item.facets["test"]) for item in probe.items if "test" in item.facets}):
        places = [n for n, item in enumerate(probe.items) if item.facets.get("test") == test]
        yield test, places
        out = [n for n in places if left_out(probe.items[n].groups["noun"])]
        yield f"{test}, noun out of the prompts", out
        yield f"{test}, noun in the prompts", sorted({*places} - {*out})
        short = [n for n in places if all(len(tokens) == 1 for tokens in answers[n].logprobs)]
        if short:
            yield f"{test}, options of one token", short


def results(model: LanguageModel, name: str, probe: Probe, spec_text: str, budget: int) -> Iterator[dict[str, Any]]:
    spec = parse_spec(spec_text)
    answers = answer_items(model, probe.items, spec, budget)
    told = zip(answers, probe.items, strict=True)
    scores = [normalised(answer, item, spec, BY_FORM[item.form]) for answer, item in told]
    earned = credits(scores, [item.answer for item in probe.items])
    units = [item.unit(probe.card.group) for item in probe.items]
    for part, places in slices(probe, answers):
        items: list[Item] = [probe.items[n] for n in places]
        judged = [len(item.options) for item in items if item.answer is not None]
        found = accuracy(earned.values[places], [units[n] for n in places], chance=chance(judged))
        yield {
            "model": model.name, "probe": name, "part": part, "spec": spec_text, "n": found.n, "units": found.clusters,
            "accuracy": found.value, "low": found.low, "high": found.high, "chance": found.chance,
            "margin": float(np.nanmean(earned.margins[places])),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--probes", type=Path, nargs="+", required=True)
    parser.add_argument("--spec", action="append")
    parser.add_argument("--budget", type=int, default=65536, help="tokens a batch")
    parser.add_argument("--device", default="auto")
    parser.add_argument("-o", "--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    found: list[dict[str, Any]] = []
    for name in options.models:
        model = load_model(name, device=options.device)
        for path in options.probes:
            for spec in options.spec or ["exact=false"]:
                begun = time.monotonic()
                lines = list(results(model, path.name.split(".")[0], read_probe(path), spec, options.budget))
                for line in lines:
                    numbers = "{n:6} {accuracy:.3f} {low:.3f} {high:.3f}".format(**line)
                    print(f"{name} {line['probe']} {spec} {line['part']}: {numbers}", flush=True)
                print(f"  {time.monotonic() - begun:.0f} s", flush=True)
                found += lines
                options.out.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
