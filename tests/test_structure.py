"""Laws of the source tree: unique class names, short signatures, and packages that only few may import."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import horsesense
from horsesense.registry import methods, read_commands

SOURCE = Path(horsesense.__file__).parent
TESTS = Path(__file__).parent
MOST_PARAMETERS = 12
MOST_WORDS = 7
"""Words of a message that a test matches in a row."""
FEWEST_SHARED, MOST_SHARED = 5, 0.75
"""Two records are twins if they share so many fields, and more than this share of the larger one."""
PAPERS = ("cats", "partwhole", "rica", "winoventi", "wordnetqa")
PARTICIPLES = {"found", "told", "kept", "made", "given", "shown", "said"}
NAMED_BY_NOUNS = (
    "annotate", "annotation_server", "cli", "core", "cues", "data", "exchange", "item_analysis", "lexicons", "models",
    "planting", "replication", "report", "runs", "scoring", "stats", "training",
)  # fmt: skip
"""Packages in which no value has a participle as its name."""
MAY_NAME_PAPERS = (
    "horsesense", "horsesense.methods", "horsesense.replication", "horsesense.profiling.abilities",
    "horsesense.profiling.profile3", "horsesense.registry", "horsesense.core.catalogue", "horsesense.core.spec",
    "horsesense.cli.commands",
)  # fmt: skip
"""Where the papers' methods are named: their packages, the ledger, the table of abilities and what is frozen of it, the
list of built-in methods with its public names, and four modules whose examples look something up by name."""
MAY_IMPORT = {
    **{f"horsesense.methods.{paper}": ("horsesense.methods", "horsesense.profiling.abilities", "horsesense.replication")
       for paper in PAPERS},
    "horsesense.replication": ("horsesense.cli",),
    "horsesense.annotation_server": ("horsesense.cli",),
}  # fmt: skip
"""Package → the packages that import it, beside itself and the public names in ``horsesense/__init__.py``."""


def module_of(path: Path) -> str:
    return ".".join(("horsesense", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


@cache
def trees() -> dict[str, ast.Module]:
    """Every module of the source tree; parsed by the first test, not while tests are collected."""
    return {module_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """All nodes of each module; a walk through the tree takes half a second."""
    return {module: [*ast.walk(tree)] for module, tree in trees().items()}


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Millions of nodes would slow each later search for garbage."""
    yield
    for each in (trees, nodes, imported_by):
        each.cache_clear()


COMMANDS = {
    command.target
    for commands in (
        read_commands(str(SOURCE / "cli" / "commands.py"), "horsesense"),
        *(method.commands for method in methods().values()),
    )
    for command in commands
}
"""The function of every command, as ``module:function``."""


def is_below(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def imported_by() -> dict[str, set[str]]:
    """What each module imports."""
    return {module: {*imports(every)} for module, every in nodes().items()}


def imports(every: Iterable[ast.AST]) -> Iterator[str]:
    """Every imported module, also inside functions; of ``from a import b``, ``a.b`` too, since it may be a module.

    A text ``"horsesense.package.module:object"`` is an import that comes later (`horsesense.registry.load`).
    """
    for node in every:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("horsesense."):
            yield node.value.partition(":")[0]
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_class_names_are_unique() -> None:
    places = defaultdict(list)
    for module, every in nodes().items():
        for node in every:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_functions_take_few_parameters() -> None:
    long = {
        f"{module}:{node.name}"
        for module, every in nodes().items()
        for node in every
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs) > MOST_PARAMETERS
    }
    assert long == set()


def numbers_in_signatures() -> Iterator[tuple[str, str, str]]:
    """Place, name and value of every parameter or field whose default is a written number beside 0 and 1."""
    for module, every in nodes().items():
        for node in every:
            defaults: list[tuple[str, ast.expr | None]] = []
            if isinstance(node, ast.FunctionDef):
                ordered = node.args.posonlyargs + node.args.args
                defaults = [
                    (each.arg, value) for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
                ]
                defaults += [
                    (each.arg, value) for each, value in zip(ordered[::-1], node.args.defaults[::-1], strict=False)
                ]
            elif isinstance(node, ast.ClassDef):
                fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
                defaults = [(ast.unparse(each.target), each.value) for each in fields]
            for name, value in defaults:
                if isinstance(value, ast.Constant) and type(value.value) in (int, float) and value.value not in (0, 1):
                    yield f"{module}:{getattr(node, 'name', '')}", name, str(value.value)


def test_a_default_of_a_command_is_written_once() -> None:
    places = defaultdict(set)
    for place, name, value in numbers_in_signatures():
        package = re.match(r"horsesense\.(methods\.)?\w+", place)
        places[package and package[0], name, value].add(place)
    assert {key: each for key, each in places.items() if each & COMMANDS and each - COMMANDS} == {}


def values_of(every: Iterable[ast.AST]) -> Iterator[str]:
    """Every local value and parameter of a function."""
    functions = (each for each in every if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in (each for function in functions for each in ast.walk(function)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


@pytest.mark.parametrize("package", NAMED_BY_NOUNS)
def test_values_are_named_by_nouns(package: str) -> None:
    below = {module: every for module, every in nodes().items() if is_below(module, f"horsesense.{package}")}
    assert {(module, name) for module, every in below.items() for name in PARTICIPLES & {*values_of(every)}} == set()


def dataclass_fields() -> Iterator[tuple[str, set[str]]]:
    for every in nodes().values():
        for node in every:
            if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(each) for each in node.decorator_list):
                yield node.name, {ast.unparse(each.target) for each in node.body if isinstance(each, ast.AnnAssign)}


def test_no_record_repeats_another() -> None:
    """Two classes with the same fields are one class: a result is not written down again as its document."""
    twins = {
        (one, other)
        for (one, first), (other, second) in combinations(dataclass_fields(), 2)
        if len(first & second) >= FEWEST_SHARED and len(first & second) > MOST_SHARED * max(len(first), len(second))
    }
    assert twins == set()


def bracketed_numbers(node: ast.JoinedStr) -> bool:
    """Whether a text has two formatted numbers in square brackets, as an interval is written."""
    parts = ["" if isinstance(each, ast.FormattedValue) else ast.literal_eval(each) for each in node.values]
    formatted = [isinstance(each, ast.FormattedValue) and each.format_spec is not None for each in node.values]
    return any(
        parts[i].endswith("[") and formatted[i + 1] and parts[i + 2] == ", " and formatted[i + 3]
        for i in range(len(parts) - 4)
    )


def test_intervals_have_one_formatter() -> None:
    places = {
        f"{module}:{node.lineno}"
        for module, every in nodes().items()
        for node in every
        if isinstance(node, ast.JoinedStr) and bracketed_numbers(node)
    }
    assert places == set()


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_few_packages_import(package: str) -> None:
    importers = {
        module for module, names in imported_by().items() if any(is_below(imported, package) for imported in names)
    }
    allowed = (package, *MAY_IMPORT[package])
    others = {each for each in importers - {"horsesense"} if not any(is_below(each, able) for able in allowed)}
    assert others == set()


def test_only_methods_name_papers() -> None:
    """Also in docstrings and comments, which cite authors and year."""
    word = re.compile(rf"(?<![a-z0-9])({'|'.join((*PAPERS, 'dictionaryqa'))})(?![a-z0-9])", re.IGNORECASE)
    allowed = tuple(each for each in MAY_NAME_PAPERS if each != "horsesense")
    named = {
        f"{path.relative_to(SOURCE)}:{i}"
        for path in sorted(SOURCE.rglob("*"))
        if path.suffix in {".py", ".tsv", ".toml", ".html", ".j2", ".js", ".css"}
        and not any(is_below(module_of(path), each) for each in allowed)
        and path.parent / path.name != SOURCE / "__init__.py"
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if word.search(line)
    }
    assert named == set()


def test_errors_are_matched_by_facts() -> None:
    """Not by whole sentences, so that the words of a message may change."""
    sentences = {
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in sorted(TESTS.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "match" and isinstance(node.value, ast.Constant)
        if any(len(part.split()) > MOST_WORDS for part in re.split(r"\.[*+]|\|", str(node.value.value)))
    }
    assert sentences == set()


def renamed_on_the_way() -> Iterator[str]:
    """Where a command gives a parameter, or a field of its options, to a record under another name."""
    for command in COMMANDS:
        module, _, name = command.partition(":")
        (function,) = (each for each in trees()[module].body if isinstance(each, ast.FunctionDef) and each.name == name)
        parameters = {each.arg for each in function.args.posonlyargs + function.args.args + function.args.kwonlyargs}
        calls = [each for each in ast.walk(function) if isinstance(each, ast.Call)]
        for keyword in (each for call in calls if ast.unparse(call.func)[:1].isupper() for each in call.keywords):
            base, _, field = ast.unparse(keyword.value).partition(".")
            if base in parameters and (field or base).isidentifier() and keyword.arg != (field or base):
                yield f"{command}: {keyword.arg}={ast.unparse(keyword.value)}"


def test_a_parameter_keeps_its_name() -> None:
    assert set(renamed_on_the_way()) == set()
