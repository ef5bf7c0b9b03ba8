"""``make peers``: exported probes asked by lm-evaluation-harness and Inspect themselves, and their real logs read back.

The bundled model answers in all three. Refused: a log-likelihood that differs by more than 1e-3 from ours under the
spec preset ``lm-eval``, an item that earns otherwise, an id that does not come back, a data set that does not open.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from peers.environments import outside, python_of
from peers.material import for_older

import horsesense as hs
from horsesense.core import Card, Item, Probe
from horsesense.cues.findings import find_cues
from horsesense.exchange.formats import export
from horsesense.models.locate import locate

LIMIT = int(os.environ.get("LIMIT", "40"))
"""Items a probe; whole families."""
CLOSE = 1e-3


def probes() -> dict[str, Probe]:
    """Every form: sentences of the starter probe, and choices, clozes and pairs made of them and of hand."""
    starter = hs.load_probe("starter").items[:LIMIT]
    pairs = [
        ("ice", "cold", "hot"),
        ("fire", "hot", "wet"),
        ("a feather", "light", "heavy"),
        ("the sea", "salty", "sweet"),
    ]
    cloze = [
        Item("clozes", "cloze", text=f"Everybody knows that {thing} is ___ to us.", options=(right, wrong), answer=0)
        for thing, right, wrong in pairs
    ]
    choice = [
        Item("choices", "choice", text=f"What is {right}?", options=(thing, "a stone", "the moon"), answer=0)
        for thing, right, _ in pairs
    ]
    entailed = [
        Item("pairs", "pair", premise=f"This is {thing}.", text=f"It is {right}.", options=("true", "false"), answer=0)
        for thing, right, _ in pairs
    ]
    made = {"sentences": list(starter), "clozes": cloze, "choices": choice, "pairs": entailed}
    return {name: Probe.of(items, Card(name, made="made to be compared")) for name, items in made.items()}


def run(*words: object, here: Path | None = None) -> None:
    told = [str(word) for word in words]
    done = subprocess.run(told, env=outside(), cwd=here, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words[0]} failed:\n{done.stderr[-3000:]}")


def rows(run: hs.Run) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["probe"], row["item"]): row for row in run.items()}


def harness(asked: dict[str, Probe], model: Path, place: Path) -> None:
    for name, probe in asked.items():
        export(probe, to="lm-eval", out=place / "tasks" / name, name=name)
    command = python_of("lm_eval").parent / "lm-eval"
    words = ["--model", "hf", "--model_args", f"pretrained={model},dtype=float32", "--device", "cpu", "--batch_size", 8]
    words += [
        "--include_path",
        place / "tasks",
        "--tasks",
        ",".join(asked),
        "--log_samples",
        "--output_path",
        place / "logs",
    ]
    run(command, "run", *words)
    hs.import_log("lm-eval", place / "logs", out=place / "harness")
    theirs = rows(hs.open_run(place / "harness", normalise="sum"))
    ours = rows(hs.ask("smollm2", asked, spec="lm-eval", normalise="sum", compute=hs.ComputeSettings(device="cpu")))
    assert theirs.keys() == ours.keys(), "the ids differ"
    apart = [
        abs(one - other)
        for key, row in ours.items()
        for one, other in zip(row["scores"], theirs[key]["scores"], strict=True)
    ]
    other = [key for key, row in ours.items() if row["credit"] != theirs[key]["credit"]]
    print(
        f"lm-eval: {len(ours)} items, {len(apart)} log-likelihoods, at most {max(apart):.2g} apart, "
        f"{len(other)} earn otherwise"
    )
    assert max(apart) < CLOSE
    assert not other
    for name in asked:
        print(f"  cues of {name}: {find_cues(place / 'harness' / 'probes' / f'{name}.jsonl.gz').verdict}")


def inspect(asked: dict[str, Probe], model: Path, place: Path) -> None:
    name, probe = "choices", asked["choices"]
    export(probe, to="inspect", out=place / "inspect", name=name)
    command = python_of("inspect").parent / "inspect"
    words = ["--model", "hf/smol", "-M", f"model_path={model}", "--max-tokens", 8, "--epochs", 2, "--display", "none"]
    # A task is named relative to the working folder.
    run(command, "eval", f"{name}.py", *words, "--log-dir", place / "inspect-logs", here=place / "inspect")
    hs.import_log("inspect", place / "inspect-logs", out=place / "inspected")
    read = hs.open_run(place / "inspected")
    assert {row["item"] for row in read.items()} == {item.id for item in probe.items}, "the ids differ"
    print(f"inspect: {len(probe.items)} items, two epochs; accuracy {read.results()['accuracy'][0]:.3f}")


def hub(asked: dict[str, Probe], place: Path) -> None:
    export(asked["sentences"], to="hf", out=place / "set")
    code = f"import datasets; print(len(datasets.load_dataset({str(place / 'set')!r})['test']))"
    run(python_of("lm_eval"), "-c", code)
    back = hs.read_release("table", place / "set")
    assert [item.id for item in back.items] == [item.id for item in asked["sentences"].items]
    print(f"hub: datasets opens it, and {len(back.items)} items come back")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place, asked = Path(folder), probes()
        model = for_older(locate("smollm2").folder, place / "model")
        hub(asked, place)
        harness(asked, model, place)
        inspect(asked, model, place)


if __name__ == "__main__":
    main()
