"""Accuracy by inference steps, on a two-choice scale (CATs, section "Number of Inference Steps", figure 2).

The scale is the share of wrong options that the right one beats. Sets with two, three and four options have
different chance levels; on this scale chance is one half for all of them.

Steps are counted by people or by rule, as the logical operations of a sentence. The paper's example has "and", "but"
and "since" between its clauses and is counted as three steps. So each word that joins clauses is one operation, and so
is each sentence that follows another, and "is against common sense", which denies a quoted statement (table 1 writes
it ¬). A sentence without any is one step: to see that it holds. Clause boundaries are found from words alone: no parser
is needed to count connectives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np

from horsesense.core import Item
from horsesense.core.document import INTERNAL, Frame, TableDocument, columns_of
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.words import AUXILIARIES, listed, word_spans
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.runs.run import AnyRun, answered_of
from horsesense.stats import Estimate
from horsesense.stats.accuracy import accuracy
from horsesense.stats.resampling import Floats

SUBJECTS = frozenset(listed("i you he she it we they there someone everyone nobody people this that"))
JOINING = frozenset(listed("because but although though whereas unless if therefore so while when"))
"""Words that always join clauses."""
MAYBE_JOINING = frozenset(listed("and or before after since until as"))
"""Words that join clauses or only words: "and" in "bread and butter", "before" in "before noon"."""
_NOT_A_CLAUSE = {"because": "of", "so": "that", "as": "well"}

_PAST = frozenset(
    listed(
        "left went came saw took gave got made said told knew found felt ran fell broke put sat stood met lost won "
        "bought brought thought heard kept held ate drank sold began wrote became let set paid sent spent"
    )
)
"""Frequent pasts without -ed."""
_SHORTEST = 3
"""Words that come before "and" where it joins clauses; after fewer, it joins the parts of a subject."""
_NEXT_SENTENCE = re.compile(r"[.?!][\"')”]*\s+(?=[\"'(“]?\w)")
_DENIED = "is against common sense"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, its position, and whether a comma precedes it."""

    text: str
    start: int
    end: int
    after_comma: bool


def words_of(text: str) -> list[Word]:
    """Split a text into words without punctuation; a word records the comma before it."""
    words: list[Word] = []
    mark = ""
    for start, end in word_spans(text):
        piece = text[start:end]
        if not piece[0].isalnum():
            mark = piece
            continue
        words.append(Word(piece, start, end, mark in (",", ";", "—", "-")))
        mark = ""
    return words


def connectives(text: str) -> list[Word]:
    """Return the words that join clauses, in order.

    >>> [word.text for word in connectives("Bread and butter fell because he slept and she was out.")]
    ['because', 'and']
    """
    words = words_of(text)
    return [word for index, word in enumerate(words) if index and joins(words, index)]


def joins(words: Sequence[Word], place: int) -> bool:
    """Return whether the word at an index joins two clauses."""
    word, following = words[place].text.lower(), [each.text.lower() for each in words[place + 1 :]]
    if not following or _NOT_A_CLAUSE.get(word) == following[0]:
        return False
    if word == "so":
        # "so wide that" is a degree; "so he left" and "…, so" join.
        return words[place].after_comma or following[0] in SUBJECTS
    if word in JOINING:
        return True
    if word not in MAYBE_JOINING:
        return False
    near = (words[place - 1].text.lower() if place else "", following[0])
    # "and since", "but when": both words of such a pair join.
    if not JOINING.isdisjoint(near) or not MAYBE_JOINING.isdisjoint(near):
        return True
    if word in ("and", "or") and place < _SHORTEST and following[0] not in SUBJECTS:
        return False
    return (word == "and" and words[place].after_comma) or _has_verb(following)


def _has_verb(following: Sequence[str]) -> bool:
    """Whether a clause of its own follows: a subject, or a verb that shows itself, before the next connective."""
    if following[0].replace("’", "'").partition("'")[0] in SUBJECTS:
        return True
    for word in following[:6]:
        if word in JOINING | MAYBE_JOINING:
            return False
        if word in AUXILIARIES | _PAST or word.endswith("n't") or (word.endswith("ed") and len(word) > 4):
            return True
    return False


def steps(sentence: str) -> int:
    """Count the logical operations of a sentence.

    >>> steps("Trains are slow and they cost a lot, but since they are clean, we should take them.")
    3
    >>> steps("a spoon is used for eating soup"), steps("He opens the box. He looks in.")
    (1, 1)
    """
    operations = len(connectives(sentence)) + len(_NEXT_SENTENCE.findall(sentence)) + sentence.count(_DENIED)
    return max(1, operations)


# Accuracy by steps.


_MOST = 4
"""The last answer of the instrument: four steps or more."""


def beaten(scores: Sequence[Sequence[float]], answers: Sequence[int | None]) -> Floats:
    """Return, for each item, the share of wrong options that score lower than the right one; a tie counts half.

    nan where there is no gold answer, or no wrong option. For two options it equals plain accuracy.

    >>> beaten([[-1.0, -2.0, -0.5], [-3.0, -3.0], [0.0, 1.0]], [0, 1, None]).tolist()
    [0.5, 0.5, nan]
    """
    if len(scores) != len(answers):
        raise UserError(f"there are scores for {len(scores)} items and answers for {len(answers)}")
    shares = np.full(len(scores), np.nan)
    for index, (row, answer) in enumerate(zip(scores, answers, strict=True)):
        if answer is not None and len(row) > 1:
            others = [score for option, score in enumerate(row) if option != answer]
            wins = sum(1.0 if row[answer] > score else 0.5 if row[answer] == score else 0.0 for score in others)
            shares[index] = wins / len(others)
    return shares


@dataclass(frozen=True, slots=True)
class ByNumber:
    """Items that take the same number of steps."""

    steps: float
    """Number of steps."""
    accuracy: Estimate
    """Share of wrong options that the right one beats."""


def by_number(values: Floats, units: Sequence[str], numbers: Sequence[float | None]) -> list[ByNumber]:
    """Return two-choice accuracy per number of steps, smallest first; items without number or answer are left out.

    >>> rows = by_number(np.array([1.0, 1.0, 0.0, 0.5]), list("abcd"), [1, 1, 2, None])
    >>> [(each.steps, each.accuracy.value) for each in rows]
    [(1, 1.0), (2, 0.0)]
    """
    if not len(values) == len(units) == len(numbers):
        raise UserError(f"there are {len(values)} values for {len(units)} units and {len(numbers)} numbers")
    indices: dict[float, list[int]] = {}
    for index, number in enumerate(numbers):
        if number is not None and not np.isnan(values[index]):
            indices.setdefault(number, []).append(index)
    return [
        ByNumber(number, accuracy(values[members], [units[index] for index in members], chance=0.5))
        for number, members in sorted(indices.items())
    ]


@dataclass(frozen=True, slots=True)
class PeopleCounting:
    """How people counted steps."""

    agreement: float
    """Share of pairs of people who gave the same number for an item."""
    pairs: int
    """Number of such pairs."""
    items: int
    """Number of items with a count."""
    votes: Mapping[str, Sequence[float]] = field(metadata=INTERNAL)
    """Counts by item."""

    @property
    def means(self) -> dict[str, float]:
        """Mean count by item."""
        return {item: sum(numbers) / len(numbers) for item, numbers in self.votes.items()}


def counted(votes: Sequence[tuple[str, float]]) -> PeopleCounting:
    """Return the percent agreement of counts by item (section "Number of Inference Steps").

    >>> counts = counted([("i", 1), ("i", 2), ("j", 3), ("j", 3)])
    >>> counts.means, counts.agreement, counts.pairs
    ({'i': 1.5, 'j': 3.0}, 0.5, 2)
    """
    by_item: dict[str, list[float]] = {}
    for item, number in votes:
        by_item.setdefault(item, []).append(number)
    pairs = [pair for numbers in by_item.values() for pair in combinations(numbers, 2)]
    if not pairs:
        raise UserError("no item was counted by two people", fix="give every item to two people")
    return PeopleCounting(_same(pairs), len(pairs), len(by_item), by_item)


# Steps in runs.


@dataclass(frozen=True, slots=True)
class SetSteps:
    """Steps of the items of one probe, and a model's accuracy on it."""

    probe: str
    mean_steps: float
    """Mean steps of the items whose steps are known."""
    accuracy: Estimate
    """Share of wrong options that the right one beats, over these items."""
    by_steps: tuple[ByNumber, ...]
    """Accuracy per number of steps, smallest first."""


@dataclass(frozen=True, slots=True)
class ModelSteps:
    """One model on all probes, ranked by their steps."""

    model: str
    sets: tuple[SetSteps, ...]
    """Its probes, fewest steps first."""
    by_steps: tuple[ByNumber, ...]
    """Accuracy per number of steps over all probes."""


@dataclass(frozen=True, slots=True)
class RuleAgainstPeople:
    """Agreement of the rule that counts logical operations with people who did not know it."""

    agreement: float
    """Share of counts that equal the rule's."""
    counts: int
    """Number of counts."""
    more: float
    """Mean difference, rule minus people, in steps."""
    by_probe: Mapping[str, float]
    """Agreement by probe."""


@dataclass(frozen=True, slots=True)
class InferenceSteps(TableDocument):
    """Accuracy by inference steps, for every model of some runs."""

    counted_by: Literal["people", "rule"]
    """Who counted the steps."""
    people: PeopleCounting | None
    """How far people agree; null where a rule counted."""
    models: tuple[ModelSteps, ...]
    """One entry per model."""
    rule: RuleAgainstPeople | None = None
    """How far the rule agrees with people; left out where nobody counted."""

    def frame(self) -> Frame:
        """Return one row per model, probe and number of steps; the probe is empty where all are taken together."""
        rows = [
            {
                "model": model.model,
                "probe": name,
                "steps": each.steps,
                **each.accuracy.columns("accuracy"),
            }
            for model in self.models
            for name, by_steps in ((None, model.by_steps), *((probe.probe, probe.by_steps) for probe in model.sets))
            for each in by_steps
        ]
        return Frame(columns_of(rows), f"accuracy by inference steps, counted by {self.counted_by}")


def rule_against_people(answered: Sequence[ProbeAnswers], counts: PeopleCounting) -> RuleAgainstPeople | None:
    """Compare the rule's count of each item with each person's; an item that several models answered counts once."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    seen: set[str] = set()
    for run in answered:
        for item in run.items:
            by_rule = steps_of(item)
            if item.id not in seen and by_rule is not None:
                seen.add(item.id)
                # "4 or more" is the last answer of the instrument.
                both = [(min(by_rule, _MOST), number) for number in counts.votes.get(item.id, ())]
                pairs.setdefault(run.part.probe.name, []).extend(both)
    every = [pair for both in pairs.values() for pair in both]
    if not every:
        return None
    return RuleAgainstPeople(
        agreement=_same(every),
        counts=len(every),
        more=sum(by_rule - number for by_rule, number in every) / len(every),
        by_probe={probe: _same(both) for probe, both in pairs.items() if both},
    )


def _same(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(by_rule == number for by_rule, number in pairs) / len(pairs)


def steps_of(item: Item) -> float | None:
    """Return the steps in the right option of an item, by rule; None without a gold answer."""
    if item.answer is None or item.form != "sentences":
        return None
    return steps(item.options[item.answer])


def _of_model(name: str, answered: Sequence[ProbeAnswers], by_people: Mapping[str, float] | None) -> ModelSteps:
    """Return the probes of a model in the order of their steps, counted by people or else by rule."""
    sets, values, units, numbers = [], [], [], []
    for run in answered:
        credit = beaten(run.scores(run.primary()), [item.answer for item in run.items])
        counts = [steps_of(item) if by_people is None else by_people.get(item.id) for item in run.items]
        run_units = [item.unit(run.probe.card.group) for item in run.items]
        known = [index for index, count in enumerate(counts) if count is not None and not np.isnan(credit[index])]
        if not known:
            continue
        mean = float(np.mean([count for index in known if (count := counts[index]) is not None]))
        overall = accuracy(credit[known], [run_units[index] for index in known], chance=0.5)
        sets.append(SetSteps(run.part.probe.name, mean, overall, tuple(by_number(credit, run_units, counts))))
        values.append(credit)
        units += run_units
        numbers += counts
    together = by_number(np.concatenate(values), units, numbers) if values else []
    return ModelSteps(name, tuple(sorted(sets, key=lambda each: each.mean_steps)), tuple(together))


@translate_errors()
def accuracy_by_steps(*runs: AnyRun, judgements: Sequence[str | Path] = ()) -> InferenceSteps:
    """Report accuracy by inference steps, as the share of wrong options that the correct one beats (figure 2).

    Args:
        runs: Run folders. In Python, also a `Run`.
        judgements: Completed task file of the instrument steps. By default, a rule counts the steps.

    Returns:
        For each model, its probes ordered by their steps, and accuracy by number of steps.
    """
    counts = _counts_of_people([Path(file) for file in judgements]) if judgements else None
    answered = [each for each in answered_of(runs) if each.judged]
    by_people, names = counts.means if counts else None, dict.fromkeys(run.part.model.name for run in answered)
    models = [_of_model(name, [run for run in answered if run.part.model.name == name], by_people) for name in names]
    if not any(model.sets for model in models):
        raise UserError("no item of these runs has steps", fix="use probes of sentences, and judgements of their items")
    rule = rule_against_people(answered, counts) if counts else None
    return InferenceSteps("people" if counts else "rule", counts, tuple(models), rule)


def _counts_of_people(files: Sequence[Path]) -> PeopleCounting:
    """Read the counts of people; "4 or more" counts as four, and "cannot say" as no count."""
    from horsesense.annotate.judgements import read_files

    collected = read_files(files)
    if collected.instrument.name != "steps":
        raise UserError(
            f"these are judgements of the instrument {collected.instrument.name}", file=files[0], fix="use steps"
        )
    votes = [(each.item, each.value.split()[0]) for each in collected.judgements]
    try:
        return counted([(item, float(count)) for item, count in votes if count.isdecimal()])
    except UserError as error:
        raise error.at(files[0]) from None
