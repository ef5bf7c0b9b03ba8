"""Run folders made without a model: answers with known scores, so that every number on a page can be checked."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from horsesense.core import Answer, Card, HumanFigure, Item, Probe, ScoringSpec
from horsesense.core.answer_columns import table_of_answers
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord, new_manifest, write_manifest
from horsesense.runs.shard_files import shard_path, write_table
from horsesense.runs.store import store_probe
from horsesense.scoring.prompts import item_prompts

EVIL = "<script>alert(1)</script>"
WORDS = [
    "kettle",
    "stone",
    "feather",
    "umbrella",
    "coat",
    "butter",
    "chocolate",
    "ice",
    "child",
    "trail",
    "song",
    "lamp",
]


def made_items(families: int, name: str = "made", seed: int = 0) -> list[Item]:
    """Pairs of sentences with facets; one item holds markup."""
    rng = random.Random(seed)
    items = []
    for number in range(families):
        noun = rng.choice(WORDS)
        for role in range(2):
            text = EVIL if number == 1 else f"The {noun}"
            items.append(
                Item(
                    probe=name,
                    form="sentences",
                    options=(f"{text} {number} is warm.", f"{text} {number} is cold today."),
                    answer=role,
                    family=f"f{number}",
                    member="ab"[role],
                    facets={"task": noun, "hops": number % 3, "distractor_kind": "near" if number % 2 else "far"},
                )
            )
    return items


def made_answer(item: Item, rng: random.Random, right: float) -> Answer:
    """An answer whose tokens are words; the right option wins with the probability ``right``."""
    prompts = item_prompts(item, ScoringSpec(), scores_to_end=True).prompts
    assert item.answer is not None
    winner = item.answer if rng.random() < right else (item.answer + 1) % len(item.options)
    logprobs, starts, ends = [], [], []
    for number, prompt in enumerate(prompts):
        spans, at = [], prompt.start
        for word in prompt.text[prompt.start : prompt.end].split(" "):
            spans.append((at, at + len(word)))
            at += len(word) + 1
        starts.append(tuple(start for start, _ in spans))
        ends.append(tuple(end for _, end in spans))
        mean = 2.0 if number == winner else 3.0
        logprobs.append(tuple(-mean - rng.random() / 4 for _ in spans))
    sums = tuple(sum(values) for values in logprobs)
    return Answer(item.id, item.form, sums, tuple(logprobs), tuple(starts), tuple(ends), ("",) * len(prompts))


def make_run(
    folder: Path,
    models: Mapping[str, float | Callable[[Item], float]],
    items: Sequence[Item],
    probe: str = "made",
    seed: int = 0,
    human: tuple[HumanFigure, ...] = (),
    metric: str = "accuracy",
    group: str = "family",
) -> Path:
    """A run folder in which each model is right with its own probability, which may depend on the item."""
    manifest = new_manifest(ScoringSpec().to_dict(), 4096, 10**9, None, 0)
    card = Card(name=probe, made="made up <b>for tests</b>", licence="CC0", human=human, metric=metric, group=group)
    store_probe(folder, probe, Probe.of(list(items), card))
    for name, right in models.items():
        rng = random.Random(f"{name}{seed}")
        model = ModelRecord(
            name=name,
            family="causal",
            architecture="Made",
            direction="left",
            parameters=1,
            window=64,
            weights=f"{name}-weights",
            revision="",
            dtype="float32",
            frame="nothing",
        )
        content = "-".join([items[0].id, items[-1].id, str(len(items))])
        record = ProbeRecord(name=probe, items=len(items), of=len(items), content=content)
        manifest = manifest.with_part(Part(model=model, probe=record, shards=1))
        path = shard_path(folder, name, probe, 0)
        path.parent.mkdir(parents=True, exist_ok=True)
        answers = [made_answer(item, rng, right(item) if callable(right) else right) for item in items]
        write_table(path, table_of_answers(name, probe, answers))
    write_manifest(folder, manifest)
    return folder
