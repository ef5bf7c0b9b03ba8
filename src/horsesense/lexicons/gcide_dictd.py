"""GCIDE as Debian's ``dict-gcide`` has it, in the format of dictd: an index of words with places in one text.

dictzip packs the text as gzip does. An entry is laid out for people, so that the layout is the grammar:

Mellow \\Mel"low\\ (m[e^]l"l[-o]), a. [OE. melwe.]
   1. Soft with ripeness; as, a mellow pear.
      [1913 Webster]

            Time mellows every wine.            --Nobody.
      [1913 Webster]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from horsesense.data import numbered_lines, read_bytes
from horsesense.errors import UserError

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
"""Words made from this one, told at the end: ``-- {Mel"low*ness}, n.``"""
_REFERENCE = re.compile(r"\s*\b(?:See|Cf\.|Compare)\s[^.]*\{[^.]*\.")
_QUOTE_INDENT = 6


def dictd_files(folder: Path, name: str) -> tuple[Path, Path] | None:
    """Index and text of a dictionary in a folder, packed or not; None where one of them is missing."""
    index = folder / f"{name}.index"
    texts = [path for ending in ("dict.dz", "dict") if (path := folder / f"{name}.{ending}").is_file()]
    return (index, texts[0]) if index.is_file() and texts else None


def read_dictd(index: Path, text: Path) -> Iterator[str]:
    """The entries, each once, in the order of the text. Those about the dictionary itself are left out."""
    content = read_bytes(text)
    places: set[tuple[int, int]] = set()
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
            places.add((start, length))
    for start, length in sorted(places):
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
    """The entry, or None where there is no head that can be read.

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
    """The head goes on over lines while a bracket is open, or a comma promises the part of speech."""
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


def cleaned(sense: Sense) -> tuple[str, list[str]]:
    """Definition and quotations without labels, references and names of authors.

    >>> cleaned(Sense('(Mus.) Low in pitch. See {High}. "Low notes." --Nobody. [R.]', ["  So low.   --Nobody."]))
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
