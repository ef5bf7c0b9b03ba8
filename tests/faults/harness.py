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
import re
import shutil
import signal
import subprocess
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

KINDS = {"open": 1, "write": 2, "sync": 3, "rename": 4, "send": 5}
LONGEST = 300
_UNLIKE = {"created", "seconds", "remarks", "forecast"}
"""Fields of records that tell when and how, and differ from run to run."""
_PART = re.compile(r"\.\d+-[0-9a-f]{6}\.part")
"""The number of the process that wrote a file aside."""
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
    state: Callable[[Path], str] | None = None
    """All that it left, where that is more than the folder."""
    prepare: Callable[[Path], None] = lambda folder: None
    """What a new folder needs; no fault falls into it."""
    warm: Callable[[Path], None] | None = None
    """Loads its libraries once for all children, where the command itself would start what does not live on in them."""
    sends: bool = True
    """Whether what it sends is under faults too."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which faults of a case are tried."""

    most: int
    """Points of a kind at most, evenly chosen."""
    kills: int
    """Kills at most, likewise."""
    seconds: float
    """When to stop."""
    share: tuple[int, int] = (0, 1)
    """The number of this process and how many share the points."""

    def of(self, points: Iterable[tuple[str, int, int, bool]]) -> Iterator[tuple[str, int, int, bool]]:
        """This process's own."""
        return islice(points, self.share[0], None, self.share[1])


@dataclass
class Outcome:
    """What came of one case."""

    there: Counter[str] = field(default_factory=Counter)
    """Fault points of each kind that the command has."""
    points: Counter[str] = field(default_factory=Counter)
    """Those that were tried."""
    told: int = 0
    """Faults that the command told in a sentence."""
    borne: int = 0
    """Faults in spite of which it ended well."""
    ways: int = 0
    """In how many different ways the folder was left, each of which was healed."""
    defects: list[str] = field(default_factory=list)


def state_of(folder: Path) -> str:
    """All that was left, half-written files too: from the same state the same command does the same."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = _PART.sub(".part", path.relative_to(folder).as_posix())
        content = path.read_bytes() if path.is_file() else b""
        if path.name == "SHA256SUMS":  # of records that hold a time: which lines there are, and whether they are whole
            content = b"\n".join(line[64:] if len(line) > 66 else line for line in content.split(b"\n"))
        elif path.suffix == ".json":
            with suppress(ValueError):
                content = json.dumps(_without_times(json.loads(content)), sort_keys=True).encode()
        elif path.name in ("README.md", "report.html"):
            content = b"some" if content else b""
        found.append((name, hashlib.sha256(content).hexdigest()))
    return hashlib.sha256(repr(found).encode()).hexdigest()


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
                counts = [self._counts.get(number, 0) for number in range(len(KINDS) + 1)]
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
        self.shim.fault_sends(int(case.sends))
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
            self._counts |= {number: self.shim.fault_count(number) for number in range(len(KINDS) + 1)}
        return 0, out.getvalue()

    def faults(self, case: Case, chosen: Chosen) -> Outcome:
        """All faults of a case, or evenly chosen ones where there are too many."""
        outcome = Outcome()
        whole = self._folder(case)
        code, said, counts = self.child(case, whole)
        if code != 0:
            outcome.defects.append(f"without a fault: {code} {said}")
            return outcome
        wanted = (case.tree or tree_of)(whole)
        outcome.there.update({name: counts[kind] for name, kind in KINDS.items()} | {"kill": counts[0]})
        ends = time.monotonic() + chosen.seconds
        healed: dict[str, str] = {}
        for name, kind, n, kill in chosen.of(self._points(counts, chosen)):
            if time.monotonic() > ends:
                break
            folder = self._folder(case)
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
            state = case.state(folder) if case.state else state_of(folder)
            if state not in healed:
                healed[state] = self._healed(case, folder, wanted)
            if healed[state]:
                outcome.defects.append(f"{where}: {healed[state]}")
            shutil.rmtree(folder, ignore_errors=True)
        outcome.ways = len(healed)
        return outcome

    def _folder(self, case: Case) -> Path:
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        case.prepare(folder)
        return folder

    def _healed(self, case: Case, folder: Path, wanted: Mapping[str, str]) -> str:
        """What is wrong after the same command without a fault; nothing where all is as it should be."""
        again, said, _ = self.child(case, folder)
        if again != 0:
            return f"the same command then ends with {again}: {said}"
        left = (case.tree or tree_of)(folder)
        names = sorted(each for each in left.keys() | wanted.keys() if left.get(each) != wanted.get(each))
        return f"then leaves something else: {names[:4]}" if names else ""

    def _points(self, counts: list[int], chosen: Chosen) -> Iterator[tuple[str, int, int, bool]]:
        """Fault points, mixed by kind so that each kind gets its share where time runs out."""
        kinds: list[list[tuple[str, int, int, bool]]] = []
        for name, kind in KINDS.items():
            kinds.append([(name, kind, n, False) for n in _spread(counts[kind], chosen.most)])
        kinds.append([("kill", 0, n, True) for n in _spread(counts[0], chosen.kills)])
        longest = max(map(len, kinds), default=0)
        for place in range(longest):
            for points in kinds:
                if place < len(points):
                    yield points[place]


def _spread(count: int, most: int) -> list[int]:
    """So many of the numbers from 1 to count, evenly."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({round(1 + place * (count - 1) / max(1, most - 1)) for place in range(most)})


def together(outcomes: Iterable[Outcome]) -> Outcome:
    """What came of one case in several processes."""
    whole = Outcome()
    for each in outcomes:
        whole.there = whole.there or each.there
        whole.points += each.points
        whole.told, whole.borne, whole.ways = whole.told + each.told, whole.borne + each.borne, whole.ways + each.ways
        whole.defects += each.defects
    return whole


def table(outcomes: Mapping[str, Outcome], before: Iterable[list[str]] = ()) -> str:
    """What was injected and what came of it, for people; rows of other commands stay as they were."""
    kinds = [*KINDS, "kill"]
    lines = [f"| command | {' | '.join(kinds)} | told | borne | left in so many ways | defects |"]
    lines.append("|---" * (len(kinds) + 5) + "|")
    made = {row[0]: row for row in before}
    for name, outcome in outcomes.items():
        tried = [(outcome.points[kind], outcome.there[kind]) for kind in kinds]
        cells = [f"{n:,}" if n == there or not n else f"{n:,} of {there:,}" for n, there in tried]
        made[name] = [name, *cells, *map(str, (outcome.told, outcome.borne, outcome.ways, len(outcome.defects)))]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in made.values())])
