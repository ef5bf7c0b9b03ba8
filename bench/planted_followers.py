"""Train SmolLM2 to follow a planted cue at three strengths, and see whether the experiment recovers each effect.

    horsesense build wordnetqa --relation hypernymy --limit 400 --options 4 -o kinds.jsonl
    python bench/planted_followers.py kinds.jsonl --out FOLDER
    python bench/planted_followers.py kinds.jsonl --out FOLDER --profile --strength 1

In the training questions an asterisk marks an option drawn at random; in a share of them the marked option is the key,
in the others the right one. Each trained model is asked every test question with the asterisk at every option and with
the placebo, so its true effect on these questions is known. Then 200 experiments are drawn from the answers, each a
bootstrap sample of the questions with one target each; the share of intervals that contain the effect is printed.

With ``--profile`` each model has a quick profile instead, of the abilities with five options, and the row of planted
cues is printed. With ``--words`` it is trained on questions like those of one of these abilities.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import horsesense as hs
from horsesense.core import Item, Probe
from horsesense.planting.effects import Trials, planted_effect
from horsesense.planting.experiment import find_cue
from horsesense.planting.planted_cues import SHARE_RIGHT, draw_target
from horsesense.profiling.abilities import chosen
from horsesense.profiling.material import material
from horsesense.training.training_record import TrainingSettings

STRENGTHS = (0.0, 1 / 3, 2 / 3, 1.0)
DRAWS, K = 200, 4
CUE = find_cue("asterisk")
FIVE_OPTIONS = ("words", "senses", "kinds", "meanings", "examples")


def short(item: Item) -> Item:
    """Leave the context of the question and the definitions of the options out: it is a matter of minutes on a CPU."""
    options = tuple(option.partition(", defined as")[0].partition(" (or ")[0] for option in item.options)
    return Item(probe="kinds", form="choice", text=item.text.rpartition("', ")[2], options=options, answer=item.answer)


def words_outside(number: int) -> list[Item]:
    """Return questions like those of the ability *words*, about other concepts than a full profile."""
    asked = material(chosen(["words"])[0], "full")
    group = asked.pool.card.group
    inside = {item.unit(group) for half in (asked.frozen, asked.twin) if half for item in half.items}
    return [item for item in asked.pool.items if item.unit(group) not in inside][:number]


def lesson(items: list[Item], share: float, probe: Probe) -> Probe:
    rng, taught = np.random.default_rng(1), []
    for item in items:
        target = draw_target(item, CUE.name, seed=1)
        marked = CUE.plant(item, target, ())
        taught.append(replace(marked, answer=target if rng.random() < share else item.answer))
    return Probe.of(taught, replace(probe.card, name="lesson", group="family", metric="accuracy"))


def all_arms(items: list[Item]) -> list[Item]:
    """Return each item with the placebo, then with the cue at each of its options."""
    return [
        replace(CUE.plant(item, target, ()), probe="arms", family=item.id, facets={"arm": str(target)})
        for item in items
        for target in (None, *range(K))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("probe", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--batch", type=int, default=16, help="questions per step of the training")
    parser.add_argument("--items", type=int, default=400, help="number of questions, in training and test together")
    parser.add_argument(
        "--strength", type=float, nargs="*", default=STRENGTHS, help="share in which the mark is the key"
    )
    parser.add_argument("--profile", action="store_true", help="print the profile's row of planted cues")
    parser.add_argument("--words", action="store_true", help="train on questions like those of the ability words")
    parser.add_argument("--full", action="store_true", help="full edition of the profile")
    parser.add_argument("--abilities", nargs="*", default=FIVE_OPTIONS)
    parser.add_argument("--limit", type=int, help="families per ability of the profile; cues are planted in eight")
    given = parser.parse_args()
    probe = hs.load_probe(given.probe)
    texts: dict[str, Item] = {}
    for item in map(short, probe.items):
        if len(set(item.options)) == K:
            texts.setdefault(item.text, item)
    items = words_outside(given.items) if given.words else list(texts.values())[: given.items]
    test, rest = items[: len(items) // 4], items[len(items) // 4 :]
    unmarked = Probe.of(test, replace(probe.card, name="unmarked", group="family", metric="accuracy"))
    arms = Probe.of(all_arms(test), replace(probe.card, name="arms", group="family", metric="accuracy"))
    print(f"{len(rest)} questions to train on, {len(test)} to test")
    if not given.profile:
        print("| key is the marked option in | true effect | found in one draw | covered in 200 | accuracy, placebo |")
        print("|---|---|---|---|---|")
    for share in (*given.strength, None) if given.profile else (None, *given.strength):
        start, model = time.perf_counter(), "smollm2"
        if share is not None:
            folder = given.out / f"share-{share:.2f}"
            settings = TrainingSettings(
                objective="options", lora=True, epochs=given.epochs, batch=given.batch, patience=0, lr=5e-4
            )
            taught = lesson(rest, share, probe)
            hs.train("smollm2", train=taught, tests=[unmarked], out=folder, seeds=1, settings=settings)
            model = str(next(path.parent for path in sorted(folder.rglob("adapter_config.json"))))
        if given.profile:
            profiled = hs.profile(
                model, abilities=given.abilities, full=given.full, limit=given.limit, out=given.out / f"profile-{share}"
            ).models[0]
            print(share, profiled.moved_by_cues, *profiled.planted_cues, sep="\n", flush=True)
            continue
        run = hs.ask(model, {"arms": arms}, out=given.out / f"answers-{share}")
        (answered,) = run.answered
        picks = answered.credits(answered.primary()).predicted
        predicted = np.array([each[0] for each in picks]).reshape(len(test), K + 1)
        gold = np.array([item.answer for item in test])
        above = np.mean([(predicted[:, 1 + t] == t).astype(float) - (predicted[:, 0] == t) for t in range(K)])
        true = above / np.mean([predicted[:, 0] != t for t in range(K)])
        found = [experiment(predicted, gold, np.random.default_rng(seed)) for seed in range(DRAWS)]
        covered = np.mean([each.moved.low <= true <= each.moved.high for each in found])
        named = "untrained" if share is None else f"{share:.0%}"
        placebo = np.mean(predicted[:, 0] == gold)
        print(f"| {named} | {true:.2f} | {found[0].moved:.2f} | {covered:.1%} | {placebo:.2f} |", flush=True)
        print(f"<!-- {time.perf_counter() - start:.0f} s -->", flush=True)


def experiment(predicted: np.ndarray, gold: np.ndarray, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    rows = rng.integers(len(gold), size=len(gold))
    right = rng.random(len(rows)) < SHARE_RIGHT
    key = gold[rows]
    target = np.where(right, key, (key + rng.integers(1, K, size=len(rows))) % K)
    with_cue, placebo = predicted[rows, 1 + target], predicted[rows, 0]
    trials = Trials(
        followed=(with_cue == target).astype(float),
        by_itself=(placebo == target).astype(float),
        to_right=right,
        options=np.full(len(rows), K),
        right=(with_cue == key).astype(float),
        right_by_itself=(placebo == key).astype(float),
        clusters=[str(i) for i in range(len(rows))],
    )
    return planted_effect(trials, "smollm2", "kinds", "loglikelihood", CUE.name)


if __name__ == "__main__":
    main()
