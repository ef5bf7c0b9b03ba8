"""Commands that no test runs are still read: each is parsed as the program parses it, and every figure names one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from horsesense.cli.app import root
from tests.support import ROOT
from tools.docs.blocks import DOCS, MARKS, inline_commands, marked, pages, prose_blocks

GROUP: Any = root().load_all()
RESULTS = sorted((DOCS / "results").rglob("*.md"))
NAMED = re.compile(r"`(?:[A-Z]+=\d+ )?(?:horsesense\s[a-z-]+\s[^`]+|python\s[^`]+|make\s[a-z]+)`|^```sh", re.MULTILINE)
"""A command that measures something: a bare ``horsesense NAME`` is none."""


def lines_of(text: str) -> Iterator[str]:
    """Commands of ours in a script, a workflow or a job: what stands behind ``run:``, ``entrypoint:`` and the like."""
    joined = re.sub(r"\\\n\s*", "", text)
    for line in joined.splitlines():
        found = re.match(r"\s*(?:- )?(?:run: |entrypoint: )?((?:horsesense|python) .*)", re.sub(r"\s\s+# .*", "", line))
        if found:
            yield found[1]


def unread() -> list[tuple[str, str]]:
    """Where, and the command: of every block with a mark, and of every sentence."""
    found = [
        (f"{block.page}:{block.line}", line)
        for mark in MARKS
        for block in marked(mark)
        if block.kind in ("sh", "yaml")
        for line in lines_of(block.text)
    ]
    return found + [(path.name, said) for path in pages() for said in inline_commands(path)]


def parse(command: str) -> None:
    """Parse a command as the program does, without running it; one that is only named has to exist."""
    words = shlex.split(command)[1:]
    at = GROUP
    while words and not words[0].startswith("-") and hasattr(at, "commands"):
        name = words.pop(0)
        assert name in at.commands, f"there is no command {name!r}"
        at = at.commands[name]
    if words and words[0] not in ("--help", "--install-completion", "--show-completion"):
        assert not hasattr(at, "commands"), f"{words[0]!r} is no command"
        at.make_context(at.name, words)


@pytest.mark.parametrize(("where", "command"), [each for each in unread() if each[1].startswith("horsesense ")])
def test_a_command_that_is_not_run_can_be_parsed(where: str, command: str) -> None:
    parse(command)


def test_what_is_wrong_in_a_command_is_found() -> None:
    for wrong in (
        "horsesense runn",
        "horsesense run --modle x",
        "horsesense run --limit many",
        "horsesense annotate x",
    ):
        with pytest.raises((AssertionError, Exception), match=r"no command|No such option|not a valid"):
            parse(wrong)
    with pytest.raises(Exception, match="Missing parameter"):
        parse("horsesense cues --json")


def check_script(command: str) -> None:
    """Check that a script of ours exists, and that it names the options and the parts that the command gives it."""
    words = shlex.split(command)
    named = ROOT / (words[2].replace(".", "/") if words[1] == "-m" else words[1])
    if "NAME" in named.name or not (ROOT / named.relative_to(ROOT).parts[0]).is_dir():
        return  # a name to be put in, or a module of somebody else
    script = next((path for path in (named, named.with_suffix(".py"), named / "__main__.py") if path.is_file()), None)
    assert script is not None, f"there is no {named.relative_to(ROOT)}"
    given = words[3 if words[1] == "-m" else 2 :]
    parts = [word for word in takewhile(lambda word: not word.startswith("-"), given) if re.fullmatch("[a-z]+", word)]
    text = script.read_text(encoding="utf-8")
    for word in [*parts, *(word.partition("=")[0] for word in given if word.startswith("--"))]:
        assert re.search(rf"(?<![\w-]){word}(?![\w-])", text), f"{script.name} has no {word}"


def test_scripts_and_targets_are_there_with_their_options() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    commands = [(where, command.replace("[", "").replace("]", "")) for where, command in unread()]
    scripts = [each for each in commands if each[1].startswith("python ")]
    assert len(scripts) > 40, "the pages name that many"
    for where, command in scripts:
        try:
            check_script(command)
        except AssertionError as error:
            raise AssertionError(f"{where}: {command}: {error}") from None
    for where, command in commands:
        words = shlex.split(command)
        assert words[0] != "make" or words[1] in targets, f"{where}: {command}"


@pytest.mark.parametrize(
    "command",
    ["python bench/cue.py", "python bench/rica.py --leak X", "python bench/scoring.py mask", "python -m tools.x"],
)
def test_a_script_that_has_moved_is_found(command: str) -> None:
    with pytest.raises(AssertionError, match=r"there is no|has no"):
        check_script(command)


def test_every_script_that_is_named_is_there() -> None:
    """Also where no command names it: in a table, a docstring or a comment."""
    sources = [*pages(), ROOT / "Makefile", *(ROOT / "src").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]
    named = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in sources
        for name in re.findall(r"(?<![\w/])(?:bench|tools|examples)/[\w/]+\.py\b", path.read_text(encoding="utf-8"))
    }
    assert {each for each in named if not (ROOT / each[1]).is_file() and "NAME" not in each[1]} == set()


def sections(path: Path) -> Iterator[tuple[str, int, str]]:
    """Title, level and text of each section of a page, without those below it."""
    text = re.sub(r"^```.*?^```", lambda block: block[0].replace("\n#", "\n"), path.read_text(encoding="utf-8"),
                  flags=re.MULTILINE | re.DOTALL)  # fmt: skip
    parts = re.split(r"^(#+) (.*)$", text, flags=re.MULTILINE)
    for place in range(1, len(parts), 3):
        yield parts[place + 1], len(parts[place]), parts[place + 2]


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_every_figure_names_the_command_that_makes_it(path: Path) -> None:
    """In its section or in one that it lies in; a table of words and not of figures says so by a mark."""
    if path.name == "index.md" or "This page is made by the command" in path.read_text(encoding="utf-8"):
        return
    above: list[tuple[int, bool]] = []
    for title, level, text in sections(path):
        above = [each for each in above if each[0] < level] + [(level, NAMED.search(text) is not None)]
        shows = re.search(r"^\||!\[", re.sub(r"<!-- words: .*? -->\n(?:\|.*\n)+", "", text), re.MULTILINE)
        assert not shows or any(named for _, named in above), f"no command is named under {title!r}"


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_begin_with_what_was_found(path: Path) -> None:
    """Two or three sentences of prose, or three findings, come before anything else."""
    first = prose_blocks(path).split("\n\n")[1]
    assert not first.startswith(("|", "#", "!", "`", "<", "[")), "begin with what was found"
    assert not first.startswith("- ") or first.count("\n- ") == 2, "begin with three findings"
    assert 12 <= len(first.split()) <= 95, "three sentences say it"
