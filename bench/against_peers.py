"""Times beside the newest peers, like with like: the same items, precision, threads and model, in one run.

Run: OMP_NUM_THREADS=2 python bench/against_peers.py [sentences] [questions] [letters] [pll]
``COUNT`` items (300), medians of ``CALLS`` calls (5); the batch of a peer is the best of three. The first run makes an
environment for each peer. The table is Markdown, for docs/results/performance.md.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peers.environments import PEERS, ask_peer
from peers.material import bert_vocabulary, five_way, for_older, save_bert, sentences
from peers.measuring import Timed, timed

from horsesense.core import ScoringSpec
from horsesense.models.hf.batches import score_questions
from horsesense.models.hf.encoding import FramedPrompt, prompt_encoder_of
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.locate import locate
from horsesense.models.protocol import DEFAULT_BUDGET, Prompt
from horsesense.progress import NO_PROGRESS
from horsesense.scoring.option_scores import answer_items
from horsesense.scoring.prompt_formats import Call, get_prompt_format

THREADS = int(os.environ.get("OMP_NUM_THREADS", "2"))
CALLS = int(os.environ.get("CALLS", "5"))
COUNT = int(os.environ.get("COUNT", "300"))
DTYPES = ("float32", "bfloat16")
SIZES = (1, 8, 32)
"""Batches that a peer is tried with."""
BARE = ScoringSpec(bos="none")


@dataclass(frozen=True, slots=True)
class Row:
    """One tool at one kind of work, beside ours in the same precision."""

    work: str
    peer: str
    dtype: str
    ours: Timed
    theirs: Timed | None
    note: str

    def __str__(self) -> str:
        if self.theirs is None:
            return f"| {self.work} | {self.peer} | {self.dtype} | {self.ours.wall:.1f} s | {self.note} | | |"
        walls, used = self.theirs.wall / self.ours.wall, self.theirs.used / self.ours.used
        cells = [self.work, self.peer, self.dtype, f"{self.ours.wall:.1f} s", f"{self.theirs.wall:.1f} s ({self.note})"]
        return f"| {' | '.join(cells)} | {walls:.2f} | {used:.2f} |"


def beside(work: str, peer: str, dtype: str, ours: Timed, job: dict[str, Any], sizes: Sequence[int] = SIZES) -> Row:
    """Ask a peer with its best batch; a peer that cannot do it has a row without figures."""
    name = PEERS[peer][0]
    job = job | {"threads": THREADS, "dtype": dtype}
    try:
        best = min(sizes, key=lambda size: ask_peer(peer, job | {"batch": size, "times": 1})["used"][0])
        answer = ask_peer(peer, job | {"batch": best, "times": CALLS})
    except SystemExit as failure:
        return Row(work, name, dtype, ours, None, f"fails: {str(failure).strip().splitlines()[-1][:80]}")
    theirs = Timed(statistics.median(answer["seconds"]), statistics.median(answer["used"]), CALLS, answer)
    return Row(work, name, dtype, ours, theirs, f"batch {best}")


def framed(model: LanguageModel, texts: list[str], spec: ScoringSpec) -> list[FramedPrompt]:
    encoder = prompt_encoder_of(model, spec)
    return [encoder(Prompt(t, 0, len(t)), tokens) for t, tokens in zip(texts, model.tokenise(texts), strict=True)]


def scored(model: LanguageModel, texts: list[str], spec: ScoringSpec) -> Timed:
    asked = framed(model, texts, spec)
    score_questions(model, asked[:2], spec)  # the first call takes longer
    return timed(partial(score_questions, model, asked, spec), CALLS)


def in_sentences() -> Iterator[Row]:
    """Log-probabilities of whole sentences, SmolLM2."""
    texts, folder = sentences(COUNT), str(locate("smollm2").folder)
    work = f"{len(texts)} sentences, SmolLM2"
    for dtype in DTYPES:
        ours = scored(load_model("smollm2", device="cpu", dtype=dtype), texts, BARE)
        yield beside(work, "minicons", dtype, ours, {"model": folder, "kind": "causal", "texts": texts, "options": {}})
        yield beside(
            work, "lm_eval", dtype, ours, {"model": folder, "pairs": [["", text] for text in texts], "prefix": 0}
        )


def in_questions() -> Iterator[Row]:
    """Log-likelihoods of five options, SmolLM2."""
    items, folder = five_way(COUNT), locate("smollm2").folder
    work = f"{len(items)} five-way questions, SmolLM2"
    options = [[f" {option}" for option in item.options] for item in items]
    pairs = [[item.text, option] for item, own in zip(items, options, strict=True) for option in own]
    asked = [[item.text, own] for item, own in zip(items, options, strict=True)]
    for dtype in DTYPES:
        model = load_model("smollm2", device="cpu", dtype=dtype)
        answer_items(model, items[:2], BARE)
        ours = timed(partial(answer_items, model, items, BARE), CALLS)
        rows = [beside(work, "lm_eval", dtype, ours, {"model": str(folder), "pairs": pairs, "prefix": 0})]
        with tempfile.TemporaryDirectory() as place:
            older = for_older(folder, Path(place) / "model", dtype)
            job = {"model": str(older), "asked": asked}
            rows.append(beside(work, "lighteval", dtype, ours, job, sizes=(5, 40, 160)))  # it divides by the options
        sums = [score for answer in ours.result for score in answer.scores]
        for row in rows:
            if row.theirs is not None:
                apart = max(abs(a - b) for a, b in zip(sums, row.theirs.result["scores"], strict=True))
                print(f"{row.peer}, {dtype}: sums at most {apart:.1e} apart", file=sys.stderr)
        yield from rows


def by_letters() -> Iterator[Row]:
    """The next token after a question with lettered options in one order, SmolLM2."""
    items, folder = five_way(COUNT), locate("smollm2").folder
    letters, spec = get_prompt_format("letters"), ScoringSpec(orders=1, chat="off")
    for dtype in DTYPES:
        model = load_model("smollm2", device="cpu", dtype=dtype)
        shown = letters.prepare(model, items, spec, items)
        call = Call(model, spec, DEFAULT_BUDGET, NO_PROGRESS)
        letters.answer(shown[:2], call)
        ours = timed(partial(letters.answer, shown, call), CALLS)
        prompts = [turn.text for each in shown for turn in each.turns]
        with tempfile.TemporaryDirectory() as place:
            older = for_older(folder, Path(place) / "model", dtype)
            job = {"model": str(older), "prompts": prompts}
            yield beside(f"{len(prompts)} five-way questions by letter, SmolLM2", "inspect", dtype, ours, job)


def in_pll() -> Iterator[Row]:
    """Pseudo-log-likelihoods of sentences, BERT-base's shape with random weights."""
    texts, spec = sentences(COUNT), ScoringSpec(pll="token")
    with tempfile.TemporaryDirectory() as place:
        path = save_bert(Path(place), texts, width=768, layers=12, spread=0.02, vocabulary=bert_vocabulary())
        for dtype in DTYPES:
            ours = scored(load_model(str(path), device="cpu", dtype=dtype), texts, spec)
            job = {"model": str(path), "kind": "masked", "texts": texts, "options": {}}
            yield beside(f"PLL of {len(texts)} sentences, BERT-base shape", "minicons", dtype, ours, job, sizes=(1, 8))


WORKS: dict[str, Callable[[], Iterator[Row]]] = {
    "sentences": in_sentences,
    "questions": in_questions,
    "letters": by_letters,
    "pll": in_pll,
}


def main() -> None:
    torch.set_num_threads(THREADS)
    print(f"{THREADS} threads, medians of {CALLS} calls, load {os.getloadavg()[0]:.1f} at the start\n")
    print("| work | peer | precision | horsesense | peer's time | ratio, wall time | ratio, CPU time |")
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or WORKS:
        for row in WORKS[name]():
            print(row, flush=True)


if __name__ == "__main__":
    main()
