"""``python -m horsesense``, and the script of that name."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until a command begins, Ctrl-C ends the process without a word; a traceback of imports helps nobody.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from horsesense.cli import main  # after that line, or it would be of no use

if __name__ == "__main__":
    main()
