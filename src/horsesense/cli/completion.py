"""``--install-completion`` and ``--show-completion``: the Tab key in bash, zsh, fish and PowerShell.

click has the scripts. What goes wrong is one sentence, as everywhere.
"""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class, shell_complete

from horsesense.cli import COMPLETE_VARIABLE
from horsesense.errors import UserError, unknown

_PROGRAM = "horsesense"
_SHELLS = ("bash", "zsh", "fish", "powershell")


def complete(command: click.Command) -> None:
    """Answer the shell's script: how the command line may continue."""
    instruction = os.environ[COMPLETE_VARIABLE]
    fix = f"leave {COMPLETE_VARIABLE} unset; the shell's script sets it"
    if instruction not in [f"{shell}_{step}" for step in ("complete", "source") for shell in _SHELLS]:
        raise UserError(f"{COMPLETE_VARIABLE}={instruction} is not an instruction for completion", fix=fix)
    try:
        shell_complete(command, {}, _PROGRAM, COMPLETE_VARIABLE, instruction)
    except (KeyError, ValueError) as error:
        raise UserError("there is no command line to complete", fix=fix) from error


def offer_completion(command: click.Command, option: str, shell: str | None = None, *more: str) -> None:
    """Install the script of a shell, or print it; without a name, of the user's shell."""
    from horsesense.data import disk_errors

    if more:
        raise UserError(f"{option} takes one shell, and {more[0]!r} is one word more", fix="leave it out")
    chosen = shell or Path(os.environ.get("SHELL", "")).name
    if not chosen:
        raise UserError("the shell is not known", fix=f"name it: {option} bash (known: {', '.join(_SHELLS)})")
    chosen = {"pwsh": "powershell"}.get(chosen, chosen)
    if chosen not in _SHELLS:
        raise unknown("completion for the shell", chosen, _SHELLS)
    kind = get_completion_class(chosen)
    assert kind is not None
    script = kind(command, {}, _PROGRAM, COMPLETE_VARIABLE).source()
    if option == "--show-completion":
        print(script)
        return
    with disk_errors(Path.home()):
        path = _install(chosen, script)
    print(f"completion for {chosen} is in {path}; it works in the next terminal")


def _install(shell: str, script: str) -> Path:
    """Write the script where the shell finds it, with a line in its start-up file where that is needed."""
    home = Path.home()
    path, start, line = {
        "bash": (home / f".bash_completions/{_PROGRAM}.sh", ".bashrc", "source '{path}'"),
        "zsh": (home / f".zfunc/{_PROGRAM}.zsh", ".zshrc", "autoload -Uz compinit && compinit; source '{path}'"),
        "fish": (home / f".config/fish/completions/{_PROGRAM}.fish", "", ""),
        "powershell": (
            home / f".config/powershell/{_PROGRAM}.ps1",
            ".config/powershell/Microsoft.PowerShell_profile.ps1",
            ". '{path}'",
        ),
    }[shell]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{script}\n", encoding="utf-8")
    if start:
        file = home / start
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        entry = line.format(path=path)
        if entry not in lines:
            file.write_text("\n".join([*lines, entry]) + "\n", encoding="utf-8")
    return path
