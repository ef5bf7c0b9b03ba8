"""``--install-completion`` and ``--show-completion``: the Tab key in bash, zsh, fish and PowerShell.

typer has the scripts. The shell may be named here, and what goes wrong is one sentence, as everywhere.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from horsesense.cli import COMPLETE_VARIABLE
from horsesense.errors import UserError, unknown

_PROGRAM = "horsesense"


def complete(command: Any) -> None:
    """Answer the shell's script: how the command line may go on."""
    from typer._completion_shared import Shells
    from typer.completion import shell_complete

    instruction = os.environ[COMPLETE_VARIABLE]
    fix = f"leave {COMPLETE_VARIABLE} unset; the shell's script sets it"
    known = [f"{way}_{shell.value}" for way in ("complete", "source") for shell in Shells]
    if instruction not in known:
        raise UserError(f"{COMPLETE_VARIABLE}={instruction} is no way to ask for completion", fix=fix)
    try:
        shell_complete(command, {}, _PROGRAM, COMPLETE_VARIABLE, instruction)
    except (KeyError, ValueError) as error:
        raise UserError("there is no command line to complete", fix=fix) from error


def offer_completion(option: str, shell: str | None = None, *more: str) -> None:
    """Install the script of a shell, or print it; without a name, of the shell that runs this program."""
    from typer._completion_shared import Shells, _get_shell_name, get_completion_script, install

    from horsesense.data import disk_errors

    if more:
        raise UserError(f"{option} takes one shell, and {more[0]!r} is one word more", fix="leave it out")
    known = [each.value for each in Shells]
    chosen = shell or _get_shell_name()
    if chosen is None:
        raise UserError("the shell cannot be told", fix=f"name it: {option} bash (known: {', '.join(known)})")
    if chosen not in known:
        raise unknown("completion for the shell", chosen, known)
    if option == "--show-completion":
        print(get_completion_script(prog_name=_PROGRAM, complete_var=COMPLETE_VARIABLE, shell=chosen))
        return
    with disk_errors(Path.home()):
        _, path = install(shell=chosen, prog_name=_PROGRAM, complete_var=COMPLETE_VARIABLE)
    print(f"completion for {chosen} is in {path}; it works in the next terminal")
