"""Is contamination by the frozen questions found? SmolLM2 learns a share of them for some epochs, and is then profiled.

    python bench/contamination.py [--shares 0.1,0.3,1] [--epochs 1,4,16] [--seeds 2] [--part 0/4] [--out FILE]
    python bench/contamination.py --table FILE…     puts the curve into docs/results/profile.md

The dose is the share of frozen items, drawn by seed, times the epochs. A low-rank adapter on all attention and MLP
weights (rank 16) learns each question with its right answer as plain text, as a crawl of a published benchmark would
have it; the twins are never seen. Then frozen and twin of every ability that has one are asked by the likelihood of the
options, and the pooled test is taken. One row per dose and seed: the difference with its interval, p, and whether
contamination is found; a dose of 0 is the model as it was. `--part` is one of several processes that share the doses;
`--limit` asks fewer families, for a trial on a laptop.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

import horsesense as hs
from horsesense.core import ScoringSpec
from horsesense.cues.artefact_control import ChosenCue
from horsesense.models.hf.load import load_model
from horsesense.profiling.abilities import chosen
from horsesense.profiling.contamination import contamination
from horsesense.profiling.from_answers import Explained, item_scores_of
from horsesense.profiling.material import Material, material
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.scoring.prompts import item_prompts

RANK, RATE, BATCH = 16, 3e-4, 16
NOTHING = Explained(ChosenCue((), (), 0), {})
DOCS = Path(__file__).parent.parent / "docs" / "results" / "profile.md"
BEGIN, END = "<!-- doses: begin -->\n", "<!-- doses: end -->\n"


class LowRank(torch.nn.Module):
    """A linear layer that stays as it is, and a product of two thin matrices that learns (LoRA)."""

    def __init__(self, layer: torch.nn.Linear) -> None:
        super().__init__()
        self.layer = layer
        like, wide = layer.weight, layer.in_features
        down = torch.randn(RANK, wide, device=like.device, dtype=like.dtype)
        self.down = torch.nn.Parameter(down / wide**0.5)
        self.up = torch.nn.Parameter(torch.zeros(layer.out_features, RANK, device=like.device, dtype=like.dtype))

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        learnt: torch.Tensor = self.layer(given) + 2 * (given @ self.down.T) @ self.up.T
        return learnt

    def merged(self) -> torch.nn.Linear:
        with torch.no_grad():
            self.layer.weight += 2 * self.up @ self.down
        return self.layer


def adapted(network: Any) -> list[tuple[Any, str, LowRank]]:
    """Put an adapter on every linear layer below the head; where each stands."""
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    placed = []
    for parent in list(network.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, torch.nn.Linear) and name != "lm_head":
                adapter = LowRank(child)
                setattr(parent, name, adapter)
                placed.append((parent, name, adapter))
    return placed


def teach(network: Any, tokenizer: Any, texts: Sequence[str], epochs: int, seed: int) -> None:
    """Plain next-token training on whole texts."""
    torch.manual_seed(seed)
    placed = adapted(network)
    learning = [p for _, _, adapter in placed for p in (adapter.down, adapter.up)]
    optimiser = torch.optim.AdamW(learning, lr=RATE)
    device, order = next(network.parameters()).device, random.Random(seed)
    network.train()
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    for _ in range(epochs):
        shuffled = order.sample(texts, len(texts))
        for start in range(0, len(shuffled), BATCH):
            batch = tokenizer(
                shuffled[start : start + BATCH], return_tensors="pt", padding=True, truncation=True, max_length=256
            )
            ids, mask = batch["input_ids"].to(device), batch["attention_mask"].to(device)
            labels = ids.masked_fill(mask == 0, -100)
            loss = network(input_ids=ids, attention_mask=mask, labels=labels).loss
            loss.backward()
            optimiser.step()
            optimiser.zero_grad()
    for parent, name, adapter in placed:
        setattr(parent, name, adapter.merged())
    network.eval()


def asked(model: Any, materials: Sequence[Material]) -> Any:
    """The pooled test of frozen against twin."""
    probes = {}
    for each in materials:
        assert each.twin is not None
        for role, probe in (("main", each.frozen), ("twin", each.twin)):
            kept = [item for item in probe.items if item.facets.get("rung", "inference") == "inference"]
            probes[f"{each.ability.name} {role}"] = replace(probe, items=kept)
    answers: dict[str, dict[Any, ProbeAnswers]] = {}
    for part in hs.ask(model, probes, formats="loglikelihood").answered:
        ability, role = part.part.probe.name.split()
        answers.setdefault(ability, {})[role, "loglikelihood"] = part
    scores = [item_scores_of(model.name, each, answers[each.ability.name], NOTHING, None) for each in materials]
    return contamination(scores)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shares", default="0.1,0.3,1")
    parser.add_argument("--epochs", default="1,4,16")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--part", default="0/1", help="Every so manieth dose, from this one on.")
    parser.add_argument("--table", type=Path, nargs="+", help="Files of rows: makes the table, asks nothing.")
    parser.add_argument("--abilities", default="", help="By commas; by default all that have a twin and no ladder.")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--minutes", type=float, default=9.0, help="Stop before a dose that would end later.")
    parser.add_argument("--out", type=Path, default=Path("contamination.jsonl"))
    given = parser.parse_args()
    if given.table:
        write_table([json.loads(line) for file in given.table for line in file.read_text().splitlines()])
        return
    began = time.perf_counter()
    whole = [
        a for a in chosen([name for name in given.abilities.split(",") if name]) if a.has_twin and a.recipe != "ladder"
    ]
    materials = [material(ability, "full", limit=given.limit) for ability in whole]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    first = load_model("smollm2", device=device)
    texts = [
        item_prompts(item, ScoringSpec(), True).prompts[item.answer].text
        for each in materials
        for item in each.frozen.items
        if item.answer is not None
    ]
    shares, epochs_of = map(float, given.shares.split(",")), [int(each) for each in given.epochs.split(",")]
    doses = [(0.0, 0, 0)] + [(s, e, seed) for s in shares for e in epochs_of for seed in range(given.seeds)]
    first_dose, every = map(int, given.part.split("/"))
    longest = 0.0
    with given.out.open("w", encoding="utf-8") as out:
        for share, epochs, seed in doses[first_dose::every]:
            start = time.perf_counter()
            if start - began + longest > 60 * given.minutes:
                print("no time is left for the next dose", flush=True)
                return
            network = deepcopy(first.network)
            if share:
                drawn = random.Random(seed).sample(texts, round(share * len(texts)))
                teach(network, first.tokenizer, drawn, epochs, seed)
            found = asked(hs.load_model(network, first.tokenizer, name="dosed"), materials)
            longest = max(longest, time.perf_counter() - start)
            e = found.difference
            taken = round(time.perf_counter() - start, 1)
            row = {"share": share, "epochs": epochs, "seed": seed, "texts": len(texts), "seconds": taken}
            row |= {"difference": e.value, "low": e.low, "high": e.high, "p": found.p, "found": found.found}
            out.write(json.dumps(row) + "\n")
            out.flush()
            print(row, flush=True)


def write_table(rows: Sequence[dict[str, Any]]) -> None:
    """The curve: for each dose the difference frozen − twin of every seed, and in how many contamination is found."""
    doses: dict[tuple[int, float], list[dict[str, Any]]] = {}
    for row in rows:
        doses.setdefault((row["epochs"], row["share"]), []).append(row)
    lines = [
        "| epochs | share of the frozen items | difference frozen − twin, by seed | contamination found |",
        "|---:|---:|---|---|",
    ]
    for (epochs, share), own in sorted(doses.items()):
        told = ", ".join(
            f"{r['difference']:+.3f} ({r['low']:+.3f} to {r['high']:+.3f})"
            for r in sorted(own, key=lambda r: r["seed"])
        )
        lines.append(f"| {epochs} | {share:.0%} | {told} | {sum(r['found'] for r in own)} of {len(own)} |")
    text = DOCS.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    DOCS.write_text(f"{before}{BEGIN}" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
