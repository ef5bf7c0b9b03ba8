"""Run in the environment of minicons: token scores of texts, and how long they take."""

from __future__ import annotations

import json
import sys
import time

import torch
from loading import load
from minicons import scorer

job = json.load(sys.stdin)
torch.set_num_threads(job["threads"])
network, tokenizer = load(job["model"], job["kind"], job.get("dtype", "float32"))
kind = scorer.MaskedLMScorer if job["kind"] == "masked" else scorer.IncrementalLMScorer
model = kind(network, "cpu", tokenizer=tokenizer)
texts, size = job["texts"], job["batch"] or len(job["texts"])
times, used = [], []
for _ in range(job["times"]):
    start, own, found = time.perf_counter(), time.process_time(), []
    with torch.inference_mode():
        for first in range(0, len(texts), size):
            found += model.token_score(texts[first : first + size], **job["options"])
    times.append(time.perf_counter() - start)
    used.append(time.process_time() - own)
print(json.dumps({"scores": [[score for _, score in tokens] for tokens in found], "seconds": times, "used": used}))
