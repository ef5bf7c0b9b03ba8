"""Errors that a user can fix: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

_EXTRAS = {
    "hf": "accelerate gguf huggingface_hub peft safetensors tokenizers torch transformers",
    "pictures": "altair vl_convert",
    "saliency": "captum",
    "ray": "ray",
    "annotate": "cryptography fastapi jwt psycopg sqlalchemy starlette uvicorn",
}
_EXTRA_OF = {library: extra for extra, libraries in _EXTRAS.items() for library in libraries.split()}
"""A library that the core does without → the extra that brings it."""

_ARGUMENT = re.compile("\x02(\\w+)(?:=([^\x03]*))?\x03")


def argument(name: str, value: str = "") -> str:
    """Mark an argument in a sentence; Python prints it as a keyword, the command line as an option.

    A value in capitals stands for what the user has to give, and only an option shows it.

    >>> str(UserError("memory runs out", fix=f"use {argument('device', 'cpu')} or less of {argument('limit')}"))
    "memory runs out; use device='cpu' or less of limit"
    """
    return f"\x02{name}={value}\x03" if value else f"\x02{name}\x03"


def _keyword(name: str, value: str) -> str:
    return f"{name}={value!r}" if value and not value.isupper() else name


def in_words(text: str, argument_in_words: Callable[[str, str], str] = _keyword) -> str:
    """Write out the arguments of a sentence, as keywords by default."""
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
        """Return the error with its file and line, unless it has them: a check does not know the file it works on."""
        if self.file is not None:
            return self
        return UserError(self.problem, file=file, line=line, fix=self.fix)

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self, argument_in_words: Callable[[str, str], str] = _keyword) -> str:
        """Return the sentence; ``argument_in_words`` writes its arguments, as Python keywords by default."""
        where = ""
        if self.file is not None:
            where = f"{self.file}:{self.line}: " if self.line is not None else f"{self.file}: "
        whole = f"{where}{self.problem}" + (f"; {self.fix}" if self.fix else "")
        return in_words(whole, argument_in_words)


def unknown(kind: str, name: str, known: Iterable[str]) -> UserError:
    """Return the error for an unknown name, with the nearest known one.

    >>> print(unknown("relation", "hyponimy", ["hyponymy", "synonymy"]))
    there is no relation 'hyponimy'; did you mean 'hyponymy'? (known: hyponymy, synonymy)
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    listed = f"known: {', '.join(names)}"
    fix = f"did you mean '{near[0]}'? ({listed})" if near else listed
    return UserError(f"there is no {kind} '{name}'", fix=fix)


def not_installed(error: ImportError) -> UserError | None:
    """Return the error for a missing library of an extra; None for any other import error.

    >>> print(not_installed(ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")))
    this needs torch, which is not installed; pip install 'horsesense[hf]'
    """
    library = (error.name or "").partition(".")[0]
    # A name that an installed library does not have is an ImportError too, but not this one.
    if not isinstance(error, ModuleNotFoundError) or library not in _EXTRA_OF:
        return None
    fix = f"pip install 'horsesense[{_EXTRA_OF[library]}]'"
    return UserError(f"this needs {library}, which is not installed", fix=fix)


_reading: ContextVar[str] = ContextVar("reading", default="")
"""The file that was opened last."""


def nothing_read() -> None:
    """Forget the files that earlier calls have read."""
    _reading.set("")


@contextmanager
def translate_errors() -> Iterator[None]:
    """Convert missing libraries and errors of parsers to a `UserError` around a public function."""
    before = _reading.get()
    nothing_read()
    try:
        yield
        if not _reading.get():
            _reading.set(before)
    except UserError:
        raise
    except BaseException as error:
        user_error = as_user_error(error)
        if user_error is None:
            raise
        raise user_error from error


def need(library: str) -> None:
    """Check that a library of an extra is installed before long work begins.

    It is not imported: that takes seconds, and other errors should be reported first.
    """
    from importlib.util import find_spec

    with translate_errors():
        if find_spec(library) is None:
            raise ModuleNotFoundError(f"No module named {library!r}", name=library)


_PARSERS = frozenset(
    (
        "JSONDecodeError",
        "IncompleteJSONError",
        "JSONError",
        "TOMLDecodeError",
        "ParseError",
        "ExpatError",
        "XMLSyntaxError",
        "UnicodeDecodeError",
        "UnicodeEncodeError",
        "BadZipFile",
        "BadGzipFile",
        "ReadError",
        "EOFError",
        "SafetensorError",
        "PanicException",
        "RecursionError",
        "OverflowError",
        "MemoryError",
        "DatabaseError",
        "UnpicklingError",
    )
)
"""Exceptions that only bad content raises, by name: their libraries are not loaded for it."""
_PARSING_ROOMS = (
    "csv",
    "_csv",
    "zlib",
    "struct",
    "pyarrow",
    "tarfile",
    "zipfile",
    "gzip",
    "tokenizers",
    "safetensors",
    "ijson",
)
_BY_A_READER = (ValueError, KeyError, TypeError, AttributeError, IndexError, AssertionError)
"""What content of another shape makes Python raise, in the code that reads it."""
_READING = re.compile(r"horsesense\.(data\b|core\b|methods\.published\.reading$|annotate\.audit\.blind_audit$)")
"""Modules that lend others what reads files."""


@contextmanager
def now_reading(path: str | Path) -> Iterator[None]:
    """Name the file that is being read, so that a parser's error can be reported with it."""
    _reading.set(str(path))
    yield


def as_user_error(error: BaseException) -> UserError | None:
    """Return an error of a parser, a reader or the system as a `UserError`; None if the input is not at fault.

    This is the one place for it: a new reader that forgets a kind of bad content still reports a bad file. Known
    parsers count wherever they fail; what any code may raise counts where a module that reads files raised it.
    """
    if isinstance(error, UserError):
        return error
    if isinstance(error, ImportError):
        return not_installed(error)
    file, kind = _file_of(error), type(error)
    if isinstance(error, OSError) and error.errno is not None:
        named = error.filename if isinstance(error.filename, str) and error.filename else None
        return UserError(f"{error.strerror or error}", file=named, fix="check the path") if named else None
    known = any(
        base.__name__ in _PARSERS or base.__module__.partition(".")[0] in _PARSING_ROOMS for base in kind.__mro__
    )
    digits = isinstance(error, ValueError) and "integer string conversion" in str(error)
    if isinstance(error, ValueError) and "embedded null byte" in str(error):
        return UserError("a name holds a NUL byte", fix="check the path")
    if isinstance(error, RuntimeError) and "home directory" in str(error):  # of a path that begins with ~NAME
        return UserError("a path begins with the home of an unknown user", fix="check the path")
    if isinstance(error, RuntimeError) and str(error).startswith("Symlink loop"):
        named = str(error).partition("'")[2].rpartition("'")[0]
        return UserError("the links go round in a circle", file=named or None, fix="check the path")
    if not known and not digits and not (file and isinstance(error, _BY_A_READER) and _in_a_reader(error)):
        return None
    if kind.__name__ == "MemoryError":
        return UserError("memory runs out", file=file or None, fix="give less at once")
    reason = "it is nested too deeply" if isinstance(error, RecursionError) else _reason(error)
    if not file:
        return UserError(f"the input cannot be read ({reason})", fix="check it")
    return UserError(
        f"the file cannot be read as what it should be ({reason})", file=file, fix="check it, or get it again"
    )


def _file_of(error: BaseException) -> str:
    """Return the file of an error: the path variable of our innermost frame, or the last file that it opened.

    What was opened last is not enough: a table may be parsed after the one beside it was read too.
    """
    last = _reading.get()
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        for name in ("path", "file") if str(frame.f_globals.get("__name__", "")).startswith("horsesense.") else ():
            value = frame.f_locals.get(name)
            if not isinstance(value, Path):
                continue
            if last and value in (Path(last), *Path(last).parents):
                return last
            with suppress(OSError):
                if value.is_file():
                    return str(value)
    return last


def _reason(error: BaseException) -> str:
    reason = (str(error).strip().splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {reason}" if reason else type(error).__name__


def _in_a_reader(error: BaseException) -> bool:
    """Whether the innermost code of ours that it passed is a module that reads files."""
    inner = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith("horsesense.") and not name.startswith("horsesense.errors"):
            inner = frame
    if inner is None:
        return False
    lent = (getattr(value, "__module__", None) for value in inner.f_globals.values() if callable(value))
    return any(module and _READING.match(module) for module in lent)
