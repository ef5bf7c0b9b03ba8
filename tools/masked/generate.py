"""Let the model write: many texts at once, from the prompts of prompts.py, into packed shards.

    python generate.py BASE --things FILE --lists FILE… --tokens 40_000_000 -o FOLDER

A shard has one sentence a line and an empty line between texts, compressed by xz, below 15 MB. Every text of a batch
stands at the same place: a prompt is fed token by token while shorter ones are already being answered, so nothing is
padded.
"""

from __future__ import annotations

import argparse
import lzma
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import torch
from corpus import tidy_all
from llama import Attend, Llama, layer, read_llama, rotation
from prompts import SEPARATOR, prompt_nouns, prompts
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

SHARDS = 8
CHECKED_EVERY = 16
"""Steps after which finished texts leave the batch."""


def draw(scores: Tensor, temperature: float, min_p: float) -> Tensor:
    """One token a row, from those at least ``min_p`` as probable as the best (Nguyen et al. 2024)."""
    scores = scores.float() / temperature
    unlikely = scores < scores.amax(dim=-1, keepdim=True) + torch.tensor(min_p).log().item()
    # The largest of score + Gumbel noise is a draw from the softmax.
    noise = torch.empty_like(scores).exponential_().log_()
    return (scores - noise).masked_fill_(unlikely, -torch.inf).argmax(dim=-1)


def _remembering(memory: Tensor, step: int) -> Attend:
    """Attention of one new place to all before it, whose keys and values are in memory, and to itself."""
    keys, values = memory

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        keys[:, :, step : step + 1], values[:, :, step : step + 1] = k, v
        # The query heads that share a key head stand beside each other, as if they were places.
        grouped = q.view(len(q), keys.shape[1], -1, q.shape[-1])
        seen = slice(step + 1)
        return functional.scaled_dot_product_attention(grouped, keys[:, :, seen], values[:, :, seen]).view_as(q)

    return attend


def write(
    model: Llama, asked: Sequence[Sequence[int]], length: int, stops: Sequence[int], temperature: float, min_p: float
) -> list[list[int]]:
    """What the model writes after each prompt, up to a stop or to ``length`` tokens, prompt included.

    A text that comes to no stop is left as it is: its end is cut later, at a sentence.
    """
    device = model.embedding.device
    forced = torch.full((len(asked), length), -1, device=device)
    for row, ids in enumerate(asked):
        forced[row, : len(ids)] = torch.tensor(ids[:length])
    place = torch.arange(len(asked), device=device)
    written = torch.zeros_like(forced)
    stop = torch.tensor(list(stops), device=device)
    done = torch.zeros(len(asked), dtype=torch.bool, device=device)
    _, kept = model.heads
    size = (len(model.linear), 2, len(asked), kept, length, model.width)
    memory = torch.empty(size, device=device, dtype=model.embedding.dtype)
    turns = rotation(model, length)
    token = forced[:, 0]
    for step in range(length):
        written[place, step] = token
        if step + 1 == length:
            break
        x = functional.embedding(token, model.embedding)[:, None]
        for number, (norms, linear) in enumerate(zip(model.norms, model.linear, strict=False)):
            x = layer(x, norms, linear, turns[:, step : step + 1], model, _remembering(memory[number], step))
        x = functional.rms_norm(x[:, 0], x.shape[-1:], model.norms[-1][0], model.eps)
        drawn = draw(functional.linear(x, model.embedding), temperature, min_p)
        token = torch.where(forced[place, step + 1] >= 0, forced[place, step + 1], drawn)
        done |= torch.isin(token, stop) & (forced[place, step + 1] < 0)
        if (step + 1) % CHECKED_EVERY == 0 and done.any():
            written[place, step + 1] = token
            alive = (~done).nonzero()[:, 0]
            if not len(alive):
                break
            place, token, done = place[alive], token[alive], done[alive]
            memory = torch.stack([part[:, alive] for part in memory])
    answers = written.tolist()
    return [_answer(row, len(ids), set(stops)) for row, ids in zip(answers, asked, strict=True)]


def _answer(row: list[int], start: int, stops: set[int]) -> list[int]:
    end = next((n for n in range(start, len(row)) if row[n] in stops), len(row))
    return row[start:end]


def save(texts: Sequence[str], folder: Path) -> dict[str, int]:
    """Write the shards; the bytes of each."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"text-{number}.xz" for number in range(SHARDS)]
    with ThreadPoolExecutor() as pool:  # the compressor lets other threads run
        packed = list(pool.map(lzma.compress, ["\n\n".join(texts[n::SHARDS]).encode() for n in range(SHARDS)]))
    return {path.name: path.write_bytes(data) for path, data in zip(paths, packed, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", type=Path)
    parser.add_argument("--things", type=Path, required=True)
    parser.add_argument("--lists", type=Path, nargs="*", default=[])
    parser.add_argument("--tokens", type=int, default=40_000_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--batch", type=int, default=6144)
    parser.add_argument("--length", type=int, default=192)
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--min-p", type=float, default=0.08)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("-o", "--out", type=Path, required=True)
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    dtype = torch.bfloat16 if options.device == "cuda" else torch.float32
    model = read_llama(options.base).to(options.device, dtype)
    tokenizer = Tokenizer.from_file(str(options.base / "tokenizer.json"))
    vocabulary = tokenizer.get_vocab()
    stops = [vocabulary[name] for name in (SEPARATOR, "<|im_end|>", "<|im_start|>")]
    source = prompts(prompt_nouns(options.things, options.lists), options.seed)
    # Workers that tidy while the device writes; started afresh, since a forked process must not share the device.
    pool = ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))
    tidied: list[Future[list[str]]] = []
    begun, count = time.monotonic(), 0
    while count < options.tokens and time.monotonic() - begun < options.seconds:
        asked = list(islice(source, options.batch))
        ids = [one.ids for one in tokenizer.encode_batch([prompt.text for prompt in asked])]
        with torch.inference_mode():
            answers = write(model, ids, options.length, stops, options.temperature, options.min_p)
        count += sum(map(len, answers))
        written = [p.kept + answer for p, answer in zip(asked, tokenizer.decode_batch(answers), strict=True)]
        tidied += [pool.submit(tidy_all, written[n::4]) for n in range(4)]
        passed = time.monotonic() - begun
        print(f"{len(tidied) // 4} batches, {count} tokens, {passed:.0f} s, {count / passed:.0f} tokens/s", flush=True)
    texts = [text for future in tidied for text in future.result()]
    pool.shutdown()
    told = {"texts": len(texts), "characters": sum(map(len, texts)), "drawn tokens": count, "seed": options.seed}
    print(told | save(texts, options.out), f"{time.monotonic() - begun:.0f} s in all")


if __name__ == "__main__":
    main()
