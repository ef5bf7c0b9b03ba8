"""A served model as writer and as judge of a WinoVenti pipeline, tried for real.

    python tools/winoventi_live.py --out live --server openai:http://127.0.0.1:8080/v1 --nouns nouns.txt --text texts.gz

Writer, judge and tested model may not be kin, and all models that we bring are of two lineages: smollm and minilm. So
where SmolLM2 is served, the model that is tested is made here: MiniLM's encoder with a head for masked words, trained
for a moment on sentences of the texts. It is good for nothing but this.
"""

from __future__ import annotations

import argparse
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, BertForMaskedLM

import horsesense as hs
from horsesense.lexicons.corpus import read_sentences
from horsesense.models.locate import locate
from horsesense.progress import Progress

SENTENCES, STEPS, AT_ONCE, RATE = 1500, 120, 96, 3e-3


class Spoken(Progress):
    """Says what it is told."""

    def log(self, text: str) -> None:
        print(f"  {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="A served model as writer and as judge of a WinoVenti pipeline.")
    parser.add_argument("--out", type=Path, required=True, help="Folder for the model and the pipelines.")
    parser.add_argument("--server", required=True, help="Who writes and judges: openai:URL#name.")
    parser.add_argument("--nouns", type=Path, required=True, help="A file of nouns.")
    parser.add_argument("--text", type=Path, required=True, help="Sentences to train the head on.")
    parser.add_argument("--limit", type=int, default=40, help="How many nouns.")
    given = parser.parse_args()
    tested = given.out / "minilm-masked"
    if not (tested / "config.json").is_file():
        make_tested(tested, given.text)
    for role in ("judge", "writer"):
        print(f"{given.server} as {role}", flush=True)
        summary = hs.winoventi.make(
            given.nouns,
            out=given.out / role,
            model=str(tested),
            limit=given.limit,
            machine=replace(hs.winoventi.PipelineMachine(ranker="none"), **{role: given.server}),
            people=hs.winoventi.PipelinePeople(stages=("none",)),
            progress=Spoken(),
        )
        print(summary.counts)
        for shown in summary.sample:
            print(f"  proposed: {shown}")


def make_tested(folder: Path, text: Path) -> None:
    """A masked model out of MiniLM's encoder: only what turns its last layer into words is learnt."""
    torch.manual_seed(0)
    source = locate("minilm").folder
    tokenizer, network = AutoTokenizer.from_pretrained(source), BertForMaskedLM.from_pretrained(source)
    states, words = masked_states(network, tokenizer, text)
    head = network.cls.predictions
    torch.nn.init.eye_(head.transform.dense.weight)
    learnt = [*head.transform.parameters(), head.bias]
    network.requires_grad_(False)
    for each in learnt:
        each.requires_grad_(True)
    optimiser = torch.optim.AdamW(learnt, lr=RATE)
    for step in range(STEPS):
        some = torch.randint(len(states), (AT_ONCE,))
        loss = torch.nn.functional.cross_entropy(head(states[some]), words[some])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 40 == 0:
            print(f"  head, step {step}: loss {loss.item():.2f}", flush=True)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def masked_states(network: Any, tokenizer: Any, text: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """What the encoder makes of the hidden last word of sentences that say how something is, and that word."""
    ends = re.compile(r"^The .*\b(?:is|are|was|were) [a-z]+\.$")
    sentences = [each for each in read_sentences(text) if len(each.split()) <= 8 and ends.match(each)]
    chosen = random.Random(0).sample(sentences, min(SENTENCES, len(sentences)))
    states, words = [], []
    for start in range(0, len(chosen), 64):
        batch = tokenizer(chosen[start : start + 64], return_tensors="pt", padding=True)
        ids = batch["input_ids"]
        rows, places = torch.arange(len(ids)), batch["attention_mask"].sum(1) - 3  # before the full stop
        words.append(ids[rows, places].clone())
        ids[rows, places] = tokenizer.mask_token_id
        with torch.inference_mode():
            states.append(network.bert(**batch).last_hidden_state[rows, places])
    return torch.cat(states).clone(), torch.cat(words)


if __name__ == "__main__":
    main()
