"""How fast scores come: masked sentences against a loop and minicons, questions against lm-evaluation-harness.

Run: OMP_NUM_THREADS=2 python bench/scoring.py [masked|questions|gpu|decoder]
Each figure is a ratio to a reference measured in the same run. docs/results/performance.md has the table.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peers.environments import ask_peer
from peers.material import CATS, bert_vocabulary, five_way, save_bert, sentences
from peers.measuring import Timed, matrix_rate, timed
from transformers import AutoModelForCausalLM

from horsesense.core import ScoringSpec
from horsesense.errors import UserError
from horsesense.models.hf.batch_plan import make_plan
from horsesense.models.hf.batches import score_questions
from horsesense.models.hf.device import has_bfloat16
from horsesense.models.hf.encoding import FramedPrompt, prompt_encoder_of
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.hf.load import load_model
from horsesense.models.locate import locate
from horsesense.models.protocol import DEFAULT_BUDGET
from horsesense.runs.shards import GPU_BUDGET
from horsesense.scoring.option_scores import answer_items
from horsesense.scoring.prompts import Prompt, item_prompts

THREADS = int(os.environ.get("OMP_NUM_THREADS", "2"))
CALLS = int(os.environ.get("CALLS", "5"))
TOKEN = ScoringSpec(pll="token")
DTYPES = ("float32", "bfloat16") if has_bfloat16(torch.device("cpu")) else ("float32",)


def framed(model: LanguageModel, texts: list[str]) -> list[FramedPrompt]:
    encoder = prompt_encoder_of(model, TOKEN)
    return [encoder(Prompt(t, 0, len(t)), tokens) for t, tokens in zip(texts, model.tokenise(texts), strict=True)]


def work_of(model: LanguageModel, questions: list[FramedPrompt], budget: int) -> tuple[int, float]:
    """Tokens that go through the layers, and the floating-point operations of layers, attention and head."""
    marks = model.marks
    plan = make_plan((row for q in questions for row in model.family.rows(q.question, TOKEN, marks)), budget)
    config = model.network.config
    wide, layers = config.hidden_size, config.num_hidden_layers
    layer = 2 * (4 * wide * wide + 2 * wide * config.intermediate_size)
    attention = sum(4 * wide * len(row.given.ids) ** 2 for row in plan.inputs)
    head = 2 * len(plan.inputs) * (wide * wide + wide * config.vocab_size)
    return plan.tokens, layers * (layer * plan.tokens + attention) + head


def one_at_a_time(model: LanguageModel, questions: list[FramedPrompt], every: int) -> float:
    """The CATs script's way, one masked copy a forward, for one copy in ``every``; how many copies each stands for."""
    marks = model.marks
    copies = [row for q in questions for row in model.family.rows(q.question, TOKEN, marks)]
    with torch.inference_mode():
        for row in copies[::every]:
            ids = torch.tensor([row.given.ids], device=model.device)
            logits = model.network(ids).logits[0, row.reads[0]]
            logits.log_softmax(-1)[row.targets[0]].item()
    return len(copies) / len(copies[::every])


def _told(answer: dict[str, Any]) -> Timed:
    """What a peer says of itself."""
    walls, used = (statistics.median(answer[name]) for name in ("seconds", "used"))
    return Timed(walls, used, len(answer["seconds"]), None)


def _times(theirs: Timed, ours: Timed, scale: float = 1.0) -> str:
    by_clock, by_processor = scale * theirs.wall / ours.wall, scale * theirs.used / ours.used
    return f"{scale * theirs.wall:7.2f} s, {by_clock:.2f} times ours by the clock, {by_processor:.2f} by the processor"


def masked(count: int = int(os.environ.get("COUNT", "48"))) -> None:
    texts = sentences(count)
    with tempfile.TemporaryDirectory() as folder:
        path = save_bert(Path(folder), texts, width=768, layers=12, spread=0.02, vocabulary=bert_vocabulary())
        measured = {}
        for dtype in DTYPES:
            fast = load_model(str(path), device="cpu", dtype=dtype)
            questions = framed(fast, texts)
            score_questions(fast, questions[:4], TOKEN)
            own = timed(partial(score_questions, fast, questions, TOKEN), CALLS)
            measured[dtype] = own, matrix_rate(1024, 768, 3072, dtype)
        model = load_model(str(path), device="cpu")
        tokens, work = work_of(model, questions, DEFAULT_BUDGET)
        loop = timed(lambda: one_at_a_time(model, questions, 24), CALLS)
        job = {"model": str(path), "kind": "masked", "texts": texts, "options": {}, "threads": THREADS}
        # Whole list at once, or sentence by sentence: the better of the two.
        best = min((1, 8), key=lambda size: ask_peer("minicons", job | {"batch": size, "times": 1})["used"][0])
        theirs = _told(ask_peer("minicons", job | {"batch": best, "times": CALLS}))
    for dtype, (ours, (rate, rate_used)) in measured.items():
        print(f"PLL, BERT-base shape, {count} sentences, {tokens:,} token-forwards, {THREADS} threads, {dtype}")
        print(f"  horsesense        {ours}  {tokens / ours.wall:,.0f} tokens/s")
        print(f"  matrix product    {rate / 1e9:.0f} GFLOP/s ({rate_used / 1e9:.0f} a second of processor)")
        share, share_used = work / ours.wall / rate, work / ours.used / rate_used
        wanted = {"float32": (0.9, 1.3), "bfloat16": (0.75, 2.5)}[dtype]
        print(f"  share of it       {share:.2f} by the clock, {share_used:.2f} by the processor (wanted {wanted[0]})")
        print(f"  one at a time     {_times(loop, ours, loop.result)} (float32, one copy in 24, scaled; wanted 4)")
        print(f"  minicons          {_times(theirs, ours)} (float32, batch {best}; wanted {wanted[1]})")


def questions(count: int = int(os.environ.get("COUNT", "40"))) -> None:
    try:
        folder = str(locate("smollm2").folder)
        items = five_way(count)
    except UserError as error:
        print(f"needs the bundled model and WordNet: {error}")
        return
    spec, measured = ScoringSpec(bos="none"), {}
    for dtype in DTYPES:
        model = load_model("smollm2", device="cpu", dtype=dtype)
        answer_items(model, items[:2], spec)
        measured[dtype] = timed(partial(answer_items, model, items, spec), CALLS)
    pairs = [[item.text, f" {option}"] for item in items for option in item.options]
    job: dict[str, Any] = {"model": folder, "pairs": pairs, "prefix": 0, "threads": THREADS}
    sizes = (1, 4, 16, 64)
    best = min(sizes, key=lambda size: ask_peer("lm_eval", job | {"batch": size, "times": 1})["used"][0])
    found = ask_peer("lm_eval", job | {"batch": best, "times": CALLS})
    theirs = _told(found)
    for dtype, ours in measured.items():
        sums = [score for answer in ours.result for score in answer.scores]
        apart = max(abs(a - b) for a, b in zip(sums, found["scores"], strict=True))
        wanted = {"float32": 1.8, "bfloat16": 2.5}[dtype]
        print(f"five-way questions, WordNetQA hypernymy, {len(items)} items, SmolLM2, {THREADS} threads, {dtype}")
        print(f"  horsesense             {ours}")
        print(f"  lm-evaluation-harness  {_times(theirs, ours)} (float32, batch {best} of {sizes}; wanted {wanted})")
        print(f"  sums at most {apart:.1e} apart (wanted 1e-3 in float32)")


def gpu() -> None:
    """All sentences of CATs; ``BUDGET``: tokens a batch."""
    if not torch.cuda.is_available():
        print("PLL, BERT-large shape: needs a GPU")
        return
    tasks = sorted(path.stem for path in CATS.glob("*.txt"))
    lines = [line for task in tasks for line in (CATS / f"{task}.txt").read_text(encoding="utf-8").splitlines()]
    texts = list(dict.fromkeys(text.strip() for line in lines for text in line.split("\x01")[1:]))
    with tempfile.TemporaryDirectory() as folder:
        path = save_bert(Path(folder), texts, width=1024, layers=24, spread=0.02, vocabulary=bert_vocabulary())
        model = load_model(str(path), device="cuda", dtype="bfloat16")
    asked, budget = framed(model, texts), int(os.environ.get("BUDGET", GPU_BUDGET))
    copies = sum(len(one.question.asked) for one in asked)
    tokens, work = work_of(model, asked, budget)
    marks, began = model.marks, time.perf_counter()
    make_plan((row for q in asked for row in model.family.rows(q.question, TOKEN, marks)), budget)
    planned = time.perf_counter() - began
    score_questions(model, asked[:64], TOKEN, budget)
    one_at_a_time(model, asked, 20_000)
    loop = timed(lambda: one_at_a_time(model, asked, 2_000), CALLS)
    ours = timed(lambda: score_questions(model, asked, TOKEN, budget), CALLS)
    peak, _ = matrix_rate(8192, 8192, 8192, "bfloat16", "cuda")
    print(f"PLL, BERT-large shape, {len(texts):,} sentences, {copies:,} masked copies, {tokens:,} token-forwards")
    print(f"  {torch.cuda.get_device_name()}, bfloat16, {budget:,} tokens a batch")
    print(f"  horsesense        {ours}  {tokens / ours.wall:,.0f} tokens/s")
    print(f"  matrix product    {peak / 1e12:.0f} TFLOP/s (8192 x 8192 x 8192)")
    print(f"  share of it       {work / ours.wall / peak:.2f} (wanted 0.45); a plan of the whole takes {planned:.1f} s")
    print(f"  one at a time     {_times(loop, ours, loop.result)} (bfloat16, one copy in 2,000, scaled)")


def decoder(count: int = int(os.environ.get("COUNT", "1500"))) -> None:
    """Five-way questions to a decoder of Llama-8B's shape with random weights; ``ITEMS``: a probe file of them.

    The reference is what a plain harness does: each option with its question, sorted by length, padded, one batch after
    the other, the best of some sizes, scores from the whole logits in float32.
    """
    if not torch.cuda.is_available():
        print("five-way questions, Llama-8B shape: needs a GPU")
        return
    from peers.material import save_llama

    from horsesense.core import read_probe

    kept = os.environ.get("ITEMS")
    items = list(read_probe(Path(kept)).items[:count]) if kept else five_way(count)
    with tempfile.TemporaryDirectory(dir=os.environ.get("SCRATCH")) as folder:
        model = load_model(str(save_llama(Path(folder))), device="cuda", dtype="bfloat16")
        plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).cuda().eval()
    spec, config = ScoringSpec(), model.network.config
    prompts = [p for item in items for p in item_prompts(item, spec, True).prompts]
    asked = model.encode(prompts, spec)
    marks = model.marks
    plan = make_plan((row for q in asked for row in model.family.rows(q.question, spec, marks)), GPU_BUDGET, True)
    wide, kv = config.hidden_size, config.num_key_value_heads * config.head_dim
    layer = 2 * (2 * wide * wide + 2 * wide * kv + 3 * wide * config.intermediate_size)
    attention = sum(4 * wide * len(row.given.ids) ** 2 for row in plan.inputs)
    places = sum(len(set(row.reads)) for row in plan.inputs)
    work = config.num_hidden_layers * (layer * plan.tokens + attention) + 2 * places * wide * config.vocab_size
    began = time.perf_counter()
    score_questions(model, asked, spec, GPU_BUDGET)
    first = time.perf_counter() - began
    ours = timed(lambda: score_questions(model, asked, spec, GPU_BUDGET), CALLS)
    padded = min((timed(partial(_padded, plain, asked, size), 1) for size in (32, 128)), key=lambda each: each.wall)
    apart = max(float(abs(a.sum() - b)) for a, b in zip(ours.result, padded.result, strict=True))
    peak, _ = matrix_rate(8192, 8192, 8192, "bfloat16", "cuda")
    alone = sum(question.length for question in asked)
    print(
        f"five-way questions, Llama-8B shape, {len(items):,} items, {plan.tokens:,} tokens after sharing of {alone:,}"
    )
    print(f"  horsesense        {ours}  (the first call {first:.2f} s)")
    print(f"  matrix product    {peak / 1e12:.0f} TFLOP/s (8192 x 8192 x 8192)")
    print(f"  share of it       {work / ours.wall / peak:.2f} (wanted 0.65)")
    print(f"  padded loop       {_times(padded, ours)} (wanted 3.4); sums at most {apart:.2f} nat apart")


def _padded(network: Any, asked: list[FramedPrompt], size: int) -> list[float]:
    """What a plain loop gives: the sum of each question's asked tokens."""
    order = sorted(range(len(asked)), key=lambda number: -asked[number].length)
    sums = [0.0] * len(asked)
    with torch.inference_mode():
        for start in range(0, len(order), size):
            part = order[start : start + size]
            longest = asked[part[0]].length
            ids = torch.zeros(len(part), longest, dtype=torch.long)
            seen = torch.zeros_like(ids)
            for row, number in enumerate(part):
                own = asked[number].question.ids
                ids[row, : len(own)] = torch.tensor(own)
                seen[row, : len(own)] = 1
            ids, seen = ids.cuda(), seen.cuda()
            scores = network(input_ids=ids, attention_mask=seen).logits.float().log_softmax(-1)
            for row, number in enumerate(part):
                places = torch.tensor(asked[number].question.asked, device="cuda")
                sums[number] = float(scores[row, places - 1, ids[row, places]].sum())
    return sums


def main() -> None:
    torch.set_num_threads(THREADS)
    every = {"masked": masked, "questions": questions, "gpu": gpu, "decoder": decoder}
    for work in sys.argv[1:] or every:
        every[work]()


if __name__ == "__main__":
    main()
