"""What `import horsesense` offers: lazily, typed, and with errors that say what to do."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import horsesense as hs
from horsesense.cli.commands import all_commands
from horsesense.registry import load, methods

LOADED = """
import sys
import horsesense
print(sorted({"torch", "pyarrow", "transformers", "pydantic", "numpy"} & set(sys.modules)))
"""


def test_importing_it_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", hs.__all__)
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    thing = getattr(hs, name)
    assert name == "__version__" or thing.__doc__, name


def functions() -> dict[str, Callable[..., object]]:
    """All public functions: those of the package and of its public modules, and what a command calls."""
    known: dict[str, Callable[..., object]] = {each.target: load(each.target) for each in all_commands().values()}
    for name in hs.__all__:
        thing = getattr(hs, name)
        if isinstance(thing, ModuleType):
            known |= {f"{name}.{each}": getattr(thing, each) for each in thing.__all__ if each.islower()}
        elif name.islower() and name != "__version__":
            known[name] = thing
    return known


@pytest.mark.parametrize("name", functions())
def test_functions_describe_arguments_and_results(name: str) -> None:
    """A reference can be generated from the docstrings: every argument has its line."""
    function = functions()[name]
    text = inspect.getdoc(function) or ""
    assert "Returns:" in text
    for argument in inspect.signature(function).parameters:
        assert f"    {argument}: " in text, argument


@pytest.mark.parametrize("method", ["cats", "partwhole", "rica", "winoventi", "wordnetqa"])
def test_the_commands_of_a_method_are_functions_of_its_package(method: str) -> None:
    commands = {each.target.partition(":")[2] for each in methods()[method].commands}
    assert commands <= {*getattr(hs, method).__all__}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'askk'"):
        getattr(hs, "askk")  # noqa: B009 a name that a checker would refuse


def test_a_wrong_keyword_of_a_builder_gets_a_suggestion() -> None:
    with pytest.raises(hs.UserError, match="did you mean 'relation'"):
        hs.build("wordnetqa", relatio="hypernymy")
    with pytest.raises(hs.UserError, match="did you mean 'wordnetqa'"):
        hs.build("wordnetqaa")
    with pytest.raises(hs.UserError, match="needs relation"):
        hs.build("wordnetqa")
