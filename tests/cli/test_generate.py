"""A command is built from a function: arguments, options, settings, results."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import click
import pytest
from annotated_types import Interval

from horsesense.cli.generate import FunctionCommand, as_option
from horsesense.core.document import Document
from horsesense.errors import UserError, argument
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.registry import Command


@dataclass(frozen=True)
class Line:
    """Line: how it is drawn."""

    width: Annotated[int, Interval(ge=1, le=9)] = 2
    """Width in points."""
    dashed: bool = False
    """Draw dashes."""


@dataclass(frozen=True)
class Given(Document):
    """What the function below was called with."""

    values: dict[str, Any]
    exit_code: int = 0


def draw(
    shape: str | Path,
    note: str = "none",
    /,
    *,
    colours: Sequence[Literal["red", "blue"]] = (),
    scale: float = 1.5,
    size: tuple[int, int] | None = None,
    fill: bool = True,
    line: Line | None = None,
    code: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Given:
    """Draw a shape.

    Args:
        shape: Shape or file. In Python, also a drawing.
        note: Text beside it.
        colours: Colour of ``the`` shape.
        scale: Factor.
        size: Width and height.
        fill: Fill the shape.
        line: Settings of the line.
        code: Exit code.
        progress: Progress callback.
    """
    if shape == "hexagon":
        problem = f"no {argument('shape')} for {argument('colours', 'red')}, {argument('width')} and {argument('fill')}"
        raise UserError(problem)
    watched = type(progress).__name__
    values = {name: value for name, value in locals().items() if name in draw.__annotations__ and name != "progress"}
    values["line"] = None if line is None else [line.width, line.dashed]
    return Given({**values, "watched": watched}, code)


def serve(*, started: Callable[[Given], None] | None = None) -> Given:
    """Serve until it is stopped.

    Args:
        started: Called once.
    """
    if started is not None:
        started(Given({"at": "start"}))
    return Given({"at": "end"})


def built(name: str) -> FunctionCommand:
    module = sys.modules[__name__]
    sys.modules.setdefault("test_generate_here", module)
    return FunctionCommand(Command(name, f"test_generate_here:{name}", "Draw", f"horsesense {name}"))


def run(capsys: pytest.CaptureFixture[str], name: str, *words: str) -> Any:
    command = built(name)
    with command.make_context(name, [*words, "--json"]) as context:
        command.invoke(context)
    return json.loads(capsys.readouterr().out)


def test_only_what_is_given_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    values = run(capsys, "draw", "circle")["values"]
    assert (values.pop("watched"), values.pop("code")) == ("Bars", 0)
    assert values == {
        "shape": "circle", "note": "none", "colours": [], "scale": 1.5, "size": None, "fill": True, "line": None
    }  # fmt: skip


def test_every_kind_of_value(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["square", "big", "--colour", "red", "--colour", "blue", "--scale", "2", "--size", "3,4", "--no-fill"]
    values = run(capsys, "draw", *words, "--width", "5", "--dashed")["values"]
    assert (values["shape"], values["note"], values["colours"]) == ("square", "big", ["red", "blue"])
    assert (values["scale"], values["size"], values["fill"], values["line"]) == (2.0, [3, 4], False, [5, True])


@pytest.mark.parametrize("words", [["--width", "12"], ["--colour", "green"], ["--size", "3"], ["--scale", "much"]])
def test_a_wrong_value_is_refused(words: list[str]) -> None:
    with pytest.raises(click.BadParameter):
        built("draw").make_context("draw", ["circle", *words])


def test_the_help_has_each_sentence_and_default_once() -> None:
    command = built("draw")
    text = " ".join(command.get_help(click.Context(command, info_name="draw")).split())
    assert "Line: --width INTEGER Width in points. [default: 2; 1<=x<=9]" in text
    assert "Colour of the shape; repeatable." in text
    assert text.count("[default: 1.5]") == 1
    assert "In Python" not in text
    assert "--no-fill Do not fill the shape." in text


def test_a_message_names_the_options_of_the_command() -> None:
    command = built("draw")
    with pytest.raises(UserError) as error, command.make_context("draw", ["hexagon"]) as context:
        command.invoke(context)
    assert error.value.sentence(as_option) == "no SHAPE for --colour red, --width and --no-fill"


def test_the_result_decides_the_exit_code() -> None:
    command = built("draw")
    with pytest.raises(click.exceptions.Exit) as stop, command.make_context("draw", ["x", "--code", "3"]) as context:
        command.invoke(context)
    assert stop.value.exit_code == 3


def test_a_server_prints_when_it_has_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "serve") == {"values": {"at": "start"}, "exit_code": 0}
