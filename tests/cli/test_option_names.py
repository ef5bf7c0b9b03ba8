"""No sentence of the library names an option of the command line: arguments are written out by whoever shows them."""

from __future__ import annotations

import ast
import re

import pytest

import horsesense as hs
from horsesense.cli.generate import as_option, forget_command
from horsesense.errors import UserError, argument
from horsesense.registry import BUILT_IN
from tests.support import ROOT
from tests.support.calling import Call, caller

_OPTION = re.compile(r"(?<![\w-])--[a-z]")
_ELSEWHERE = {
    "report/page.py": "the command that repeats a run",
    "replication/page.py": "the command that repeats a replication",
    "report/profile_view.py": "the command that repeats a profile",
    "runs/ray.py": "options of ray",
    "report/charts.py": "names of the page's colours",
    "data/downloads.py": "options of pip",
    "models/gguf.py": "options of llama-server",
    "exchange/lm_eval_log.py": "options of lm-eval",
    "exchange/lm_eval_task.py": "options of lm-eval",
    "exchange/inspect_task.py": "options of inspect",
    "training/leaks.py": "what results.json has recorded from the beginning",
    "training/controls/control.py": "what a control's manifest has recorded from the beginning",
    "annotate/study.py": "a whole command to copy",
    "methods/winoventi/procedure.py": "a whole command to copy",
    "replication/paper_models.py": "whole commands to copy",
}

_TABLES = {f"methods/{name}/__init__.py" for name in BUILT_IN}
"""Tables of commands, each with an example."""


def test_only_the_command_line_names_its_options() -> None:
    source = ROOT / "src" / "horsesense"
    named = set()
    for path in source.rglob("*.py"):
        place = path.relative_to(source).as_posix()
        if place.startswith("cli/") or path.name == "render.py" or place in _TABLES:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documented = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, _DOCUMENTED)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if text not in documented and _OPTION.search(text) and not _is_note(node, tree):
                named.add(place)
    assert named == set(_ELSEWHERE)


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def _is_note(node: ast.AST, tree: ast.Module) -> bool:
    """Whether a string stands by itself: the sentence below a constant or a field."""
    return any(isinstance(each, ast.Expr) and each.value is node for each in ast.walk(tree))


def test_an_argument_is_written_as_its_reader_writes_it() -> None:
    forget_command()
    error = UserError(f"{argument('limit')} 0 leaves nothing", fix=f"use {argument('spec', 'bos=none')}")
    assert str(error) == "limit 0 leaves nothing; use spec='bos=none'"
    assert error.sentence(as_option) == "--limit 0 leaves nothing; use --spec bos=none"
    needs = UserError("there is nothing to test on", fix=f"give {argument('tests', 'PROBE')}")
    assert str(needs).endswith("give tests")


def test_the_same_error_in_python_and_at_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    call: Call = caller(capfd)
    called = call("score", "-m", "any", "It rained.", "--dtype", "auto")
    assert called.code == 2
    with pytest.raises(hs.UserError, match=r"^dtype='auto' ") as raised:
        hs.score("any", "It rained.", spec="dtype=auto")
    assert called.err == f"horsesense: {raised.value}\n".replace("dtype='auto'", "--dtype auto")
