"""What a user can put right: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class UserError(Exception):
    """The user's input is wrong. The command line prints it without a traceback and exits with 2.

    >>> print(UserError("the answer 7 is out of range", file="probe.jsonl", line=3, fix="use 0 to 4"))
    probe.jsonl:3: the answer 7 is out of range; use 0 to 4
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        fix: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = str(file) if file is not None else None
        self.line = line
        self.fix = fix
        super().__init__(problem)

    def at(self, file: str | Path, line: int | None = None) -> UserError:
        """The same error, told where: a check deep down does not know the file it works on."""
        if self.file is not None:
            return self
        return UserError(self.problem, file=file, line=line, fix=self.fix)

    def __str__(self) -> str:
        where = ""
        if self.file is not None:
            where = f"{self.file}:{self.line}: " if self.line is not None else f"{self.file}: "
        return f"{where}{self.problem}" + (f"; {self.fix}" if self.fix else "")


def unknown(kind: str, name: str, known: Iterable[str]) -> UserError:
    """An unknown name, with the nearest known one.

    >>> print(unknown("release", "winoventy", ["cats", "winoventi"]))
    there is no release 'winoventy'; did you mean 'winoventi'? (known: cats, winoventi)
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    listed = f"known: {', '.join(names)}"
    fix = f"did you mean '{near[0]}'? ({listed})" if near else listed
    return UserError(f"there is no {kind} '{name}'", fix=fix)
