"""Step 1 (winoventi.txt, 2.2): a model is asked for its associations; nonsense is dropped, the rest ranked and cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Literal

from horsesense.errors import UserError
from horsesense.knowledge.wordnet_source import find_wordnet
from horsesense.methods.winoventi.associations import KS, Association, associations_of, own_words
from horsesense.methods.winoventi.lexicon import Lexicon, read_lexicon
from horsesense.methods.winoventi.nouns import AGREEING, LITERAL, Noun, check_template, prompts, statement
from horsesense.methods.winoventi.selection import Selection, drop_nonsense, select, with_perplexity
from horsesense.models.local.language_model import LanguageModel
from horsesense.records import Fill, ScoringSpec
from horsesense.scoring.fill import fill
from horsesense.scoring.questions import framer_of
from horsesense.scoring.texts import score_texts
from horsesense.watching import UNWATCHED, Watcher

# From a vocabulary's tokens to words: what is a whole word, and what is only a piece of one.

Marking = Literal["Ġ", "▁", "##", ""]
"""How a vocabulary tells a word from a piece: a mark before words (byte-level BPE, SentencePiece), a mark before
pieces (WordPiece), or not at all."""

_ENOUGH = 0.02


def marking_of(vocabulary: Iterable[str]) -> Marking:
    """The marking that a fair share of the tokens has.

    >>> marking_of(["Ġcold", "Ġhot", "ing"]), marking_of(["cold", "##ing"]), marking_of(["a", "b"])
    ('Ġ', '##', '')
    """
    tokens = list(vocabulary)
    marks: tuple[Marking, ...] = ("Ġ", "▁", "##")
    counts = {mark: sum(token.startswith(mark) for token in tokens) for mark in marks}
    best = max(marks, key=lambda mark: counts[mark])
    return best if counts[best] > _ENOUGH * len(tokens) else ""


def word_of(token: str, marking: Marking) -> str:
    """The word that a token is, in lower case; empty for a piece of a word, a sign, a number or one letter.

    >>> [word_of(token, "Ġ") for token in ("ĠCold", "ing", "Ġa", "Ġ42", "<mask>")]
    ['cold', '', '', '', '']
    """
    if marking == "##":
        bare = "" if token.startswith("##") else token
    elif marking:
        bare = token.removeprefix(marking) if token.startswith(marking) else ""
    else:
        bare = token
    return bare.lower() if len(bare) > 1 and bare.isalpha() else ""


def literal_word_of(token: str) -> str:
    """The paper's own rule: any token of two characters or more without a number sign is a word.

    Pieces of a byte-level vocabulary pass it, and so does a lone letter behind its mark.

    >>> [literal_word_of(token) for token in ("ĠCold", "ing", "##ing", "a", "Ġa")]
    ['Cold', 'ing', '', '', 'a']
    """
    return token.lstrip("Ġ▁") if "#" not in token and len(token) > 1 else ""


# Asking a model for its associations: the words it puts behind *is* and *is not* (winoventi.txt, 2.2).


NOUNS_AT_ONCE = 256
_ASKED = 4
"""Tokens asked for, as a multiple of the words wanted: about half are pieces, signs or the noun itself."""
_ASKED_AGAIN = 2000
"""Where those were too few."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How associations are asked for."""

    literal: bool = False
    """The paper's own sentence and its own rule of what a word is."""
    template: str = ""
    """A sentence of one's own; empty for the usual ones."""
    depths: tuple[int, ...] = KS
    spec: ScoringSpec = field(default_factory=ScoringSpec)

    @property
    def sentence(self) -> str:
        return self.template or (LITERAL if self.literal else AGREEING)


def spellable(model: LanguageModel, nouns: Sequence[Noun], spec: ScoringSpec) -> tuple[list[Noun], list[Noun]]:
    """Nouns that the tokenizer can spell, and those of which it knows some part only as unknown."""
    unknown = framer_of(model, spec).unknown_token
    cut = model.tokenise([f" {noun.word}" for noun in nouns])
    bad = [unknown is not None and unknown in tokens.ids for tokens in cut]
    return [n for n, b in zip(nouns, bad, strict=True) if not b], [n for n, b in zip(nouns, bad, strict=True) if b]


def ask_associations(
    model: LanguageModel, nouns: Sequence[Noun], asking: Asking, watcher: Watcher = UNWATCHED
) -> list[tuple[Association, ...]]:
    """The associations of each noun; empty where nothing is common to both sentences."""
    if asking.template:
        check_template(asking.template)
    if not asking.depths or min(asking.depths) < 1:
        raise UserError("associations need a depth of 1 or more", fix="use 1,3,5,8,10")
    marking = marking_of(model.tokenizer.get_vocab())
    found = []
    for start in range(0, len(nouns), NOUNS_AT_ONCE):
        part = nouns[start : start + NOUNS_AT_ONCE]
        pairs = [prompts(noun, asking.sentence) for noun in part]
        ranked = iter(_words(model, part, pairs, asking, marking))
        for noun, own in zip(part, pairs, strict=True):
            rankings = [(next(ranked), next(ranked)) for _ in own]
            found.append(associations_of(noun, rankings, asking.depths))
        watcher.at("associations", len(found), len(nouns))
    return found


def _words(
    model: LanguageModel,
    nouns: Sequence[Noun],
    pairs: Sequence[tuple[tuple[str, str], ...]],
    asking: Asking,
    marking: Marking,
) -> list[list[str]]:
    """For each prompt its best words, sub-word pieces and one-letter tokens dropped before the cut."""
    texts = [text for own in pairs for pair in own for text in pair]
    owners = [noun for noun, own in zip(nouns, pairs, strict=True) for pair in own for _ in pair]
    barred = {noun.word: frozenset() if asking.literal else own_words(noun) for noun in nouns}
    depth = max(asking.depths)

    def cleaned(fills: list[Fill], owner: Noun) -> list[str]:
        tokens = model.tokenizer.convert_ids_to_tokens([one.ids[0] for one in fills])
        words = [literal_word_of(token) if asking.literal else word_of(token, marking) for token in tokens]
        return list(dict.fromkeys(word for word in words if word and word not in barred[owner.word]))

    size = len(model.tokenizer)
    first = fill(model, texts, min(size, _ASKED * depth), asking.spec)
    found = [cleaned(fills, owner) for fills, owner in zip(first, owners, strict=True)]
    short = [place for place, words in enumerate(found) if len(words) < depth]
    if short:
        more = fill(model, [texts[place] for place in short], min(size, _ASKED_AGAIN), asking.spec)
        for place, fills in zip(short, more, strict=True):
            found[place] = cleaned(fills, owners[place])
    return found


def perplexities(
    ranker: LanguageModel,
    pairs: Sequence[tuple[Noun, str]],
    spec: ScoringSpec,
    watcher: Watcher = UNWATCHED,
    at_once: int = 512,
) -> list[float]:
    """How strange a causal model finds *The noun is word.*: the exponential of the mean surprise of a token."""
    if not ranker.family.left_to_right:
        raise UserError(f"{ranker.name} is not a causal model, so it cannot rank by perplexity", fix="--ranker smollm2")
    found: list[float] = []
    for start in range(0, len(pairs), at_once):
        texts = [statement(noun, word) for noun, word in pairs[start : start + at_once]]
        found += [exp(-text.mean) for text in score_texts(ranker, texts, spec)]
        watcher.at("perplexity", len(found), len(pairs))
    return found


# Step 1 as a whole: associations asked for, nonsense dropped, ranked by perplexity, cut at the knee.


@dataclass(frozen=True, slots=True)
class Associated:
    """The associations of a model."""

    selection: Selection
    notes: Mapping[str, int]
    """What was left out or found odd, counted."""


def associate(
    model: LanguageModel,
    ranker: LanguageModel | None,
    nouns: Sequence[Noun],
    asking: Asking,
    watcher: Watcher = UNWATCHED,
) -> Associated:
    """Ask, judge and rank. Without a ranker nothing is cut at a knee; under the paper's rules nothing is judged
    nonsense, which there is for people to say."""
    known, strange = spellable(model, nouns, asking.spec)
    if not known:
        raise UserError(f"the tokenizer of {model.name} can spell none of the nouns", fix="use another model or list")
    found = ask_associations(model, known, asking, watcher)
    everything = [each for own in found for each in own]
    notes = {
        "nouns that the tokenizer cannot spell, not asked": len(strange),
        "nouns without any association": sum(not own for own in found),
    }
    if model.family.asks_what_follows and not asking.template:
        # A causal model sees nothing behind the blank, so both endings are one sentence to it.
        notes["endings that a causal model cannot see"] = 1
    judged = everything if asking.literal else drop_nonsense(everything, lexicon_at_hand())
    return Associated(
        ranked(judged, {noun.word: noun for noun in known}, ranker, asking, watcher),
        {what: count for what, count in notes.items() if count},
    )


def ranked(
    associations: Sequence[Association],
    nouns: Mapping[str, Noun],
    ranker: LanguageModel | None,
    asking: Asking,
    watcher: Watcher = UNWATCHED,
) -> Selection:
    """Rank what is kept and cut it at the knees."""
    if ranker is None:
        return Selection(tuple(associations), {}, None)
    kept = [each for each in associations if each.kept]
    values = perplexities(ranker, [(nouns[each.noun], each.word) for each in kept], asking.spec, watcher)
    rest = [each for each in associations if not each.kept]
    return select([*with_perplexity(kept, values), *rest])


def lexicon_at_hand() -> Lexicon | None:
    """WordNet as a lexicon of properties; None where it was not fetched."""
    folder = find_wordnet()
    return read_lexicon(folder) if folder is not None else None
