"""Facts of a source written out as a wordnet in LMF, by a hand that knows nothing of the reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from horsesense.lexicons.triples import Triple

_SYNSETS = {
    "isa": "hypernym",
    "instance": "instance_hypernym",
    "part": "mero_part",
    "similar": "similar",
    "entailment": "entails",
    "attribute": "attribute",
}
_WORDS = {"antonym": "antonym", "derivation": "derivation", "similar": "similar"}
"""What is said of words, and not of what they mean."""


def write_lmf(path: Path, triples: Iterable[Triple], language: str = "en") -> Path:
    """Entries by word and part of speech, then synsets in their order, each with its members."""
    facts: defaultdict[str, list[Triple]] = defaultdict(list)
    for triple in triples:
        facts[triple.concept].append(triple)
    pos = {name: next(each.target for each in own if each.relation == "pos") for name, own in facts.items()}
    senses: dict[tuple[str, str], str] = {}
    entries: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for name, own in facts.items():
        for each in own:
            if each.relation == "lemma":
                senses[name, each.target] = f"s{len(senses)}"
                entries[each.target, pos[name]].append(name)
    with path.open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        out.write(
            '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n<LexicalResource>\n'
        )
        about = {"id": "made", "label": "Made", "language": language, "license": "CC0", "version": "7", "email": "x"}
        out.write(f"<Lexicon {' '.join(f'{key}={quoteattr(value)}' for key, value in about.items())}>\n")
        for number, ((word, kind), concepts) in enumerate(entries.items()):
            out.write(f'<LexicalEntry id="e{number}"><Lemma writtenForm={quoteattr(word)} partOfSpeech="{kind}"/>\n')
            for name in concepts:
                out.write(f'<Sense id="{senses[name, word]}" synset={quoteattr(name)}>')
                for each in facts[name]:
                    if each.relation in _WORDS and each.word == word:
                        target = senses[each.target, each.target_word]
                        out.write(f'<SenseRelation relType="{_WORDS[each.relation]}" target="{target}"/>')
                out.write("</Sense>\n")
            out.write("</LexicalEntry>\n")
        for name, own in facts.items():
            members = " ".join(senses[name, each.target] for each in own if each.relation == "lemma")
            out.write(f'<Synset id={quoteattr(name)} partOfSpeech="{pos[name]}" members="{members}">')
            for each in own:
                if each.relation == "definition":
                    out.write(f"<Definition>{escape(each.target)}</Definition>")
                elif each.relation == "example":
                    out.write(f"<Example>{escape(each.target)}</Example>")
                elif not each.word and (kind := _SYNSETS.get(each.relation, "")):
                    out.write(f'<SynsetRelation relType="{kind}" target={quoteattr(each.target)}/>')
            out.write("</Synset>\n")
        out.write("</Lexicon>\n</LexicalResource>\n")
    return path
