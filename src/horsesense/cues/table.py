"""Table of options: one row per option, each text stored once, so that a cue takes a few numpy passes.

If WordNet is available, an option is also linked to a concept: by its knowledge id, its gloss, its list of words, or as
a single word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from horsesense.core import BLANK, Item
from horsesense.core.item import guess_of
from horsesense.cues.tokens import Floats, Ints, Matches, Tokens, matches, new_vocabulary, spread, tokens
from horsesense.errors import UserError
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.wordnet import definition_key

_DEFINED = re.compile(r"^(?P<word>.+?)(?: \(or (?P<others>.+?)\))?(?: event)?, defined as ['‘](?P<gloss>.+)['’]\W*$")
_LONGEST_NAME = 80
"""Maximum length of a concept name in characters."""


def place_of_concepts(items: Sequence[Item], texts: Sequence[str], text_of: Ints, taxonomy: Graph) -> Ints:
    """Return the flat WordNet index of each option's concept, or -1. A knowledge id has priority over the text."""
    named = np.array([place_of_text(text, taxonomy) for text in texts], dtype=np.int64)
    synsets = named[text_of]
    flat = 0
    for item in items:
        for number, concept in enumerate(item.concepts):
            synsets[flat + number] = taxonomy.number.get(concept, synsets[flat + number])
        flat += len(item.options)
    return synsets


def place_of_text(text: str, taxonomy: Graph) -> int:
    """Return the index of the concept that a text names, or -1."""
    defined = _DEFINED.match(text)
    if defined:
        words = {defined["word"].lower(), *(defined["others"] or "").lower().split(", ")}
        return _best(taxonomy.by_gloss.get(definition_key(defined["gloss"]), []), words, taxonomy)
    if len(text) <= _LONGEST_NAME:
        name = text.strip().rstrip(".").lower()
        if senses := taxonomy.senses.get(name):
            return senses[0]
        words = set(name.split(", "))
        first = taxonomy.senses.get(name.partition(", ")[0], []) if len(words) > 1 else []
        for synset in first:
            if words <= {lemma.lower() for lemma in taxonomy.lemmas[synset]}:
                return synset
    same = taxonomy.by_gloss.get(definition_key(text), [])
    return same[0] if same else -1


def _best(places: Sequence[int], words: set[str], taxonomy: Graph) -> int:
    """Return the synset with the most shared words among those with the same gloss."""
    if not places:
        return -1
    return max(places, key=lambda place: len(words & {lemma.lower() for lemma in taxonomy.lemmas[place]}))


@dataclass(frozen=True)
class Table:
    """Items with their options as flat arrays. "Flat" arrays have one entry per option, items in sequence."""

    items: Sequence[Item]
    starts: Ints
    """Offset of each item's options, followed by their total number."""
    gold: Ints
    """Flat index of each item's correct option."""
    unit: Ints
    """Index of each item's cluster."""
    texts: Sequence[str]
    """Distinct option texts; for sentences only the differing part."""
    text_of: Ints
    """Flat index into ``texts``."""
    contexts: Sequence[str]
    """Text around each item's options: the question, or the shared part of the sentences."""
    taxonomy: Graph | None = None
    """WordNet, if installed."""

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def counts(self) -> Ints:
        """Number of options per item."""
        return np.diff(self.starts)

    @cached_property
    def even(self) -> bool:
        """Whether all items have the same number of options."""
        return bool((self.counts == self.counts[0]).all())

    @cached_property
    def item_of(self) -> Ints:
        """Flat index of the item."""
        return np.repeat(np.arange(len(self.items)), self.counts)

    @cached_property
    def position(self) -> Ints:
        """Flat position: 0 for an item's first option, 1 for its second …"""
        return np.arange(len(self.text_of)) - self.starts[:-1][self.item_of]

    @cached_property
    def chance(self) -> Floats:
        """Chance level per item."""
        return 1.0 / self.counts

    @cached_property
    def labels(self) -> NDArray[np.bool_]:
        """Flat mask of options that are labels of a pair, whose wording is uninformative."""
        return np.array([item.form == "pair" for item in self.items], dtype=bool)[self.item_of]

    @cached_property
    def closed(self) -> bool:
        """Whether the options come from a small set, so that associations with each of them can be learnt."""
        return len(self.texts) <= max(12, len(self.items) // 10)

    @cached_property
    def _vocabulary(self) -> dict[str, int]:
        return new_vocabulary()

    @cached_property
    def words(self) -> Tokens:
        """Words of each text."""
        return tokens(self.texts, self._vocabulary)

    @cached_property
    def context_words(self) -> Tokens:
        """Words around each item's options."""
        return tokens(self.contexts, self._vocabulary)

    @cached_property
    def matches(self) -> Matches:
        """Words shared by options with the question and with one another."""
        context = self.context_words  # the vocabulary must be complete before its size is used
        return matches(self.words, context, self.text_of, self.starts)

    @cached_property
    def synset(self) -> Ints:
        """Flat WordNet index of the concept; -1 for options without one."""
        if self.taxonomy is None:
            return np.full(len(self.text_of), -1, dtype=np.int64)
        return place_of_concepts(self.items, self.texts, self.text_of, self.taxonomy)

    def options_of(self, chosen: Ints) -> Ints:
        """Return the flat indices of the options of some items."""
        return spread(self.counts[chosen], self.starts[chosen])[1]

    def take(self, chosen: Ints) -> Table:
        """Return the table of some items."""
        items = [self.items[i] for i in chosen.tolist()]
        lengths = self.counts[chosen]
        flat = self.options_of(chosen)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        gold = starts[:-1] + (self.gold - self.starts[:-1])[chosen]
        distinct, text_of = np.unique(self.text_of[flat], return_inverse=True)
        texts = [self.texts[t] for t in distinct.tolist()]
        contexts = [self.contexts[i] for i in chosen.tolist()]
        unit = np.unique(self.unit[chosen], return_inverse=True)[1]
        return Table(items, starts, gold, unit, texts, text_of, contexts, self.taxonomy)


def table_of(items: Sequence[Item], group: str = "family", taxonomy: Graph | None = None) -> Table:
    """Build the table; items without a gold or with a single option are left out."""
    if not items:
        raise UserError("the probe is empty", fix="give a file with at least one item")
    judged = [item for item in items if item.answer is not None]
    if not judged:
        raise UserError("no item has a gold answer, so cues cannot be evaluated", fix="have the probe judged first")
    usable = [item for item in judged if len(item.options) > 1]
    if not usable:
        raise UserError(
            "every item has one option only, so there is nothing to choose", fix="give items with two or more"
        )
    usable = [item for item in usable if guess_of(item)]
    if not usable:
        raise UserError(
            "the questions were asked without options, so no cue can choose one", fix="give items with options"
        )
    index_of: dict[str, int] = {}
    text_of: list[int] = []
    contexts: list[str] = []
    for item in usable:
        stretches, context = apart(item)
        text_of.extend(index_of.setdefault(text, len(index_of)) for text in stretches)
        contexts.append(context)
    numbers: dict[str, int] = {}
    unit = [numbers.setdefault(item.unit(group), len(numbers)) for item in usable]
    starts = np.concatenate([[0], np.cumsum([len(item.options) for item in usable])]).astype(np.int64)
    gold = starts[:-1] + np.array([item.answer for item in usable], dtype=np.int64)
    units = np.array(unit, dtype=np.int64)
    return Table(usable, starts, gold, units, list(index_of), np.array(text_of, dtype=np.int64), contexts, taxonomy)


def apart(item: Item) -> tuple[Sequence[str], str]:
    """Split options into the parts that differ, and their shared context.

    Unlike the cloze view this works for every item: a part may be empty if one sentence has an additional word.

    >>> apart(Item(probe="demo", form="sentences", options=("Ice is cold .", "Ice is hot .")))
    (['cold', 'hot'], 'Ice is ___ .')
    """
    if item.form != "sentences":
        return item.options, " ".join(filter(None, (item.premise, item.text)))
    rows = [option.split() for option in item.options]
    shortest = min(map(len, rows))
    start, end = 0, 0
    while start < shortest and len({row[start] for row in rows}) == 1:
        start += 1
    while end < shortest - start and len({row[-1 - end] for row in rows}) == 1:
        end += 1
    stretches = [" ".join(row[start : len(row) - end]) for row in rows]
    around = [*rows[0][:start], BLANK, *rows[0][len(rows[0]) - end :]]
    return stretches, " ".join([item.premise, *around] if item.premise else around)
