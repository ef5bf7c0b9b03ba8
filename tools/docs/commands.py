"""Reference of the commands: what each does, its arguments and options, and every field of its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from horsesense.cli.app import root
from tools.docs.schemas import documents, schema_of

_HEAD = """# Commands

`horsesense COMMAND --help` prints the same in the terminal. [Conventions](../conventions.md) apply to all commands.
This reference is generated from the program.

| command | does |
|---|---|
"""


def write_commands(folder: Path) -> list[str]:
    """Write one page a command, and one for all; the names of the pages, in order."""
    group = root().load_all()
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(group.commands)
    table = "".join(f"| [`horsesense {name}`]({name}.md) | {_first(group.commands[name])} |\n" for name in names)
    (folder / "index.md").write_text(_HEAD + table, encoding="utf-8")
    for name in names:
        command = group.commands[name]
        parts = getattr(command, "commands", None)
        text = f"# {name}\n\n{command.help or ''}\n\n"
        for words, each in [(f"{name} {part}", parts[part]) for part in parts] if parts else [(name, command)]:
            text += (f"## {words}\n\n{each.help or ''}\n\n" if parts else "") + _one(words, each, folder)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return names


def _first(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())


def _one(words: str, command: Any, folder: Path) -> str:
    """Usage, parameters and document of a command that has no parts; of one that has, each in turn."""
    if parts := getattr(command, "commands", None):
        return "".join(
            f"### {words} {part}\n\n{each.help or ''}\n\n{_one(f'{words} {part}', each, folder)}"
            for part, each in parts.items()
        )
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join(
        ["horsesense", words, *(_argument(each) for each in arguments), "[OPTIONS]" if command.params else ""]
    )
    text = f"    {usage.strip()}\n\n| argument or option | means |\n|---|---|\n"
    for each in (*arguments, *(each for each in command.params if each.param_type_name == "option")):
        default = each.default
        told = default is not None and default is not False and not callable(default) and not each.required
        says = _cell(getattr(each, "help", None) or "")
        text += f"| {_cell(_named(each))} | {says}{f' Default: `{default}`.' if told else ''} |\n"
    return text + "\n" + (_document(words, folder) if words in documents() else "")


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name).upper().strip("[]") + ("…" if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def _named(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{_argument(parameter)}`"
    return ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _document(words: str, folder: Path) -> str:
    """The fields of what ``--json`` prints; the schema itself lies beside the page."""
    schema = schema_of(words)
    file = f"{words.replace(' ', '-')}.schema.json"
    (folder / file).write_text(json.dumps(schema, indent=2, ensure_ascii=False), encoding="utf-8")
    text = f'??? note "`{words} --json`"\n\n'
    body = f"[JSON Schema]({file})\n\n"
    kinds = [schema, *schema.get("$defs", {}).values()]
    for kind in (kind for kind in kinds if "properties" in kind):
        title = "" if kind is schema else f"**{kind['title']}**: "
        body += f"{title}{_cell(kind.get('description', ''))}\n\n| field | type | means |\n|---|---|---|\n"
        body += "".join(f"| `{name}` | {shape(value)} | {_cell(value.get('description', ''))} |\n"
                        for name, value in kind["properties"].items()) + "\n"  # fmt: skip
    if "properties" not in schema:
        body = f"One of: {shape(schema)}.\n\n" + body
    return text + "".join(f"    {line}\n" if line else "\n" for line in body.splitlines()) + "\n"


def shape(value: Mapping[str, Any]) -> str:
    """The type of a field in words.

    >>> shape({"type": "array", "items": {"$ref": "#/$defs/Estimate"}})
    'list of Estimate'
    >>> shape({"anyOf": [{"type": "number"}, {"type": "null"}]})
    'number or null'
    """
    if "$ref" in value:
        return str(value["$ref"]).rpartition("/")[2]
    if "const" in value or "enum" in value:
        return " or ".join(f"`{each}`" for each in value.get("enum", [value.get("const")]))
    if several := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(dict.fromkeys(_shapes(several)))
    kind = value.get("type", "anything")
    if kind == "array":
        inner = value.get("items") or (value.get("prefixItems") or [{}])[0]
        return f"list of {shape(inner)}" if inner else "list"
    if kind == "object" and isinstance(inner := value.get("additionalProperties"), dict) and inner:
        return f"object of {shape(inner)}"
    return str(kind)


def _shapes(values: list[Any]) -> Iterator[str]:
    for value in values:
        yield shape(value)
