"""Methods and plug-ins by name: what this package and other installed packages provide.

A method is one object, `Method`, whose fields name functions as ``"module:function"``, so that listing methods imports
nothing else. The built-in methods enter through the same door as those of other packages. Entry points are only
searched for a name that is not built in, or to list everything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from horsesense.errors import UserError, unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["methods", "builders", "releases", "models", "cues", "controls", "formats", "planted"]
"""The group of entry points is ``horsesense.`` and this; formats are those of other tools' files."""

_ONE: dict[Kind, str] = {
    "methods": "method",
    "builders": "builder",
    "releases": "release",
    "models": "model",
    "cues": "cue",
    "controls": "control",
    "formats": "exchange format",
    "planted": "planted model",
}

Made = TypeVar("Made")


ONE_OPTION = "one option"
"""``Annotated[str | Settings, ONE_OPTION]``: on the command line the parameter is one option, not one per setting."""
BUILT_IN = ("starter", "rica", "cats", "winoventi", "partwhole", "wordnetqa", "ladders")
"""The methods of this package: each is a package ``horsesense.methods.NAME`` that exports ``METHOD``."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of a published dataset."""

    function: str
    """``"module:function"``; the function takes paths and ``skip_bad`` and returns a probe."""
    files: str = "FILE…"
    """The files as a user would write them."""
    fewest: int = 1
    """The smallest number of files."""
    most: int | None = None
    """The largest number of files; None for any number."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: a public function, and how the list of commands shows it."""

    path: str
    """The words after ``horsesense``: ``build wordnetqa``."""
    target: str
    """The public function, as ``module:function``; it is imported when the command is used."""
    summary: str
    """A verb phrase of at most 45 characters."""
    example: str
    """One call, with ``horsesense`` in front."""
    section: str = "Methods of the papers"
    """The heading under which the command is listed."""
    render: str = ""
    """The function that prints the result, as ``module:function``; by default the one of the result's class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method: everything that a paper, or another package, adds to the program."""

    name: str
    """The name of its package."""
    citation: str = ""
    """The paper."""
    probes: Mapping[str, str] = field(default_factory=dict)
    """Probes that ship with it, by name -> ``"module:function"`` that returns the probe."""
    readers: Mapping[str, Reader] = field(default_factory=dict)
    """Readers of published datasets, by name."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Datasets that can be downloaded, by name -> package whose table ``files.tsv`` has their pinned files."""
    votes: Mapping[str, str] = field(default_factory=dict)
    """Published judgements, by name -> ``"module:function"`` of paths and ``skip_bad``."""
    suites: Mapping[str, str] = field(default_factory=dict)
    """``run --suite NAME`` -> ``"module:object"``, a `horsesense.methods.suites.frame.PaperSuite`."""
    presets: Mapping[str, str] = field(default_factory=dict)
    """Scoring presets (``paper:NAME``), written as for ``--spec``."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """``train --setting NAME`` -> ``"module:object"``, a `horsesense.training.settings.TrainingSetting`."""
    second_answers: Mapping[str, str] = field(default_factory=dict)
    """Method on a probe's card -> ``"module:function"`` that returns a function for second true options (`audit`)."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """Adjudication rules of its study -> ``"module:object"``, a `horsesense.stats.raters.adjudication.Rule`."""
    instruments: str = ""
    """Package whose folder ``instruments`` has the .toml files of its study."""
    missing_controls: str = ""
    """``"module:function"``: the controls of a probe, made by the method's command ``controls``, that a run lacks."""
    tables: str = ""
    """``"module:function"``: makes the method's tables of a run, from its folder and its answers."""
    pipeline: str = ""
    """``"module:function"``: reads the folder of a pipeline for a report; it returns None for any other folder."""
    stages: str = ""
    """``"module:function"`` of a folder and progress: the stages of a pipeline in which people take part, for a server;
    it returns None for any other folder."""
    commands: tuple[Command, ...] = ()
    """Its commands, in the order of their list (`read_commands`); ``build NAME`` is also a builder."""
    summary: str = ""
    """What the list of commands says of the group with its name; a verb phrase of at most 45 characters."""

    @property
    def builders(self) -> Mapping[str, str]:
        """Its builders by name -> ``"module:function"``: the commands ``build NAME``."""
        return {each.path.removeprefix("build "): each.target for each in self.commands if each.path[:6] == "build "}


def read_commands(file: str, package: str) -> tuple[Command, ...]:
    """Read ``commands.tsv`` beside a module: one row per command.

    Modules and renderers are relative to the package, and examples are without ``horsesense`` and the command. A
    renderer is named where the class of the result is not enough to find it.
    """
    _, *rows = Path(file).with_name("commands.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(_command(package, *row.split("\t")) for row in rows)


def _command(
    package: str, section: str, path: str, function: str, summary: str, example: str = "", renderer: str = ""
) -> Command:
    call = f"horsesense {path} {example}".rstrip()
    render = renderer and f"{package}.{renderer}"
    return Command(path, f"{package}.{function}", summary, call, section, render)


def load(reference: str) -> Any:
    """Import what ``"module:object"`` names; the module itself where no object is named.

    >>> load("math:gcd")(12, 18)
    6
    """
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def typed_names(file: str) -> dict[str, str]:
    """Return the names that a package imports for type checkers only, each with its ``"module:object"``.

    They are its public names, which are written once: ``from horsesense.runs.ask import ask as ask``.
    """
    lines = re.findall(r"^    from (\S+) import (\w+) as \2$", Path(file).read_text(encoding="utf-8"), re.MULTILINE)
    return {name: f"{module}:{name}" for module, name in sorted(lines, key=lambda line: line[1])}


def lazy_attributes(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that imports these names when they are first used."""

    def get(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = names[name].partition(":")
        parent = import_module(module)
        # A public module is not an attribute of its package until it is imported.
        return vars(parent)[attribute] if attribute in vars(parent) else import_module(f"{module}.{attribute}")

    return get, lambda: sorted({*vars(import_module(package)), *names})


def methods() -> dict[str, Method]:
    """Return every method by name: the built-in ones, then those of other packages.

    >>> methods()["cats"].suites["cats-robust"]
    'horsesense.methods.cats.suite:CATS_ROBUST'
    """
    known: dict[str, Method] = {name: load(f"horsesense.methods.{name}:METHOD") for name in BUILT_IN}
    for name in names("methods"):
        plugin = find("methods", name)
        if plugin is not None:
            known[name] = plugin.load(Method, "a horsesense.registry.Method")
    return known


Provided = Literal[
    "builders", "probes", "readers", "files", "votes", "suites", "presets", "settings", "second_answers", "rules"
]


def provided(what: Provided) -> dict[str, Any]:
    """Return what all methods provide of one kind, by name.

    >>> sorted(provided("probes"))
    ['partwhole-own', 'starter', 'winoventi-own']
    """
    return {name: value for method in methods().values() for name, value in getattr(method, what).items()}


def citation_of(name: str) -> str:
    """Return the citation of a method, by its name or that of something it provides; empty if there is none.

    >>> citation_of("dictionaryqa").partition(".")[0]
    'Kyle Richardson and Ashish Sabharwal'
    """
    for method in methods().values():
        if name == method.name or any(name in getattr(method, kind) for kind in get_args(Provided)):
            return method.citation
    return ""


@dataclass(frozen=True, slots=True)
class NamesOf:
    """``Annotated[str, NamesOf("suites")]``: the help of the option lists what all methods provide of this kind."""

    kind: Provided


@dataclass(frozen=True, slots=True)
class Plugin:
    """One thing that a package adds."""

    kind: Kind
    """What it adds."""
    name: str
    """What a user asks for."""
    loader: Callable[[], Any]
    """Imports the package and gives what the entry point names."""
    package: str
    """Who adds it."""
    version: str
    """Which version of the package is installed."""

    @property
    def origin(self) -> str:
        """Package and version, as shown on cards, in manifests and tables."""
        return f"{self.package} {self.version}".strip()

    def load(self, kind: type[Made], what: str) -> Made:
        """What the entry point names; ``what`` says in words what it has to be."""
        loaded = self._imported()
        if not isinstance(loaded, kind):
            raise self.another(loaded, what)
        return loaded

    def function(self) -> Callable[..., Any]:
        """The function that the entry point names."""
        loaded: object = self._imported()
        if not callable(loaded):
            raise self.another(loaded, "a function")
        return loaded

    def _imported(self) -> Any:
        try:
            return self.loader()
        except Exception as error:  # whatever somebody's package does when it is imported
            raise self.wrong(f"cannot be loaded ({_told(error)})") from error

    def another(self, loaded: object, what: str) -> UserError:
        """What is wrong with something that is not what it has to be."""
        return self.wrong(f"is not {what} but of the type {type(loaded).__name__}")

    def made(self, function: Callable[..., Any], kind: type[Made], /, *arguments: Any, **options: Any) -> Made:
        """What a function of the package gives; an unexpected error is reported with the package's name."""
        try:
            result = function(*arguments, **options)
        except UserError:
            raise
        except Exception as error:  # whatever somebody's function does when it is called
            raise self.wrong(f"failed ({_told(error)})") from error
        if not isinstance(result, kind):
            raise self.wrong(f"gives no {kind.__name__} but {type(result).__name__}")
        return result

    def wrong(self, problem: str) -> UserError:
        """What is wrong with it, in a sentence that names the package."""
        about = f"the {_ONE[self.kind]} {self.name!r} of the package {self.origin} {problem}"
        return UserError(about, fix=f"update or remove {self.package}, or report it to its authors")


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")


def find(kind: Kind, name: str) -> Plugin | None:
    """The plug-in of that name; None where no package has one."""
    from importlib.metadata import entry_points  # which takes its time to load

    matches = [_plugin(kind, entry) for entry in entry_points(group=f"horsesense.{kind}", name=name)]
    if len(matches) > 1:
        packages = " and ".join(sorted(plugin.package for plugin in matches))
        raise UserError(f"{packages} both add the {_ONE[kind]} {name!r}", fix="remove one of the packages")
    return matches[0] if matches else None


def names(kind: Kind) -> list[str]:
    """The names of all plug-ins of a kind, in order; none of them is loaded."""
    from importlib.metadata import entry_points

    return sorted({entry.name for entry in entry_points(group=f"horsesense.{kind}")})


def every() -> list[Plugin]:
    """All plug-ins of all kinds, by kind and name; none of them is loaded."""
    from importlib.metadata import entry_points

    known = [_plugin(kind, entry) for kind in _ONE for entry in entry_points(group=f"horsesense.{kind}")]
    return sorted(known, key=lambda plugin: (list(_ONE).index(plugin.kind), plugin.name, plugin.package))


def require_plugin(kind: Kind, name: str, known: Iterable[str] = ()) -> Plugin:
    """Return the plug-in of a name that is not among ``known``; the error suggests the nearest name."""
    plugin = find(kind, name)
    if plugin is not None:
        return plugin
    every = [*known, *names(kind)]
    if not every:
        raise UserError(f"no package here adds a {_ONE[kind]} {name!r}", fix="install the one that does")
    raise unknown(_ONE[kind], name, every)


def _plugin(kind: Kind, entry: EntryPoint) -> Plugin:
    dist = entry.dist
    return Plugin(kind, entry.name, entry.load, dist.name if dist else entry.module, dist.version if dist else "")
