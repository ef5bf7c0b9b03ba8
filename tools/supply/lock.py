"""Renew ``requirements.lock`` from pyproject.toml and constraints.txt: ``make lock``, which needs uv and the network.

Every package that set-up installs stands there with its version and the SHA-256 of each of its files, so that nothing
else can be installed in its name. torch is left out, and what only torch needs: its build differs from machine to
machine, and it is installed first, by version.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"
_OF_TORCH = re.compile(r"(torch|triton|nvidia-[\w-]+|cuda-[\w-]+)==")
_HEAD = "# Made by `make lock` from pyproject.toml and constraints.txt; torch is installed first and is not in it.\n"


def entries(text: str) -> list[str]:
    """The lock's entries, each with its hashes."""
    return [entry for entry in re.split(r"(?m)^(?=[\w.-]+==)", text) if re.match(r"[\w.-]+==", entry)]


def main() -> None:
    words = ["uv", "pip", "compile", "pyproject.toml", "--extra", "dev", "-c", "constraints.txt", "--generate-hashes"]
    words += ["--no-header", "--no-annotate", "--universal", "--python-version", "3.11", "-q", *sys.argv[1:]]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    kept = [entry for entry in entries(done.stdout) if not _OF_TORCH.match(entry)]
    LOCK.write_text(_HEAD + "".join(kept), encoding="utf-8")
    print(f"{LOCK.name}: {len(kept)} packages")


if __name__ == "__main__":
    main()
