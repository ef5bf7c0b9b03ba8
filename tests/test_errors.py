"""One place turns what parsers throw into a `UserError`, and every public function has it around itself."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import horsesense as hs
from horsesense.cli.commands import all_commands
from horsesense.data import read_text
from horsesense.errors import UserError, as_user_error, translate_errors
from horsesense.registry import load


def functions() -> Iterator[tuple[str, Any]]:
    yield from ((each.target, load(each.target)) for each in all_commands().values())
    for name in hs.__all__:
        value = getattr(hs, name)
        if inspect.isfunction(value):
            yield name, value
        if isinstance(value, ModuleType):
            for inner, each in vars(value).items():
                if inspect.isfunction(each) and each.__module__ == value.__name__ and not inner.startswith("_"):
                    yield f"{name}.{inner}", each


def test_every_public_function_tells_what_parsers_throw() -> None:
    bare = [name for name, function in functions() if not hasattr(function, "__wrapped__")]
    assert not bare, "put @translate_errors() before them"


def thrown(act: Any) -> BaseException:
    try:
        act()
    except BaseException as error:
        return error
    raise AssertionError("nothing was thrown")


class PanicException(BaseException):  # as Rust's binding calls it
    pass


def panic() -> None:
    raise PanicException("index out of bounds")


@pytest.mark.parametrize(
    "act",
    [
        lambda: json.loads("[" * 100_000),
        lambda: json.loads("9" * 5000),
        lambda: json.loads("{"),
        lambda: b"\xff".decode(),
        lambda: open("a\x00b"),  # noqa: PTH123, SIM115  # it cannot be opened
        lambda: Path("x" * 300).stat(),
        panic,
    ],
)
def test_bad_content_is_no_failure_of_ours(act: Any) -> None:
    told = as_user_error(thrown(act))
    assert told is not None
    assert "\n" not in str(told)


def test_a_fault_of_ours_stays_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    read_text(tmp_path / "a")
    assert as_user_error(thrown(lambda: dict[str, int]()["part"])) is None
    assert as_user_error(thrown(lambda: 1 / 0)) is None


def test_a_reader_that_forgets_something_is_told_with_the_file(tmp_path: Path) -> None:
    """As a module of ours would be: it reads by horsesense.data, and takes a field for granted."""
    module: dict[str, Any] = {"__name__": "horsesense.methods.new", "read_text": read_text, "json": json}
    exec("def read(path):\n    return json.loads(read_text(path))['part']", module)
    path = tmp_path / "a.json"
    path.write_text("{}")
    with pytest.raises(UserError, match=r"a\.json: .*KeyError: 'part'"), translate_errors():
        module["read"](path)


def test_the_file_that_is_named_is_the_one_that_is_wrong(tmp_path: Path) -> None:
    """Neither what was read after it, nor what another call has read."""
    bad, good = tmp_path / "bad.json", tmp_path / "good.json"
    bad.write_text("{")
    good.write_text("{}")
    source = (
        "import json\ndef parse(path, other):\n    one, two = read(path), read(other)\n    return json.loads(one)\n"
    )
    source += "def parse_words(words):\n    return json.loads(words)\n"
    ours: dict[str, Any] = {"__name__": "horsesense.made_up", "read": read_text}
    exec(compile(source, "made_up.py", "exec"), ours)
    with pytest.raises(UserError) as told, translate_errors():
        ours["parse"](bad, good)
    assert told.value.file == str(bad)
    with pytest.raises(UserError) as told, translate_errors():
        ours["parse_words"]("{")
    assert told.value.file is None, "the file was of another call"


def test_a_file_below_the_folder_that_is_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "inner.json").write_text("{")
    ours: dict[str, Any] = {"__name__": "horsesense.made_up", "read": read_text}
    exec(
        compile("import json\ndef parse(path):\n    json.loads(read(path / 'inner.json'))\n", "made_up.py", "exec"),
        ours,
    )
    with pytest.raises(UserError) as told, translate_errors():
        ours["parse"](tmp_path)
    assert told.value.file == str(tmp_path / "inner.json")


def test_links_in_a_circle_are_named() -> None:
    """As Python's `Path.resolve` says it."""
    told = as_user_error(RuntimeError("Symlink loop from '/a/b'"))
    assert told is not None
    assert (told.file, told.problem) == ("/a/b", "the links go round in a circle")


@pytest.mark.parametrize("setting", ["HORSESENSE_CACHE", "HORSESENSE_CONFIG", "horsesense.toml"])
def test_the_home_of_nobody_is_a_sentence(setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from horsesense.cache import list_cache

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HORSESENSE_CACHE", raising=False)
    if setting == "horsesense.toml":
        Path(setting).write_text('cache = "~nobody-of-that-name/x"', encoding="utf-8")
    else:
        monkeypatch.setenv(setting, "~nobody-of-that-name/x")
    with pytest.raises(UserError, match="home of an unknown user"):
        list_cache()
