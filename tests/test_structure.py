"""Laws of the source tree: unique class names, short signatures, and packages that only few may import."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import horsesense

SOURCE = Path(horsesense.__file__).parent
MOST_PARAMETERS = 12
PAPERS = ("cats", "partwhole", "rica", "winoventi", "wordnetqa")
MAY_IMPORT = {
    **{f"horsesense.methods.{paper}": ("horsesense.methods", "horsesense.profiling", "horsesense.replication")
       for paper in PAPERS},
    "horsesense.replication": ("horsesense.cli",),
    # The stages of a WinoVenti pipeline are served like a study.
    "horsesense.annotate.server": ("horsesense.annotate", "horsesense.cli", "horsesense.methods.winoventi"),
}  # fmt: skip
"""Package → the packages that import it, beside itself and the public names in ``horsesense/__init__.py``."""


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(("horsesense", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
        yield name, ast.parse(path.read_text(encoding="utf-8"))


TREES = dict(trees())


def is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def imports(tree: ast.Module) -> Iterator[str]:
    """Every imported module, also inside functions; of ``from a import b``, ``a.b`` too, since it may be a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_functions_take_few_parameters() -> None:
    long = {
        f"{module}:{node.name}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) > MOST_PARAMETERS
    }
    assert long == set()


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_few_packages_import(package: str) -> None:
    importers = {
        module for module, tree in TREES.items() if any(is_below(imported, package) for imported in imports(tree))
    }
    allowed = (package, *MAY_IMPORT[package])
    others = {each for each in importers - {"horsesense"} if not any(is_below(each, able) for able in allowed)}
    assert others == set()
