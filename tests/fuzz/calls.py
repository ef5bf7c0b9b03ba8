"""Calls of commands: good ones with one thing changed, and ones that are made up from what a command says of itself."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import Any

from tests.fuzz.mutations import copied, mutate_file, odd_path
from tests.fuzz.seeds import files_of

_WORDS = re.compile(r"[\w-]{3,}")
_OUT = ("-o", "--out", "--charts", "--plot")
NAMES = {
    "folders": ("run", "run-control"), "folder": ("run", "run-control"), "new": ("run",), "against": ("run",), "study": ("study",), "probe": ("clozes", "choices"),
    "model": ("model-gpt2", "model-bert", "model-choice"), "nouns": ("nouns",), "vectors": ("vectors",), "corpus": ("corpus",),
    "conceptnet": ("conceptnet", "plain_conceptnet"), "atomic": ("atomic",), "lexicon": ("lexicon",), "files": ("tasks", "judgements"),
    "train": ("questions", "clozes", "triples"), "test": ("others", "clozes", "triples"), "dev": ("others", "clozes"),
    "original_dev": ("others",), "original_test": ("others",), "labels": ("labels",), "gold": ("choices",), "attributes": ("attributes",),
    "relationships": ("relationships",), "ngrams": ("ngrams",), "text": ("corpus",), "file": ("clozes", "toy", "schemas"),
}  # fmt: skip
"""Seeds to try first for an argument of that name, by the beginning of theirs; a new command most often names things alike."""
MODES = {
    "run --until": ["--until", "ci<0.2"],
    "run --wordings": ["--wordings", "2"],
    "run --withhold": ["--withhold", "options", "--format", "letters"],
    "profile --adaptive": ["--adaptive"],
}
"""Options that turn a command into something else: each is a target of its own."""
_TEXTS = ["ice is cold", "The ___ is cold.", "Wet(A), so More(soft(A), soft(B))", "choice", "hypernymy", "majority", "=", "a=b"]  # fmt: skip
_NUMBERS = ["0", "-1", "1", "3", "1e999", "nan", "9" * 30, "0.5", "x", ""]


class GoodCalls:
    """The calls by which every command is held against Python, each prepared once and copied for each input."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._world: Any = None
        self._prepared: dict[str, list[str] | None] = {}

    def change(self, command: str, work: Path, lot: random.Random) -> list[str] | None:
        """A good call in a folder with one thing changed: a file that it reads, a word of it; None: there is none."""
        good = self._good(command)
        if good is None:
            return None
        here = self._here(command)
        # Also where it was carried out before: what it has kept is read again, and is spoilt too.
        shutil.copytree(here if lot.random() < 0.4 else self._here(command, "new"), work / "here", symlinks=True)
        words, files = [], []
        for word in good:
            path = Path(word)
            if path.is_relative_to(here):
                words.append(str(work / "here" / path.relative_to(here)))
            elif path.is_relative_to(self.folder / "world") and path.exists():
                words.append(str(_beside(path, work)))
            else:
                words.append(word)
                continue
            if Path(words[-1]).exists():
                files.append(Path(words[-1]))
        begins = len(command.partition(" --")[0].split())
        if files and lot.random() < 0.75:
            spoil(lot.choice(files), lot)
        elif len(words) > begins and lot.random() < 0.8:
            place = lot.randrange(begins, len(words))
            if words[place - 1] not in _OUT:
                words[place] = _other(words[place], work, lot)
        return words

    def _here(self, command: str, kind: str = "done") -> Path:
        return self.folder / "prepared" / kind / command.replace(" ", "-")

    def _good(self, command: str) -> list[str] | None:
        from horsesense.cli import main
        from tests.cli.test_every_command import CASES

        if command not in self._prepared:
            self._prepared[command] = None
            name = command.partition(" --")[0]
            if name in CASES:
                here = self._here(command)
                here.mkdir(parents=True)
                with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                    words, _ = CASES[name](self._made(), here)
                    words += MODES.get(command, [])
                    self._prepared[command] = [str(word) for word in words]
                    shutil.copytree(here, self._here(command, "new"), symlinks=True)
                    with suppress(SystemExit):
                        main([str(word) for word in words])
        return self._prepared[command]

    def _made(self) -> Any:
        from horsesense.lexicons.sources import add_file
        from tests.cli.test_every_command import make_world
        from tests.support.tiny import save_tiny

        if self._world is None:
            place = self.folder / "world"
            place.mkdir(parents=True)
            models = {name: save_tiny(name, place / "models" / name) for name in ("gpt2", "bert", "choice")}
            self._world = make_world(place, models)
            add_file("pets", self._world["pets.tsv"])
        return self._world


def _beside(path: Path, work: Path) -> Path:
    """A copy that may be changed, with the card that belongs to it."""
    place = work / path.name
    if place.exists():
        return place
    card = path.with_name(f"{path.name.removesuffix('.jsonl')}.card.json")
    if card.is_file() and path.is_file():
        copied(card, work / card.name)
    return copied(path, place)


def spoil(path: Path, lot: random.Random) -> None:
    """Change one file of a file or a folder."""
    inside = [each for each in files_of(path) if each.name != "SHA256SUMS"]
    if not inside:
        return
    chosen = lot.choice(inside)
    if path.is_dir() and lot.random() < 0.7:  # what is held against its checksum first would be all that is ever seen
        for sums in path.rglob("SHA256SUMS"):
            sums.unlink()
    try:
        mutate_file(chosen, lot)
    except OSError:
        return


def _other(word: str, work: Path, lot: random.Random) -> str:
    """Another word in the place of one."""
    kinds: list[Callable[[], str]] = [
        lambda: lot.choice(_NUMBERS),
        lambda: lot.choice(_TEXTS),
        lambda: odd_path(work, lot),
        lambda: word[: lot.randrange(len(word) + 1)],
        lambda: word + lot.choice(["x", ",", " ", "=", "\u2028", "é"]),
        lambda: "x" * 300,
    ]
    return lot.choice(kinds)()


def made_up(parameter: Any, work: Path, lot: random.Random, seed: Callable[[tuple[str, ...]], Path]) -> tuple[str, str]:
    """A value for a parameter of a command, and the name of the seed that it is; ``seed`` gives a copy of one."""
    kind, name = parameter.type.name, parameter.name or ""
    if lot.random() < 0.03:
        return odd_path(work, lot), ""
    if name in ("out", "charts", "plot"):
        return str(work / lot.choice(("out.jsonl", "out", "out.csv", "out.html", "page.json"))), ""
    if kind in ("int", "int range"):
        low = getattr(parameter.type, "min", None) or 0
        return str(lot.choice((low, low + 1, low + 2, 0, -1, 10**6 if name == "seed" else 3))), ""
    if kind in ("float", "float range"):
        return lot.choice(("0.001", "0", "1", "0.5", "nan", "-1", "1e999")), ""
    if kind == "choice":
        return lot.choice([*parameter.type.choices, "x"]), ""
    if kind == "path" or name in ("model", "probe", "nouns", "vectors", "ranker"):
        path = seed(NAMES.get(name, (name,)))
        return str(path), path.name
    told = f"{parameter.help or ''} {parameter.default or ''}" if hasattr(parameter, "help") else ""
    words = _WORDS.findall(told)
    return lot.choice([*words, *words, *_TEXTS, "x" * 300, "\u2028", ""]), ""
