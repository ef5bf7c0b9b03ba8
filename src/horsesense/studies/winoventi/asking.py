"""Asking a model for its associations: the words it puts behind *is* and *is not* (winoventi.txt, 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp

from horsesense.errors import UserError
from horsesense.models.local.language_model import LanguageModel
from horsesense.probes.winoventi.associations import KS, Association, associations_of, own_words
from horsesense.probes.winoventi.nouns import Noun
from horsesense.probes.winoventi.templates import AGREEING, LITERAL, check_template, prompts, statement
from horsesense.probes.winoventi.tokens import Marking, literal_word_of, marking_of, word_of
from horsesense.records import Fill, ScoringSpec
from horsesense.scoring.fill import fill
from horsesense.scoring.questions import framer_of
from horsesense.scoring.texts import score_texts

Tick = Callable[[str, int, int], None]
"""Told the stage, how much of it is done, and how much there is."""

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


def quiet(stage: str, done: int, total: int) -> None:
    """Tells nobody."""


def spellable(model: LanguageModel, nouns: Sequence[Noun], spec: ScoringSpec) -> tuple[list[Noun], list[Noun]]:
    """Nouns that the tokenizer can spell, and those of which it knows some part only as unknown."""
    unknown = framer_of(model, spec).unknown_token
    cut = model.tokenise([f" {noun.word}" for noun in nouns])
    bad = [unknown is not None and unknown in tokens.ids for tokens in cut]
    return [n for n, b in zip(nouns, bad, strict=True) if not b], [n for n, b in zip(nouns, bad, strict=True) if b]


def ask_associations(
    model: LanguageModel, nouns: Sequence[Noun], asking: Asking, tick: Tick = quiet
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
        tick("associations", len(found), len(nouns))
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
    ranker: LanguageModel, pairs: Sequence[tuple[Noun, str]], spec: ScoringSpec, tick: Tick = quiet, at_once: int = 512
) -> list[float]:
    """How strange a causal model finds *The noun is word.*: the exponential of the mean surprise of a token."""
    if not ranker.family.left_to_right:
        raise UserError(f"{ranker.name} is not a causal model, so it cannot rank by perplexity", fix="--ranker smollm2")
    found: list[float] = []
    for start in range(0, len(pairs), at_once):
        texts = [statement(noun, word) for noun, word in pairs[start : start + at_once]]
        found += [exp(-text.mean) for text in score_texts(ranker, texts, spec)]
        tick("perplexity", len(found), len(pairs))
    return found
