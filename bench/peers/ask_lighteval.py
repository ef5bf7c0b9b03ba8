"""Run in the environment of lighteval: log-likelihoods of the options of questions, and how long they take."""

from __future__ import annotations

import json
import sys
import time

import torch
from lighteval.models.transformers.transformers_model import TransformersModel, TransformersModelConfig
from lighteval.tasks.requests import Doc

job = json.load(sys.stdin)
torch.set_num_threads(job["threads"])
config = TransformersModelConfig(
    model_name=job["model"],
    dtype=job["dtype"],
    device="cpu",
    batch_size=job["batch"],
    model_parallel=False,
    add_special_tokens=False,
    override_chat_template=False,
)
model = TransformersModel(config)
docs = [Doc(query=query, choices=options, gold_index=0, id=str(n)) for n, (query, options) in enumerate(job["asked"])]
times, used = [], []
for _ in range(job["times"]):
    start, own = time.perf_counter(), time.process_time()
    with torch.inference_mode():
        found = model._loglikelihood_tokens(docs)  # without its cache, in which the second call would find everything
    times.append(time.perf_counter() - start)
    used.append(time.process_time() - own)
scores = [score for response in found for score in response.logprobs]
print(json.dumps({"scores": scores, "seconds": times, "used": used}))
