"""What the commands of a served study share: the server's libraries, which the core does without."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.errors import UserError

if TYPE_CHECKING:
    from horsesense.annotate.server.served_study import Served

StudyFolder = Annotated[Path, typer.Argument(metavar="STUDY", help="The folder that annotate new made.")]
SomeNames = Annotated[
    list[str] | None, typer.Argument(metavar="NAME…", help="People, by name or code; nobody named: the whole study.")
]


@contextmanager
def server_libraries() -> Iterator[None]:
    """Say what to install where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("horsesense"):
            raise
        raise UserError(
            f"a served study needs {error.name}, which is not installed",
            fix='install it: pip install "horsesense[annotate]"',
        ) from None


@contextmanager
def opened(folder: Path) -> Iterator[Served]:
    """The study and its database, closed again at the end."""
    with server_libraries():
        from horsesense.annotate.server.served_study import open_study

        served = open_study(folder)
    try:
        yield served
    finally:
        served.engine.dispose()
