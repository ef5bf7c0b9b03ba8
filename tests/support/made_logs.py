"""Small logs in the formats of lm-evaluation-harness and Inspect, written by our own hand after real ones."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

DATE = "2026-11-16T14-23-58.040413"
QUESTIONS = (
    ("What is cold?", ("ice", "fire", "a stove"), 0, "heat"),
    ("What is loud?", ("a feather", "thunder", "dust"), 1, "sound"),
    ("What is wet?", ("sand", "a stone", "rain"), 2, "water"),
    ("What is hot?", ("ice", "fire", "snow"), 1, "heat"),
    ("What is quiet?", ("a drum", "thunder", "dust"), 2, "sound"),
    ("What floats?", ("cork", "iron", "lead"), 0, "water"),
)


def choice_line(number: int, best: int | None = None, **changes: Any) -> dict[str, Any]:
    """A sample of a multiple-choice task as the harness logs it; ``best`` is the option that scores highest."""
    text, options, gold, kind = QUESTIONS[number % len(QUESTIONS)]
    best = gold if best is None else best
    asked = f"Question {number}: {text}\nAnswer:"
    sums = [-4.5 - place if place != best else -2.25 for place in range(len(options))]
    values = {
        "doc_id": number,
        "doc": {"question": text, "choices": list(options), "gold": gold, "kind": kind, "number": number},
        "target": str(gold),
        "arguments": {f"gen_args_{n}": {"arg_0": asked, "arg_1": f" {o}"} for n, o in enumerate(options)},
        "resps": [[[str(score), "False"]] for score in sums],
        "filtered_resps": [[str(score), "False"] for score in sums],
        "filter": "none",
        "metrics": ["acc"],
        "acc": float(best == gold),
    }
    return values | changes


def write_samples(folder: Path, task: str, lines: Sequence[Mapping[str, Any] | str], model: str = "org/small") -> Path:
    """Samples with the results of the same run beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    results = {
        "config": {"model": "hf", "model_args": {"pretrained": model}, "model_num_parameters": 1000},
        "versions": {task: 1.0},
        "n-shot": {task: 0},
        "lm_eval_version": "0.4.13",
        "model_name": model,
    }  # fmt: skip
    (folder / f"results_{DATE}.json").write_text(json.dumps(results), encoding="utf-8")
    path = folder / f"samples_{task}_{DATE}.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def inspect_sample(number: int, answer: str = "A", epoch: int = 1, **changes: Any) -> dict[str, Any]:
    """A sample of a multiple-choice task as Inspect logs it."""
    text, options, gold, kind = QUESTIONS[number % len(QUESTIONS)]
    right = "ABC".index(answer) == gold if answer else False
    values = {
        "id": number,
        "epoch": epoch,
        "input": f"{text} ({number})",
        "choices": list(options),
        "target": "ABC"[gold],
        "output": {"model": "small", "choices": [{"message": {"role": "assistant", "content": f"ANSWER: {answer}"}}]},
        "scores": {"choice": {"value": "C" if right else "I", "answer": answer, "explanation": f"ANSWER: {answer}"}},
        "metadata": {"kind": kind},
    }
    return values | changes


def inspect_head(**changes: Any) -> dict[str, Any]:
    spec = {"task": "small_task", "model": "hf/small", "task_version": 1, "packages": {"inspect_ai": "0.3.285"}}
    return {"version": 2, "status": "success", "eval": spec} | changes


def write_eval(path: Path, samples: Sequence[Mapping[str, Any] | bytes], head: Mapping[str, Any] | None = None) -> Path:
    """An ``.eval`` file: a zip whose members are packed with zstd."""
    members: list[tuple[str, bytes]] = [("header.json", json.dumps(head or inspect_head()).encode())]
    for number, sample in enumerate(samples):
        content = sample if isinstance(sample, bytes) else json.dumps(sample).encode()
        members.append((f"samples/{number}_epoch_1.json", content))
    entries, body = b"", b""
    for name, content in members:
        packed = pa.compress(content, codec="zstd", asbytes=True)
        shape = struct.pack(
            "<HHHHHIIIHH", 20, 0, 93, 0, 0, zlib.crc32(content), len(packed), len(content), len(name), 0
        )
        entries += (
            b"PK\x01\x02" + struct.pack("<H", 20) + shape + struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + name.encode()
        )
        body += b"PK\x03\x04" + shape + name.encode() + packed
    count = len(members)
    path.write_bytes(
        body + entries + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(entries), len(body), 0)
    )
    return path
