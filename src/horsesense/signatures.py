"""A function that takes all parameters of another one, without a second declaration of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

Result = TypeVar("Result")


def extends(
    base: Callable[..., Any], without: Collection[str] = ()
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a function with ``**options`` the parameters of ``base``, and their lines of its docstring.

    A parameter that both declare is the one of the function; those of ``without`` are not taken over.

    >>> def ask(model, *, limit=None, seed=0):
    ...     '''Ask.
    ...
    ...     Args:
    ...         model: Model.
    ...         limit: Maximum.
    ...         seed: Random seed.
    ...     '''
    >>> @extends(ask)
    ... def run(*, limit=5, **options):
    ...     '''Run.
    ...
    ...     Args:
    ...         limit: Other maximum.
    ...     '''
    ...     return limit, options
    >>> str(inspect.signature(run)), run("x", seed=3)
    ('(model, *, limit=5, seed=0)', (5, {'model': 'x', 'seed': 3}))
    """

    def wrap(function: Callable[..., Result]) -> Callable[..., Result]:
        own, others = inspect.signature(function), inspect.signature(base).parameters
        mine = {name: each for name, each in own.parameters.items() if each.kind is not each.VAR_KEYWORD}
        added = {name: each for name, each in others.items() if name not in mine and name not in without}
        signature = own.replace(parameters=sorted((mine | added).values(), key=lambda each: each.kind))

        def call(*args: Any, **options: Any) -> Result:
            bound = signature.bind(*args, **options)
            bound.apply_defaults()
            first = [value for name, value in bound.arguments.items() if name in mine and mine[name].kind <= 1]
            rest = {name: value for name, value in bound.arguments.items() if name not in mine or mine[name].kind > 1}
            return function(*first, **rest)

        for name in ("__name__", "__qualname__", "__module__"):
            setattr(call, name, getattr(function, name))
        call.__doc__ = _merged_doc(inspect.getdoc(function) or "", inspect.getdoc(base) or "", added)
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__extends__ = (function, base)  # type: ignore[attr-defined]
        return call

    return wrap


def _merged_doc(own: str, base: str, added: dict[str, Any]) -> str:
    """The docstring with the lines of the parameters that it takes over."""
    lines = [
        entry
        for name in added
        for entry in re.findall(rf"^    {name}: .*(?:\n        .*)*", base, flags=re.MULTILINE)[:1]
    ]
    head, args, rest = own.partition("\nArgs:\n")
    if not args:
        head, mark, rest = own.partition("\nReturns:")
        return f"{head}\nArgs:\n" + "\n".join(lines) + f"\n{mark}{rest}"
    body, blank, after = rest.partition("\n\n")
    return f"{head}{args}{body}\n" + "\n".join(lines) + f"{blank}{after}"
