"""What packages of others add, found by their entry points.

They are looked for only where a name is not one of our own, or where all names are told: never at import, and never
for a name that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from horsesense.errors import UserError, unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = Literal["builders", "releases", "models", "cues", "controls", "formats", "planted"]
"""The group of entry points is ``horsesense.`` and this; formats are those of other tools' files."""

_ONE: dict[Kind, str] = {
    "builders": "builder",
    "releases": "release",
    "models": "model",
    "cues": "cue",
    "controls": "control",
    "formats": "exchange format",
    "planted": "planted model",
}

Made = TypeVar("Made")


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
        """Package and version, as cards, manifests and tables tell them."""
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

    def made(self, function: Callable[..., Any], kind: type[Made], /, *given: Any, **options: Any) -> Made:
        """What a function of the package gives; an error that it does not explain itself is told with its package."""
        try:
            result = function(*given, **options)
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
        return UserError(about, fix=f"update or remove {self.package}, or tell its authors")


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


def found(kind: Kind, name: str, known: Iterable[str] = ()) -> Plugin:
    """The plug-in of a name that is none of ``known``; the error tells the nearest of them all."""
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
