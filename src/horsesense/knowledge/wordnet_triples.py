"""WordNet's synsets as triples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from horsesense.files import numbered_lines, sha256_of_bytes
from horsesense.knowledge.triples import INSTANCE, ISA, Origin, Triple
from horsesense.knowledge.wordnet import PARTS, Synset

_RELATIONS = {"@": ISA, "@i": INSTANCE, "%p": "part", "!": "antonym", "+": "derivation"}
_VERSION = re.compile(r"WordNet (\d+(?:\.\d+)*)")

_READ = 3
"""Raised when triples are read otherwise, so that they are read again."""


def wordnet_origin(folder: Path) -> Origin:
    """Version and licence of a WordNet folder, as the head of its files tells them."""
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
    """What WordNet says of each synset: words, meaning, examples, and what it is related to."""
    synsets = list(synsets)
    words = {synset.id: [word.replace("_", " ") for word in synset.lemmas] for synset in synsets}
    for synset in synsets:
        name = synset.id
        yield Triple("pos", name, synset.pos)
        yield Triple("definition", name, synset.meaning)
        yield from (Triple("example", name, example) for example in synset.examples)
        yield from (Triple("lemma", name, word) for word in words[name])
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol in _RELATIONS:
                own = words[name][source_word - 1] if source_word else ""
                others = words[target][target_word - 1] if target_word else ""
                yield Triple(_RELATIONS[symbol], name, target, own, others)
