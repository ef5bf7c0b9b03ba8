"""The commands that keep something, as they are carried out under faults; small enough for hundreds of times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from tests.faults.harness import Case
from tests.faults.studies import POSTGRESQL, postgresql_study, sqlite_study
from tests.support.made_tasks import clozes, questions
from tests.support.made_trees import write_tree
from tests.support.postgresql_cluster import cluster, programs
from tests.support.ray_run import ray_cluster
from tests.support.small_cats import lay_all
from tests.support.small_wordnet import write_small_wordnet
from tests.support.tiny import save_tiny

ON_RAY = "run --engine ray"


def command(*words: str) -> Callable[[Path], None]:
    """A command in the folder that it is carried out in."""

    def run(folder: Path) -> None:
        from horsesense.cli import main

        os.environ["HORSESENSE_CACHE"] = str(folder / "cache")
        main([*words])

    return run


def with_wordnet(folder: Path, run: Callable[[Path], None]) -> Callable[[Path], None]:
    """The same where a WordNet is at hand, of a few words."""

    def carried_out(place: Path) -> None:
        os.environ["WNHOME"] = str(folder)
        try:
            run(place)
        finally:
            del os.environ["WNHOME"]

    return carried_out


def results_only(folder: Path) -> Mapping[str, str]:
    """What lies outside the cache, which may be made again."""
    from tests.faults.harness import tree_of

    return {name: content for name, content in tree_of(folder).items() if not name.startswith("cache/")}


def facts(folder: Path) -> Mapping[str, str]:
    """The rows of the stored sources."""
    import pyarrow as pa

    found = {}
    for path in sorted((folder / "cache" / "knowledge").glob("*.arrow")):
        found[path.name] = str(pa.ipc.open_file(path.read_bytes()).read_all().to_pylist())
    parts = [path.name for path in folder.rglob("*") if path.name.endswith(".part")]
    return found | {"left": str(parts)}


def _draw_nothing() -> None:
    """What draws charts has threads of its own, which a forked child is left without: it would wait for them."""
    import vl_convert

    vars(vl_convert)["vegalite_to_svg"] = lambda *_, **__: "<svg></svg>"


@contextmanager
def cases(inputs: Path, only: Sequence[str] | None = None) -> Iterator[list[Case]]:
    """All of them, or those of some names; ``inputs`` is a folder for what they read."""
    with ExitStack() as open_things:
        found = [*_commands(inputs, only), sqlite_study()]
        if programs() is not None and (not only or POSTGRESQL in only):
            found.append(postgresql_study(open_things.enter_context(cluster())))
        if find_spec("ray") is not None and (not only or ON_RAY in only):
            found.append(_on_ray(inputs, open_things.enter_context(ray_cluster())))
        yield [case for case in found if not only or case.name in only]


def _commands(inputs: Path, only: Sequence[str] | None) -> list[Case]:
    from horsesense.core import write_probe
    from horsesense.core.catalogue import build

    for name in ("gpt2", "bert", "choice"):
        save_tiny(name, inputs / name)
    with patch("tests.support.tiny.WINDOW", 512):  # questions with a planted cue are long
        save_tiny("gpt2", inputs / "wide")
    for name, probe in (
        ("clozes", clozes(12, 1)),
        ("plain", questions(60, 7, False)),
        ("dev", clozes(4, 2)),
        ("tests", clozes(4, 3)),
        ("dose", questions(8, 1, True)),
        ("dose-dev", questions(4, 2, True)),
        ("dose-test", questions(4, 3, True)),
        ("old-dev", questions(4, 4, False)),
        ("old-test", questions(4, 5, False)),
        ("rica", build("rica", strategies=["material"], perturbations=["published"], limit=8)),
    ):
        write_probe(inputs / f"{name}.jsonl", probe)
    if not only or "winoventi make" in only:  # a whole pipeline, which the others do not read
        _people_answer(inputs)
    _draw_nothing()
    write_tree(inputs / "tree.tsv")
    lay_all(inputs / "sets")
    (inputs / "table.csv").write_text("question,a,b,answer\nWhat is cold?,ice,fire,0\n")
    at = {path.name: str(path) for path in inputs.iterdir()}
    training = [
        "train",
        "-m",
        at["gpt2"],
        "--train",
        at["clozes.jsonl"],
        "--dev",
        at["dev.jsonl"],
        "--test",
        at["tests.jsonl"],
    ]
    dosing = [
        "inoculate",
        "-m",
        at["choice"],
        "--train",
        at["dose.jsonl"],
        "--dev",
        at["dose-dev.jsonl"],
        "--test",
        at["dose-test.jsonl"],
    ]
    making = [
        "winoventi",
        "make",
        str(inputs / "nouns.txt"),
        "-m",
        at["bert"],
        "--ranker",
        at["gpt2"],
        "--writer",
        "none",
    ]
    making += [
        "--vectors",
        "none",
        "--exception",
        str(inputs / "judgements.jsonl"),
        "--premise",
        str(inputs / "written.csv"),
    ]
    dosing += ["--original-dev", at["old-dev.jsonl"], "--original-test", at["old-test.jsonl"]]
    return [
        Case("import", command("import", "table", at["table.csv"], "--columns", "question=question,options=a+b,answer=answer", "-o", "out.jsonl"), results_only),
        Case("harden", command("harden", at["plain.jsonl"], "-o", "hard.jsonl"), results_only),
        Case("knowledge add", command("knowledge", "add", "mine", at["tree.tsv"]), facts),
        Case("build", command("build", "duals", at["clozes.jsonl"], "-o", "duals.jsonl"), results_only),
        Case("run", command("run", "-m", at["gpt2"], "-p", at["clozes.jsonl"], "--out", "run", "--device", "cpu"), results_only),
        Case("train", command(*training, "--seeds", "2", "--epochs", "1", "--batch", "4", "--device", "cpu", "--out", "out"), results_only),
        Case("inoculate", command(*dosing, "--size", "4", "--learning-rate", "1e-3", "--step", "2", "--seed", "0", "--out", "out"), results_only),
        Case("winoventi make", command(*making, "--device", "cpu", "--out", "out"), results_only),
        Case("profile", with_wordnet(write_small_wordnet(inputs / "wordnet"), command("profile", "-m", at["wide"], "--ability", "parts", "--limit", "3", "--device", "cpu", "--out", "out")), results_only),
        Case("replicate", command("replicate", "cats", "-m", at["gpt2"], "--data", at["sets"], "--device", "cpu", "--out", "out"), results_only),
        Case("run --until", command("run", "-m", at["gpt2"], "-p", at["plain.jsonl"], "--until", "ci<0.2", "--device", "cpu", "--out", "run"), results_only),
        Case("run --wordings", command("run", "-m", at["wide"], "-p", at["dev.jsonl"], "--wordings", "2", "--device", "cpu", "--out", "run"), results_only),
        Case("run --withhold", command("run", "-m", at["wide"], "-p", at["dose-dev.jsonl"], "--withhold", "question", "--device", "cpu", "--out", "run"), results_only),
        Case("plant", command("plant", at["dose.jsonl"], "-m", at["wide"], "--cue", "user", "--device", "cpu", "--out", "out"), results_only),
        Case("ladder", command("ladder", "-m", at["wide"], "--ladder", "polarity", "--families", "2", "--spec", "truncation=left", "--device", "cpu", "--out", "out"), results_only),
        Case("profile --adaptive", with_wordnet(inputs / "wordnet", command("profile", "-m", at["wide"], "--ability", "parts", "--limit", "3", "--adaptive", "--device", "cpu", "--out", "out")), results_only),
        Case("rica study", command("rica", "study", "-m", at["gpt2"], "-p", at["rica.jsonl"], "--limit", "4", "--spec", "truncation=left", "--device", "cpu", "--out", "out"), results_only),
    ]  # fmt: skip


def _on_ray(inputs: Path, address: str) -> Case:
    """Who asks is under faults; the workers are those of a cluster that runs all the time."""
    run = ["run", "-m", str(inputs / "gpt2"), "-p", str(inputs / "clozes.jsonl"), "--out", "run", "--device", "cpu"]

    def warm(folder: Path) -> None:
        import ray  # noqa: F401 connecting would start threads, which a forked child is left without

        command(*run)(folder)

    asking = command(*run, "--engine", f"ray:{address}", "--workers", "1", "--threads", "1")
    return Case(ON_RAY, asking, results_only, warm=warm, sends=False)


def _people_answer(inputs: Path) -> None:
    """Nouns for the pipeline of WinoVenti, and what people say of the associations that it finds."""
    from horsesense.methods.winoventi.pipeline import run_pipeline
    from tests.support.made_plan import WORDS, make_plan, no_wordnet, people_have_answered

    (inputs / "nouns.txt").write_text("\n".join(WORDS), encoding="utf-8")
    os.environ["HORSESENSE_CACHE"] = str(inputs / "cache")
    no_wordnet()
    plan = make_plan(inputs / "bert", inputs / "gpt2")
    run_pipeline(plan, inputs / "first")
    people_have_answered(plan, inputs, inputs / "first")
