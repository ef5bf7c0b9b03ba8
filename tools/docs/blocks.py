"""Commands and code of the pages: what a test can run, what it is to compare with, and what nobody has tried here.

A fence of ``sh`` holds commands, one of ``python`` code; one of ``text`` behind either is what it prints; one with a
title is a file. A comment in the line above a fence says what is special about it:

- ``<!-- untried: it needs Slurm -->``: it cannot be tried on the machines at hand;
- ``<!-- tried: tests/faults -->``: a test of its own, or a target of make, runs it;
- ``<!-- made: the table below -->``: it was run to make what the page shows, and takes too long for a test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CARD = ROOT / "src" / "horsesense" / "models" / "data" / "smollm2-masked.md"
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


def marked(mark: str) -> list[Block]:
    """The blocks of all pages with this mark."""
    return [block for path in pages() for block in blocks(path) if block.mark == mark]


def untried_page() -> str:
    """What no test runs, as a page."""
    text = "# Not tried\n\nEvery command and every piece of code on these pages is run by a test, but for these.\n"
    for mark, title, says in (
        ("untried", "Cannot be tried", "What these need is not on the machines that we test on"),
        ("made", "Too long for a test", "These were run to make the figures beside them"),
    ):
        found = marked(mark)
        text += f"\n## {title}\n\n{says}: {len(found)} blocks.\n\n"
        text += f"| page | line | {_ABOUT[mark]} | begins |\n|---|---|---|---|\n"
        for block in found:
            first = next(iter(block.text.strip().splitlines()), "").replace("|", "\\|")
            link = f"[{block.page}](../{block.page})" if "/" in block.page and "src" not in block.page else block.page
            text += f"| {link} | {block.line} | {block.why} | `{first[:60]}` |\n"
    return text


_ABOUT = {"untried": "needs", "made": "what it made"}


def shown(text: str) -> str:
    """A page with its marks as a reader of the site sees them."""
    text = re.sub(r"^<!-- untried: (.*?) -->\n", r"*Not tried here: \1.*\n\n", text, flags=re.MULTILINE)
    return re.sub(r"^<!-- (?:tried|made): .*? -->\n", "", text, flags=re.MULTILINE)
