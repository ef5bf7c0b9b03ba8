"""The README: its links lead to files that GitHub has, its commands are those of the Makefile, its output is real."""

from __future__ import annotations

import re
import subprocess
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.support import ROOT
from tools.docs.blocks import blocks, prose_blocks

TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def tracked() -> set[str]:
    """The files of the repository, or those on disk where there is no repository (a source archive)."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = set(done.stdout.splitlines()) if done.returncode == 0 else set()
    return names or {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", TOP)
def test_every_relative_link_leads_to_a_tracked_file(name: str) -> None:
    text = prose_blocks(ROOT / name)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link and not link.startswith("#")]
    files = tracked()
    assert [link for link in links if link.partition("#")[0] not in files] == []


def test_every_anchor_is_a_heading_of_its_page() -> None:
    for path, anchor in re.findall(r"\]\(([^)\s#]+\.md)#([^)\s]+)\)", prose_blocks(ROOT / "README.md")):
        headings = re.findall(r"^#+ (.*)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
        assert anchor in slugs, f"{path}#{anchor}"


def test_the_first_commands_are_exactly_the_two_that_set_themselves_up() -> None:
    first = next(block for block in blocks(ROOT / "README.md") if block.kind == "sh")
    assert first.commands() == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in first.commands():
        assert re.search(rf"^{command.split()[1]}: \$\(READY\)", makefile, re.MULTILINE), command


def test_the_output_shown_is_what_the_code_prints(smollm2: str) -> None:
    found = list(blocks(ROOT / "README.md"))
    (code,) = (block for block in found if block.kind == "python" and smollm2 in block.text)
    (shown,) = (block for block in found if block.kind == "text")
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(code.text, "README.md", "exec"), {})
    lines = [_without_cue_count(line) for line in out.getvalue().splitlines()]
    for line, printed in zip(shown.text.splitlines(), lines, strict=True):
        assert printed.startswith(_without_cue_count(line).removesuffix(" …")), printed


def _without_cue_count(line: str) -> str:
    """Replace the number of cues, which depends on the word vectors and sources that were fetched."""
    return re.sub(r"cue of \d+", "cue of N", line)
