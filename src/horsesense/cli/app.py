"""The tree of commands, each built when it is first used."""

from __future__ import annotations

from functools import cache
from typing import Any

import click

from horsesense import __version__
from horsesense.cli.commands import METHODS, SECTIONS, STEPS, all_commands, groups

TERMS = (
    ("probe", "dataset of multiple-choice questions or sentence pairs (.jsonl, .parquet)"),
    ("card", "JSON file beside a probe: how it was made, and how it is scored"),
    ("run", "folder with the answers of models to probes"),
    ("item", "one question or sentence pair of a probe; its key is the right option"),
    ("family", "items that test the same fact"),
    ("group", "items that share something, such as a noun or a source"),
    ("cluster", "group whose answers are not independent; one observation to intervals"),
    ("facet", "property of items by which results can be sliced"),
    ("cue", "rule that picks an option without understanding the question"),
    ("control", "baseline that a score is compared with, such as the best cue"),
    ("spec", "choices that define a score: BOS token, prompt, precision and so on"),
)
"""What the help calls things."""


class CommandGroup(click.Group):
    """A command with sub-commands, which are looked up in the table."""

    def __init__(self, path: str = "", **settings: Any) -> None:
        super().__init__(path.rpartition(" ")[2] or "horsesense", no_args_is_help=True, **settings)
        self.path = path

    def _below(self) -> dict[str, str]:
        """The commands one level below, each with its path."""
        start = f"{self.path} " if self.path else ""
        paths = [path for path in all_commands() if path.startswith(start)]
        return {(name := path.removeprefix(start).partition(" ")[0]): start + name for path in paths}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self._below())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        path = f"{self.path} {cmd_name}".strip()
        if cmd_name not in self.commands and (path in all_commands() or cmd_name in self._below()):
            self.commands[cmd_name] = build(path)
        return self.commands.get(cmd_name)

    def load_all(self) -> CommandGroup:
        """Build every command below, so that `commands` has them all."""
        context = click.Context(self)
        for name in self.list_commands(context):
            command = self.get_command(context, name)
            if isinstance(command, CommandGroup):
                command.load_all()
        return self

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        for name, path in sorted(self._below().items()):
            summary, section = _shown(path)
            sections.setdefault("Commands" if self.path else section, []).append((name, summary))
        for section, rows in sections.items():
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)
        if not self.path:
            with formatter.section("Terms"):
                formatter.write_dl(TERMS)


def _shown(path: str) -> tuple[str, str]:
    """The summary of a command, and its section."""
    if path in groups():
        return groups()[path]
    if (entry := all_commands().get(path)) is not None:
        return entry.summary, entry.section
    return "", METHODS


def build(path: str) -> Any:
    """The command, or the group of commands, at a path."""
    if (entry := all_commands().get(path)) is not None:
        from horsesense.cli.generate import FunctionCommand

        return FunctionCommand(entry)
    summary = groups()[path][0] if path in groups() else path.capitalize()
    return CommandGroup(path, help=STEPS.get(path, f"{summary}."))


def _print_version(ctx: click.Context, _: click.Parameter, chosen: bool) -> None:
    if chosen:
        print(f"horsesense {__version__}")
        ctx.exit()


@cache
def root() -> CommandGroup:
    """The program."""
    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version.",
    )
    return CommandGroup(
        params=[version],
        help="Find out whether a language model has common sense or reads cues.",
        epilog="Every command takes --json (print the result as JSON) and --debug (show tracebacks). "
        "--install-completion installs shell completion.",
    )
