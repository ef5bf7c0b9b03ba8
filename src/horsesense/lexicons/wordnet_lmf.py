"""Wordnets in the Global WordNet Association's LMF (XML): Open English WordNet and those of other languages.

A file is read as a stream, entry by entry and synset by synset; its facts are stored as triples like those of
any other source. Formats 1.0 to 1.4 share what is read here (https://globalwordnet.github.io/schemas/).
"""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from horsesense.data import disk_errors, sha256_of_file
from horsesense.errors import UserError
from horsesense.lexicons.triples import INSTANCE, ISA, RELATIONS, Origin, Triple

ENDINGS = (".xml", ".xml.gz", ".xml.xz")
_POS = ("n", "v", "a", "r", "s")
_BETWEEN_SYNSETS = {
    "hypernym": ISA,
    "instance_hypernym": INSTANCE,
    "mero_part": "part",
    "holo_member": "member",
    "antonym": "antonym",
    "similar": "similar",
    "also": "similar",
    "attribute": "attribute",
    "entails": "entailment",
    "causes": "entailment",
}
_BETWEEN_SENSES = {
    "antonym": "antonym",
    "derivation": "derivation",
    "pertainym": "derivation",
    "participle": "derivation",
    "similar": "similar",
    "also": "similar",
}
_OTHER_WAY = {"hyponym": ISA, "instance_hyponym": INSTANCE, "holo_part": "part", "mero_member": "member"}
"""Inverse relations; a file may have only these."""
_MARKS = {'"', "“", "”"}
_READ = 2
"""Raised when reading changes, so that files are read again."""


@dataclass(slots=True)
class _Concept:
    """A synset of the file."""

    pos: str
    definition: str
    examples: list[str]
    members: list[str]
    """Its entries, or its senses, in their order; empty where the file does not say."""
    relations: list[tuple[str, str]]


@dataclass(slots=True)
class _Lexicon:
    """The contents of a file that facts are built from."""

    about: dict[str, str] = field(default_factory=dict)
    concepts: dict[str, _Concept] = field(default_factory=dict)
    senses: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Sense → its word and its synset."""
    entry_of: dict[str, str] = field(default_factory=dict)
    """Sense → its entry."""
    of_concept: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Synset → its senses as they come."""
    examples: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Synset → examples of its senses."""
    between_senses: list[tuple[str, str, str]] = field(default_factory=list)
    """Sense, relation, sense."""


def is_lmf(path: Path) -> bool:
    """Whether a file is named like a wordnet in LMF.

    >>> is_lmf(Path("oewn.xml.gz")), is_lmf(Path("pets.tsv"))
    (True, False)
    """
    return path.name.endswith(ENDINGS)


def read_lmf(name: str, path: Path) -> tuple[Origin, list[Triple], dict[str, int]]:
    """Read a wordnet as a source: its origin, its facts, and the number left out by reason."""
    lexicon = _Lexicon()
    try:
        _read(path, lexicon)
    except KeyError as missing:
        raise UserError(f"an element has no attribute {missing}", file=path, fix="get the file again") from None
    if not lexicon.about:
        raise UserError("there is no Lexicon in the file", file=path, fix="give a wordnet in the format WN-LMF")
    left_out: Counter[str] = Counter()
    triples = list(_triples(lexicon, left_out))
    if not triples:
        raise UserError("no synset of the file has a word", file=path, fix="give a wordnet with words")
    about = lexicon.about
    origin = Origin(
        name=name,
        version=" ".join(filter(None, (about.get("label") or about.get("id", ""), about.get("version", "")))),
        licence=about.get("license") or "none stated",
        fingerprint=f"{_READ}-{sha256_of_file(path)[:14]}",
        language=about.get("language", "en").split("-")[0].lower(),
    )
    return origin, triples, dict(left_out)


def _read(path: Path, lexicon: _Lexicon) -> None:
    """Stream the file; each element is released after use."""
    take = {"LexicalEntry": _take_entry, "Synset": _take_synset}
    with disk_errors(path), _opened(path) as handle:
        try:
            parents: list[Element] = []
            for event, element in ElementTree.iterparse(handle, ("start", "end")):
                if event == "start":
                    parents.append(element)
                    if len(parents) == 1 and element.tag != "LexicalResource":
                        raise UserError(
                            f"the file begins with {element.tag} and not with LexicalResource",
                            file=path,
                            fix="give a wordnet in the format WN-LMF",
                        )
                    if element.tag == "Lexicon":
                        _begin(lexicon, element, path)
                    continue
                parents.pop()
                if element.tag in take:
                    take[element.tag](lexicon, element)
                    if parents:
                        parents[-1].clear()
        except ElementTree.ParseError as error:
            problem = f"this is not XML: {expat.ErrorString(error.code)}"
            raise UserError(problem, file=path, line=error.position[0], fix="get the file again") from None
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error):
            raise UserError("the packed file is damaged", file=path, fix="get it again") from None


def _opened(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path))
    return cast(IO[bytes], lzma.open(path)) if path.suffix == ".xz" else path.open("rb")


def _begin(lexicon: _Lexicon, element: Element, path: Path) -> None:
    if lexicon.about:
        raise UserError(
            f"the file has two lexicons at least, {lexicon.about.get('id')!r} and {element.get('id')!r}",
            file=path,
            fix="give a file with one",
        )
    lexicon.about = dict(element.attrib) or {"id": "unnamed"}


def _take_entry(lexicon: _Lexicon, element: Element) -> None:
    lemma = element.find("Lemma")
    if lemma is None:
        raise KeyError("Lemma")
    word = " ".join(lemma.attrib["writtenForm"].replace("_", " ").split())
    for sense in element.iter("Sense"):
        name, concept = sense.attrib["id"], sense.attrib["synset"]
        lexicon.senses[name], lexicon.entry_of[name] = (word, concept), element.get("id", "")
        lexicon.of_concept[concept].append(name)
        lexicon.examples[concept] += _texts(sense, "Example")
        for relation in sense.iter("SenseRelation"):
            lexicon.between_senses.append((name, relation.attrib["relType"], relation.attrib["target"]))


def _take_synset(lexicon: _Lexicon, element: Element) -> None:
    definitions = _texts(element, "Definition")
    lexicon.concepts[element.attrib["id"]] = _Concept(
        pos=element.get("partOfSpeech", ""),
        definition=definitions[0] if definitions else "",
        examples=_texts(element, "Example"),
        members=element.get("members", "").split(),
        relations=[(each.attrib["relType"], each.attrib["target"]) for each in element.iter("SynsetRelation")],
    )


def _texts(element: Element, name: str) -> list[str]:
    """What elements of this name hold; examples are quoted in some files, and are not here."""
    texts = (" ".join("".join(each.itertext()).split()) for each in element.findall(name))
    return [text[1:-1] if len(text) > 2 and {text[0], text[-1]} <= _MARKS else text for text in texts if text]


def _triples(lexicon: _Lexicon, left_out: Counter[str]) -> Iterator[Triple]:
    """Yield the facts, synset by synset in the order of the file."""
    links = _links(lexicon, left_out)
    apart: defaultdict[str, list[Triple]] = defaultdict(list)
    for sense, kind, target in lexicon.between_senses:
        relation = _BETWEEN_SENSES.get(kind, "")
        if relation not in RELATIONS:
            left_out[f"relation between words: {kind}"] += 1
        elif target not in lexicon.senses:
            left_out["relation: it leads out of the file"] += 1
        else:
            (word, here), (other, there) = lexicon.senses[sense], lexicon.senses[target]
            apart[here].append(Triple(relation, here, there, word, other))
    lost = sum(here not in lexicon.concepts for _, here in lexicon.senses.values())
    if lost:
        left_out["sense: its synset is not in the file"] = lost
    for name, concept in lexicon.concepts.items():
        words = _words(lexicon, name, concept)
        # A synset without words cannot be asked or offered; it only links others.
        if concept.pos in _POS:
            yield Triple("pos", name, concept.pos)
        else:
            left_out[f"part of speech: {concept.pos or 'none'}"] += 1
            yield Triple("pos", name, "")
        if words:
            if concept.definition:
                yield Triple("definition", name, concept.definition)
            yield from (Triple("example", name, text) for text in (*concept.examples, *lexicon.examples[name]))
            yield from (Triple("lemma", name, word) for word in words)
        else:
            left_out["synset: it has no word"] += 1
        yield from links[name]
        yield from (triple for triple in apart[name] if triple.target in lexicon.concepts)


def _words(lexicon: _Lexicon, name: str, concept: _Concept) -> list[str]:
    """The words of a synset, in the order of its members where the file gives one, each once."""
    senses = lexicon.of_concept[name]
    if concept.members:
        order = {member: number for number, member in enumerate(concept.members)}
        senses = sorted(senses, key=lambda sense: order.get(sense, order.get(lexicon.entry_of[sense], len(order))))
    return list(dict.fromkeys(lexicon.senses[sense][0] for sense in senses))


def _links(lexicon: _Lexicon, left_out: Counter[str]) -> defaultdict[str, list[Triple]]:
    """Relations between synsets; one that is listed only at its other end is added to this one too."""
    links: defaultdict[str, list[Triple]] = defaultdict(list)
    seen: set[tuple[str, str, str]] = set()
    turned: list[tuple[str, str, str]] = []
    for name, concept in lexicon.concepts.items():
        for kind, target in concept.relations:
            relation = _BETWEEN_SYNSETS.get(kind, "")
            if target not in lexicon.concepts:
                left_out["relation: it leads out of the file"] += 1
            elif kind in _OTHER_WAY:
                turned.append((_OTHER_WAY[kind], target, name))
            elif relation not in RELATIONS:
                left_out[f"relation between synsets: {kind}"] += 1
            elif (relation, name, target) not in seen:
                seen.add((relation, name, target))
                links[name].append(Triple(relation, name, target))
    for relation, name, target in turned:
        if (relation, name, target) not in seen:
            seen.add((relation, name, target))
            links[name].append(Triple(relation, name, target))
    return links
