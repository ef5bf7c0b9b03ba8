"""The same numbers from Python and from the command line, for every command: one that is not listed here fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense import annotation_server
from horsesense.cache import list_cache, prune_cache
from horsesense.core import Card, Judgement, Probe, write_judgements
from horsesense.core.catalogue import list_plugins
from horsesense.core.document import plain
from horsesense.cues.findings import find_cues
from horsesense.cues.harden import harden
from horsesense.exchange.formats import export
from horsesense.lexicons.sources import add_file, stored_sources
from horsesense.methods.cats.suite import open_suite
from horsesense.report.run import run as run_and_report
from horsesense.report.run import run_suite
from horsesense.report.run_report import export_run, write_report
from horsesense.runs.verify import verify
from horsesense.training.inoculation_trials import InoculationGrid
from horsesense.training.training_record import TrainingSettings
from tests.support import ROOT
from tests.support.calling import Call, caller, lay, toy_lines
from tests.support.made_corpora import attributes, relationships
from tests.support.made_plan import WORDS as NOUNS
from tests.support.made_plan import make_plan, people_have_answered
from tests.support.made_run import made_items
from tests.support.made_schemas import made_probe
from tests.support.made_tasks import clozes, questions
from tests.support.made_trees import write_tree
from tests.support.small_cats import lay_all
from tools.docs.schemas import documents

AXIOM = "A is made out of glass and B is made out of stone, so A is more fragile than B"
TURNED = "A is made out of glass and B is made out of stone, so B is less fragile than A"
WAX = "Material(A, wax) and Material(B, iron), so More(soft(A), soft(B))"
PETS = """lemma dog dog
definition dog an_animal_that_barks
lemma cat cat
definition cat an_animal_that_purrs
lemma poodle poodle
definition poodle a_breed_with_curly_hair
example poodle the_poodle_slept_in_a_basket
isa poodle dog
lemma tabby tabby
definition tabby a_breed_with_stripes
example tabby two_children_fed_the_tabby
isa tabby cat
lemma bark1 bark
definition bark1 the_cry_of_a_dog
example bark1 his_bark_woke_us
lemma bark2 bark
definition bark2 the_skin_of_a_tree
example bark2 moss_grew_on_the_bark
"""
WORDS = ("old", "red", "tall", "wooden", "wet")
_SECRET = re.compile(r'"(link|code|completion|used)": "[^"]*"')
"""What is drawn anew, or is a time."""
_NO_NUMBER = re.compile(r"(?<=[ \[])(?:NaN|-?Infinity)(?=[,\]}])")
"""What JSON has no word for."""


@dataclass(frozen=True)
class World:
    """What commands are called on, made once."""

    folder: Path
    gpt2: str
    bert: str
    choice: str

    def __getitem__(self, name: str) -> Path:
        return self.folder / name


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, tiny_folders: dict[str, Path]) -> World:
    return make_world(tmp_path_factory.mktemp("world"), tiny_folders)


def make_world(folder: Path, models: Mapping[str, Path]) -> World:
    """All that the calls below need; ``make fuzz`` begins with it too."""
    w = World(folder, str(models["gpt2"]), str(models["bert"]), str(models["choice"]))
    lay(w["toy.jsonl"], *toy_lines())
    Probe.of(made_items(30), Card(name="made", licence="CC0")).save(w["made.jsonl"])
    hs.ask([w.gpt2, w.bert], w["made.jsonl"], out=w["run"])
    sets = open_suite("cats", lay_all(w["sets"])).probes
    hs.ask([w.gpt2, w.bert], sets, out=w["cats"], spec="paper:cats")
    rows = [f"thing{v % 9},piece{v % 7},{WORDS[v % 5]},{v % 5},{int(v % 5 > 2)}" for v in range(60)]
    w["triples.csv"].write_text("whole,part,jj,label,bin_label\n" + "\n".join(dict.fromkeys(rows)) + "\n")
    hs.read_release("partwhole", w["triples.csv"]).save(w["triples.jsonl"])
    hs.fit_control("majority", test=w["triples.jsonl"], train=w["triples.jsonl"], out=w["control"], allow_overlap=True)
    made_probe().save(w["wino.jsonl"])
    w["nouns.txt"].write_text("stone\nsongs\n", encoding="utf-8")
    w["k.tsv"].write_text("Word\tone_common\tother_common\ncup\thot,full\tfull\njar\t\t\n")
    w["pets.tsv"].write_text(PETS.replace(" ", "\t").replace("_", " "), encoding="utf-8")
    w["schemas.csv"].write_text(
        "text,pronoun,A,B,answer\nThe jug is on the shelf because it is full.,it,the jug,the shelf,A\n",
        encoding="utf-8",
    )
    hs.read_release("winograd", w["schemas.csv"]).save(w["schemas.jsonl"])
    relationships(w["relationships.json"])
    attributes(w["attributes.json"])
    hs.build("rica", strategies=["material"], perturbations=["published"], limit=40).save(w["rica.jsonl"])
    hs.ask(w.gpt2, w["rica.jsonl"], out=w["rica"], spec="truncation=left")
    forms = hs.rica.derive(WAX).forms
    six = [name for name in forms if name.startswith(("original", "negated", "asym"))]
    w["axioms.jsonl"].write_text(json.dumps({name: [forms[name], [""]] for name in six}) + "\n")
    for name, probe in (("train", clozes(16, 1)), ("dev", clozes(4, 2)), ("test", clozes(5, 3))):
        probe.save(w[f"{name}.jsonl"])
    shapes = {"q-train": (20, 1, True), "q-dev": (8, 2, True), "q-test": (8, 3, True)}
    for name, given in (shapes | {"o-dev": (8, 4, False), "o-test": (8, 5, False)}).items():
        questions(*given).save(w[f"{name}.jsonl"])
    judged = hs.load_probe(w["triples.jsonl"]).items[:8]
    votes = [
        (item, who, (place + int(who == "cy")) % 5) for place, item in enumerate(judged) for who in ("ann", "bo", "cy")
    ]
    scale = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")
    write_judgements(
        w["votes.jsonl"], [Judgement(item.id, who, "partwhole", scale[value]) for item, who, value in votes]
    )
    w["agreed.csv"].write_text("".join(f"thing{k},piece{k},old,{label},{label}\n" for k, label in enumerate(scale)))
    box = {"x": 0, "y": 0, "w": 9, "h": 9}
    has = {"predicate": "has", "subject": {"name": "thing1", **box}, "object": {"name": "piece1", **box}}
    w["boxes.json"].write_text(json.dumps([{"image_id": 1, "relationships": [has]}]))
    w["images.json"].write_text(json.dumps([{"image_id": 1, "width": 9, "height": 9}]))
    hs.annotate.export(w["votes.jsonl"], out=w["labels.jsonl"], probe=w["triples.jsonl"], rule="majority")
    return w


Case = tuple[list[object], Callable[[], Any]]
"""The words of a command that works in a folder, and the same in Python."""


def _study(w: World, here: Path) -> Path:
    """A study with two people, in the folder of the call."""
    if not (here / "study").exists():
        two = hs.annotate.StudyOptions(per_item=2)
        hs.annotate.new_study(w["triples.jsonl"], instrument="partwhole", out=here / "study", options=two)
        annotation_server.invite(here / "study", "ann", "bo")
    return here / "study"


def _built(name: str, here: Path, words: list[object], **options: Any) -> Case:
    out = here / "b.jsonl"
    return ["build", name, *words, "-o", out], lambda: hs.build(name, **options).save(out)


def _inoculated(w: World, here: Path) -> Case:
    sets: dict[str, Any] = {name: w[f"q-{name}.jsonl"] for name in ("train", "dev", "test")}
    words: list[object] = [
        "inoculate",
        "-m",
        w.choice,
        "--out",
        here / "trials",
        "--size",
        4,
        "--learning-rate",
        5e-3,
        "--step",
        2,
    ]
    words += [word for name, file in sets.items() for word in (f"--{name}", file)]
    words += ["--seed", 0, "--original-dev", w["o-dev.jsonl"], "--original-test", w["o-test.jsonl"]]
    original: dict[str, Any] = {"original_dev": [w["o-dev.jsonl"]], "original_test": [w["o-test.jsonl"]]}
    few = InoculationGrid((4,), (5e-3,), (2,), seeds=(0,))
    return words, lambda: hs.inoculate(w.choice, **sets, **original, grid=few, out=here / "trials")


def _trained(w: World, here: Path) -> Case:
    words: list[object] = ["train", "-m", w.gpt2, "--train", w["train.jsonl"], "--dev", w["dev.jsonl"], "--seeds", 1]
    words += ["--test", w["test.jsonl"], "--epochs", 1, "--lora", "--out", here / "trained"]
    few: dict[str, Any] = {"tests": [w["test.jsonl"]], "dev": w["dev.jsonl"], "seeds": 1}
    few["settings"] = TrainingSettings(epochs=1.0, lora=True)
    return words, lambda: hs.train(w.gpt2, train=w["train.jsonl"], out=here / "trained", **few)


def _suite(w: World, here: Path) -> Case:
    words: list[object] = ["suite", "cats", "-m", w.gpt2, "--data", w["sets"], "--out", here / "run"]

    return words, lambda: run_suite("cats", model=w.gpt2, data=w["sets"], out=here / "run")


def _hardened(w: World, here: Path) -> Case:
    words: list[object] = ["harden", w["made.jsonl"], "-o", here / "h.jsonl"]
    return words, lambda: harden(w["made.jsonl"]).save(here / "h.jsonl")


def _released(w: World, here: Path) -> Case:
    words: list[object] = ["import", "partwhole", w["triples.csv"], "-o", here / "t.jsonl"]
    return words, lambda: hs.read_release("partwhole", w["triples.csv"]).save(here / "t.jsonl")


def _probe_written(command: str, words: list[object], make: Callable[[], Probe], out: Path) -> Case:
    return ["partwhole", command, *words, "-o", out], lambda: make().save(out)


def _votes(command: str, *words: object, **options: Any) -> Callable[[World, Path], Case]:
    return lambda w, here: (
        ["annotate", command, w["votes.jsonl"], "-p", w["triples.jsonl"], *words],
        lambda: getattr(hs.annotate, command)(w["votes.jsonl"], probe=w["triples.jsonl"], **options),
    )


def _people(command: str, *names: str) -> Callable[[World, Path], Case]:
    return lambda w, here: (
        ["annotate", command, _study(w, here), *names],
        lambda: getattr(annotation_server, command)(_study(w, here), *names),
    )


def _ran(w: World, here: Path) -> Case:
    """People have answered about what the first call found; that call ends where it needs them."""
    out, plan = here / "pipeline", make_plan(Path(w.bert), Path(w.gpt2))
    (here / "nouns.txt").write_text("\n".join(NOUNS), encoding="utf-8")
    usual: dict[str, Any] = {"ranker": w.gpt2, "writer": "none", "vectors": "none", "write": 6}
    machine = hs.winoventi.PipelineMachine(device="cpu", **usual)
    if not out.exists():
        hs.winoventi.make(here / "nouns.txt", out=out, model=w.bert, machine=machine)
    plan = people_have_answered(plan, here, out)
    words: list[object] = ["winoventi", "make", here / "nouns.txt", "-m", w.bert, "--out", out, "--device", "cpu"]
    words += [word for name, value in usual.items() for word in (f"--{name}", value)]
    words += ["--exception", plan.exceptions[0], "--premise", plan.premises[0]]
    sources = hs.winoventi.PipelineSources(exceptions=plan.exceptions, premises=plan.premises)
    return words, lambda: hs.winoventi.make(here / "nouns.txt", out=out, model=w.bert, machine=machine, sources=sources)


def _standing(w: World, here: Path) -> Case:
    _ran(w, here)
    return ["winoventi", "status", here / "pipeline"], lambda: hs.winoventi.status(here / "pipeline")


def _controls(w: World, here: Path) -> Case:
    return ["rica", "controls", w["rica.jsonl"], "-o", here], lambda: hs.rica.write_controls(w["rica.jsonl"], out=here)


def _views(w: World, here: Path) -> Case:
    words: list[object] = ["rica", "views", w["rica.jsonl"], "-m", w.gpt2, "--limit", 8, "--out", here / "v"]
    few: dict[str, Any] = {"limit": 8, "spec": "truncation=left"}
    return [*words, "--spec", "truncation=left"], lambda: hs.rica.run_views(
        w["rica.jsonl"], model=w.gpt2, out=here / "v", **few
    )


def _studied(w: World, here: Path) -> Case:
    words: list[object] = ["rica", "study", "-m", w.gpt2, "-p", w["rica.jsonl"], "--limit", 8, "--out", here / "r"]
    few: dict[str, Any] = {"probe": w["rica.jsonl"], "limit": 8, "spec": "truncation=left"}
    return [*words, "--spec", "truncation=left"], lambda: hs.rica.run_study(model=[w.gpt2], out=here / "r", **few)


def _associated(w: World, here: Path) -> Case:
    words: list[object] = ["winoventi", "associations", "-m", w.bert, w["nouns.txt"], "--ranker", w.gpt2]
    return words, lambda: hs.winoventi.find_associations(w["nouns.txt"], model=w.bert, ranker=w.gpt2)


def _grown(w: World, here: Path) -> Path:
    """Questions grown from a tree of invented things."""
    if not (here / "q.jsonl").exists():
        add_file("tree", write_tree(here / "tree.tsv"))
        asked = hs.build("wordnetqa", relation="hypernymy", source="tree", as_paper=True, options=3)
        asked.save(here / "q.jsonl")
        hs.ask(w.gpt2, here / "q.jsonl", out=here / "asked", limit=20, spec="truncation=left")
    return here / "q.jsonl"


def _read(w: World, here: Path) -> tuple[Path, Path]:
    """An audit, and the lines of an auditor who calls every first option true."""
    if not (here / "audit").exists():
        hs.audit.new(w["made.jsonl"], out=here / "audit", limit=10, seeded=6)
        lines = (here / "audit" / "key.jsonl").read_text(encoding="utf-8").splitlines()
        told = [json.loads(line) for line in lines]
        (here / "read.txt").write_text("".join(f"{t['number']}\tT{'F' * (t['options'] - 1)}\n" for t in told))
    return here / "audit", here / "read.txt"


def _audit(command: str) -> Callable[[World, Path], Case]:
    def case(w: World, here: Path) -> Case:
        if command == "new":
            few: dict[str, Any] = {"limit": 10, "seeded": 6}
            words: list[object] = [w["made.jsonl"], "-o", here / "n", "--limit", 10, "--seeded", 6]
            return ["audit", "new", *words], lambda: hs.audit.new(w["made.jsonl"], out=here / "n", **few)
        folder, file = _read(w, here)
        if command == "second":
            return ["audit", "second", folder, file], lambda: hs.audit.second(folder, file)
        words = [folder, file, "--auditor", "one:people"]
        return ["audit", "apply", *words], lambda: hs.audit.apply(folder, file, auditor="one:people")

    return case


def _evaluated(w: World, here: Path) -> Case:
    words: list[object] = [
        "winoventi",
        "evaluate",
        "-m",
        w.bert,
        w["wino.jsonl"],
        "--no-own",
        "--out",
        here / "e",
    ]
    files = hs.winoventi.AssociationFiles(own=False)
    return words, lambda: hs.winoventi.evaluate(w["wino.jsonl"], models=[w.bert], associations=files, out=here / "e")


def _calibrated(w: World, here: Path) -> Case:
    registry = here / "registry.tsv"
    triplets = (("bucket", "empty", "full"), ("door", "open", "closed"), ("pan", "hot", "cold"))
    rows = "".join("\t".join((*each, "True")) + "\n" for each in triplets)
    registry.write_text(f"Word\tAssociative Bias\tAlternative\tBERT\n{rows}")
    words: list[object] = ["winoventi", "calibrate", registry]
    return words, lambda: hs.winoventi.calibrate(registry)


CASES: dict[str, Callable[[World, Path], Case]] = {
    "annotate agreement": _votes("agreement"),
    "annotate apply": lambda w, here: (
        ["annotate", "apply", w["triples.jsonl"], w["labels.jsonl"], "-o", here / "a.jsonl"],
        lambda: hs.annotate.apply(w["triples.jsonl"], w["labels.jsonl"], out=here / "a.jsonl"),
    ),
    "annotate codes": _people("codes"),
    "annotate collect": lambda w, here: (
        ["annotate", "collect", w["votes.jsonl"], "-o", here / "c.jsonl"],
        lambda: hs.annotate.collect(w["votes.jsonl"], out=here / "c.jsonl"),
    ),
    "annotate export": lambda w, here: (
        ["annotate", "export", w["votes.jsonl"], "--rule", "majority", "-o", here / "l.jsonl"],
        lambda: hs.annotate.export(w["votes.jsonl"], rule="majority", out=here / "l.jsonl"),
    ),
    "annotate invite": _people("invite", "cy"),
    "annotate new": lambda w, here: (
        [
            "annotate",
            "new",
            w["triples.jsonl"],
            "--instrument",
            "partwhole",
            "--people",
            "ann, bo",
            "-o",
            here / "n.csv",
        ],
        lambda: hs.annotate.new_tasks(
            w["triples.jsonl"], instrument="partwhole", out=here / "n.csv", people=["ann", "bo"]
        ),
    ),
    "annotate pause": _people("pause", "ann"),
    "annotate performance": _votes("performance"),
    "annotate qualify": lambda w, here: (
        ["annotate", "qualify", w["votes.jsonl"], "--gold", w["triples.jsonl"], "--items", 5],
        lambda: hs.annotate.qualify(w["votes.jsonl"], gold=w["triples.jsonl"], items=5),
    ),
    "annotate resume": _people("resume", "ann"),
    "annotate revoke": _people("revoke", "ann"),
    "annotate status": _votes("status"),
    "annotate study": lambda w, here: (
        ["annotate", "study", w["triples.jsonl"], "--instrument", "partwhole", "-o", here / "s", "--per-item", 2],
        lambda: hs.annotate.new_study(
            w["triples.jsonl"], instrument="partwhole", out=here / "s", options=hs.annotate.StudyOptions(per_item=2)
        ),
    ),
    "annotate withdraw": _people("withdraw", "bo"),
    "audit apply": _audit("apply"),
    "audit new": _audit("new"),
    "audit second": _audit("second"),
    "baseline": lambda w, here: (
        [
            "baseline",
            "majority",
            "--test",
            w["made.jsonl"],
            "--train",
            w["made.jsonl"],
            "--allow-overlap",
            "--against",
            w["run"],
        ],
        lambda: hs.fit_control(
            "majority", test=w["made.jsonl"], train=w["made.jsonl"], allow_overlap=True, against=[w["run"]]
        ),
    ),
    "build conjunctions": lambda w, here: _built("conjunctions", here, [w["schemas.jsonl"]], probe=w["schemas.jsonl"]),
    "build dictionaryqa": lambda w, here: _built(
        "dictionaryqa", here, ["--source", "pets", "--options", 2], source="pets", options=2
    ),
    "build ladder": lambda w, here: _built(
        "ladder", here, ["polarity", "--level", 2, "--families", 3], ladder="polarity", levels=[2], families=3
    ),
    "build partwhole": lambda w, here: _built(
        "partwhole",
        here,
        ["--relationships", w["relationships.json"], "--attributes", w["attributes.json"], "--without", "parts"],
        pairs=hs.partwhole.PairSources(relationships=w["relationships.json"]),
        adjectives=hs.partwhole.AdjectiveSources(attributes=w["attributes.json"]),
        rules=hs.partwhole.CandidateRules(without=["parts"]),
    ),
    "build wordnetqa": lambda w, here: _built(
        "wordnetqa",
        here,
        ["--source", "pets", "--options", 2, "--relation", "hypernymy"],
        source="pets",
        options=2,
        relation="hypernymy",
    ),
    "verify": lambda w, here: (["verify", w["run"]], lambda: verify(w["run"])),
    "cache list": lambda w, here: (["cache", "list"], list_cache),
    "cache prune": lambda w, here: (["cache", "prune"], prune_cache),
    "cats evidence": lambda w, here: (["cats", "evidence", w["cats"]], lambda: hs.cats.token_evidence(w["cats"])),
    "cats steps": lambda w, here: (["cats", "steps", w["cats"]], lambda: hs.cats.accuracy_by_steps(w["cats"])),
    "cats who": lambda w, here: (["cats", "who", w["cats"]], lambda: hs.cats.who(hs.open_run(w["cats"]))),
    "compare": lambda w, here: (["compare", w["run"]], lambda: hs.compare(hs.open_run(w["run"]))),
    "cues": lambda w, here: (
        ["cues", w["made.jsonl"], "--rounds", 19],
        lambda: find_cues(w["made.jsonl"], rounds=19),
    ),
    "plant": lambda w, here: (
        [
            *("plant", w["made.jsonl"], "-m", w.gpt2, "--spec", "truncation=left"),
            "--cue",
            "user",
            "--out",
            here / "out",
        ],
        lambda: hs.plant(w["made.jsonl"], model=w.gpt2, spec="truncation=left", cue="user", out=here / "out"),
    ),
    "export-run": lambda w, here: (
        ["export-run", w["run"], "-o", here / "items.csv"],
        lambda: export_run(w["run"], out=here / "items.csv"),
    ),
    "export": lambda w, here: (
        ["export", w["made.jsonl"], "--to", "lm-eval", "-o", here / "exported"],
        lambda: export(w["made.jsonl"], to="lm-eval", out=here / "exported"),
    ),
    "fetch": lambda w, here: (["fetch"], hs.fetch),
    "fill": lambda w, here: (
        ["fill", "-m", w.bert, "Ice is ___.", "--top", 3],
        lambda: hs.fill(w.bert, "Ice is ___.", top=3),
    ),
    "check-regression": lambda w, here: (
        ["check-regression", w["run"], "--against", w["run"], "--margin", 0.9],
        lambda: hs.check_regression(w["run"], against=w["run"], margin=0.9),
    ),
    "harden": _hardened,
    "import": _released,
    "inoculate": _inoculated,
    "items": lambda w, here: (
        ["items", w["run"], "-o", here / "items.html"],
        lambda: hs.items(w["run"], out=here / "items.html"),
    ),
    "knowledge add": lambda w, here: (
        ["knowledge", "add", "pets", w["pets.tsv"]],
        lambda: add_file("pets", w["pets.tsv"]),
    ),
    "ladder": lambda w, here: (
        [
            "ladder",
            "-m",
            w.gpt2,
            "--ladder",
            "polarity",
            "--families",
            2,
            "--spec",
            "truncation=left",
            "-o",
            here / "l",
        ],
        lambda: hs.ladder(w.gpt2, ladders=["polarity"], families=2, spec="truncation=left", out=here / "l"),
    ),
    "knowledge list": lambda w, here: (["knowledge", "list"], stored_sources),
    "profile": lambda w, here: (
        ["profile", "-m", "guesser", "-m", "cue-reader", "--ability", "parts", "--limit", "20", "--out", here / "p"],
        lambda: hs.profile(["guesser", "cue-reader"], abilities=["parts"], limit=20, out=here / "p"),
    ),
    "partwhole check": lambda w, here: (
        ["partwhole", "check", w["triples.csv"]],
        lambda: hs.partwhole.check(w["triples.csv"]),
    ),
    "partwhole gold": lambda w, here: _probe_written(
        "gold",
        [w["agreed.csv"], "--per-label", 1],
        lambda: hs.partwhole.gold([w["agreed.csv"]], per_label=1),
        here / "g.jsonl",
    ),
    "partwhole pictures": lambda w, here: (
        [
            *("partwhole", "pictures", w["triples.jsonl"], "--relationships", w["boxes.json"]),
            *("--images", w["images.json"], "-o", here / "p.jsonl"),
        ],
        lambda: hs.partwhole.pick_pictures(
            w["triples.jsonl"], relationships=w["boxes.json"], images=w["images.json"], out=here / "p.jsonl"
        ),
    ),
    "partwhole premises": lambda w, here: _probe_written(
        "premises", [w["triples.jsonl"]], lambda: hs.partwhole.premises(w["triples.jsonl"]), here / "p.jsonl"
    ),
    "partwhole recast": lambda w, here: _probe_written(
        "recast",
        [w["triples.jsonl"], "--labels", "binary"],
        lambda: hs.partwhole.recast(w["triples.jsonl"], labels="binary"),
        here / "r.jsonl",
    ),
    "partwhole split": lambda w, here: (
        ["partwhole", "split", w["triples.jsonl"], "--out", here / "parts"],
        lambda: hs.partwhole.split(w["triples.jsonl"], here / "parts"),
    ),
    "partwhole table": lambda w, here: (
        ["partwhole", "table", w["control"]],
        lambda: hs.partwhole.paper_table(w["control"]),
    ),
    "plugins": lambda w, here: (["plugins"], list_plugins),
    "report": lambda w, here: (
        ["report", w["run"], "--format", "md", "-o", here / "t.md", "--no-cues"],
        lambda: write_report(w["run"], format="md", out=here / "t.md", cues=False),
    ),
    "rica analyse": lambda w, here: (["rica", "analyse", w["rica"]], lambda: hs.rica.analyse(w["rica"])),
    "rica controls": _controls,
    "rica derive": lambda w, here: (["rica", "derive", AXIOM], lambda: hs.rica.derive(AXIOM)),
    "rica equivalent": lambda w, here: (
        ["rica", "equivalent", AXIOM, TURNED],
        lambda: hs.rica.equivalent(AXIOM, TURNED),
    ),
    "replicate": lambda w, here: (
        ["replicate", "cats", "--data", here, "--out", here / "kept"],
        lambda: hs.replicate("cats", data=here, out=here / "kept"),
    ),
    "rica lexicon": lambda w, here: (["rica", "lexicon"], hs.rica.check_lexicon),
    "rica published": lambda w, here: (
        ["rica", "published", w["axioms.jsonl"]],
        lambda: hs.rica.check_published_axioms(w["axioms.jsonl"]),
    ),
    "rica recall": lambda w, here: (
        ["rica", "recall", w["axioms.jsonl"]],
        lambda: hs.rica.filter_recall(w["axioms.jsonl"]),
    ),
    "rica study": _studied,
    "rica views": _views,
    "run": lambda w, here: (
        ["run", "-m", w.gpt2, "-p", w["made.jsonl"], "--out", here / "run"],
        lambda: run_and_report(w.gpt2, w["made.jsonl"], out=here / "run"),
    ),
    "saliency": lambda w, here: (
        ["saliency", "-m", w.gpt2, "It is [cold].", "--method", "gradient"],
        lambda: hs.saliency(w.gpt2, "It is [cold].", method="gradient"),
    ),
    "score": lambda w, here: (
        ["score", "-m", w.gpt2, "It rained.", "--against", "It snowed."],
        lambda: hs.score(w.gpt2, "It rained.", against="It snowed."),
    ),
    "show": lambda w, here: (
        ["show", w["run"], made_items(1)[0].id],
        lambda: hs.show(w["run"], made_items(1)[0].id),
    ),
    "suite": _suite,
    "train": _trained,
    "winoventi associations": _associated,
    "winoventi calibrate": _calibrated,
    "winoventi evaluate": _evaluated,
    "winoventi jaccard": lambda w, here: (
        ["winoventi", "jaccard", w["k.tsv"]],
        lambda: hs.winoventi.compare_associations(w["k.tsv"]),
    ),
    "winoventi make": _ran,
    "winoventi status": _standing,
    "winoventi splits": lambda w, here: (
        ["winoventi", "splits", w["wino.jsonl"], "--setting", "full-exception", "--out", here / "s"],
        lambda: hs.winoventi.write_splits(w["wino.jsonl"], setting="full-exception", out=here / "s"),
    ),
    "wordnetqa check": lambda w, here: (
        ["wordnetqa", "check", _grown(w, here), "--source", "tree"],
        lambda: hs.wordnetqa.check(_grown(w, here), source="tree"),
    ),
    "wordnetqa analyse": lambda w, here: (
        ["wordnetqa", "analyse", _grown(w, here).with_name("asked")],
        lambda: hs.wordnetqa.analyse(_grown(w, here).with_name("asked")),
    ),
}

ELSEWHERE = {
    "import-log": "tests/exchange/test_logs.py",
    "annotate serve-pipeline": "tests/methods/winoventi/test_people_stages.py",
    "annotate serve": "tests/annotation_server/test_study_commands.py",
    "audit ask": "tests/annotate/test_model_auditor.py",
    "build duals": "tests/core/test_catalogue.py",
    "build plugin": "tests/test_registry.py",
    "build rica": "tests/core/test_catalogue.py",
    "rica clues": "tests/methods/rica/test_clues.py",
    "rica pairs": "tests/methods/rica/test_trained_realiser.py",
    "rica wording": "tests/methods/rica/test_trained_realiser.py",
    "build winoventi": "tests/core/test_catalogue.py",
}
"""Commands that are held against Python in a file of their own."""


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def test_every_command_is_here() -> None:
    assert sorted([*CASES, *ELSEWHERE]) == sorted(documents())


@pytest.mark.parametrize("command", ELSEWHERE)
def test_what_is_elsewhere_is_there(command: str) -> None:
    text = (ROOT / ELSEWHERE[command]).read_text(encoding="utf-8")
    assert f'"{command}"' in text or f'"{command.split()[-1]}"' in text


@pytest.mark.parametrize("command", CASES)
def test_the_same_from_python(
    command: str, world: World, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "command", tmp_path / "python"]
    for folder in folders:
        folder.mkdir()
    if command.startswith("winoventi") or command in ("cues", "harden", "rica study", "run", "suite"):
        # WordNet takes seconds to read; the numbers without it have to be the same too.
        monkeypatch.setattr("horsesense.lexicons.sources.find_wordnet", lambda: None)
        monkeypatch.setattr("horsesense.methods.winoventi.word_relations.find_wordnet", lambda: None)
    if command.startswith(("build", "cache", "knowledge", "wordnetqa")):
        monkeypatch.setenv("HORSESENSE_CACHE", str(tmp_path / "cache"))
        add_file("pets", world["pets.tsv"])
    words, _ = CASES[command](world, folders[0])
    called = call(*words, "--json")
    assert called.code == 0, called.err
    result = CASES[command](world, folders[1])[1]()
    _shows_itself(result)
    shown = result.to_json() if hasattr(result, "to_json") else json.loads(json.dumps(plain(result)))
    assert _compared(shown, folders[1], folders[0]) == _compared(json.loads(called.out), folders[0], folders[0])


def _shows_itself(result: Any) -> None:
    """Rows that any library takes and a notebook shows, and a picture, where there are any."""
    if hasattr(result, "frame"):
        frame = result.frame()
        assert frame.to_arrow().num_rows == len(frame) > 0
        assert "<table" in result._repr_html_()
    if hasattr(result, "plot"):
        assert result.plot().to_dict()["layer"]


def _compared(document: Any, folder: Path, other: Path) -> Any:
    """A document without what is drawn anew, as if it were made in the other folder."""
    text = json.dumps(document, default=_no_value).replace(str(folder), str(other))
    return json.loads(_SECRET.sub(r'"\1": ""', _NO_NUMBER.sub("null", text)))


def _no_value(value: object) -> Any:
    return plain(value)
