"""Count the words of prose on each page, without tables, code and generated text.

Run: python -m tools.docs.words
"""

from __future__ import annotations

import re
from collections import Counter

from tools.docs.blocks import DOCS

LIMITS = {"guides": 900, "concepts": 700}
"""Most words of a page in these folders, with its tables."""


def prose(text: str, tables: bool = False) -> int:
    """Count words outside code, comments and link targets, and outside tables unless they are included.

    >>> page = "# Two words\\n\\n| a | table |\\n\\n```sh\\nls\\n```\\nand [three](x.md) more\\n"
    >>> prose(page), prose(page, tables=True)
    (5, 7)
    """
    text = re.sub(r"^[ \t]*```.*?^[ \t]*```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    if not tables:
        text = re.sub(r"^\|.*$|^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return len(re.findall(r"[\w’'-]*\w[\w’'-]*", text.replace("[", " ").replace("]", " ")))


def main() -> None:
    totals: Counter[str] = Counter()
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(DOCS)
        count = 0 if "This page is made by the command" in text else prose(text)
        totals["Results" if name.parts[0] == "results" else "pages by hand"] += count
        print(f"{count:6} {name}")
    for kind, count in totals.items():
        print(f"{count:6} words: {kind}")


if __name__ == "__main__":
    main()
