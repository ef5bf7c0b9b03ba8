"""The command line: one thin file a command.

Each file imports what it needs inside its function, so that ``horsesense --help`` loads no
torch, no pyarrow and no pydantic.
"""

from __future__ import annotations

import os
import sys


def main(arguments: list[str] | None = None) -> None:
    """Run a command; exit with 0 when done, 1 on an unexpected failure, 2 when the input is wrong."""
    from horsesense.cli.app import app
    from horsesense.errors import UserError

    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    if debug:
        arguments.remove("--debug")
    try:
        app(arguments, prog_name="horsesense")
    except UserError as error:
        if debug:
            raise
        print(f"horsesense: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("horsesense: stopped; what was finished is kept", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) has gone; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if debug:
            raise
        print(
            f"horsesense: unexpected failure: {type(error).__name__}: {error}; "
            "add --debug to see where, and please report it",
            file=sys.stderr,
        )
        sys.exit(1)
