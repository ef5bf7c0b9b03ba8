"""How much is written by hand: words of prose on each page, without tables, code and what is made.

Run: python -m tools.docs.words
"""

from __future__ import annotations

import re

from tools.docs.blocks import DOCS


def prose(text: str) -> int:
    """Words outside code, tables, comments and links' addresses.

    >>> prose("# Two words\\n\\n| a | table |\\n\\n```sh\\nls\\n```\\nand [three](x.md) more\\n")
    5
    """
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*$|^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return len(re.findall(r"[\w’'-]*\w[\w’'-]*", text.replace("[", " ").replace("]", " ")))


def main() -> None:
    total = 0
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        count = 0 if "This page is made by the command" in text else prose(text)
        total += count
        print(f"{count:6} {path.relative_to(DOCS)}")
    print(f"{total:6} words")


if __name__ == "__main__":
    main()
