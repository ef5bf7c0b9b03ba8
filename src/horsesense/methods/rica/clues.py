"""Clue words: which words predictions on a RICA probe rest on (appendix C, 3.4 clues and 1.5 arguments per statement).

Each statement is explained under several draws of names. A word is a clue if it is among the five strongest in most
draws (scoring/clue_words.py). An argument is a content word of the axiom: not a name, function word, comparative or
*not*. Both figures are reported beside what randomly picked words would give.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import scipy
from annotated_types import Ge

from horsesense.core import BLANK, Item, Probe, ScoringSpec
from horsesense.core.document import Document
from horsesense.core.spec import parse_spec
from horsesense.core.views import fill_blank
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.novel_names import rename_entities
from horsesense.lexicons.words import words
from horsesense.methods.rica.controls import content_of
from horsesense.methods.rica.english_statements import entities_of
from horsesense.methods.rica.published_statements import CONNECTIVE, entities
from horsesense.methods.rica.views import open_rica
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.scoring.clue_words import LEAST, TOP, Clues, Marked, clues_of, slotted
from horsesense.scoring.saliency import Method
from horsesense.stats import Estimate
from horsesense.stats.accuracy import mean_estimate

if TYPE_CHECKING:
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.protocol import Model


MOST_WORDS = 15
"""Number of listed clue words."""
_NAME = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class CommonClue:
    """A word that is a clue in many statements."""

    word: str
    """The word as written; a name is shown as its slot."""
    statements: int
    """Number of statements in which it is a clue."""
    share: float
    """Share of the statements with the word in which it is a clue."""


@dataclass(frozen=True, slots=True)
class ClueSet(Document):
    """The words that a model's predictions on a RICA probe rest on."""

    model: str
    """Model."""
    probe: str
    """Probe."""
    entities: str
    """Kind of entities: novel or names."""
    method: str
    """Saliency method."""
    steps: int
    """Number of noise draws, or of integration steps."""
    draws: int
    """Number of name pairs per statement."""
    seed: int
    """Random seed."""
    clues: Estimate
    """Clues per statement; ``chance`` is for words picked at random in each draw."""
    arguments: Estimate
    """Arguments among the clues; ``chance`` is for clues picked at random from the statement."""
    stability: Estimate
    """Mean overlap of the strongest words in two draws."""
    words: tuple[CommonClue, ...]
    """The most frequent clues."""


@dataclass(frozen=True, slots=True)
class _Explained:
    """The clues of one statement."""

    item: Item
    words: tuple[str, ...]
    """Candidate words, with slots for names: not the target, nor the words after it for a causal model."""
    arguments: frozenset[str]
    clues: Clues


@translate_errors()
def find_clues(
    probe: Probe | str | Path,
    *,
    model: str | Path | Model,
    limit: Annotated[int, Ge(1)] | None = None,
    entities: Literal["novel", "names"] = "novel",
    method: Method = "smoothgrad",
    steps: Annotated[int, Ge(1)] = 10,
    draws: Annotated[int, Ge(2)] = 5,
    seed: Annotated[int, Ge(0)] = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    progress: Progress = NO_PROGRESS,
) -> ClueSet:
    """Find the words that predictions on a RICA probe rest on, whatever the entities are called (RICA, appendix C).

    Args:
        probe: Name or file of a RICA probe of masked words. In Python, also a `Probe`.
        model: Local model whose gradients are used.
        limit: Maximum number of statements, drawn from the axioms in turn.
        entities: Names of the entities: novel strings, or first names as in the paper.
        method: Saliency method.
        steps: Number of noise draws, or of integration steps.
        draws: Number of name pairs per statement.
        seed: Random seed.
        spec: Scoring spec.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        progress: Progress callback.

    Returns:
        Clues and arguments per statement with intervals and chance levels, and the most frequent clues.
    """
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.load import load_model

    whole, name = open_rica(probe)
    loaded = load_model(model, device=device) if isinstance(model, str | Path) else model
    if not isinstance(loaded, LanguageModel):
        raise UserError(f"{loaded.name} is served, and gradients need the weights", fix="use a local model")
    scoring = parse_spec(spec)
    chosen = draw_by_turns([item for item in whole.items if _is_statement(item)], limit, seed)
    if not chosen:
        raise UserError("no item has a masked word and a gold answer", fix="give a RICA probe of masked words")
    pairs = entities_of(entities, draws, seed).draw("clues")
    explained = []
    for done, item in enumerate(chosen):
        progress.update(f"{loaded.name}: clue words on {name}", done, len(chosen))
        explained.append(_explain(loaded, item, scoring, pairs, method, steps, seed))
    units = [each.item.unit(whole.card.group) for each in explained]
    return ClueSet(
        model=loaded.name,
        probe=name,
        entities=entities,
        method=method,
        steps=steps,
        draws=draws,
        seed=seed,
        clues=mean_estimate(
            [len(each.clues.clues) for each in explained],
            units,
            chance=float(np.mean([clues_by_chance(each, draws) for each in explained])),
        ),
        arguments=mean_estimate(
            [sum(clue.argument for clue in each.clues.clues) for each in explained],
            units,
            chance=float(np.mean([_arguments_by_chance(each) for each in explained])),
        ),
        stability=mean_estimate([each.clues.stability for each in explained], units),
        words=_common(explained),
    )


def draw_by_turns(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """Draw items from the families in turn: statements of one axiom say much the same."""
    queues: dict[str, list[Item]] = defaultdict(list)
    for item in Random(seed).sample(list(items), len(items)):
        queues[item.unit()].append(item)
    turns = sorted((i, family) for family, queue in queues.items() for i in range(len(queue)))
    drawn = [queues[family][i] for i, family in turns]
    return drawn if limit is None else drawn[:limit]


def _is_statement(item: Item) -> bool:
    return item.form == "cloze" and item.answer is not None and CONNECTIVE in item.text


def names_in(item: Item) -> tuple[str, ...]:
    """Return the entities of a statement, in the order of the text."""
    premise = item.text.rpartition(CONNECTIVE)[0]
    words_before = _NAME.findall(premise)
    if "entities" in item.facets:  # In built items the pair of names is in the groups.
        named = set(item.groups.get("entities", "").split())
    else:
        both = entities(fill_blank(item.text, item.options[item.answer or 0]))
        about_two = item.facets.get("category") != "temporal"
        named = set(both) if all(name in words_before for name in both) and about_two else {words_before[0]}
    return tuple(dict.fromkeys(word for word in words_before if word in named))


def _explain(
    model: LanguageModel,
    item: Item,
    spec: ScoringSpec,
    pairs: Sequence[Mapping[str, str]],
    method: Method,
    steps: int,
    seed: int,
) -> _Explained:
    right = item.options[item.answer or 0]
    slots = dict(zip(names_in(item), "AB", strict=False))
    marks = {name: f"{{{slot}}}" for name, slot in slots.items()}
    before, _, after = (rename_entities(part, marks) for part in item.text.partition(BLANK))
    marked = Marked(before, right, after)
    names = [{slot: pair[slot] for slot in slots.values()} for pair in pairs]
    saliencies = [marked.named(each).explained(model, spec, method, steps, seed) for each in names]
    arguments = frozenset(content_of(item.text.replace(BLANK, right), {name.lower() for name in slots}))
    candidates = tuple(
        _with_slots(same[0].word, names[0])
        for same in zip(*(each.words for each in saliencies), strict=True)
        if any(word.value != 0 for word in same)
    )
    return _Explained(item, candidates, arguments, clues_of(saliencies, names, " ".join(sorted(arguments))))


def _with_slots(word: str, names: Mapping[str, str]) -> str:
    return slotted(word, {name: f"{{{slot}}}" for slot, name in names.items()})


def clues_by_chance(explained: _Explained, draws: int) -> float:
    """Return the expected number of clues if words were picked at random in each draw."""
    number = max(1, len(explained.words))
    least = -(-LEAST * draws // TOP)
    return number * float(scipy.stats.binom.sf(least - 1, draws, min(1.0, TOP / number)))


def _arguments_by_chance(explained: _Explained) -> float:
    """Return the expected number of arguments among as many random words of the statement."""
    known = sum(bool(set(words(word)) & explained.arguments) for word in explained.words)
    return len(explained.clues.clues) * known / max(1, len(explained.words))


def _common(explained: Sequence[_Explained]) -> tuple[CommonClue, ...]:
    there = Counter(word for each in explained for word in set(each.words))
    clues = Counter(word for each in explained for word in {clue.word for clue in each.clues.clues})
    return tuple(CommonClue(word, count, count / there[word]) for word, count in clues.most_common(MOST_WORDS))
