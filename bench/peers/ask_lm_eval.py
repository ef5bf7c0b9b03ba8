"""Run in the environment of lm-evaluation-harness: log-likelihoods of continuations, and how long they take."""

from __future__ import annotations

import json
import sys
import time

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from loading import load

job = json.load(sys.stdin)
torch.set_num_threads(job["threads"])
network, tokenizer = load(job["model"], "causal", job.get("dtype", "float32"))
model = HFLM(
    pretrained=network, tokenizer=tokenizer, device="cpu", batch_size=job["batch"], prefix_token_id=job["prefix"]
)
asked = [Instance("loglikelihood", {}, tuple(pair), number) for number, pair in enumerate(job["pairs"])]
times, used = [], []
for _ in range(job["times"]):
    start, own = time.perf_counter(), time.process_time()
    found = model.loglikelihood(asked, disable_tqdm=True)
    times.append(time.perf_counter() - start)
    used.append(time.process_time() - own)
print(json.dumps({"scores": [score for score, _ in found], "seconds": times, "used": used}))
