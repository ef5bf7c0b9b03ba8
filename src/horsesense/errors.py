"""What a user can put right: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

_EXTRAS = {
    "hf": "accelerate gguf huggingface_hub peft safetensors tokenizers torch transformers",
    "build": "duckdb",
    "pictures": "altair vl_convert",
    "saliency": "captum",
    "annotate": "alembic cryptography fastapi jwt multipart psycopg python_multipart sqlalchemy starlette uvicorn",
}
_EXTRA_OF = {library: extra for extra, libraries in _EXTRAS.items() for library in libraries.split()}
"""A library that the core does without → the extra that brings it."""

_ARGUMENT = re.compile("\x02(\\w+)(?:=([^\x03]*))?\x03")


def argument(name: str, value: str = "") -> str:
    """An argument that a sentence speaks of: Python writes it as a keyword, the command line as an option.

    A value in capitals stands for what the user has to give, and only an option shows it.

    >>> str(UserError("memory runs out", fix=f"use {argument('device', 'cpu')} or less of {argument('limit')}"))
    "memory runs out; use device='cpu' or less of limit"
    """
    return f"\x02{name}={value}\x03" if value else f"\x02{name}\x03"


def _keyword(name: str, value: str) -> str:
    return f"{name}={value!r}" if value and not value.isupper() else name


def in_words(text: str, argument_in_words: Callable[[str, str], str] = _keyword) -> str:
    """A sentence with its arguments written out, as keywords or in another way."""
    return _ARGUMENT.sub(lambda match: argument_in_words(match[1], match[2] or ""), text)


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
        return self.sentence()

    def sentence(self, argument_in_words: Callable[[str, str], str] = _keyword) -> str:
        """The whole of it; where arguments are called otherwise than in Python, say how."""
        where = ""
        if self.file is not None:
            where = f"{self.file}:{self.line}: " if self.line is not None else f"{self.file}: "
        whole = f"{where}{self.problem}" + (f"; {self.fix}" if self.fix else "")
        return in_words(whole, argument_in_words)


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


def not_installed(error: ImportError) -> UserError | None:
    """What to install, where an extra's library is missing; nothing for any other error of an import.

    >>> print(not_installed(ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")))
    this needs torch, which is not installed; pip install 'horsesense[hf]'
    """
    library = (error.name or "").partition(".")[0]
    # A name that an installed library does not have is an ImportError too, but not this one.
    if not isinstance(error, ModuleNotFoundError) or library not in _EXTRA_OF:
        return None
    fix = f"pip install 'horsesense[{_EXTRA_OF[library]}]'"
    return UserError(f"this needs {library}, which is not installed", fix=fix)


@contextmanager
def naming_extras() -> Iterator[None]:
    """Around what may need an extra, or as a decorator: a library that is missing becomes a `UserError`."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = not_installed(error)
        if missing is None:
            raise
        raise missing from error


def need(library: str) -> None:
    """Load a library of an extra now, so that one which is missing is missing before hours of work."""
    from importlib import import_module

    with naming_extras():
        import_module(library)
