"""Find the items of a probe, built here or published, that break a rule.

The rules are those of `certainty_rules`. An item is its task, the asked concept and a concept per option:
the one that the item names, else the one that the option's text names. For dictionary questions only texts matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from horsesense.core import Item, Probe
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.graph import Graph
from horsesense.lexicons.word_forms import paraphrases, stems
from horsesense.methods.wordnetqa.certainty_rules import PARAPHRASE, SECOND_ANSWERS, Asked, CertaintyRules
from horsesense.methods.wordnetqa.plan import RELATIONS
from horsesense.methods.wordnetqa.word_forms import find_form, standing_lemmas
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.stats import Estimate, accuracy

DICTIONARY = "dictionary"
NO_QUESTION = "it is not a question of WordNetQA or DictionaryQA"
NO_CONCEPT = "its asked concept or an option is not in the source"
_EVERY = 2000

NameOfText = Callable[[str], str | None]
"""Returns the id of the concept that a text names, if any."""


@dataclass(frozen=True, slots=True)
class BrokenItem:
    """An item that breaks a rule."""

    id: str
    """Id of the item."""
    text: str
    """Its question."""
    rules: tuple[str, ...]
    """The rules that it breaks, each once."""
    options: tuple[str, ...]
    """Distractors that break one; empty where only the answer does."""


@dataclass(frozen=True, slots=True)
class CheckedItems(Document):
    """Items of a probe that break a rule."""

    n: int
    """Number of items that could be checked."""
    broken: Estimate
    """Share of these that break a rule."""
    second_answers: int
    """Number of items with a distractor that is true as well; the others break a rule of form."""
    rules: Mapping[str, int]
    """Number of items per rule, most frequent first; an item may break several."""
    unchecked: Mapping[str, int]
    """Number of items that could not be checked, by reason."""
    items: tuple[BrokenItem, ...]
    """Items that break a rule, in the order of the probe."""


def check_items(
    items: Sequence[Item],
    group: str,
    graph: Callable[[], Graph],
    name_of: Callable[[], NameOfText],
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> CheckedItems:
    """Check each item by the rules of its relation; ``graph`` and ``name_of`` are called when they are needed."""
    checker: _Checker | None = None
    broken: list[BrokenItem] = []
    verdicts: list[tuple[str, bool]] = []
    unchecked: Counter[str] = Counter()
    for number, item in enumerate(items):
        if number % _EVERY == 0:
            progress.update("checking", number, len(items))
        task = str(item.facets.get("task", ""))
        if item.answer is None or task not in (*RELATIONS, DICTIONARY):
            unchecked[NO_QUESTION] += 1
            continue
        if task == DICTIONARY:
            found: Sequence[tuple[int, str]] | None = _paraphrased(item, item.answer)
        else:
            checker = checker or _Checker(graph(), name_of())
            found = checker.objections(item, task, item.answer)
        if found is None:
            unchecked[NO_CONCEPT] += 1
            continue
        verdicts.append((item.unit(group), bool(found)))
        if found:
            rules = tuple(dict.fromkeys(rule for _, rule in found))
            options = tuple(item.options[index] for index, _ in found if index != item.answer)
            broken.append(BrokenItem(item.id, item.text, rules, options))
    if not verdicts:
        reason = next(iter(unchecked), "it has no items")
        raise UserError(f"no item can be checked: {reason}", fix="give questions built from WordNet or a dictionary")
    units = [unit for unit, _ in verdicts]
    share = accuracy([float(bad) for _, bad in verdicts], units, chance=0.0, seed=seed)
    counts = Counter(rule for item in broken for rule in item.rules)
    false = sum(not SECOND_ANSWERS.isdisjoint(item.rules) for item in broken)
    return CheckedItems(len(verdicts), share, false, dict(counts.most_common()), dict(unchecked), tuple(broken))


def _paraphrased(item: Item, answer: int) -> list[tuple[int, str]]:
    """Return distractors that paraphrase the answer of a dictionary question; other senses are wrong."""
    key = stems(item.options[answer])
    others = ((index, stems(text)) for index, text in enumerate(item.options) if index != answer)
    return [(index, PARAPHRASE) for index, told in others if paraphrases(key, told)]


class _Checker:
    """The rules for a source, and the concepts that items name."""

    def __init__(self, graph: Graph, name_of: NameOfText) -> None:
        self.graph, self.name_of = graph, name_of
        self.certainty = CertaintyRules(graph)
        self._named: dict[str, int | None] = {}

    def objections(self, item: Item, relation: str, answer: int) -> list[tuple[int, str]] | None:
        """Return the index of each option that breaks a rule, and the rule; None for an unknown concept."""
        graph = self.graph
        asked = graph.number.get(str(item.facets.get("asked", item.groups.get("asked", ""))))
        options = self._options(item)
        if asked is None or options is None:
            return None
        words, pos = list(graph.lemmas[asked]), graph.pos[asked]
        given = graph.definitions[asked]
        if relation != "synonymy":
            shown = [find_form(item.text, [lemma], pos) for lemma in words]
            given = " ".join(filter(None, shown)) or " ".join(words)
            words = standing_lemmas(graph, asked, item.text) or words
        senses = self.certainty.senses(words, pos) | {asked}
        question = Asked(relation, asked, senses, options[answer])
        found = [(answer, rule) for rule in self.certainty.answer_objections(question, given, item.options[answer])]
        for index, option in enumerate(options):
            if index != answer and (rule := self.certainty.objection(question, option)):
                found.append((index, rule))
        return found

    def _options(self, item: Item) -> list[int] | None:
        """Return the concepts of the options; an id takes precedence over the text."""
        found: list[int] = []
        for index, text in enumerate(item.options):
            number = self.graph.number.get(item.concepts[index]) if item.concepts else None
            if number is None:
                if text not in self._named:
                    name = self.name_of(text)
                    self._named[text] = None if name is None else self.graph.number.get(name)
                number = self._named[text]
            if number is None:
                return None
            found.append(number)
        return found


@translate_errors()
def check(
    probe: Probe | str | Path,
    *,
    source: str = "wordnet",
    seed: Annotated[int, Ge(0)] = 0,
    progress: Progress = NO_PROGRESS,
) -> CheckedItems:
    """List the items of WordNetQA or DictionaryQA that break a rule, built here or published.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        source: Knowledge source of its concepts.
        seed: Random seed of the interval.
        progress: Progress callback.

    Returns:
        The share of items that break a rule, the number per rule, and the items.
    """
    from horsesense.core.catalogue import as_probe
    from horsesense.lexicons.sources import open_graph

    known = as_probe(probe)
    return check_items(
        known.items, known.card.group, lambda: open_graph(source), lambda: _concept_finder(source), seed, progress
    )


def _concept_finder(source: str) -> Callable[[str], str | None]:
    """Return a function from a text to the concept that it names; only WordNet's texts are indexed."""
    from horsesense.cues.table import place_of_text
    from horsesense.lexicons.sources import find_wordnet_graph

    wordnet = find_wordnet_graph() if source == "wordnet" else None
    if wordnet is None:
        return lambda text: None

    def find(text: str) -> str | None:
        index = place_of_text(text, wordnet)
        return wordnet.ids[index] if index >= 0 else None

    return find
