"""A heat map of counts, in plain characters: hops down, kinds of distractors across."""

from __future__ import annotations

from collections.abc import Mapping

SHADES = " ░▒▓█"


def heat_map(counts: Mapping[tuple[str, str], int], down: str, across: str) -> list[str]:
    """The lines of the map; each cell has its count and a shade of five.

    >>> print("\\n".join(heat_map({("1", "sister"): 40, ("2", "sister"): 10, ("1", "random"): 20}, "hops", "kind")))
    hops \\ kind  random  sister
    1              20 ▒    40 █
    2               0      10 ░
    """
    rows, columns = (sorted({key[place] for key in counts}) for place in (0, 1))
    most = max(counts.values())
    corner = f"{down} \\ {across}"
    widths = {name: max(len(name), len(f"{most:,}") + 2) for name in columns}
    lines = [corner + "".join(f"  {name:>{widths[name]}}" for name in columns)]
    for row in rows:
        cells = (f"  {_cell(counts.get((row, name), 0), most):>{widths[name]}}" for name in columns)
        lines.append(f"{row:{len(corner)}}" + "".join(cells))
    return [line.rstrip() for line in lines]


def _cell(count: int, most: int) -> str:
    # A cell that is not empty has a shade, however few it holds.
    return f"{count:,} {SHADES[-(-count * (len(SHADES) - 1) // most)]}"
