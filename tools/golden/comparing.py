"""Compare two recordings: differences by piece, equal ones counted once, renamed keys recognised."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOLERANCE = 2e-5
"""Numbers are recorded to five decimals; a last bit may round the other way."""


@dataclass(frozen=True)
class Difference:
    """One difference between two JSON documents; list positions in ``path`` are written as ``[]``."""

    kind: str
    """``renamed`` (a key), ``changed`` (a value), ``removed`` or ``added``."""
    path: str
    before: str
    after: str


def compare_folders(before: Path, after: Path, show: int, *, common: bool = False) -> tuple[list[str], int]:
    """Return the lines of a report and the number of differences.

    ``show`` bounds the distinct differences per piece; ``common`` leaves out files that only one recording has.
    """
    one, other = ({path.relative_to(folder) for path in folder.rglob("*.json")} for folder in (before, after))
    files = sorted(one & other if common else one | other)
    by_piece: dict[str, Counter[Difference]] = defaultdict(Counter)
    where: dict[Difference, list[str]] = defaultdict(list)
    for file in files:
        for difference in _compare_files(before / file, after / file):
            piece = "renamed keys" if difference.kind == "renamed" else file.parts[0]
            by_piece[piece][difference] += 1
            if file.as_posix() not in where[difference]:
                where[difference].append(file.as_posix())
    lines = [line for piece in sorted(by_piece) for line in _piece_lines(piece, by_piece[piece], where, show)]
    total = sum(sum(counts.values()) for counts in by_piece.values())
    files_touched = {file for listed in where.values() for file in listed}
    lines.append(f"{total} differences in {len(files_touched)} of {len(files)} files" if total else _equal(len(files)))
    return lines, total


def _equal(files: int) -> str:
    return f"no difference in {files} files"


def _piece_lines(
    piece: str, counts: Counter[Difference], where: dict[Difference, list[str]], show: int
) -> Iterator[str]:
    yield f"{piece}: {sum(counts.values())} differences, {len(counts)} distinct"
    for difference, count in counts.most_common(show):
        files = where[difference]
        others = f" and {len(files) - 1} more" if len(files) > 1 else ""
        yield f"  {difference.kind} {difference.path}  ({count} times; {files[0]}{others})"
        if difference.kind != "renamed":
            yield f"      before: {difference.before}"
            yield f"      after:  {difference.after}"
    if len(counts) > show:
        yield f"  and {len(counts) - show} more distinct differences; see them with --show {len(counts)}"


def _compare_files(before: Path, after: Path) -> Iterable[Difference]:
    if not after.exists():
        return [Difference("removed", "(the whole file)", before.name, "")]
    if not before.exists():
        return [Difference("added", "(the whole file)", "", after.name)]
    return list(compare_values(json.loads(before.read_text("utf-8")), json.loads(after.read_text("utf-8")), ""))


def compare_values(before: Any, after: Any, path: str) -> Iterator[Difference]:
    """Yield the differences of two JSON values.

    >>> [d.path for d in compare_values({"unit": 3, "n": 1}, {"cluster": 3, "n": 1}, "")]
    ['.unit -> .cluster']
    >>> [(d.kind, d.path, d.before, d.after) for d in compare_values({"a": [1.0, 2]}, {"a": [1.000001, 3]}, "")]
    [('changed', '.a[]', '2', '3')]
    """
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _compare_objects(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _compare_lists(before, after, path)
    elif not _same(before, after):
        yield Difference("changed", path or "(the whole document)", _short(before), _short(after))


def _compare_objects(before: dict[str, Any], after: dict[str, Any], path: str) -> Iterator[Difference]:
    removed = [key for key in before if key not in after]
    added = [key for key in after if key not in before]
    for old, new in _renames(before, after, removed, added):
        removed.remove(old)
        added.remove(new)
        yield Difference("renamed", f"{path}.{old} -> {path}.{new}", old, new)
        yield from compare_values(before[old], after[new], f"{path}.{old}")
    for key in before:
        if key in after:
            yield from compare_values(before[key], after[key], f"{path}.{key}")
    for key in removed:
        yield Difference("removed", f"{path}.{key}", _short(before[key]), "")
    for key in added:
        yield Difference("added", f"{path}.{key}", "", _short(after[key]))


def _renames(
    before: dict[str, Any], after: dict[str, Any], removed: list[str], added: list[str]
) -> list[tuple[str, str]]:
    """Pair keys that have the same value; then a last pair of objects or lists, whose insides are compared."""
    pairs: list[tuple[str, str]] = []
    left, right = list(removed), list(added)
    for old in removed:
        new = next((key for key in right if not any(compare_values(before[old], after[key], ""))), None)
        if new is not None:
            pairs.append((old, new))
            left.remove(old)
            right.remove(new)
    if len(left) == len(right) == 1:
        one, other = before[left[0]], after[right[0]]
        if isinstance(one, dict | list) and type(one) is type(other) and bool(one) == bool(other):
            pairs.append((left[0], right[0]))
    return pairs


def _compare_lists(before: list[Any], after: list[Any], path: str) -> Iterator[Difference]:
    if len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from compare_values(one, other, f"{path}[]")
        return
    yield Difference("changed", f"{path} (length)", str(len(before)), str(len(after)))
    old, new = ([json.dumps(value, sort_keys=True) for value in values] for values in (before, after))
    for text, count in (Counter(old) - Counter(new)).items():
        yield from [Difference("removed", f"{path}[]", _short(json.loads(text)), "")] * count
    for text, count in (Counter(new) - Counter(old)).items():
        yield from [Difference("added", f"{path}[]", "", _short(json.loads(text)))] * count


def _same(before: Any, after: Any) -> bool:
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (before, after))
    if numbers and isinstance(before + after, float):
        return math.isclose(before, after, rel_tol=0.0, abs_tol=TOLERANCE)
    return type(before) is type(after) and bool(before == after)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:150]}… ({len(text)} characters)"
