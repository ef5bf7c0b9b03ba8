"""Every command of the table: its summary, help and example; and every example that is cheap is run."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from horsesense.cli.app import build
from horsesense.cli.commands import SECTIONS, all_commands, groups
from horsesense.cli.generate import FunctionCommand
from tests.support.calling import Call, caller

CHEAP = {"cache list", "cues", "export", "fetch", "knowledge list", "plugins", "show"}
"""Commands whose example needs nothing but the package; fetch is run without its name, so that nothing is loaded."""


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    return caller(capfd)


def command(path: str) -> FunctionCommand:
    built = build(path)
    assert isinstance(built, FunctionCommand)
    return built


@pytest.mark.parametrize("path", all_commands())
def test_the_list_shows_a_short_verb_phrase(path: str) -> None:
    entry = all_commands()[path]
    assert 0 < len(entry.summary) <= 45
    assert entry.summary[0].isupper()
    assert not entry.summary.endswith(".")
    assert entry.section in SECTIONS
    assert all(len(summary) <= 45 for summary, _ in groups().values())


@pytest.mark.parametrize("path", all_commands())
def test_every_parameter_has_its_sentence(path: str) -> None:
    built = command(path)
    assert built.help
    for parameter in built.params:
        assert isinstance(parameter, click.Option | click.Argument)
        assert parameter.help, parameter.name
        assert "default" not in (parameter.help or "").lower().replace("by default", ""), parameter.name


@pytest.mark.parametrize("path", all_commands())
def test_a_switch_reads_as_a_sentence(path: str) -> None:
    """ "Do not" is put before what a parameter does, which then has to begin with a verb, not with its tool."""
    for parameter in command(path).params:
        if isinstance(parameter, click.Option) and (parameter.help or "").startswith("Do not "):
            assert ":" not in (parameter.help or ""), parameter.name


@pytest.mark.parametrize(
    ("path", "usage"),
    [("report", "RUN..."), ("fetch", "[NAME]..."), ("show", "WHAT [ITEM]"), ("cues", "PROBE")],
)
def test_the_usage_shows_what_can_be_repeated_or_left_out(path: str, usage: str) -> None:
    built = command(path)
    assert built.get_usage(click.Context(built, info_name=path)).endswith(f"[OPTIONS] {usage}")


@pytest.mark.parametrize("path", groups())
def test_the_commands_of_a_group_are_one_list(path: str) -> None:
    group = build(path)
    assert group.get_help(click.Context(group)).count("Commands:") == 1


@pytest.mark.parametrize("path", all_commands())
def test_the_example_can_be_parsed(path: str) -> None:
    words = shlex.split(all_commands()[path].example)
    assert words[: len(path.split()) + 1] == ["horsesense", *path.split()]
    command(path).make_context(path, words[len(path.split()) + 1 :])


@pytest.mark.parametrize("path", sorted(CHEAP & set(all_commands())))
def test_the_example_runs(path: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(all_commands()[path].example)[1:]
    called = call(*(words[:1] if path == "fetch" else words))
    assert called.code == 0, called.err
    assert called.out


@pytest.mark.parametrize("path", all_commands())
def test_no_public_function_has_too_many_parameters(path: str) -> None:
    """Settings that belong together are one parameter; the progress callback is not something that a user sets."""
    assert len({*command(path).callee.signature.parameters} - {"progress"}) <= 12
