"""Commands and code of the pages run as they stand, with tiny models in place of the bundled ones."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from horsesense.core import Card, Judgement, Probe, write_judgements
from horsesense.models.hf.load import load_model
from tests.support import ROOT
from tests.support.calling import Call, caller
from tests.support.made_logs import choice_line, inspect_sample, write_eval, write_samples
from tests.support.made_run import made_items
from tests.support.made_tasks import clozes, questions
from tests.support.model_server import ModelServer
from tests.support.small_cats import lay_all
from tests.support.tiny import save_tiny
from tools.docs.blocks import DOCS, SMALL, Block, blocks, marked, pages, prose_blocks

PAGES = {path.relative_to(ROOT).as_posix(): path for path in pages()}
RUN = [
    name
    for name, path in PAGES.items()
    if any(not block.mark and block.kind in ("sh", "python") for block in blocks(path))
]
NEEDS_WORDNET = {"docs/methods/wordnetqa.md"}


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files that the pages speak of, small and of our own making."""
    folder = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.support.tiny.WINDOW", 512)  # pages ask longer questions than most tests
        for name, model in (("my-model", "gpt2"), ("my-bert", "bert"), ("my-choice", "choice")):
            save_tiny(model, folder / name)
    probes = {"probe": Probe.of(made_items(30), Card(name="probe", licence="CC0"))}
    probes |= {"train": clozes(16, 1), "dev": clozes(4, 2), "test": clozes(5, 3)}
    probes |= {"q-train": questions(20, 1, True), "q-dev": questions(8, 2, True), "q-test": questions(8, 3, True)}
    probes |= {"o-dev": questions(8, 4, False), "o-test": questions(8, 5, False)}
    rows = [
        f"thing{n % 9},piece{n % 7},{('old', 'red', 'tall', 'wet')[n % 4]},{n % 5},{int(n % 5 > 2)}" for n in range(60)
    ]
    for name in ("triples.csv", "train.csv", "dev.csv"):
        (folder / name).write_text(
            "whole,part,jj,label,bin_label\n" + "\n".join(dict.fromkeys(rows)) + "\n", encoding="utf-8"
        )
    probes["triples"] = hs.read_release("partwhole", folder / "triples.csv")
    quiz = [f"Why {n}?,because of {n} and of much else,no{n},A" for n in range(40)]
    (folder / "quiz.csv").write_text("q,a,b,key\n" + "\n".join(quiz) + "\n", encoding="utf-8")
    probes["quiz"] = hs.read_release("table", folder / "quiz.csv", columns="question=q,options=a+b,answer=key")
    for name, probe in probes.items():
        probe.save(folder / f"{name}.jsonl")
    scale = ("impossible", "unlikely", "unrelated", "probably", "guaranteed")
    votes = [
        Judgement(item.id, who, "partwhole", scale[(place + int(who == "cid")) % 5])
        for place, item in enumerate(probes["triples"].items[:8])
        for who in ("ann", "ben", "cid")
    ]
    write_judgements(folder / "filled.csv", votes)
    shutil.copy(next(lay_all(folder / "cats").rglob("wsc.txt")), folder / "wsc.txt")
    (folder / "nouns.txt").write_text("stone\nsongs\n", encoding="utf-8")
    for name, model in (("one", "my-model"), ("other", "my-bert"), ("new", "my-bert"), ("old", "my-model")):
        hs.ask(str(folder / model), probes["probe"], limit=20, out=folder / "runs" / name)
    write_samples(folder / "LOGS", "quiz", [choice_line(number) for number in range(6)])
    (folder / "logs").mkdir()
    write_eval(folder / "logs" / "quiz.eval", [inspect_sample(number) for number in range(6)])
    (folder / "answers.csv").write_text("id,who,said,key\n1,a,yes,yes\n2,a,no,yes\n3,a,yes,no\n", encoding="utf-8")
    return folder


@pytest.fixture
def here(laid: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them to work in."""
    folder = tmp_path / "work"
    shutil.copytree(laid, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


@pytest.fixture(scope="module")
def server(laid: Path) -> Iterator[ModelServer]:
    """A tiny model behind a server, for the pages that ask one."""
    model = load_model(str(laid / "my-model"), device="cpu")
    model.tokenizer.chat_template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"
    with ModelServer(model).running() as running:
        yield running


def tiny(text: str, server: ModelServer) -> str:
    """A command or code with tiny models in place of the bundled ones, and the tests' own server in place of yours."""
    text = text.replace("openai:http://127.0.0.1:8000/v1#smollm2", server.name.replace("smollm2", "SERVED"))
    text = re.sub(r"\bsmollm2-masked\b", "./my-bert", text)
    return re.sub(r"\bsmollm2\b", "./my-model", text).replace("SERVED", "smollm2")


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("name", RUN)
def test_what_the_page_says_runs(name: str, here: Path, call: Call, server: ModelServer) -> None:
    if name in NEEDS_WORDNET:
        wordnet()
    names: dict[str, Any] = {}
    printed = ""
    for block in blocks(PAGES[name]):
        where = f"{name}:{block.line}"
        if block.title:
            (here / block.title).write_text(block.text, encoding="utf-8")
        elif block.mark:
            continue
        elif block.kind == "sh":
            printed = "".join(run(tiny(command, server), call, where) for command in block.commands())
        elif block.kind == "python":
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(tiny(block.text, server), where, "exec"), names)
            printed = out.getvalue()
        elif block.kind == "text":
            assert block.text.strip() == printed.strip(), where


IN_SMALL = {"--data FOLDER": "--data cats", "-p winoventi-own": "-p winoventi-own --limit 8"}
"""What is large in a command that made a figure, and what a test has in its place."""


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize(
    "block", [block for block in marked("made") if block.why.endswith(SMALL)], ids=lambda block: block.page
)
def test_a_small_form_of_what_made_a_figure_runs(block: Block, here: Path, call: Call, server: ModelServer) -> None:
    for command in block.commands():
        for large, small in IN_SMALL.items():
            command = command.replace(large, small)
        run(tiny(command, server), call, f"{block.page}:{block.line}")


def run(command: str, call: Call, where: str) -> str:
    words = shlex.split(command)
    assert words[0] == "horsesense", f"{where}: only horsesense can be run here: {command}"
    if "ITEM" in words:
        words[words.index("ITEM")] = next(iter(hs.open_run(words[words.index("ITEM") - 1]).items()))["item"]
    called = call(*words[1:])
    assert called.code in ((0, 3, 4) if words[1] == "check-regression" else (0,)), f"{where}: {command}\n{called.err}"
    return called.out


def wordnet() -> None:
    from horsesense.lexicons.wordnet import find_wordnet

    if find_wordnet() is None:
        pytest.skip("WordNet is not on this machine: horsesense fetch wordnet")


def every_block() -> Iterator[tuple[str, Block]]:
    for name, path in PAGES.items():
        for block in blocks(path):
            yield name, block


def test_no_command_hides_outside_a_fence() -> None:
    for name, path in PAGES.items():
        if "This page is made by the command" in path.read_text(encoding="utf-8"):
            continue
        hidden = re.findall(r"^ {4}(?:horsesense|python|make|pip) .*", prose_blocks(path), re.MULTILINE)
        assert hidden == [], name


def test_a_test_that_is_named_is_there() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for block in marked("tried"):
        made = block.why.removeprefix("make ")
        assert (ROOT / block.why).exists() or made in targets, f"{block.page}: {block.why}"


def test_what_cannot_be_tried_is_little_and_says_why() -> None:
    found = marked("untried")
    assert all(len(block.why) > 10 for block in found)
    assert len(found) <= 15, "try it, or leave it out"


def test_every_page_has_its_place() -> None:
    nav = (ROOT / "tools" / "docs" / "zensical.toml").read_text(encoding="utf-8")
    for path in DOCS.rglob("*.md"):
        assert f'"{path.relative_to(DOCS).as_posix()}"' in nav, "in the nav of tools/docs/zensical.toml"
