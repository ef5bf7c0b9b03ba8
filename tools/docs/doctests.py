"""An extension of griffe, which reads our docstrings for mkdocstrings: their doctests are shown as code."""

from __future__ import annotations

import re
from typing import Any

try:
    from griffe import Extension
except ImportError:  # `fenced` serves without the site's tools
    Extension = object  # type: ignore[assignment,misc]

_EXAMPLE = re.compile(r"(?:^[ ]*>>> .*\n?(?:^(?![ ]*\n).+\n?)*)+", re.MULTILINE)


def fenced(text: str) -> str:
    """A docstring with its doctests in fences, and ``double backticks`` as Markdown wants them.

    >>> fenced("Adds ``two``, thus: 1 + 1").count("`")
    2
    """
    text = re.sub(r"``([^`\n]+)``", r"`\1`", text)
    return _EXAMPLE.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", text)


class Doctests(Extension):
    """Puts fences around the doctests of whatever is loaded."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
