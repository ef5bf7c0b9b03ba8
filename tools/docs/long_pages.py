"""Long pages made shorter to look at: what is on them stands at their beginning, and long tables are folded.

A table of more than `MOST_ROWS` rows is folded; a shorter one where the line above it says so, as in
``<!-- fold: the published rows -->``. On GitHub, where nothing is staged, all of it is open.
"""

from __future__ import annotations

import re

LONG = 150
"""Lines of a page that gets a list of its contents."""
MOST_ROWS = 20
"""Rows of a table that is shown open."""
_TABLE = re.compile(
    r"^(?:<!-- fold: (?P<title>.*?) -->\n)?(?P<head>\|.*)\n(?P<rule>\|[-:| ]+\|)\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE
)
_HEADING = re.compile(r"^(##) (.+)$", re.MULTILINE)


def shortened(text: str) -> str:
    """A page with its long tables folded, and its contents below the first paragraph where it is long."""
    lines = text.count("\n")
    return _with_contents(folded(text)) if lines > LONG else folded(text)


def folded(text: str) -> str:
    """A page whose long tables open with a click.

    >>> print(folded("<!-- fold: all of them -->\\n| a |\\n|---|\\n| 1 |\\n"))
    ??? note "all of them"
    <BLANKLINE>
        | a |
        |---|
        | 1 |
    <BLANKLINE>
    """
    return _TABLE.sub(_folded, text)


def _folded(table: re.Match[str]) -> str:
    rows = table["rows"].splitlines()
    if table["title"] is None and len(rows) <= MOST_ROWS:
        return table[0]
    first = next((cell.strip() for cell in table["head"].strip("|").split("|") if cell.strip()), "row")
    title = table["title"] or f"All {len(rows)} rows, by {first}"
    quoted = title.replace('"', "'").replace("`", "")
    body = "".join(f"    {line}\n" for line in (table["head"], table["rule"], *rows))
    return f'??? note "{quoted}"\n\n{body}'


def _with_contents(text: str) -> str:
    """The sections of a page as links, below its first paragraph."""
    titles = [match[2] for match in _HEADING.finditer(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))]
    title, first, rest = text.split("\n\n", 2)
    links = " · ".join(f"[{re.sub(r'[`*]', '', each)}](#{_anchor(each)})" for each in titles)
    return f"{title}\n\n{first}\n\n**On this page:** {links}\n\n{rest}"


def _anchor(title: str) -> str:
    """The id that a heading gets, as Python-Markdown's table of contents makes it.

    >>> _anchor("`smollm2` on the release: 3 of 4")
    'smollm2-on-the-release-3-of-4'
    """
    kept = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", title).encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)
