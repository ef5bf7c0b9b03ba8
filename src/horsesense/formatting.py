"""Numbers as text: the one formatter behind terminal tables, pages, Markdown and LaTeX.

A spec is that of a float (``.3f``, ``+.2f``, ``.1%``). What rounds to 0 has no sign, a minus is a minus and not a
hyphen, and a value that could not be computed is ``n/a``.
"""

from __future__ import annotations

from math import isinf, isnan

MINUS = "\N{MINUS SIGN}"


def number(value: float, spec: str = ".2f") -> str:
    """Format a number.

    >>> number(0.7), number(0.5786, ".1%"), number(-0.004), number(-0.25, "+.2f"), number(float("nan"))
    ('0.70', '57.9%', '0.00', '−0.25', 'n/a')
    """
    if isnan(value):
        return "n/a"
    if isinf(value):
        return f"{MINUS if value < 0 else ''}∞"
    sign, rest = ("+", spec[1:]) if spec.startswith("+") else ("", spec)
    text = format(value, f"{sign}z{rest}")
    # A difference of 0 has no direction.
    return text.replace("-", MINUS) if text.strip("+0.%") else text.removeprefix("+")


def interval(low: float, high: float, spec: str = ".2f") -> str:
    """Format the two ends of an interval; empty where it has none.

    >>> interval(0.49, 0.86), interval(float("nan"), float("nan"))
    ('[0.49, 0.86]', '')
    """
    return "" if isnan(low) else f"[{number(low, spec)}, {number(high, spec)}]"


def with_interval(value: float, ci: tuple[float, float], spec: str = "") -> str:
    """Format a value with its interval; ``v`` before the spec leaves the value alone, ``i`` the interval.

    >>> with_interval(0.7, (0.49, 0.86)), with_interval(0.7, (0.49, 0.86), ".1%")
    ('0.70 [0.49, 0.86]', '70.0% [49.0%, 86.0%]')
    >>> with_interval(0.7, (0.49, 0.86), "v.3f"), with_interval(0.7, (0.49, 0.86), "i.3f")
    ('0.700', '[0.490, 0.860]')
    """
    only, rest = (spec[:1], spec[1:]) if spec[:1] in ("v", "i") else ("", spec)
    rest = rest or ".2f"
    if only == "v":
        return number(value, rest)
    ends = interval(*ci, rest)
    return ends if only == "i" else f"{number(value, rest)} {ends}".rstrip()


def percent(share: float, digits: int = 1) -> str:
    """Format a share as a percentage.

    >>> percent(0.5786), percent(0.604, 0)
    ('57.9%', '60%')
    """
    return number(share, f".{digits}%")


def points(difference: float, digits: int = 0) -> str:
    """Format a difference of shares in percentage points, with its sign.

    >>> points(0.0884, 1), points(-0.05), points(-0.004)
    ('+8.8', '−5', '0')
    """
    return number(difference * 100, f"+.{digits}f")


def p_value(p: float) -> str:
    """Format the p-value of a test, which is never 0.

    >>> p_value(0.00001), p_value(0.04)
    ('< 0.001', '0.040')
    """
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """Format a p-value with its name.

    >>> p_equals(0.00001), p_equals(0.04)
    ('p < 0.001', 'p = 0.040')
    """
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def count(n: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun.

    >>> count(1, "ability", "abilities"), count(3, "ability", "abilities"), count(1200, "item")
    ('1 ability', '3 abilities', '1,200 items')
    """
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
