"""Commands and code on the pages: what a test runs, its expected output, and what is untried.

A fence of ``sh`` holds commands, one of ``python`` code; one of ``text`` behind either is what it prints; one with a
title is a file. A comment in the line above a fence says how it is tested:

- ``<!-- untried: it needs Slurm -->``: it cannot be run on our machines;
- ``<!-- tried: tests/faults -->``: a separate test, or a target of make, runs it;
- ``<!-- made: the table below -->``: it made the figures on the page, and takes too long for a test; with
  ``; tried small`` a test runs it with tiny models and few items.

Above a table of Results ``<!-- words: … -->`` says that it has no figures and therefore no command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CARD = ROOT / "src" / "horsesense" / "models" / "data" / "smollm2-masked.md"
MARKS = ("untried", "tried", "made")
_FENCE = re.compile(
    r"^(?:<!-- (?P<mark>untried|tried|made): (?P<why>.*?) -->\n)?"
    r'```(?P<kind>\w*)(?: title="(?P<title>[^"]*)")?\n(?P<body>.*?)^```',
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    page: str
    """Path below docs/, or the README."""
    line: int
    """Where its text begins."""
    kind: str
    """sh, python, text, json, toml …"""
    text: str
    """What is in it."""
    mark: str = ""
    """untried, tried, made or nothing."""
    why: str = ""
    """What stands behind the mark."""
    title: str = ""
    """The name of the file that it is."""

    def commands(self) -> list[str]:
        """Commands of a block of ``sh``: a backslash joins lines, what follows two spaces and # is a remark."""
        joined = re.sub(r"\\\n\s*", "", self.text)
        lines = (re.sub(r"\s\s+# .*|^# .*", "", line).strip() for line in joined.splitlines())
        return [line for line in lines if line]


def pages() -> list[Path]:
    """The pages by hand, README, card of the bundled model and what is told to contributors among them."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", CARD, *sorted(DOCS.rglob("*.md"))]


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a page, from top to bottom."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(DOCS if DOCS in path.parents else ROOT).as_posix()
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start("body")) + 1
        yield Block(
            name, line, match["kind"], match["body"], match["mark"] or "", match["why"] or "", match["title"] or ""
        )


def prose_blocks(path: Path) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def inline_commands(path: Path) -> list[str]:
    """Commands that stand within sentences."""
    named = re.findall(r"`((?:[A-Z]+=\d+ )?(?:horsesense|python|make)\s[^`]*)`", prose_blocks(path))
    return [re.sub(r"^[A-Z]+=\d+ ", "", " ".join(each.split())) for each in named]


def marked(mark: str) -> list[Block]:
    """The blocks of all pages with this mark."""
    return [block for path in pages() for block in blocks(path) if block.mark == mark]


SMALL = "; tried small"
"""Behind the mark of a block that a test runs in a small form."""


_NOT_TRIED = """# Not tried

These pages have {every} blocks of commands and code. Tests run all of them except the {left} below. Each of these is
parsed as the program parses it, so that its commands and options exist (`tests/docs/test_commands.py`), and each of
our commands is run in a small form (`tests/cli/test_every_command.py`).

## Cannot be tried

These {untried} blocks need something that our test machines do not have.

| page | line | needs | begins |
|---|---|---|---|
{untried_rows}
## Too long for a test

These {made} blocks made the figures on their pages; a test runs {small} of them with tiny models.

| page | line | what it made | begins |
|---|---|---|---|
{made_rows}"""


def untried_page() -> str:
    """Write the page of blocks that no test runs, with the reasons."""
    every = [block for path in pages() for block in blocks(path) if block.mark or block.kind in ("sh", "python")]
    untried, made = marked("untried"), marked("made")
    return _NOT_TRIED.format(
        every=len(every),
        left=len(untried) + len(made),
        untried=len(untried),
        made=len(made),
        small=sum(block.why.endswith(SMALL) for block in made),
        untried_rows="".join(map(_row, untried)),
        made_rows="".join(map(_row, made)),
    )


def _row(block: Block) -> str:
    first = next(iter(block.text.strip().splitlines()), "").replace("|", "\\|")
    link = f"[{block.page}](../{block.page})" if "/" in block.page and "src" not in block.page else block.page
    return f"| {link} | {block.line} | {block.why} | `{first[:60]}` |\n"


def shown(text: str) -> str:
    """Return a page with its marks as they appear on the site."""
    text = re.sub(r"^<!-- untried: (.*?) -->\n", r"*Not tried here: \1.*\n\n", text, flags=re.MULTILINE)
    return re.sub(r"^<!-- (?:tried|made|words): .*? -->\n", "", text, flags=re.MULTILINE)
