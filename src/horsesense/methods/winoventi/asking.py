"""Step 1 (winoventi.txt, 2.2): a model is asked for its associations; nonsense is dropped, the rest ranked and cut.

First what is a word among the tokens of a vocabulary, then the asking, then the step as a whole (`associate`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Literal

from horsesense.core import BLANK, Fill, ScoringSpec
from horsesense.errors import UserError, argument
from horsesense.methods.winoventi.associations import KS, Association, associations_of, words_of_noun
from horsesense.methods.winoventi.lexicon import lexicon_at_hand
from horsesense.methods.winoventi.nouns import AGREEING, LITERAL, Noun, check_template, prompts, statement
from horsesense.methods.winoventi.selection import Selection, drop_nonsense, select, with_perplexity
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.protocol import Model, Prompt
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.fill import fill
from horsesense.scoring.texts import score_texts

Marking = Literal["Ġ", "▁", "##", ""]
"""How a vocabulary tells a word from a piece: a mark before words (byte-level BPE, SentencePiece), a mark before
pieces (WordPiece), or not at all."""

_MARKED_SHARE = 0.02
"""Share of the tokens that must have a mark for it to be the vocabulary's."""
_NOUNS_AT_ONCE = 256
_TOKENS_PER_WORD = 4
"""Tokens asked for, as a multiple of the words wanted: about half are pieces, signs or the noun itself."""
_RESCORED = 100
"""Tokens that are asked for of a causal model, whose words are ranked anew as whole sentences."""
_TOKENS_AGAIN = 2000
"""Tokens asked for where those were too few."""
_STATEMENTS_AT_ONCE = 512


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


@dataclass(frozen=True, slots=True)
class ModelAssociations:
    """The associations of a model."""

    selection: Selection
    notes: Mapping[str, int]
    """What was left out or found odd, counted."""


# From tokens to words: what is a whole word, and what is only a piece of one.


def marking_of(vocabulary: Iterable[str]) -> Marking:
    """The marking that a fair share of the tokens has.

    >>> marking_of(["Ġcold", "Ġhot", "ing"]), marking_of(["cold", "##ing"]), marking_of(["a", "b"])
    ('Ġ', '##', '')
    """
    tokens = list(vocabulary)
    marks: tuple[Marking, ...] = ("Ġ", "▁", "##")
    counts = {mark: sum(token.startswith(mark) for token in tokens) for mark in marks}
    best = max(marks, key=lambda mark: counts[mark])
    return best if counts[best] > _MARKED_SHARE * len(tokens) else ""


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


def first_tokens(model: Model, fills: Sequence[Fill]) -> list[str]:
    """The first token of each fill, as the vocabulary writes it."""
    return model.vocabulary_forms(fills)


# Asking a model: which words it puts behind *is* and *is not*.


def spellable(model: Model, nouns: Sequence[Noun], spec: ScoringSpec) -> tuple[list[Noun], list[Noun]]:
    """Nouns that the tokenizer can spell, and those of which it knows some part only as unknown."""
    known: list[Noun] = []
    strange: list[Noun] = []
    for noun, spelt in zip(nouns, model.knows([noun.word for noun in nouns], spec), strict=True):
        (known if spelt else strange).append(noun)
    return known, strange


def vocabulary_marking(model: Model) -> Marking:
    """How a vocabulary marks words; a server writes the space before a word, which is told as a mark."""
    return marking_of(model.tokenizer.get_vocab()) if isinstance(model, LanguageModel) else "Ġ"


def ask_associations(
    model: Model, nouns: Sequence[Noun], asking: Asking, progress: Progress = NO_PROGRESS
) -> list[tuple[Association, ...]]:
    """The associations of each noun; empty where nothing is common to both sentences."""
    if asking.template:
        check_template(asking.template)
    if not asking.depths or min(asking.depths) < 1:
        raise UserError("associations need a depth of 1 or more", fix="use 1,3,5,8,10")
    marking = vocabulary_marking(model)
    by_noun: list[tuple[Association, ...]] = []
    for start in range(0, len(nouns), _NOUNS_AT_ONCE):
        part = nouns[start : start + _NOUNS_AT_ONCE]
        prompt_pairs = [prompts(noun, asking.sentence) for noun in part]
        best_words = iter(_best_words(model, part, prompt_pairs, asking, marking))
        for noun, pairs in zip(part, prompt_pairs, strict=True):
            rankings = [(next(best_words), next(best_words)) for _ in pairs]
            by_noun.append(associations_of(noun, rankings, asking.depths))
        progress.update("associations", len(by_noun), len(nouns))
    return by_noun


def _best_words(
    model: Model,
    nouns: Sequence[Noun],
    prompt_pairs: Sequence[tuple[tuple[str, str], ...]],
    asking: Asking,
    marking: Marking,
) -> list[list[str]]:
    """For each prompt its best words, sub-word pieces and one-letter tokens dropped before the cut."""
    texts = [text for pairs in prompt_pairs for pair in pairs for text in pair]
    owners = [noun for noun, pairs in zip(nouns, prompt_pairs, strict=True) for pair in pairs for _ in pair]
    barred = {noun.word: frozenset() if asking.literal else words_of_noun(noun) for noun in nouns}
    depth = max(asking.depths)

    def cleaned(fills: list[Fill], owner: Noun) -> list[str]:
        tokens = first_tokens(model, fills)
        words = [literal_word_of(token) if asking.literal else word_of(token, marking) for token in tokens]
        return list(dict.fromkeys(word for word in words if word and word not in barred[owner.word]))

    size = model.max_candidates
    rescored = model.scores_to_end and not asking.literal
    wanted = max(_RESCORED, _TOKENS_PER_WORD * depth) if rescored else _TOKENS_PER_WORD * depth
    first = fill(model, texts, min(size, wanted), asking.spec)
    rankings = [cleaned(fills, owner) for fills, owner in zip(first, owners, strict=True)]
    short = [place for place, words in enumerate(rankings) if len(words) < depth]
    if short:
        more = fill(model, [texts[place] for place in short], min(size, _TOKENS_AGAIN), asking.spec)
        for place, fills in zip(short, more, strict=True):
            rankings[place] = cleaned(fills, owners[place])
    return as_sentences(model, texts, rankings, asking.spec) if rescored else rankings


def as_sentences(
    model: Model, texts: Sequence[str], rankings: Sequence[Sequence[str]], spec: ScoringSpec
) -> list[list[str]]:
    """The words of each prompt, ranked anew by how likely the sentence is with them: *The kettle is hot.*

    A model that reads from left to right does not see that the sentence ends, and goes on with *made*, *used*, *built*.
    """
    prompts = []
    for text, words in zip(texts, rankings, strict=True):
        start = text.index(BLANK)
        for word in words:
            whole = text.replace(BLANK, word)
            prompts.append(Prompt(whole, start, len(whole), whole=True))
    scored = iter(model.likelihoods(model.encode(prompts, spec), spec))
    ranked = []
    for words in rankings:
        values = {word: float(next(scored).logprobs.sum()) for word in words}
        ranked.append(sorted(words, key=lambda word: -values[word]))
    return ranked


# Step 1 as a whole: associations asked for, nonsense dropped, ranked by perplexity, cut at the knee.


def associate(
    model: Model,
    ranker: Model | None,
    nouns: Sequence[Noun],
    asking: Asking,
    progress: Progress = NO_PROGRESS,
) -> ModelAssociations:
    """Ask, judge and rank. Without a ranker nothing is cut at a knee; under the paper's rules nothing is judged
    nonsense, which there is for people to say."""
    known, strange = spellable(model, nouns, asking.spec)
    if not known:
        raise UserError(f"the tokenizer of {model.name} can spell none of the nouns", fix="use another model or list")
    by_noun = ask_associations(model, known, asking, progress)
    everything = [each for associations in by_noun for each in associations]
    notes = {
        "nouns that the tokenizer cannot spell, not asked": len(strange),
        "nouns without any association": sum(not associations for associations in by_noun),
    }
    if model.scores_to_end and asking.literal:
        # A causal model sees nothing behind the blank, so both endings are one sentence to it.
        notes["endings that a causal model cannot see"] = 1
    judged = everything if asking.literal else drop_nonsense(everything, lexicon_at_hand())
    return ModelAssociations(
        rank_and_cut(judged, {noun.word: noun for noun in known}, ranker, asking, progress),
        {what: count for what, count in notes.items() if count},
    )


def rank_and_cut(
    associations: Sequence[Association],
    nouns: Mapping[str, Noun],
    ranker: Model | None,
    asking: Asking,
    progress: Progress = NO_PROGRESS,
) -> Selection:
    """Rank what is kept and cut it at the knees."""
    if ranker is None:
        return Selection(tuple(associations), {}, None)
    kept = [each for each in associations if each.kept]
    values = perplexities(ranker, [(nouns[each.noun], each.word) for each in kept], asking.spec, progress)
    rest = [each for each in associations if not each.kept]
    return select([*with_perplexity(kept, values), *rest])


def perplexities(
    ranker: Model, pairs: Sequence[tuple[Noun, str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
) -> list[float]:
    """How strange a causal model finds *The noun is word.*: the exponential of the mean surprise of a token."""
    if ranker.direction != "left to right":
        raise UserError(
            f"{ranker.name} is not a causal model, so it cannot rank by perplexity",
            fix=f"{argument('ranker', 'smollm2')}",
        )
    values: list[float] = []
    for start in range(0, len(pairs), _STATEMENTS_AT_ONCE):
        texts = [statement(noun, word) for noun, word in pairs[start : start + _STATEMENTS_AT_ONCE]]
        values += [exp(-text.mean) for text in score_texts(ranker, texts, spec)]
        progress.update("perplexity", len(values), len(pairs))
    return values
