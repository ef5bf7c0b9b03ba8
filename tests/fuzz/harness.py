"""Every command, reader and provider, found by walking the program and not by a list; and what counts as a defect.

A command ends with 0, or with 2 and one sentence. A reader gives something or raises a `UserError`. All else, and a
half-written file or an API key left behind, is a defect. The seed decides everything, so that a defect comes again.
"""

from __future__ import annotations

import inspect
import io
import os
import pickle
import pkgutil
import random
import re
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import horsesense
from tests.fuzz.calls import MODES, NAMES, GoodCalls, made_up, spoil
from tests.fuzz.mutations import copied
from tests.fuzz.providers import VARIABLES, provider_calls
from tests.fuzz.seeds import plant, small_world
from tests.models.api.test_providers import KEY

LONGEST = 20.0
"""Seconds after which a call is ended; counted, and no defect."""
_READS = re.compile(r"(read|iter|open|kept|find|parse)_\w+")
_PLACES = ("path", "file", "folder", "paths")
_FIRST = {
    "rica": ("sentences", "mask"),
    "sense-making": ("statements", "answers"),
    "sense-reasons": ("statements", "answers"),
    "lm-eval": ("samples_things", "logs"),
    "inspect": ("log",),
    "answers": ("answers",),
}
"""Which seeds are the files of a release that has several."""
_NO_MORE = ("debug", "help")
"""Options that show tracebacks or nothing else."""


class TookTooLongError(BaseException):
    """Nobody catches it."""


@dataclass(frozen=True, slots=True)
class Defect:
    """What must not be."""

    target: str
    kind: str
    """The exception and where it was raised, or what else was wrong."""
    call: str
    """How to see it again."""


@dataclass
class Tally:
    """What was thrown at one target."""

    inputs: int = 0
    seconds: float = 0.0
    ends: Counter[str] = field(default_factory=Counter)


@dataclass
class Fuzz:
    """A run of the fuzzer."""

    seed: int
    place: Path
    tallies: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    defects: dict[str, Defect] = field(default_factory=dict)
    liked: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Which seeds an argument took without complaint: those are mutated more often."""
    long: list[str] = field(default_factory=list)
    """Calls that were ended after 20 seconds."""

    def __post_init__(self) -> None:
        self.lot = random.Random(self.seed)
        import uvicorn

        from horsesense.runs import ray as ray_engine

        uvicorn.run = lambda *_, **__: None  # all up to it is fuzzed; it would listen for ever
        ray_engine.RayEngine._connect = _no_cluster  # type: ignore[method-assign,assignment]  # likewise; it would start processes
        os.environ |= small_world(self.place / "outside") | VARIABLES
        (self.place / "seeds").mkdir()
        self.seeds = sorted(plant(self.place / "seeds").iterdir())
        self.good = GoodCalls(self.place)
        self.targets = dict(self._commands()) | dict(self._releases()) | dict(self._readers())
        self.targets |= dict(self._providers())

    def run(self, seconds: float, most: int = 10**9, share: tuple[int, int] = (0, 1)) -> None:
        """Throw for so long; the target that had least time so far comes next, so that each gets its share.

        Where several processes share the work, each has targets of its own: (the number of this one, how many).
        """
        began, thrown = time.monotonic(), 0
        own = list(self.targets)[share[0] :: share[1]]
        while time.monotonic() - began < seconds and thrown < most:
            if thrown % 200 == 0:
                self.keep()
            name = min(own, key=lambda each: (self.tallies[each].seconds, each))
            self.throw(name)
            thrown += 1
        self.keep()

    def keep(self) -> None:
        """Write down what was found so far, so that it is there also where the run is ended."""
        whole = self.place / "found.part"
        whole.write_bytes(pickle.dumps((dict(self.tallies), self.defects, self.long)))
        whole.replace(self.place / "found")

    def throw(self, name: str) -> None:
        tally, work = self.tallies[name], Path(tempfile.mkdtemp(dir=self.place))
        # By target and number, so that an input does not depend on how much time others took.
        self.lot = random.Random(f"{self.seed} {name} {tally.inputs}")
        before = Path.cwd()
        os.chdir(work)
        began = time.process_time()
        try:
            end = self.targets[name](work)
        finally:
            os.chdir(before)
            tally.inputs += 1
            # A command does more with an input than a reader does, and gets more time for it.
            share = 0.3 if "." not in name else 1.0
            # What is loaded for the first time counts little: it would keep a command waiting long.
            tally.seconds += share * (min(time.process_time() - began, 0.3 if tally.inputs < 3 else LONGEST) + 0.002)
        tally.ends[end] += 1
        shutil.rmtree(work, ignore_errors=True)

    def _commands(self) -> Iterator[tuple[str, Callable[[Path], str]]]:
        from horsesense.cli.app import root

        def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
            for name, inner in getattr(command, "commands", {}).items():
                yield from walk(inner, (*path, name))
            if not getattr(command, "commands", None):
                yield path, command

        for path, command in walk(root().load_all(), ()):
            name = " ".join(path)
            for key in (name, *(mode for mode in MODES if mode.partition(" --")[0] == name)):
                yield key, partial(self._call, key, command)

    def _providers(self) -> Iterator[tuple[str, Callable[[Path], str]]]:
        for style, prepare in provider_calls(self.place / "providers"):

            def throw(work: Path, key: str = f"provider {style}", prepare: Any = prepare) -> str:
                words, server = prepare(work, self.lot)
                with server.running():
                    end = self._main(key, words, work)
                if any(KEY.encode() in path.read_bytes() for path in work.rglob("*") if path.is_file()):
                    self._note(key, "an API key is stored", repr(words))
                return end

            yield f"provider {style}", throw

    def _releases(self) -> Iterator[tuple[str, Callable[[Path], str]]]:
        from horsesense.exchange.formats import READS
        from horsesense.methods.published import readers

        for name, least in [
            *((name, reader.fewest) for name, reader in readers().items()),
            *((log, 1) for log in READS),
        ]:

            def throw(work: Path, name: str = name, fewest: int = least) -> str:
                key = f"release {name}"
                tried = self.tallies[key].inputs
                if fewest == 1 and tried < len(self.seeds) and not self.liked[key, "0"]:  # which of them is its own?
                    chosen = [self.seeds[tried]]
                    paths = [copied(chosen[0], work / chosen[0].name)]
                else:
                    chosen = [self._seed(key, str(n), (_FIRST.get(name, ("",)) * 2)[n : n + 1]) for n in range(fewest)]
                    paths = [self._mutated(seed, work) for seed in chosen]
                end = self._main(key, ["import", name, *map(str, paths), "-o", str(work / "out.jsonl")], work)
                self._learn(end, [(key, str(n), seed.name) for n, seed in enumerate(chosen)])
                return end

            yield f"release {name}", throw

    def _readers(self) -> Iterator[tuple[str, Callable[[Path], str]]]:
        """Functions that take one path: whatever a module calls reading."""
        from horsesense.methods.published import readers

        wanted = {reader.function: reader.fewest for reader in readers().values()}
        for module in pkgutil.walk_packages(horsesense.__path__, "horsesense."):
            if module.name.endswith("__main__") or module.name.startswith(
                ("horsesense.cli", "horsesense.annotation_server")
            ):
                continue
            for name, function in sorted(vars(import_module(module.name)).items()):
                if not inspect.isfunction(function) or function.__module__ != module.name or not _READS.fullmatch(name):
                    continue
                first, *others = [*inspect.signature(function).parameters.values(), None]
                needs = [each for each in others if each and each.default is each.empty and each.kind not in (2, 4)]
                if first is None or first.name not in _PLACES or needs:
                    continue
                several = wanted.get(f"{module.name}:{name}", 1) if first.name == "paths" else 0

                def throw(work: Path, function: Any = function, several: int = several) -> str:
                    key = f"{function.__module__.removeprefix('horsesense.')}.{function.__name__}"
                    seed = self._seed(key, "path", NAMES.get("file", ()))
                    path = self._mutated(seed, work)
                    end = self._read(key, function, [path] * several if several else path)
                    self._learn(end, [(key, "path", seed.name)])
                    return end

                yield f"{module.name.removeprefix('horsesense.')}.{name}", throw

    def _seed(self, key: str, argument: str, first: tuple[str, ...]) -> Path:
        liked = self.liked[key, argument]
        if liked and self.lot.random() < 0.75:
            name = self.lot.choices(list(liked), list(liked.values()))[0]
            return next(seed for seed in self.seeds if seed.name == name)
        near = [seed for seed in self.seeds if any(begin and seed.name.startswith(begin) for begin in first)]
        return self.lot.choice(near if near and self.lot.random() < 0.6 else self.seeds)

    def _copy(self, key: str, argument: str, work: Path, first: tuple[str, ...]) -> Path:
        return self._mutated(self._seed(key, argument, first), work)

    def _learn(self, end: str, used: list[tuple[str, str, str]]) -> None:
        if end == "0":
            for key, argument, seed in used:
                self.liked[key, argument][seed] += 1

    def _mutated(self, seed: Path, work: Path, always: bool = False) -> Path:
        if os.path.lexists(work / seed.name):
            return work / seed.name
        path = copied(seed, work / seed.name)
        card = seed.with_name(f"{seed.name.removesuffix('.gz').removesuffix('.jsonl')}.card.json")
        if card.is_file() and not (work / card.name).exists():
            copied(card, work / card.name)
        if always or self.lot.random() < 0.8:
            spoil(path, self.lot)
        return path

    def _call(self, key: str, command: Any, work: Path) -> str:
        if self.lot.random() < 0.7:
            words = self.good.change(key, work, self.lot)
            if words is not None:
                return self._main(key, [*words, *self._one_more(key, command, words, work)], work)
        path = key.partition(" --")[0].split()
        words, used = [*path, *MODES.get(key, [])], []
        for parameter in command.params:
            if parameter.name == "debug":  # shows tracebacks on purpose
                continue
            option = parameter.param_type_name == "option"
            name = parameter.name or ""
            if name == "help" or (option and not parameter.required and self.lot.random() > 0.25 and name != "out"):
                continue
            several = parameter.nargs == -1 or getattr(parameter, "multiple", False)
            for _ in range(self.lot.choice((1, 1, 2)) if several else 1):
                value, seed = made_up(parameter, work, self.lot, partial(self._copy, key, name, work))
                if getattr(parameter, "is_flag", False):
                    words.append(parameter.opts[0])
                    continue
                words += [parameter.opts[0], value] if option else [value]
                if seed:
                    used.append((key, name, seed))
        if key == "annotate serve":
            words = [*path, str(self._mutated(self._seed(key, "study", ("study",)), work, always=True)), "--port", "1"]
        end = self._main(key, words, work)
        self._learn(end, used)
        return end

    def _one_more(self, key: str, command: Any, words: list[str], work: Path) -> list[str]:
        """In a third of the good calls an option that they do not have, so that each is tried beside what works."""
        others = [each for each in command.params if each.param_type_name == "option" and each.name not in _NO_MORE]
        others = [each for each in others if not set(each.opts) & set(words)]
        if not others or self.lot.random() > 0.33:
            return []
        option = self.lot.choice(others)
        if option.is_flag:
            return [option.opts[0]]
        return [option.opts[0], made_up(option, work, self.lot, partial(self._copy, key, option.name, work))[0]]

    def _main(self, key: str, words: list[str], work: Path) -> str:
        from horsesense.cli import main

        seen: dict[str, Any] = {}

        def throw() -> None:
            out, err = _stream(), _stream()
            try:
                with redirect_stdout(out), redirect_stderr(err):
                    main(list(words))
            except SystemExit as stop:
                seen["code"] = stop.code
            finally:
                err.flush()
                seen["err"] = err.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]  # a BytesIO

        failure = self._timed(throw)
        call = repr(words)
        if isinstance(failure, TookTooLongError) or "TookTooLongError" in seen.get("err", ""):
            self.long.append(f"{key}: {call[:300]}")
            return "too long"
        if failure is not None:
            self._note(key, _where(failure), call)
            return "raised"
        told = [line for line in seen["err"].splitlines() if line.startswith("horsesense: ")]
        code = seen["code"]
        # A gate tells its verdict by 3 and 4.
        if code == 1 or code not in (0, 2, 130, *((3, 4) if key == "check-regression" else ())):
            self._note(key, self._debugged(words) or (told[-1] if told else f"exit {code}"), call)
        elif "Traceback (most recent call last)" in seen["err"]:
            self._note(key, "a traceback", call)
        elif code == 2 and len(told) != 1 and "Usage" not in seen["err"]:
            self._note(key, f"{len(told)} sentences", call)
        elif code == 2 and _elsewhere(told[-1] if told else "", self.place, work, words):
            self._note(key, f"names a file that it was not given: {self._debugged(words)}", call)
        left = [path.name for path in work.rglob(".*.part")]
        if left:
            self._note(key, "a half-written file is left", call)
        return str(code)

    def _debugged(self, words: list[str]) -> str:
        from horsesense.cli import main

        def throw() -> None:
            with redirect_stdout(_stream()), redirect_stderr(_stream()):
                main([*words, "--debug"])

        failure = self._timed(throw)
        return _where(failure) if failure is not None and not isinstance(failure, SystemExit) else ""

    def _read(self, key: str, function: Any, given: Any) -> str:
        from horsesense.errors import UserError, as_user_error, translate_errors

        @translate_errors()  # as around every public function
        def throw() -> None:
            found = function(given)
            if inspect.isgenerator(found):
                for count, _ in enumerate(found):
                    if count > 10_000:
                        break

        failure = self._timed(throw)
        if isinstance(failure, TookTooLongError):
            self.long.append(f"{key}({given!r})")
            return "too long"
        if failure is None:
            return "0"
        told = failure if isinstance(failure, UserError) else as_user_error(failure)
        if told is not None:
            if _elsewhere(str(told), self.place, Path.cwd()):
                self._note(key, f"names a file that it was not given: {_where(failure)}", f"{key}({given!r}): {told}")
            return "2"
        self._note(key, _where(failure), f"{key}({given!r})")
        return "raised"

    def _timed(self, throw: Callable[[], None]) -> BaseException | None:
        began, worked = time.monotonic(), time.process_time()

        def ring(_: int, __: FrameType | None) -> None:
            # A machine that is busy with other things is waited for.
            if time.process_time() - worked > LONGEST / 2 or time.monotonic() - began > 6 * LONGEST:
                raise TookTooLongError

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, LONGEST, LONGEST)
        try:
            throw()
        except SystemExit:
            return None
        except BaseException as error:
            return error
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return None

    def _note(self, key: str, kind: str, call: str) -> None:
        if kind not in self.defects:
            self.defects[kind] = Defect(key, kind, call)
            kept = self.place / "defects" / f"{os.getpid()}-{len(self.defects)}"
            with suppress(OSError, shutil.Error):
                shutil.copytree(Path.cwd(), kept, symlinks=True)


def _no_cluster(_: object) -> None:
    from horsesense.errors import UserError

    raise UserError("no Ray cluster is started here")


def group_of(target: str) -> str:
    if target.startswith(("release ", "provider ")):
        return f"{target.split()[0]}s"
    return "readers" if "." in target else "commands"


def table(tallies: Mapping[str, Tally], defects: Mapping[str, Defect]) -> str:
    """What was thrown and what came of it, for people."""
    lines = [
        "| what | targets | inputs | taken | refused in a sentence | ended after 20 s | defects |",
        "|---" * 7 + "|",
    ]
    for group in ("commands", "releases", "readers", "providers"):
        names = [name for name in tallies if group_of(name) == group]
        ends = sum((tallies[name].ends for name in names), Counter[str]())
        bad = sum(1 for defect in defects.values() if defect.target in names)
        inputs = sum(tallies[name].inputs for name in names)
        counts = (len(names), inputs, ends["0"], ends["2"], ends["too long"], bad)
        lines.append(f"| {group} | " + " | ".join(f"{count:,}" for count in counts) + " |")
    return "\n".join(lines)


def _elsewhere(sentence: str, place: Path, work: Path, words: Sequence[str] = ()) -> bool:
    """Whether a sentence names a file of another input, and not one that was given or lies below it."""
    begin = f"{place}/tmp"
    given = (str(work), *(word for word in words if word.startswith(begin)))
    return any(not found.startswith(given) for found in re.findall(rf"{re.escape(begin)}[^:; ]*", sentence))


def _stream() -> io.TextIOWrapper:
    """As a terminal is: text on top of bytes."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")


def _where(error: BaseException) -> str:
    """The exception and the innermost place of ours that it passed."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/horsesense/" in frame.filename]
    inner = frames[-1] if frames else None
    place = f"{inner.filename.rpartition('/horsesense/')[2]}:{inner.lineno}" if inner else "elsewhere"
    return f"{type(error).__name__} at {place}"
