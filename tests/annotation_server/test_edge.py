"""The annotation server is at the edge: nothing but its own commands needs the libraries of the extra ``annotate``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = ("fastapi", "jwt", "sqlalchemy", "starlette", "uvicorn")
PROGRAM = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {libraries!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from horsesense.cli import main
main(sys.argv[1:])
"""


def run_without_extra(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(libraries=LIBRARIES)
    return subprocess.run([sys.executable, "-c", program, *words], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(
    "words",
    [
        ("annotate", "new", "starter", "--instrument", "choice", "-o", "tasks.csv"),
        ("annotate", "study", "starter", "--instrument", "choice", "-o", "study"),
        ("audit", "new", "starter", "-o", "audit", "--limit", "20", "--seeded", "10"),
        ("annotate", "serve", "--help"),
    ],
    ids=" ".join,
)
def test_other_commands_work_without_the_extra(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run_without_extra(tmp_path, *words)
    assert done.returncode == 0, done.stderr


def test_serving_names_the_extra(tmp_path: Path) -> None:
    study = ("annotate", "study", "starter", "--instrument", "choice", "-o", "study")
    assert run_without_extra(tmp_path, *study).returncode == 0
    done = run_without_extra(tmp_path, "annotate", "serve", "study")
    assert done.returncode == 2
    assert "annotate" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
