"""JSON Schema of what ``--json`` prints: for the reference, and for the tests that compare results with it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Union

from horsesense.cli.commands import all_commands
from horsesense.cli.generate import field_helps, globals_of, load, resolve, union_members
from horsesense.core.document import Document


def documents() -> list[str]:
    """Every command that prints a document."""
    return sorted(all_commands())


def document_type(command: str) -> Any:
    """The type of what a command prints: what its function returns, or what saving that returns."""
    kinds = [_printed(kind) for kind in union_members(return_type(load(all_commands()[command].target)))]
    return Union[tuple(kinds)]  # noqa: UP007 there is no operator for a list of types


def _printed(kind: Any) -> Any:
    """The document of a result that is not one itself."""
    if issubclass(kind, Document):
        return kind
    return return_type(kind.save)


def return_type(function: Callable[..., Any]) -> Any:
    """What a function returns, with what its module imports for type checkers only."""
    module = dict(globals_of(function))
    innermost = inspect.unwrap(function)
    innermost = getattr(innermost, "__extends__", (innermost,))[0]
    for name, where in _checked_imports(inspect.getsourcefile(innermost) or ""):
        if name not in module:
            module[name] = load(f"{where}:{name}")
    return resolve(inspect.signature(function).return_annotation, module)


def _checked_imports(file: str) -> Iterator[tuple[str, str]]:
    """Names that a module imports for type checkers only, each with its module."""
    for node in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for each in node.body:
                if isinstance(each, ast.ImportFrom) and each.module and each.module.startswith("horsesense"):
                    yield from ((alias.name, each.module) for alias in each.names)


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of what a command prints, made from the type of its document.

    An object has the fields of its dataclass and no others; a field whose default is None may be left out, and is
    never null.
    """
    from dataclasses import fields
    from inspect import cleandoc

    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Generator(GenerateJsonSchema):
        def dataclass_schema(self, schema: Any) -> Any:
            written, inner = schema["cls"], schema["schema"]
            printed = [each for each in fields(written) if each.metadata.get("json", True)]
            names = {each.name for each in printed}
            shown = inner | {"fields": [each for each in inner["fields"] if each["name"] in names]}
            document = super().dataclass_schema(schema | {"schema": shown})
            optional = {each.name for each in printed if each.default is None}
            if (always := getattr(written, "ALWAYS", None)) is not None:
                optional = {each.name for each in printed if each.name not in always}
            for each in printed:  # pydantic leaves out what is not an argument
                document["properties"].setdefault(each.name, {"type": "string"})
            document["required"] = [each.name for each in printed if each.name not in optional]
            document["properties"] = {each.name: document["properties"][each.name] for each in printed}
            document["additionalProperties"] = False
            document["description"] = cleandoc(written.__doc__ or "").partition("\n\n>>> ")[0]
            for name, values in document["properties"].items():
                values.pop("default", None)
                if "description" not in values and name in (helps := field_helps(written)):
                    values["description"] = helps[name]
                if name in optional and "anyOf" in values:
                    values["anyOf"] = [kind for kind in values["anyOf"] if kind != {"type": "null"}]
            return document

    adapter = TypeAdapter(document_type(command))
    document = adapter.json_schema(mode="serialization", schema_generator=Generator)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **document,
        "title": f"horsesense {command} --json",
    }
