"""Plug-ins: what the example package adds is there by name, and what is broken is told with its package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import pytest

import horsesense as hs
from horsesense import registry
from horsesense.cues.findings import find_cues
from tests.support import ROOT
from tests.support.calling import item, lay, toy_lines
from tools.docs.blocks import blocks

ORIGIN = "horsesense-example 0.1.0"
TOY = {block.title: block.text for block in blocks(ROOT / "CONTRIBUTING.md") if block.title}
"""The files of the toy method that the page for contributors shows."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package, installed by pip into a folder of its own."""
    folder = tmp_path_factory.mktemp("installed")
    offline = ["--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "-q"]
    command = [sys.executable, "-m", "pip", "install", *offline, "--target", str(folder)]
    subprocess.run([*command, str(ROOT / "examples" / "plugin")], check=True)
    return folder


def started(installed: Path, folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """A new Python that has the package on its path."""
    path = os.pathsep.join([str(ROOT / "src"), str(installed)])
    environment = {**os.environ, "PYTHONPATH": path, "HORSESENSE_CACHE": str(folder / "cache")}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def python(installed: Path, folder: Path, code: str) -> Any:
    """What the last line of some code prints, which begins with the import of the library."""
    done = started(installed, folder, "-c", f"import json, horsesense as hs\n{code}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def command(installed: Path, folder: Path, *words: object) -> Any:
    done = started(installed, folder, "-m", "horsesense", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


TOGETHER = """
import contextlib, io, json, sys

import horsesense as hs
from horsesense.cli import main

calls, code = json.loads(sys.argv[1])
shown = []
for words in calls:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        try:
            main([*words, "--json"])
        except SystemExit as stop:
            assert not stop.code, words
    out.flush()
    shown.append(json.loads(out.buffer.getvalue()))
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(code)
print(json.dumps([*shown, json.loads(printed.getvalue())]))
"""
"""Commands and some code in one process, which loads the libraries once."""


def together(installed: Path, folder: Path, calls: list[list[object]], code: str) -> Any:
    """What each command shows, and what the code prints after them."""
    words = json.dumps([[[str(word) for word in call] for call in calls], code])
    done = started(installed, folder, "-c", TOGETHER, words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_builder_and_a_reader(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("Ice is cold. | Ice is hot.\nonly one\n", encoding="utf-8")
    options = ["--option", "limit=3", "--option", "name=days"]
    written = command(installed, tmp_path, "build", "plugin", "weekdays", *options, "-o", "d.jsonl")
    assert written["items"] == 3
    read = command(installed, tmp_path, "import", "sentence-pairs", "pairs.txt", "--skip-bad", "-o", "p.jsonl")
    assert (read["items"], read["notes"]) == (1, {"bad lines skipped": 1})
    done = command(installed, tmp_path, "export", "d.jsonl", "--to", "flash-cards", "-o", "cards")
    assert (done["items"], done["run"], len(list((tmp_path / "cards").iterdir()))) == (3, "print cards", 3)
    made, other = python(
        installed,
        tmp_path,
        """
built = hs.build("weekdays", limit=3, name="days")
built.save("again.jsonl")
read = hs.read_release("sentence-pairs", "pairs.txt", skip_bad=True)
print(json.dumps([built.card.made, read.card.made]))
""",
    )
    assert made == f"the day after each day of the week (by the plug-in weekdays of {ORIGIN})"
    assert other == f"read from lines of two sentences (by the plug-in sentence-pairs of {ORIGIN})"
    for ending in ("jsonl", "card.json"):
        assert (tmp_path / f"again.{ending}").read_bytes() == (tmp_path / f"d.{ending}").read_bytes()
    bad = started(installed, tmp_path, "-m", "horsesense", "import", "sentence-pairs", "pairs.txt", "-o", "q.jsonl")
    assert bad.stderr == "horsesense: pairs.txt:2: a line needs two sentences; put | between them\n"
    gone = started(installed, tmp_path, "-m", "horsesense", "import", "sentence-pairs", "gone.txt", "-o", "q.jsonl")
    assert gone.stderr == "horsesense: gone.txt: no such file or folder; check the path\n"


def outside(folder: Path, package: str, entries: str) -> Path:
    """A folder that is an installed package with these entry points."""
    about = folder / f"{package}-2.5.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.5\n")
    (about / "entry_points.txt").write_text(entries)
    return folder


def test_a_method_from_outside_has_the_same_door(tmp_path: Path) -> None:
    """The toy method of the page for contributors, in a package of its own: command, builder, reader and preset."""
    here = outside(tmp_path / "site", "toys", "[horsesense.methods]\ntoy = toy_sums:METHOD\n")
    (here / "toy_sums").mkdir()
    for name, text in TOY.items():
        (here / "toy_sums" / name).write_text(text, encoding="utf-8")
    (tmp_path / "sums.txt").write_text("2 plus 2 is ___. | 4 | 5\n2 plus 3\n", encoding="utf-8")
    built = command(here, tmp_path, "build", "toy", "--limit", 4, "-o", "toy.jsonl")
    read = command(here, tmp_path, "import", "toy-sums", "sums.txt", "--skip-bad", "-o", "sums.jsonl")
    assert (built["items"], read["items"], read["notes"]) == (4, 1, {"bad lines skipped": 1})
    code = """
import toy_sums
from horsesense.core.spec import parse_spec
from horsesense.registry import citation_of
same = hs.build("toy", limit=4).items == toy_sums.build(limit=4).items == hs.load_probe("toy.jsonl").items
print(json.dumps([same, citation_of("toy"), parse_spec("paper:toy").pll]))
"""
    assert python(here, tmp_path, code) == [True, "A. Author. A Paper. 2026.", "token"]
    listed = started(here, tmp_path, "-m", "horsesense", "build", "--help").stdout
    assert "Build toy sums" in listed


def test_a_cue_takes_part_only_where_it_is_asked_for(installed: Path, tmp_path: Path) -> None:
    lines = [item(text=f"Thing {n} is ___.", options=["aeio"[: n % 3 + 2], "xyzw"[: n % 3 + 2]]) for n in range(40)]
    lay(tmp_path / "vowels.jsonl", *lines)
    calls = [["cues", "vowels.jsonl", "--rounds", 19, *also] for also in ((), ("--also", "vowels"), ())]
    code = """
import horsesense_example  # being imported is not being asked
plain, asked = (hs.load_probe("vowels.jsonl").cues(rounds=19, also=also) for also in ((), ["vowels"]))
print(json.dumps([plain.verdict, plain.tried, asked.verdict, asked.tried]))
"""
    plain, asked, again, ours = together(installed, tmp_path, calls, code)
    assert again == plain, "being asked for once is not being asked for again"
    assert asked["tried"] == plain["tried"] + 1
    name = f"vowels ({ORIGIN})"
    assert name not in [cue["name"] for cue in plain["cues"]]
    (cue,) = [cue for cue in asked["cues"] if cue["name"] == name]
    assert (cue["pick"], cue["accuracy"]["value"]) == ("the option with the most vowels (horsesense-example)", 1.0)
    assert ours == [plain["verdict"], plain["tried"], asked["verdict"], asked["tried"]]


def test_what_is_installed_is_listed_with_its_version(installed: Path, tmp_path: Path) -> None:
    listed = command(installed, tmp_path, "plugins")["plugins"]
    named = {"builders": "weekdays", "releases": "sentence-pairs", "models": "untaught", "cues": "vowels"}
    named |= {"controls": "shortest", "formats": "flash-cards"}
    ours = [each for each in listed if each["package"] == "horsesense-example"]
    assert [(each["kind"], each["name"], each["version"]) for each in ours] == [
        (*one, "0.1.0") for one in named.items()
    ]
    assert (
        python(
            installed,
            tmp_path,
            "from horsesense.core.catalogue import list_plugins; print(json.dumps(list_plugins().to_json()))",
        )["plugins"]
        == listed
    )


def test_hardening_against_a_cue_that_is_asked_for(installed: Path, tmp_path: Path) -> None:
    draw = Random(0)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(160)]
    pairs = [
        sorted(words[n : n + 2], key=lambda word: sum(letter in "aeiou" for letter in word)) for n in range(0, 160, 2)
    ]
    lines = [item(text=f"Thing {n} is ___.", options=pair, answer=int(n % 4 > 0)) for n, pair in enumerate(pairs)]
    lay(
        tmp_path / "words.jsonl",
        *[
            line if n % 2 else line | {"options": line["options"][::-1], "answer": 1 - line["answer"]}
            for n, line in enumerate(lines)
        ],
    )
    calls = [["harden", "words.jsonl", "-o", f"{len(also)}.jsonl", *also] for also in ((), ("--also", "vowels"))]
    code = 'print(json.dumps([i.id for i in hs.load_probe("words.jsonl").harden(also=["vowels"]).probe.items]))'
    plain, asked, kept = together(installed, tmp_path, calls, code)
    name = f"vowels ({ORIGIN})"
    assert name not in {rule["cue"] for rule in plain["rules"]}
    assert name in {rule["cue"] for rule in asked["rules"]}
    left = hs.load_probe(tmp_path / "2.jsonl").items
    assert kept == [each.id for each in left]
    most = [sum(letter in "aeiou" for letter in option) for each in left for option in each.options]
    right = [most[2 * n + (each.answer or 0)] - most[2 * n + 1 - (each.answer or 0)] for n, each in enumerate(left)]
    told = [(gap > 0) + (gap == 0) / 2 for gap in right]
    assert abs(sum(told) / len(told) - 0.5) < 0.1, "counted by hand, most vowels is near chance on what is left"


def test_a_control(installed: Path, tmp_path: Path) -> None:
    lay(tmp_path / "toy.jsonl", *toy_lines())
    fit = 'print(json.dumps(hs.fit_control("shortest", test="toy.jsonl").estimate.value))'
    calls: list[list[object]] = [["baseline", "shortest", "--test", "toy.jsonl", "--out", "kept"]]
    shown, accuracy = together(installed, tmp_path, calls, fit)
    method = f"picks the option with the fewest letters ({ORIGIN})"
    assert shown["method"] == method
    (part,) = json.loads((tmp_path / "kept" / "manifest.json").read_text(encoding="utf-8"))["parts"]
    assert (part["model"]["name"], part["model"]["frame"]) == ("shortest", method)
    assert accuracy == shown["estimate"]["value"]


@pytest.mark.slow
def test_a_model(installed: Path, tmp_path: Path) -> None:
    lay(tmp_path / "toy.jsonl", *toy_lines())
    code = """
from horsesense.models.locate import identity_named, locate
from horsesense.progress import Progress
run, told = hs.ask("untaught:3", "toy.jsonl"), []
class Told(Progress):
    def log(self, text):
        told.append(text)
hs.ask("untaught:3", "toy.jsonl", out="kept", progress=Told())
errors = []
for name in ("untaught:3", "untaugt:3"):
    try:
        locate(name)
    except hs.UserError as error:
        errors.append(str(error))
known = [identity_named(f"untaught:{seed}") for seed in (3, 4)]
print(json.dumps([told, run.results()["accuracy"][0], *known, *errors]))
"""
    calls: list[list[object]] = [["run", "-m", "untaught:3", "-p", "toy.jsonl", "--out", "kept"]]
    shown, after = together(installed, tmp_path, calls, code)
    (part,) = json.loads((tmp_path / "kept" / "manifest.json").read_text(encoding="utf-8"))["parts"]
    assert (part["model"]["name"], part["model"]["revision"]) == ("untaught:3", ORIGIN)
    told, accuracy, weights, other, trained, unknown = after
    assert told == ["untaught:3 on toy: all answers are stored already"], "the same weights"
    assert accuracy == shown["results"][0]["accuracy"]["value"]
    assert part["model"]["weights"] == weights != other
    assert trained.startswith(f"untaught:3 is a model of the package {ORIGIN}, which gives no folder of weights")
    assert unknown.startswith("there is no model 'untaugt:'; did you mean 'untaught:'?")


@pytest.mark.slow
def test_a_model_whose_answers_are_all_kept_is_not_loaded(installed: Path, tmp_path: Path) -> None:
    lay(tmp_path / "toy.jsonl", *toy_lines())
    before, after, other = python(
        installed,
        tmp_path,
        """
import horsesense_example
before = hs.ask("untaught:3", "toy.jsonl", out="kept").results().to_json()
horsesense_example.untaught = lambda rest: 1 / 0
after = hs.ask("untaught:3", "toy.jsonl", out="kept").results().to_json()
try:
    hs.ask("untaught:3", "toy.jsonl", out="other")
except hs.UserError as error:
    print(json.dumps([before, after, str(error)]))
""",
    )
    assert before == after
    assert "ZeroDivisionError" in other


BROKEN = """
from horsesense.cues.battery import Number, number
from horsesense.training.controls import Control, Fitted

def fails(**options): raise ValueError("no such luck")
def no_probe(): return "a probe"
def reads(paths, skip_bad): return None
def one_number(table): return 7
def few(task): return Fitted([], "gives up")
short = Number("short", "too few", "a", "b", lambda table: __import__("numpy").zeros(1))
wrong = Number("wrong", "no numbers", "a", "b", one_number)
gives_up = Control("broken_thing:few", "nothing", trains=False)
nowhere = Control("broken_thing:gone", "nothing", trains=False)
def enters():
    number("most", "least")(one_number)
"""

ENTRY_POINTS = """
[horsesense.builders]
fails = broken_thing:fails
no-probe = broken_thing:no_probe
not-there = broken_thing:gone
no-module = gone_thing:gone
no-function = broken_thing:BROKEN_NAME
twice = broken_thing:fails
[horsesense.releases]
reads = broken_thing:reads
[horsesense.cues]
short = broken_thing:short
wrong = broken_thing:wrong
no-cue = broken_thing:fails
[horsesense.controls]
gives-up = broken_thing:gives_up
nowhere = broken_thing:nowhere
no-control = broken_thing:fails
[horsesense.models]
broken = broken_thing:no_model
"""


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package in which everything is wrong, and a second that has a name of the first."""
    (tmp_path / "broken_thing.py").write_text(f"BROKEN_NAME = 3\ndef no_model(rest): return rest\n{BROKEN}")
    for package, entries in (
        ("broken-thing", ENTRY_POINTS),
        ("other", "[horsesense.builders]\ntwice = broken_thing:x\n"),
    ):
        outside(tmp_path, package, entries)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_thing", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("fails", "failed (ValueError: no such luck)"),
        ("no-probe", "gives no Probe but str"),
        ("not-there", "cannot be loaded (AttributeError: module 'broken_thing' has no attribute 'gone')"),
        ("no-module", "cannot be loaded (ModuleNotFoundError: No module named 'gone_thing')"),
        ("no-function", "is not a function but of the type int"),
    ],
)
def test_a_broken_builder(broken: Path, name: str, problem: str) -> None:
    with pytest.raises(hs.UserError) as raised:
        hs.build(name)
    assert str(raised.value).startswith(f"the builder '{name}' of the package broken-thing 2.5 {problem}; ")
    assert "remove broken-thing" in str(raised.value)


def test_other_broken_plugins(broken: Path) -> None:
    probe = lay(broken / "toy.jsonl", *toy_lines())
    of = "of the package broken-thing 2.5"
    with pytest.raises(hs.UserError, match=f"the release 'reads' {of} gives no Probe but NoneType"):
        hs.read_release("reads", probe)
    for name, problem in (
        ("short", "does not give one number per option"),
        ("wrong", "gives no ndarray but int"),
        ("no-cue", "is not a Number or a Learnt"),
    ):
        with pytest.raises(hs.UserError, match=f"the cue '{name}' {of} {problem}"):
            find_cues(probe, also=[name])
    for name, problem in (
        ("gives-up", "does not give one score per option"),
        ("nowhere", "failed .AttributeError"),
        ("no-control", "is not a Control"),
    ):
        with pytest.raises(hs.UserError, match=f"the control '{name}' {of} {problem}"):
            hs.fit_control(name, test=probe)
    with pytest.raises(hs.UserError, match=f"the model 'broken' {of} gives no model but str"):
        hs.load_model("broken:3")


def test_a_name_that_two_packages_have_is_refused(broken: Path) -> None:
    with pytest.raises(hs.UserError, match=r"broken-thing and other .* 'twice'"):
        hs.build("twice")


def test_a_foreign_function_cannot_enter_the_battery(broken: Path) -> None:
    import broken_thing  # type: ignore[import-not-found]

    from horsesense.cues import battery

    before = len(battery())
    with pytest.raises(TypeError, match="the decorators are for the battery"):
        broken_thing.enters()
    assert len(battery()) == before


def test_names_are_told_with_ours(broken: Path) -> None:
    assert registry.names("cues") == ["no-cue", "short", "wrong"]
    with pytest.raises(hs.UserError, match="'no-prob'; did you mean 'no-probe'"):
        hs.build("no-prob")


def test_entry_points_are_read_for_unknown_names_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def entry_points(**wanted: str) -> tuple[metadata.EntryPoint, ...]:
        if wanted["group"].startswith("horsesense."):  # other libraries have plug-ins too
            asked.append(wanted["group"])
        return ()

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    probe = lay(tmp_path / "toy.jsonl", *toy_lines())
    hs.fit_control("random", test=probe)
    find_cues(probe, rounds=19)
    with pytest.raises(hs.UserError):
        hs.build("wordnetqa", relation="hypernymi")
    with pytest.raises(hs.UserError):
        hs.read_release("cats", tmp_path / "gone.txt")
    assert set(asked) <= {"horsesense.methods"}, "a method may add to anything"
    asked.clear()
    with pytest.raises(hs.UserError, match="adds a cue 'vowels'"):
        find_cues(probe, also=["vowels"])
    assert set(asked) == {"horsesense.cues"}
