"""One process loads the libraries and forks a child for each fault; a second child runs the same command without one.

What must hold for every fault: the command ends (and where it says that all is well, all is well), the same command
without the fault then ends well, and leaves what it leaves where nothing ever failed.
"""

from __future__ import annotations

import ctypes
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KINDS = {"open": 1, "write": 2, "sync": 3, "rename": 4}
LONGEST = 120
_UNLIKE = {"created", "seconds", "remarks"}
"""Fields of records that tell when and how, and differ from run to run."""
_NOT_KEPT = {".lock", "SHA256SUMS"}
"""A lock, and the checksums of records that hold a time."""


def build_shim(folder: Path) -> Path:
    """Compile the library that stands before the C library."""
    place = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(place), str(source), "-ldl"], check=True)
    return place


@dataclass(frozen=True, slots=True)
class Case:
    """A command under faults."""

    name: str
    run: Callable[[Path], None]
    """Carried out in an empty folder, or in one where it was carried out before."""
    tree: Callable[[Path], Mapping[str, str]] | None = None
    """What it left, by name and content; None: all files."""


@dataclass
class Outcome:
    """What came of one case."""

    points: Counter[str] = field(default_factory=Counter)
    told: int = 0
    """Faults that the command told in a sentence."""
    borne: int = 0
    """Faults in spite of which it ended well."""
    defects: list[str] = field(default_factory=list)


def tree_of(folder: Path) -> dict[str, str]:
    """Every file by its content; records without their times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or path.name in _NOT_KEPT or path.name.endswith(".lock"):
            continue
        name, content = path.relative_to(folder).as_posix(), path.read_bytes()
        if path.suffix == ".json":
            content = json.dumps(_without_times(json.loads(content)), sort_keys=True).encode()
        if path.name in ("README.md", "report.html"):
            content = b""
        found[name] = hashlib.sha256(content).hexdigest()
    return found


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(inner) for key, inner in value.items() if key not in _UNLIKE}
    return [_without_times(inner) for inner in value] if isinstance(value, list) else value


class Injector:
    """Forks children that carry out cases under faults."""

    def __init__(self, scratch: Path) -> None:
        self.shim = ctypes.CDLL(None)
        if not hasattr(self.shim, "fault_set"):
            raise RuntimeError("start with LD_PRELOAD=shim.so")
        self.shim.fault_set.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int]
        self.shim.fault_count.restype = ctypes.c_long
        self.scratch = scratch

    def child(
        self, case: Case, folder: Path, kind: int = 0, n: int = 0, kill: bool = False
    ) -> tuple[int, str, list[int]]:
        """How a child ended (0 well, 2 told, 9 killed, else badly), what it said, and how many events of each kind."""
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            code, said = 1, ""
            os.close(reading)
            try:
                code, said = self._inside(case, folder, kind, n, kill)
            except BaseException:
                said = traceback.format_exc()[-1500:]
            finally:
                self.shim.fault_set(b"", 0, 0, 0)
                counts = [self._counts.get(number, 0) for number in range(5)]
                os.write(writing, json.dumps([code, said[-1500:], counts]).encode())
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading, "rb") as handle:
            answer = handle.read()
        _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            return os.WTERMSIG(status), "", []
        code, said, counts = json.loads(answer)
        return code, said, counts

    _counts: dict[int, int] = {}  # noqa: RUF012  # set in a child, which is forked for one call

    def _inside(self, case: Case, folder: Path, kind: int, n: int, kill: bool) -> tuple[int, str]:
        from horsesense.errors import UserError, as_user_error

        signal.alarm(LONGEST)
        os.chdir(folder)
        out = io.StringIO()
        self.shim.fault_set(os.fsencode(folder), kind, n, int(kill))
        try:
            with redirect_stdout(out), redirect_stderr(out):
                case.run(folder)
        except SystemExit as stop:
            return (stop.code if isinstance(stop.code, int) else 1), out.getvalue()
        except UserError as error:
            return 2, str(error)
        except BaseException as error:
            told = as_user_error(error)
            return (2, str(told)) if told else (1, traceback.format_exc()[-1500:])
        finally:
            self._counts |= {number: self.shim.fault_count(number) for number in range(5)}
        return 0, out.getvalue()

    def faults(self, case: Case, most: int, seconds: float, kills: bool) -> Outcome:
        """All faults of a case, or evenly chosen ones where there are too many."""
        outcome = Outcome()
        whole = Path(tempfile.mkdtemp(dir=self.scratch))
        code, said, counts = self.child(case, whole)
        if code != 0:
            outcome.defects.append(f"without a fault: {code} {said}")
            return outcome
        wanted = (case.tree or tree_of)(whole)
        ends = time.monotonic() + seconds
        for name, kind, n, kill in self._points(counts, most, kills):
            if time.monotonic() > ends:
                break
            folder = Path(tempfile.mkdtemp(dir=self.scratch))
            code, said, _ = self.child(case, folder, kind, n, kill)
            outcome.points[name] += 1
            where = f"{name} {n}"
            if code == 0:
                outcome.borne += 1
                if (case.tree or tree_of)(folder) != wanted:
                    outcome.defects.append(f"{where}: said that all is well, and left something else")
            elif code == 2:
                outcome.told += 1
            elif not kill or code != 9:
                outcome.defects.append(f"{where}: ended with {code}: {said}")
            again, said, _ = self.child(case, folder)
            if again != 0:
                outcome.defects.append(f"{where}: the same command then ends with {again}: {said}")
            else:
                left = (case.tree or tree_of)(folder)
                if left != wanted:
                    names = sorted(each for each in left.keys() | wanted.keys() if left.get(each) != wanted.get(each))
                    outcome.defects.append(f"{where}: then leaves something else: {names[:4]}")
            shutil.rmtree(folder, ignore_errors=True)
        return outcome

    def _points(self, counts: list[int], most: int, kills: bool) -> Iterator[tuple[str, int, int, bool]]:
        """Fault points, mixed by kind so that each kind gets its share where time runs out."""
        kinds: list[list[tuple[str, int, int, bool]]] = []
        for name, kind in KINDS.items():
            kinds.append([(name, kind, n, False) for n in _spread(counts[kind], most)])
        if kills:
            kinds.append([("kill", 0, n, True) for n in _spread(counts[0], most)])
        longest = max(map(len, kinds), default=0)
        for place in range(longest):
            for points in kinds:
                if place < len(points):
                    yield points[place]


def _spread(count: int, most: int) -> list[int]:
    """So many of the numbers from 1 to count, evenly."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({round(1 + place * (count - 1) / (most - 1)) for place in range(most)})


def table(outcomes: Mapping[str, Outcome]) -> str:
    """What was injected and what came of it, for people."""
    kinds = [*KINDS, "kill"]
    lines = [f"| command | {' | '.join(kinds)} | told | borne | defects |", "|---" * (len(kinds) + 4) + "|"]
    for name, outcome in outcomes.items():
        cells = [str(outcome.points[kind]) for kind in kinds] + [str(outcome.told), str(outcome.borne)]
        lines.append(f"| {name} | {' | '.join(cells)} | {len(outcome.defects)} |")
    return "\n".join(lines)
