"""Train adapters on what the model wrote, one a design, and tell how good each is.

    python train.py BASE TEXT.xz… --designs start,word,… --steps 300 -o FOLDER

Every design sees the same rows in the same order. It is judged by the loss on held-out texts with a tenth of their
words hidden, and by the development set; never by a probe.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from adapter import Adapter, merged, new_adapter, rounded, save_adapter, with_mask
from corpus import Rows, read_corpus
from judge import Judge
from llama import Llama, attend_within, layer, read_llama, rotation, states
from masking import hide, within_pieces, word_starts
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

MASK = "<empty_output>"
"""A special token of the base that no text has."""
FAR = 0.1
"""The share of rows in which pieces see each other: longer texts than one piece."""


@dataclass(frozen=True)
class Design:
    """What can be chosen."""

    rank: int = 48
    where: str = ""
    """A regular expression that names the linear layers that are adapted; all by default."""
    offset: int = 1
    """How many places before the mask its prediction is read."""
    rates: tuple[float, ...] = (0.05, 0.15, 0.30)
    words: float = 0.0
    """The share of pieces in which whole words are hidden."""
    distil: float = 0.0
    """The weight of the causal model's own next-token distribution beside the token that stood there."""
    speed: float = 1e-3
    """The highest learning rate."""
    seed: int = 0


START = Design()
DESIGNS = {
    "start": START,
    "again": replace(START, seed=1),
    "rank24": replace(START, rank=24),
    # As many parameters as the start has.
    "attention": replace(START, rank=127, where="self_attn"),
    "mlp": replace(START, rank=77, where="mlp"),
    "early": replace(START, rank=96, where=r"layers\.(\d|1[0-4])\."),
    "late": replace(START, rank=96, where=r"layers\.(1[5-9]|2\d)\."),
    "in-place": replace(START, offset=0),
    "word": replace(START, words=1.0),
    "half-word": replace(START, words=0.5),
    "distil": replace(START, distil=0.3),
    "dense": replace(START, rates=(0.15, 0.30, 0.50)),
    "sparse": replace(START, rates=(0.05, 0.10)),
    "fast": replace(START, speed=2e-3),
    "chosen": replace(START, words=0.5, speed=2e-3),
}


@dataclass(frozen=True)
class Trainer:
    """The base in both precisions, and what all designs share."""

    exact: Llama
    """float32; the adapter is added to it."""
    quick: Llama
    mask: int
    starts: Tensor
    compiled: bool

    def scores(self, adapter: Adapter, ids: Tensor, hidden: Tensor, seen: Tensor, offset: int) -> Tensor:
        """Logits for each hidden token, in the order of the rows."""
        embedding = with_mask(self.quick.embedding, adapter, self.mask)
        x = functional.embedding(ids.masked_fill(hidden, self.mask), embedding)
        turn = rotation(self.quick, ids.shape[1])
        step = _quick_layer if self.compiled else _adapted_layer
        for number, down in enumerate(adapter.down):
            x = step(x, self.quick.norms[number], self.exact.linear[number], down, adapter.up[number], turn, seen, self)
        found = functional.rms_norm(x, x.shape[-1:], self.quick.norms[-1][0], self.quick.eps)
        return functional.linear(found[hidden.roll(-offset, dims=1)], embedding).float()


def _adapted_layer(
    x: Tensor, norms: list[Tensor], linear: list[Tensor], down: list[Tensor], up: list[Tensor], turn: Tensor,
    seen: Tensor, trainer: Trainer,
) -> Tensor:  # fmt: skip
    # Added to the weights and not run beside them: one product a layer instead of three.
    weights = [(w + u.T @ d).to(x.dtype) for w, d, u in zip(linear, down, up, strict=True)]
    return layer(x, norms, weights, turn, trainer.quick, attend_within(seen))


_quick_layer = torch.compile(_adapted_layer, dynamic=False)


def train(trainer: Trainer, rows: Tensor, design: Design, steps: int, batch: int) -> Adapter:
    torch.manual_seed(design.seed)
    device = trainer.exact.embedding.device
    rng = torch.Generator(device).manual_seed(design.seed)
    adapter = new_adapter(trainer.exact, design.rank, design.where)
    optimiser = torch.optim.AdamW(
        adapter.parameters(), lr=design.speed, betas=(0.9, 0.98), weight_decay=0.0, fused=trainer.compiled
    )
    warm = max(1, min(100, steps // 10))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda n: min((n + 1) / warm, (steps - n) / max(1, steps - warm))
    )
    begun, told = time.monotonic(), torch.zeros((), device=device)
    for step, ids in zip(range(steps), _batches(rows, batch, device), strict=False):
        hidden = hide(ids, trainer.starts, design.rates, design.words, rng)
        seen = within_pieces(ids)
        far = torch.rand(len(ids), 1, 1, 1, device=device, generator=rng) < FAR
        scores = trainer.scores(adapter, ids, hidden, seen | far, design.offset)
        loss = functional.cross_entropy(scores, ids[hidden])
        whole = loss
        if design.distil:
            with torch.no_grad():
                causal = states(trainer.quick, ids, seen & torch.ones_like(seen).tril())
                taught = (
                    functional.linear(causal[hidden.roll(-1, dims=1)], trainer.quick.embedding).float().softmax(dim=-1)
                )
            whole = loss + design.distil * functional.cross_entropy(scores, taught)
        whole.backward()
        torch.nn.utils.clip_grad_norm_(adapter.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        schedule.step()
        told = told * 0.95 + loss.detach() * 0.05
        if step % 100 == 99 or step + 1 == steps:
            passed = time.monotonic() - begun
            mean = told.item() / (1 - 0.95 ** (step + 1))
            print(f"  step {step + 1}: loss {mean:.3f}, {passed:.0f} s", flush=True)
    return adapter


def _batches(rows: Tensor, batch: int, device: torch.device) -> Iterator[Tensor]:
    order = torch.Generator().manual_seed(0)
    while True:
        shuffled = torch.randperm(len(rows), generator=order)
        for part in shuffled.split(batch):
            if len(part) == batch or len(rows) < batch:
                yield rows[part].to(device, non_blocking=True).long()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--designs", default=",".join(DESIGNS))
    parser.add_argument("--set", nargs="*", default=[], help="change every design, as in: words=0.5 rank=24")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--held-out", type=int, default=512, help="rows that are judged on")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--eager", action="store_true", help="do not compile")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("-o", "--out", type=Path, required=True)
    options = parser.parse_args()

    changes = {key: json.loads(value) for key, _, value in (one.partition("=") for one in options.set)}
    torch.set_float32_matmul_precision("high")
    begun = time.monotonic()
    tokenizer = Tokenizer.from_file(str(options.base / "tokenizer.json"))
    rows, held_out = _tensors(*read_corpus(options.texts, tokenizer, options.length, options.seed))
    held_out = held_out[: options.held_out]
    print(f"{rows.numel()} tokens, {held_out.numel()} held out, {time.monotonic() - begun:.0f} s to read", flush=True)
    base = read_llama(options.base)
    dtype = torch.bfloat16 if options.device == "cuda" else torch.float32
    trainer = Trainer(
        exact=base.to(options.device, torch.float32),
        quick=base.to(options.device, dtype),
        mask=tokenizer.get_vocab()[MASK],
        starts=word_starts(tokenizer).to(options.device),
        compiled=options.device == "cuda" and not options.eager,
    )
    options.out.mkdir(parents=True, exist_ok=True)
    results = {}
    for name in options.designs.split(","):
        design = replace(DESIGNS[name], **changes)
        print(name, design, flush=True)
        begun = time.monotonic()
        adapter = train(trainer, rows, design, options.steps, options.batch)
        passed = time.monotonic() - begun
        exact, kept = (merged(trainer.exact, one, trainer.mask, dtype) for one in (adapter, rounded(adapter)))
        judge = Judge(trainer.mask, design.offset, trainer.starts)
        margins = judge.dev_margins(kept, tokenizer)
        results[name] = asdict(design) | {
            "steps": options.steps,
            "tokens": options.steps * options.batch * options.length,
            "seconds": round(passed),
            "held_out": judge.held_out_loss(exact, held_out),
            "held_out_int8": judge.held_out_loss(kept, held_out),
            "dev": (margins > 0).float().mean().item(),
            "dev_margin": margins.mean().item(),
        }
        print(json.dumps(results[name]), flush=True)
        (options.out / "designs.json").write_text(json.dumps(results, indent=1))
        about = {"design": json.dumps(asdict(design)), "mask_token": MASK, "read_offset": str(design.offset)}
        save_adapter(adapter, options.out / f"{name}.safetensors", about)


def _tensors(*arrays: Rows) -> list[Tensor]:
    return [torch.from_numpy(array.astype(np.int32)) for array in arrays]


if __name__ == "__main__":
    main()
