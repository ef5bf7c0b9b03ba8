"""Build the site: copy hand-written and generated pages into build/docs, then run Zensical strictly into build/site.

Run: python -m tools.docs [--stage] [--serve]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.docs.blocks import CARD, DOCS, ROOT, shown, untried_page
from tools.docs.commands import write_commands
from tools.docs.interface import write_interface, write_records
from tools.docs.layers import picture
from tools.docs.long_pages import shortened
from tools.docs.notebooks import EXAMPLES, page

SETTINGS = Path(__file__).with_name("zensical.toml")
STAGE = ROOT / "build" / "docs"


def stage(to: Path = STAGE) -> Path:
    """Copy all pages into a folder; no model is loaded."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(DOCS, to)
    for path in to.rglob("*.md"):
        text = shown(path.read_text(encoding="utf-8"))
        path.write_text(shortened(text) if to / "results" in path.parents else text, encoding="utf-8")
    for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT"):
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](", text)
        text = re.sub(r"\]\(([A-Z_]+)\.md", lambda match: f"]({match[1].lower()}.md", text)
        (to / f"{name.lower()}.md").write_text(shown(text), encoding="utf-8")
    commands = write_commands(to / "reference" / "commands")
    modules = write_interface(to / "reference" / "python")
    write_records(to / "reference" / "records.md")
    (to / "reference" / "untried.md").write_text(untried_page(), encoding="utf-8")
    (to / "results" / "smollm2-masked.md").write_text(shown(CARD.read_text(encoding="utf-8")), encoding="utf-8")
    (to / "images" / "layers.svg").write_text(picture(), encoding="utf-8")
    shutil.copy(SETTINGS.with_name("site.css"), to)
    for path in EXAMPLES.glob("*.py"):
        (to / "tutorials" / f"{path.stem}.md").write_text(page(path), encoding="utf-8")
        (to / "tutorials" / f"{path.stem}.json").unlink()
    settings = SETTINGS.read_text(encoding="utf-8").replace('"SOURCE"', f'"{(ROOT / "src").as_posix()}"')
    settings = settings.replace('"EXTENSION:', f'"{Path(__file__).with_name("doctests.py").as_posix()}:')
    for mark, folder, names in (("COMMANDS", "commands", commands), ("PYTHON", "python", modules)):
        pages = ["index", *names]
        settings = settings.replace(f'"{mark}"', ", ".join(f'"reference/{folder}/{name}.md"' for name in pages))
    lines = (line for line in settings.splitlines() if not _is_missing(line, to))
    (to.parent / "zensical.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return to


def _is_missing(line: str, to: Path) -> bool:
    """Return whether a line of the nav names a page that does not exist."""
    named = re.fullmatch(r'\s+"([\w/-]+\.md)",', line)
    return named is not None and not (to / named[1]).exists()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stage", action="store_true", help="only copy the pages into build/docs")
    parser.add_argument("--serve", action="store_true", help="serve the site and rebuild it when a staged page changes")
    options = parser.parse_args()
    stage()
    if options.stage:
        return
    words = ["serve"] if options.serve else ["build", "--clean", "--strict"]
    sys.exit(subprocess.run([sys.executable, "-m", "zensical", *words], cwd=STAGE.parent, check=False).returncode)


if __name__ == "__main__":
    main()
