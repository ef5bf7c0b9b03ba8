"""``python -m tools.golden``; see `tools.golden`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools import golden
from tools.golden.comparing import compare_folders
from tools.golden.recording import record


def main() -> int:
    """Record or compare; return 1 where a comparison finds a difference or a call failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.golden", description=golden.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="Record the program's behaviour.")
    recording.add_argument("folder", type=Path, help="Folder to write.")
    recording.add_argument("--only", action="append", default=[], help="Piece or call to record; repeatable [all].")
    recording.add_argument("--models", type=Path, help="Folder of the tiny models [models beside FOLDER].")
    comparing = commands.add_parser("compare", help="Compare two recordings.")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--show", type=int, default=25, help="Distinct differences to print per piece [25].")
    comparing.add_argument("--common", action="store_true", help="Compare only the files that both have.")
    arguments = parser.parse_args()
    if arguments.command == "record":
        models = arguments.models or arguments.folder.resolve().parent / "models"
        return record(arguments.folder, models, tuple(arguments.only))
    for folder in (arguments.before, arguments.after):
        if not folder.is_dir():
            parser.error(f"{folder} is not a folder; record one first")
    lines, differences = compare_folders(arguments.before, arguments.after, arguments.show, common=arguments.common)
    print("\n".join(lines))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
