"""What is done to a good file: to its bytes, to the values of its JSON, to the cells of its table, to the file itself."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

DEEP = "[" * 900 + "]" * 900
DEEPER = "[" * 100_000 + "]" * 100_000
VALUES: list[str] = [
    "null", "true", "0", "-1", "1e400", "-0.0", "NaN", "9" * 5000, "1" * 25, '""', '" "', '"\\ud800"', '"\\u0000"',
    '"\\u2028"', '"' + "x" * 200_000 + '"', "[]", "{}", "[null]", '{"a": {"b": []}}', DEEP, DEEPER, '"=1+1"', "2.5", '"nan"',
    '{"a": 1, "a": 2}', "[1, [2, [3]]]", '"1"', "-9223372036854775809",
]  # fmt: skip
CELLS = ["", " ", "=1", "x" * 140_000, '"', '"a""b"', "a\rb", "\x00", "\u2028", "nan", "inf", "-1", "9" * 5000, "a,b", "a\tb", "é", "1e999"]  # fmt: skip
BYTES = [
    b"\xff\xfe",
    b"\x00",
    b"\xed\xa0\x80",
    b"\r",
    b"\n\n",
    b"\xef\xbb\xbf",
    b'"',
    b"{",
    b"[",
    b"\x1f\x8b",
    b"\x01",
    b"\t",
]


def mutate_file(path: Path, lot: random.Random) -> str:
    """Change a file in one way; what was done, in a word."""
    if lot.random() < 0.06:
        return _change_file(path, lot)
    content = path.read_bytes()
    packed = content[:2] == b"\x1f\x8b"
    if packed and lot.random() < 0.7:
        path.write_bytes(gzip.compress(changed_bytes(gzip.decompress(content), lot), mtime=0))
        return "inside"
    path.write_bytes(changed_bytes(content, lot))
    return "bytes"


def changed_bytes(content: bytes, lot: random.Random) -> bytes:
    for _ in range(lot.choice((1, 1, 1, 2, 4))):
        kinds = [_change_bytes]
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = ""
        if text and ("{" in text or "[" in text):
            kinds += [_change_json] * 4
        if text and ("\t" in text or "," in text):
            kinds += [_change_cells] * 2
        if " = " in text:
            kinds += [_change_toml] * 2
        content = lot.choice(kinds)(content, lot)
    return content


def _change_bytes(content: bytes, lot: random.Random) -> bytes:
    if not content:
        return lot.choice(BYTES)
    place = lot.randrange(len(content))
    match lot.randrange(7):
        case 0:
            return content[:place] + bytes([content[place] ^ 1 << lot.randrange(8)]) + content[place + 1 :]
        case 1:
            return content[:place]
        case 2:
            return content[:place] + lot.choice(BYTES) + content[place:]
        case 3:
            return content[:place] + content[place + lot.randrange(1, 20) :]
        case 4:
            return content + content[place:]
        case 5:
            return b""
        case _:
            lines = content.splitlines(keepends=True)
            lot.shuffle(lines)
            return b"".join(lines)


_MARK = "\x02mark\x02"


def _change_json(content: bytes, lot: random.Random) -> bytes:
    """One value of the whole, or of one of its lines, becomes another."""
    text = content.decode()
    try:
        whole: Any = json.loads(text)
    except ValueError:
        lines = text.split("\n")
        number = lot.randrange(len(lines))
        try:
            lines[number] = _with_value(json.loads(lines[number]), lot)
        except (ValueError, RecursionError):
            return _change_bytes(content, lot)
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    except RecursionError:
        return _change_bytes(content, lot)
    return _with_value(whole, lot).encode("utf-8", "surrogatepass")


def _with_value(whole: Any, lot: random.Random) -> str:
    places: list[tuple[Any, Any]] = []
    waiting = [whole]
    while waiting:
        node = waiting.pop()
        inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for key, value in inside:
            places.append((node, key))
            waiting.append(value)
    if not places or lot.random() < 0.03:
        return lot.choice(VALUES)
    node, key = lot.choice(places)
    match lot.randrange(6):
        case 0:
            del node[key]
            return json.dumps(whole)
        case 1 if isinstance(node, dict):
            node[lot.choice(("x", "", "id", f"{key} "))] = node.pop(key)
            return json.dumps(whole)
        case 2 if isinstance(node, list):
            node.append(node[key])
            return json.dumps(whole)
        case _:
            node[key] = _MARK
            return json.dumps(whole).replace(json.dumps(_MARK), lot.choice(VALUES))


def _change_cells(content: bytes, lot: random.Random) -> bytes:
    text = content.decode()
    comma = "\t" if text.count("\t") > text.count(",") else ","
    rows = [line.split(comma) for line in text.split("\n")]
    row = lot.choice(rows)
    place = lot.randrange(len(row))
    match lot.randrange(5):
        case 0:
            del row[place]
        case 1:
            row.insert(place, lot.choice(CELLS))
        case 2:
            rows[0][lot.randrange(len(rows[0]))] = lot.choice(("", "x", *rows[0]))
        case _:
            row[place] = lot.choice(CELLS)
    return "\n".join(comma.join(row) for row in rows).encode()


def _change_toml(content: bytes, lot: random.Random) -> bytes:
    lines = content.decode().split("\n")
    places = [number for number, line in enumerate(lines) if " = " in line]
    number = lot.choice(places)
    name, _, _ = lines[number].partition(" = ")
    lines[number] = f"{name} = {lot.choice([*VALUES, '1979-05-27', 'nan', '0x10'])}"
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _change_file(path: Path, lot: random.Random) -> str:
    """The file becomes something else of the file system."""
    content = path.read_bytes()
    kinds = ("folder", "loop", "empty", "packed", "cut", "missing", "unreadable", "device", "dangling")
    kind = lot.choice(kinds)
    path.unlink()
    match kind:
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path.name)
        case "empty":
            path.touch()
        case "packed":
            path.write_bytes(gzip.compress(content, mtime=0))
        case "cut":
            path.write_bytes(gzip.compress(content, mtime=0)[:-5])
        case "unreadable":
            path.write_bytes(content)
            path.chmod(0)
        case "device":
            path.symlink_to("/dev/full")
        case "dangling":
            path.symlink_to("nothing/here")
    return kind


def copied(seed: Path, place: Path) -> Path:
    """A copy of a seed that may be changed."""
    if seed.is_dir():
        return Path(shutil.copytree(seed, place, symlinks=True))
    shutil.copyfile(seed, place)
    return place


def odd_path(place: Path, lot: random.Random) -> str:
    """The name of something that is not there, or cannot be.

    A folder, but not the root of all: ``verify`` would look at the whole disk, as it is asked to.
    """
    return lot.choice(
        ["", ".", "/mnt", "x" * 300, os.fsdecode(b"\xff\xfe"), "a\nb", "nul\x00", "~nobody/x", str(place / "none"), "-", "a" * 5000, "/dev/null"]
    )  # fmt: skip
