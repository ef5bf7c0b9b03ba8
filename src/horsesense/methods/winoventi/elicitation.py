"""Step 1 (section 2.2): elicit a model's associations, drop nonsense, rank and cut the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge

from horsesense.core import BLANK, Fill, ScoringSpec
from horsesense.core.document import INTERNAL, Frame, TableDocument
from horsesense.core.spec import parse_spec
from horsesense.errors import UserError, argument, translate_errors
from horsesense.methods.winoventi.associations import (
    COLUMNS,
    KS,
    Association,
    Selection,
    common_words,
    drop_nonsense,
    select,
    shares,
    words_of_noun,
    write_associations,
)
from horsesense.methods.winoventi.nouns import (
    AGREEING,
    LITERAL,
    Noun,
    NounList,
    check_template,
    load_nouns,
    prompts_for,
    statement,
)
from horsesense.methods.winoventi.word_relations import load_word_relations
from horsesense.models.hf.language_model import LanguageModel
from horsesense.models.load import load_model
from horsesense.models.locate import LoadSettings
from horsesense.models.protocol import Model, Prompt
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.fill import fill_blanks
from horsesense.scoring.texts import score_texts

Marking = Literal["Ġ", "▁", "##", ""]
"""How a vocabulary marks words: a mark before words (byte-level BPE, SentencePiece), a mark before word pieces
(WordPiece), or none.
"""

_MARKED_SHARE = 0.02
"""Minimum share of tokens with a mark."""
_NOUNS_AT_ONCE = 256
_TOKENS_PER_WORD = 4
"""Tokens to request per needed word: about half are pieces, punctuation or the noun itself."""
_RESCORED = 100
"""Tokens to request from a causal model, whose words are re-ranked as whole sentences."""
_TOKENS_AGAIN = 2000
"""Tokens to request if those were too few."""
_STATEMENTS_AT_ONCE = 512


@dataclass(frozen=True)
class PromptSettings:
    """Prompts: how associations are elicited."""

    as_paper: bool = False
    """Use the literal sentence and the rules of the paper."""
    template: str = ""
    """Sentence with slots, such as 'Every {noun} is {not}___ today.'. By default, 'The {noun} is {not}___'."""
    k: tuple[int, ...] = KS
    """Depth of the rankings."""


@dataclass(frozen=True)
class Elicitation(PromptSettings):
    """How associations are elicited, and with which scoring."""

    spec: ScoringSpec = field(default_factory=ScoringSpec)

    @property
    def sentence(self) -> str:
        return self.template or (LITERAL if self.as_paper else AGREEING)


# From tokens to words.


def marking_of(vocabulary: Iterable[str]) -> Marking:
    """Return the marking that enough tokens have.

    >>> marking_of(["Ġcold", "Ġhot", "ing"]), marking_of(["cold", "##ing"]), marking_of(["a", "b"])
    ('Ġ', '##', '')
    """
    tokens = list(vocabulary)
    marks: tuple[Marking, ...] = ("Ġ", "▁", "##")
    counts = {mark: sum(token.startswith(mark) for token in tokens) for mark in marks}
    best = max(marks, key=lambda mark: counts[mark])
    return best if counts[best] > _MARKED_SHARE * len(tokens) else ""


def word_of(token: str, marking: Marking) -> str:
    """Return the word of a token, in lower case; empty for a word piece, punctuation, a number or one letter.

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
    """Return the word of a token by the paper's rule: at least two characters, without a number sign.

    Word pieces of a byte-level vocabulary pass it, and so does a single letter after its mark.

    >>> [literal_word_of(token) for token in ("ĠCold", "ing", "##ing", "a", "Ġa")]
    ['Cold', 'ing', '', '', 'a']
    """
    return token.lstrip("Ġ▁") if "#" not in token and len(token) > 1 else ""


# From a model to associations.


def spellable(model: Model, nouns: Sequence[Noun], spec: ScoringSpec) -> tuple[list[Noun], list[Noun]]:
    """Return the nouns that the tokenizer can spell, and those with an unknown token."""
    known: list[Noun] = []
    unknown: list[Noun] = []
    for noun, spelt in zip(nouns, model.knows([noun.word for noun in nouns], spec), strict=True):
        (known if spelt else unknown).append(noun)
    return known, unknown


def vocabulary_marking(model: Model) -> Marking:
    """Return how the vocabulary marks words; a server returns the space before a word, which counts as a mark."""
    return marking_of(model.tokenizer.get_vocab()) if isinstance(model, LanguageModel) else "Ġ"


def ask_associations(
    model: Model, nouns: Sequence[Noun], elicitation: Elicitation, progress: Progress = NO_PROGRESS
) -> list[tuple[Association, ...]]:
    """Elicit the associations of each noun; empty if both sentences have no word in common."""
    if elicitation.template:
        check_template(elicitation.template)
    if not elicitation.k or min(elicitation.k) < 1:
        raise UserError("associations need a depth of 1 or more", fix="use 1,3,5,8,10")
    marking = vocabulary_marking(model)
    by_noun: list[tuple[Association, ...]] = []
    for start in range(0, len(nouns), _NOUNS_AT_ONCE):
        part = nouns[start : start + _NOUNS_AT_ONCE]
        prompt_pairs = [prompts_for(noun, elicitation.sentence) for noun in part]
        best_words = iter(_best_words(model, part, prompt_pairs, elicitation, marking))
        for noun, pairs in zip(part, prompt_pairs, strict=True):
            rankings = [(next(best_words), next(best_words)) for _ in pairs]
            common = common_words(rankings, elicitation.k)
            by_noun.append(tuple(Association(noun.word, word, k) for word, k in common.items()))
        progress.update("associations", len(by_noun), len(nouns))
    return by_noun


def _best_words(
    model: Model,
    nouns: Sequence[Noun],
    prompt_pairs: Sequence[tuple[tuple[str, str], ...]],
    elicitation: Elicitation,
    marking: Marking,
) -> list[list[str]]:
    """Return the best words of each prompt, without word pieces and single letters."""
    texts = [text for pairs in prompt_pairs for pair in pairs for text in pair]
    owners = [noun for noun, pairs in zip(nouns, prompt_pairs, strict=True) for pair in pairs for _ in pair]
    barred = {noun.word: frozenset() if elicitation.as_paper else words_of_noun(noun) for noun in nouns}
    depth = max(elicitation.k)

    def cleaned(fills: list[Fill], owner: Noun) -> list[str]:
        tokens = model.vocabulary_forms(fills)
        words = [literal_word_of(token) if elicitation.as_paper else word_of(token, marking) for token in tokens]
        return list(dict.fromkeys(word for word in words if word and word not in barred[owner.word]))

    size = model.max_candidates
    rescored = model.scores_to_end and not elicitation.as_paper
    count = max(_RESCORED, _TOKENS_PER_WORD * depth) if rescored else _TOKENS_PER_WORD * depth
    first = fill_blanks(model, texts, min(size, count), elicitation.spec)
    rankings = [cleaned(fills, owner) for fills, owner in zip(first, owners, strict=True)]
    short = [i for i, words in enumerate(rankings) if len(words) < depth]
    if short:
        more = fill_blanks(model, [texts[i] for i in short], min(size, _TOKENS_AGAIN), elicitation.spec)
        for i, fills in zip(short, more, strict=True):
            rankings[i] = cleaned(fills, owners[i])
    return as_sentences(model, texts, rankings, elicitation.spec) if rescored else rankings


def as_sentences(
    model: Model, texts: Sequence[str], rankings: Sequence[Sequence[str]], spec: ScoringSpec
) -> list[list[str]]:
    """Re-rank the words of each prompt by the probability of the whole sentence: *The kettle is hot.*

    A causal model does not see that the sentence ends, and predicts *made*, *used*, *built*.
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


# Step 1 as a whole.


def associate(
    model: Model,
    ranker: Model | None,
    nouns: Sequence[Noun],
    elicitation: Elicitation,
    progress: Progress = NO_PROGRESS,
) -> tuple[Selection, dict[str, int]]:
    """Elicit, filter and rank associations; also return irregularities, counted. Without a ranker nothing is cut at a
    knee; with the paper's rules nothing is dropped as nonsense, because people do that there."""
    known, unknown = spellable(model, nouns, elicitation.spec)
    if not known:
        raise UserError(f"the tokenizer of {model.name} can spell none of the nouns", fix="use another model or list")
    by_noun = ask_associations(model, known, elicitation, progress)
    everything = [each for associations in by_noun for each in associations]
    notes = {
        "nouns that the tokenizer cannot spell, not asked": len(unknown),
        "nouns without any association": sum(not associations for associations in by_noun),
    }
    if model.scores_to_end and elicitation.as_paper:
        # A causal model does not see the ending, so both prompts are the same to it.
        notes["endings that a causal model cannot see"] = 1
    judged = everything if elicitation.as_paper else drop_nonsense(everything, load_word_relations())
    selection = rank_and_cut(judged, {noun.word: noun for noun in known}, ranker, elicitation, progress)
    return selection, {what: count for what, count in notes.items() if count}


def rank_and_cut(
    associations: Sequence[Association],
    nouns: Mapping[str, Noun],
    ranker: Model | None,
    elicitation: Elicitation,
    progress: Progress = NO_PROGRESS,
) -> Selection:
    """Rank the kept associations and cut them at the knees."""
    if ranker is None:
        return Selection(tuple(associations), {}, None)
    kept = [each for each in associations if each.kept]
    values = perplexities(ranker, [(nouns[each.noun], each.word) for each in kept], elicitation.spec, progress)
    rest = [each for each in associations if not each.kept]
    ranked = [replace(each, perplexity=value) for each, value in zip(kept, values, strict=True)]
    return select([*ranked, *rest])


def perplexities(
    ranker: Model, pairs: Sequence[tuple[Noun, str]], spec: ScoringSpec, progress: Progress = NO_PROGRESS
) -> list[float]:
    """Return the perplexity of *The noun is word.* by a causal model."""
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


# The public function.

MODEL = "smollm2-masked"
"""Default model: the bundled masked one."""
_MAX_DEPTH = 100
_FREQUENT = 10


@dataclass(frozen=True, slots=True)
class FrequentWord:
    """A word that is associated with many nouns."""

    word: str
    """The word."""
    count: int
    """Number of associations."""
    share: float
    """Share of all associations."""


@dataclass(frozen=True, slots=True)
class Associations(TableDocument):
    """The associations of a model, counted."""

    model: str
    """Model."""
    ranker: str | None
    """Model that ranked them; null without ranking."""
    nouns: int
    """Number of nouns."""
    associations: int
    """Number of associations."""
    by_k: Mapping[str, int]
    """Number of associations at each depth of the rankings."""
    kept: int
    """Number of associations left after nonsense, ranking and knee."""
    kept_by_k: Mapping[str, int]
    """Number of these at each depth."""
    knees: Mapping[str, float]
    """Largest perplexity that is kept, by depth."""
    last_knee: float | None
    """Largest perplexity that is kept over all depths; null without a last round."""
    dropped: Mapping[str, int]
    """Number of dropped associations by reason, the most frequent first."""
    frequent: tuple[FrequentWord, ...]
    """The most frequent words."""
    notes: Mapping[str, int]
    """Irregularities in the list of nouns, counted."""
    out: Path | None
    """File of the associations; null if none was written."""
    all: tuple[Association, ...] = field(metadata=INTERNAL)
    """All associations, the kept ones first; the others give the reason."""
    noun_list: NounList = field(metadata=INTERNAL)
    """The nouns, and the changes to their list."""

    def frame(self) -> Frame:
        """Return a table with one row per association."""
        columns = {name: [getattr(each, name) for each in self.all] for name in COLUMNS}
        return Frame(columns, f"associations of {self.model}")


@translate_errors()
def find_associations(
    nouns: str | Path,
    *,
    model: str = MODEL,
    out: str | Path | None = None,
    prompts: PromptSettings | None = None,
    ranker: str = "smollm2",
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    spec: str | ScoringSpec = "default",
    loading: LoadSettings | None = None,
    progress: Progress = NO_PROGRESS,
) -> Associations:
    """Find the words that a model predicts after both "The X is" and "The X is not", ranked and cut at the knee.

    Args:
        nouns: ``wordnet``, or a file with one noun per line or a column ``Word`` (THINGS).
        model: Model name, folder, GGUF file or server.
        out: File of the associations: .tsv, .csv or .jsonl.
        prompts: Sentences and depths.
        ranker: Causal model that ranks by perplexity; ``none``: no ranking.
        limit: Maximum number of nouns, drawn by seed.
        seed: Random seed.
        spec: Scoring spec.
        loading: Model loading.
        progress: Progress callback.

    Returns:
        The associations, and their summary.
    """
    prompts, loading = prompts or PromptSettings(), loading or LoadSettings()
    depths = tuple(sorted(set(prompts.k)))
    if not depths or depths[0] < 1 or depths[-1] > _MAX_DEPTH:
        depth = ",".join(map(str, prompts.k))
        raise UserError(f"{argument('k')} {depth} is out of range", fix=f"use depths from 1 to {_MAX_DEPTH}")
    listed = load_nouns(nouns, as_paper=prompts.as_paper, limit=limit, seed=seed, progress=progress)
    scoring = parse_spec(spec)
    elicitation = Elicitation(prompts.as_paper, prompts.template, depths, scoring)
    where: dict[str, Any] = {
        "device": loading.device,
        "dtype": scoring.dtype,
        "allow_pickle": loading.allow_pickle,
    }
    loaded = load_model(model, model_type=loading.model_type, **where)
    ranking = None if ranker == "none" else load_model(ranker, **where)
    selection, notes = associate(loaded, ranking, listed.nouns, elicitation, progress)
    path = None if out is None else Path(out)
    if path is not None:
        write_associations(path, selection.associations)
    return Associations(
        model=model,
        ranker=None if ranker == "none" else ranker,
        nouns=len(listed.nouns),
        associations=len(selection.associations),
        by_k=_count_by_k(selection.associations),
        kept=len(selection.kept),
        kept_by_k=_count_by_k(selection.kept),
        knees={str(k): value for k, value in selection.knees.items()},
        last_knee=selection.last_knee,
        dropped=dict(Counter(each.reason for each in selection.associations if not each.kept).most_common()),
        frequent=tuple(FrequentWord(*each) for each in shares(selection.associations)[:_FREQUENT]),
        notes={**listed.notes, **notes},
        out=path,
        all=selection.associations,
        noun_list=listed,
    )


def _count_by_k(associations: Sequence[Association]) -> dict[str, int]:
    return {str(k): count for k, count in sorted(Counter(each.k for each in associations).items())}
