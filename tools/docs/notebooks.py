"""The tutorials: the scripts in examples/ as pages, with what each cell said when it was run.

Run: python -m tools.docs.notebooks [NAME]   runs the scripts with the bundled model and keeps what they say
                                              (docs/tutorials/NAME.json) and draw (docs/images/)
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shutil
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
KEPT = ROOT / "docs" / "tutorials"
IMAGES = ROOT / "docs" / "images"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a script."""

    text: str
    """Markdown, or code."""
    code: bool
    """Which of the two."""


def cells(path: Path) -> list[Cell]:
    """The cells of a script, as its marks ``# %%`` cut it."""
    found = []
    for part in re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))[1:]:
        head, _, body = part.partition("\n")
        if "[markdown]" in head:
            found.append(
                Cell("\n".join(line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()), False)
            )
        else:
            found.append(Cell(body.strip(), True))
    return found


PICTURES = {
    ("is_it_cues", "best_cues"): ("is_it_cues_best", "The five best cues of the table, from 0.94 down"),
    ("is_it_cues", "where_cues_fail"): (
        "is_it_cues_left",
        "Accuracy on all items, where the cue is right, where it fails",
    ),
    ("build_clean_publish", "chart"): (
        "build_clean_publish",
        "Six cues before and after: surface cues fall to chance, relatedness stays at 0.5",
    ),
    ("profile_while_training", "chart"): (
        "profile_while_training",
        "Accuracy on public questions minus twins, by epoch",
    ),
}
"""Script and name of a chart → the file that the script saves it as, and what it shows."""


def say(path: Path, names: dict[str, Any] | None = None) -> list[dict[str, str]]:
    """Run a script cell by cell; what each cell of code printed, and its last value as a notebook would show it."""
    names = {"__name__": "__main__"} if names is None else names
    said = []
    for cell in cells(path):
        if not cell.code:
            continue
        tree = ast.parse(cell.text)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        out, shown = io.StringIO(), {}
        with redirect_stdout(out):
            exec(compile(tree, str(path), "exec"), names)
            value = (
                eval(compile(ast.Expression(last.value), str(path), "eval"), names)
                if isinstance(last, ast.Expr)
                else None
            )
        if value is not None:
            if hasattr(value, "mark_bar") or hasattr(value, "layer"):
                shown = {"chart": next(name for name, each in names.items() if each is value)}
            elif hasattr(value, "_repr_html_"):
                shown = {"html": " ".join(value._repr_html_().split())}
            else:
                out.write(str(value))
        text = re.sub(r"/tmp/\S+", "FOLDER", out.getvalue().rstrip())
        said.append({**({"text": text} if text else {}), **shown})
    return said


def page(path: Path) -> str:
    """A script as a page: text, code, what it said, pictures."""
    said = iter(json.loads((KEPT / f"{path.stem}.json").read_text(encoding="utf-8")))
    text = ""
    for cell in cells(path):
        if not cell.code:
            text += f"{cell.text}\n\n"
            continue
        text += f"```python\n{cell.text}\n```\n\n"
        output = next(said)
        if plain := output.get("text"):
            text += f"```text\n{plain}\n```\n\n"
        if html := output.get("html"):
            text += table(html) + "\n"
        if chart := output.get("chart"):
            file, says = PICTURES[path.stem, chart]
            text += f"![{says}](../images/{file}.png)\n\n"
    return text + f"*From `examples/{path.name}`; the output was recorded by `python -m tools.docs.notebooks`.*\n"


def table(html: str, most: int = 6) -> str:
    """The first rows of what a value shows in a notebook, as a table that the site sets like its own.

    >>> print(table("<tr><th>a</th></tr><tr><td>1</td></tr><tr><td>2</td></tr>", most=1))
    | a |
    |---|
    | 1 |
    | … 1 more |
    <BLANKLINE>
    """
    rows = [
        [
            unescape(re.sub(r"<[^>]+>", "", cell)).replace("|", "\\|")
            for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)
        ]
        for row in re.findall(r"<tr.*?>(.*?)</tr>", html)
    ]
    rows = [row for row in rows if row]
    lines = ["| " + " | ".join(row) + " |" for row in rows[: most + 1]]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    if len(rows) > most + 1:
        lines.append(f"| … {len(rows) - most - 1} more |" + " |" * (len(rows[0]) - 1))
    return "\n".join(lines) + "\n"


def main() -> None:
    out = Path(mkdtemp())
    os.environ["HORSESENSE_EXAMPLES_OUT"] = str(out)
    for path in sorted(EXAMPLES.glob("*.py")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        file = KEPT / f"{path.stem}.json"
        file.write_text(json.dumps(say(path), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(file.relative_to(ROOT))
    for picture in out.glob("*.png"):
        shutil.copy(picture, IMAGES / picture.name)


if __name__ == "__main__":
    main()
