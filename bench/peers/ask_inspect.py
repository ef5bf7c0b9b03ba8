"""Run in the environment of Inspect: one token in reply to each prompt, by its Hugging Face provider."""

from __future__ import annotations

import asyncio
import json
import sys
import time

import torch
from inspect_ai.model import GenerateConfig, get_model

job = json.load(sys.stdin)
torch.set_num_threads(job["threads"])


async def main() -> None:
    config = GenerateConfig(max_tokens=1, max_connections=job["batch"])
    model = get_model(
        "hf/local",
        config=config,
        model_path=job["model"],
        device="cpu",
        dtype=getattr(torch, job["dtype"]),
        do_sample=False,
        chat_template="{{ messages[0]['content'] }}",
    )
    times, used = [], []
    for _ in range(job["times"]):
        start, own = time.perf_counter(), time.process_time()
        found = await asyncio.gather(*(model.generate(prompt, cache=False) for prompt in job["prompts"]))
        times.append(time.perf_counter() - start)
        used.append(time.process_time() - own)
    print(json.dumps({"said": [output.completion for output in found], "seconds": times, "used": used}))


asyncio.run(main())
