"""The command line: one thin file per command, or per group of commands.

Each file imports what it needs inside its function, so that ``horsesense --help`` loads no
torch and no pyarrow.
"""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable


COMPLETE_VARIABLE = "_HORSESENSE_COMPLETE"
"""Set by the completion script of the shell."""

_NOT_A_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command; exit with 0 when done, 1 on an unexpected failure, 2 when the input is wrong."""
    hook = sys.unraisablehook
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # so that it was silent until now
            signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = partial(_heed, hook)
        _run(arguments)
    except KeyboardInterrupt:  # also while modules are loaded
        _stop("stopped; what was finished is kept", 130)
    finally:
        sys.unraisablehook = hook


def _heed(hook: Callable[[sys.UnraisableHookArgs], object], lost: sys.UnraisableHookArgs) -> None:
    """Ctrl-C that falls into a finaliser is lost there; it is given once more, as a signal: that ends a wait too."""
    if lost.exc_type is not KeyboardInterrupt:
        hook(lost)
        return
    from threading import Timer

    Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()


def _run(arguments: list[str] | None) -> NoReturn:
    from click import ClickException
    from click.exceptions import Exit

    from horsesense.cli.app import root
    from horsesense.cli.generate import as_option, forget_command
    from horsesense.errors import as_user_error, nothing_read
    from horsesense.progress import capture_warnings

    nothing_read()
    forget_command()
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in arguments
    if debug:
        arguments.remove("--debug")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without a ✓ is no reason to fail
    command = root()
    try:
        completing = bool(os.environ.get(COMPLETE_VARIABLE))
        if completing or arguments[:1] in (["--install-completion"], ["--show-completion"]):
            from horsesense.cli.completion import complete, offer_completion

            complete(command) if completing else offer_completion(command, *arguments)
            sys.exit(0)
        # Not ``command()``, which prints four lines for a wrong call and nothing for Ctrl-C.
        with command.make_context("horsesense", arguments) as context, capture_warnings(_say):
            command.invoke(context)
        sys.stdout.flush()
    except Exit as end:
        sys.exit(end.exit_code)
    except ClickException as error:
        _stop_call(error)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the last line of defence: exit code 1 and no traceback; a panic is no Exception
        if debug:
            raise
        error_to_print = as_user_error(error)
        if error_to_print is not None:
            _stop(error_to_print.sentence(as_option), 2)
        if isinstance(error, OSError):
            _stop_output(error)
        failure = f"{type(error).__name__}: {error}"
        _stop(f"unexpected failure: {failure}; add --debug to see where, and please report it", 1)
    sys.exit(0)


def _say(remark: str) -> None:
    from horsesense.cli.generate import as_option
    from horsesense.errors import in_words
    from horsesense.terminal import say

    say(_one_line(in_words(remark, as_option)))


def _one_line(text: str) -> str:
    """Escape control characters of a file name or text."""
    return _NOT_A_LINE.sub(lambda character: repr(character[0])[1:-1], text)


def _stop(text: str, code: int) -> NoReturn:
    """One line on standard error, and the end."""
    print(f"horsesense: {_one_line(text)}", file=sys.stderr)
    sys.exit(code)


def _stop_call(error: Any) -> NoReturn:
    """The call itself is wrong: an unknown option, a missing argument."""
    message = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":  # a command without its sub-command gives its help
        print(message, file=sys.stderr)
        sys.exit(2)
    message = " ".join(message.replace(". Choose from:", "; choose from").split())
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "horsesense"
    _stop(f"{message[:1].lower()}{message[1:].rstrip('.')}; see: {command} --help", 2)


def _stop_output(error: OSError) -> None:
    """Every layer names the files it writes; a failed write without a file name is standard output."""
    if error.filename is not None or error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EFBIG):
        return
    # Python would try to write the rest, and complain, once more at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:  # the reader (head, less) has seen enough
        sys.exit(0)
    _stop(f"standard output: {error.strerror}; free some space and run the same command again", 2)
