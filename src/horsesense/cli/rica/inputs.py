"""What the commands about axioms take: a form or a statement, and a lexicon."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.output import say

if TYPE_CHECKING:
    from horsesense.probes.rica.forms import Axiom
    from horsesense.probes.rica.lexicon import Lexicon

LexiconFile = Annotated[
    Path | None, typer.Option("--lexicon", help="A table of phrases, antonyms and paraphrases of one's own.")
]


def axiom_of(text: str) -> Axiom:
    """The axiom of a form; a statement in plain words, which has no brackets, is read too."""
    from horsesense.probes.rica.parsing import parse_form
    from horsesense.probes.rica.reading import read_statement

    return read_statement(text) if text.strip() and "(" not in text and ", so " in text else parse_form(text)


def lexicon_of(file: Path | None) -> Lexicon:
    """One's own lexicon before the shipped one, and WordNet's adjectives behind both."""
    from horsesense.knowledge.wordnet_source import find_wordnet
    from horsesense.probes.rica.lexicon import read_lexicon
    from horsesense.probes.rica.shipped import shipped_lexicon
    from horsesense.probes.rica.wordnet_lexicon import wordnet_lexicon

    known = read_lexicon(file).and_then(shipped_lexicon()) if file else shipped_lexicon()
    folder = find_wordnet()
    if folder is None:
        say("WordNet is not here, so only the lexicon's antonyms are used; run: horsesense fetch wordnet")
        return known
    return known.and_then(wordnet_lexicon(folder))
