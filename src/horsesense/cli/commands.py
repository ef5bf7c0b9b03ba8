"""The table of commands: what each is called, the function it calls, and how the list shows it.

``commands.tsv`` has one row per command of the core, and is all that ``horsesense --help`` loads. A method has such a
table too, and adds its commands by ``METHOD.commands``.
"""

from __future__ import annotations

from functools import cache

from horsesense.registry import Command, methods, read_commands

MODELS, PROBES, TRAINING = "Evaluate models", "Build and check probes", "Training and baselines"
PEOPLE, METHODS, FILES = "Ask people", "Methods of the papers", "Files and sources"
SECTIONS = (MODELS, PROBES, TRAINING, PEOPLE, METHODS, FILES)
"""The headings of the list of commands, in order."""

GROUPS: dict[str, tuple[str, str]] = {
    "annotate": ("Collect judgements from people", PEOPLE),
    "audit": ("Estimate label quality by a blind audit", PROBES),
    "build": ("Build a probe from a knowledge source", PROBES),
    "cache": ("List or remove cached files", FILES),
    "knowledge": ("Add or list knowledge sources", FILES),
}
"""Commands that only have sub-commands: what the list says of each, and its section."""
STEPS = {
    "annotate": (
        "Collect judgements from people. Make a task file (new) or a study on a server (study, invite, serve). Then "
        "collect the judgements, measure agreement, and export labels. An instrument is a question to annotators with "
        "its possible answers."
    ),
    "audit": (
        "Estimate how many items of a probe have a wrong label. First draw a sample and add seeded errors: "
        "items made wrong on purpose, to measure the auditor (new). A person, or a model (ask), judges it without "
        "seeing the keys, and some items again with their keys (second). Then compute the estimate (apply)."
    ),
}
"""How the sub-commands of a group belong together, where the summary is not enough."""


@cache
def groups() -> dict[str, tuple[str, str]]:
    """The groups of the core and of every method that has one: what the list says of each, and its section."""
    return GROUPS | {name: (each.summary, METHODS) for name, each in methods().items() if each.summary}


@cache
def all_commands() -> dict[str, Command]:
    """The commands of the core and of every method, by path."""
    entries = [*read_commands(__file__, "horsesense")]
    entries += [command for method in methods().values() for command in method.commands]
    return {entry.path: entry for entry in entries}
