"""Count the size of a source tree: ``python -m tools.size [FOLDER]``.

A code line has something other than a comment or a text that stands alone (docstrings of modules, classes, functions
and fields). Imports are the lines of import statements among them. Lengths of files are all their lines.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median

_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a tree."""

    files: int
    lines: int
    code_lines: int
    imports: int
    """Code lines that import."""
    median_file: float
    """Median length of a file."""
    classes: int
    dataclasses: int
    repeated_class_names: int


def code_lines(text: str) -> set[int]:
    """Return the numbers of the lines with code."""
    numbers: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            numbers.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            numbers.difference_update(lines_of(node))
    return numbers - {number for number, line in enumerate(text.splitlines(), 1) if not line.strip()}


def lines_of(node: ast.stmt) -> range:
    """Return the numbers of the lines of a statement."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def size_of(folder: Path) -> Size:
    """Count the Python files of a folder."""
    lengths: list[int] = []
    names: Counter[str] = Counter()
    code = imports = dataclasses = 0
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        lengths.append(len(text.splitlines()))
        numbers = code_lines(text)
        code += len(numbers)
        importing: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                importing.update(lines_of(node))
            elif isinstance(node, ast.ClassDef):
                names[node.name] += 1
                dataclasses += any("dataclass" in ast.unparse(each) for each in node.decorator_list)
        imports += len(importing & numbers)
    repeated = sum(count > 1 for count in names.values())
    return Size(len(lengths), sum(lengths), code, imports, median(lengths), names.total(), dataclasses, repeated)


def main() -> None:
    size = size_of(Path(sys.argv[1] if len(sys.argv) > 1 else "src/horsesense"))
    for field in fields(size):
        print(f"{field.name.replace('_', ' '):22}{getattr(size, field.name):>10,}")
    print(f"{'share of imports':22}{size.imports / size.code_lines:>10.1%}")


if __name__ == "__main__":
    main()
