"""Shorten long pages: a list of contents at the beginning, and folded long tables.

A table of more than `MOST_ROWS` rows is folded, and a shorter one if the line above it says so, as in
``<!-- fold: the published rows -->``. On GitHub, where pages are not staged, all tables are open.
"""

from __future__ import annotations

import re

LONG = 150
"""Number of lines from which a page gets a list of contents."""
MOST_ROWS = 20
"""Maximum number of rows of a table that is shown open."""
_TABLE = re.compile(
    r"^(?:<!-- fold: (?P<title>.*?) -->\n)?(?P<head>\|.*)\n(?P<rule>\|[-:| ]+\|)\n(?P<rows>(?:\|.*\n)+)", re.MULTILINE
)
_HEADING = re.compile(r"^(##) (.+)$", re.MULTILINE)


def shortened(text: str) -> str:
    """Fold long tables, and add a list of contents below the first paragraph of a long page."""
    lines = text.count("\n")
    return _with_contents(folded(text)) if lines > LONG else folded(text)


def folded(text: str) -> str:
    """Fold the long tables of a page.

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
    """Add links to the sections of a page below its first paragraph."""
    titles = [match[2] for match in _HEADING.finditer(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))]
    title, first, rest = text.split("\n\n", 2)
    links = " · ".join(f"[{re.sub(r'[`*]', '', each)}](#{_anchor(each)})" for each in titles)
    return f"{title}\n\n{first}\n\n**On this page:** {links}\n\n{rest}"


def _anchor(title: str) -> str:
    """Return the id of a heading, as Python-Markdown's table of contents makes it.

    >>> _anchor("`smollm2` on the test set: 3 of 4")
    'smollm2-on-the-test-set-3-of-4'
    """
    kept = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", title).encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)
