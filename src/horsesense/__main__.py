"""``python -m horsesense``, and the script of that name."""

import gc
import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until a command begins, Ctrl-C ends the process without a word; a traceback of imports helps nobody.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from horsesense.cli import main  # after that line, or it would be of no use

# Graphs and probes are a million objects that stay. At the usual threshold of 700, looking for garbage among them takes
# a tenth to a half of a command's time.
gc.set_threshold(100_000, 20, 20)

if __name__ == "__main__":
    main()
