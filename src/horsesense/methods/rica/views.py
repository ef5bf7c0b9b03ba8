"""One statement in three views: the masked word, the pair of sentences, entailment (section 3.1, figure 2).

`in_view` turns any RICA probe of masked words, built or imported, into the other two; each item remembers the statement
it was made of (the group ``statement``), so that the views can be set beside one another item by item. In entailment
a statement is asked three times: its conclusion, the flipped one, and (where items have a category) the conclusion of
an axiom about something else, of which the premise says nothing. What is measured of it is, first, whether the
conclusion is held to follow rather than the flipped one, which has the chance of the other views; and then the share of
labels that are right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from horsesense.core import Form, Item, Probe
from horsesense.core.document import Document
from horsesense.core.views import fill_blank, view
from horsesense.errors import UserError, unknown
from horsesense.methods.rica.items import LABELS
from horsesense.methods.rica.released_units import CONNECTIVE, content_words, entities
from horsesense.runs.results import Answered
from horsesense.stats import Estimate, accuracy, family_accuracy
from horsesense.stats.ablation import asked_again
from horsesense.stats.families import without_repeats
from horsesense.stats.resampling import Floats

VIEWS: Mapping[str, Form] = {"masked": "cloze", "sentences": "sentences", "entailment": "pair"}
"""The three, each with the form of its items."""
STATEMENT = "statement"
_TRIES = 50
_PEOPLE = "social"
_NAME = re.compile(r"[^\W_]+")


# Making them.


def in_view(probe: Probe, name: str, seed: int = 0) -> Probe:
    """The same statements in another view; what cannot be told in it is left out and counted."""
    if name not in VIEWS:
        raise unknown("view", name, VIEWS)
    if any(item.form != "cloze" for item in probe.items):
        raise UserError("the views of a probe are made from its masked words", fix="give a RICA probe of masked words")
    if name == "masked":
        return probe
    left: Counter[str] = Counter()
    made = _sentences(probe.items) if name == "sentences" else _entailments(probe.items, seed, left)
    called = f"{probe.card.name}-{name}"
    items = [replace(item, probe=called) for item in made]
    told = "whole statements, one against the other" if name == "sentences" else "premise and conclusion"
    normalise = "sum" if name == "sentences" else ""
    card = replace(probe.card, name=called, made=f"{probe.card.made} As {told}.", normalise=normalise, seed=seed)
    return Probe.of(items, card, dict(left))


def _sentences(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        turned = view(item, "sentences")
        assert turned is not None, "a cloze can always be filled"
        yield replace(turned, groups={**item.groups, STATEMENT: item.id})


def _entailments(items: Sequence[Item], seed: int, left: Counter[str]) -> Iterator[Item]:
    asked = [each for item in items if (each := _halved(item)) is not None]
    left["statements without a premise"] += len(items) - len(asked)
    compared = [each for each in asked if each.names is not None]
    for each in asked:
        right, flipped = each.concluded(each.item.answer), each.concluded(1 - (each.item.answer or 0))
        hypotheses = {"entailment": right, "contradiction": flipped, "neutral": _neutral(each, compared, seed)}
        for label, text in hypotheses.items():
            if not text:
                left["statements without a neutral conclusion"] += 1
                continue
            yield replace(
                each.item,
                form="pair",
                premise=f"{each.premise}.",
                text=text,
                options=LABELS,
                answer=LABELS.index(label),
                member=f"{each.item.member or each.item.id}_{label}",
                groups={**each.item.groups, STATEMENT: each.item.id},
                facets={**each.item.facets, "label": label},
            )


@dataclass(frozen=True, slots=True)
class _Halved:
    """A statement as premise and conclusion."""

    item: Item
    premise: str
    conclusion: str
    """With its blank."""
    names: tuple[str, str] | None
    """The two that are compared; None where there are not two."""
    content: frozenset[str]
    """What it speaks of, whoever it is about."""

    def concluded(self, option: int | None) -> str:
        return fill_blank(self.conclusion, self.item.options[option or 0])


def _halved(item: Item) -> _Halved | None:
    premise, so, conclusion = item.text.rpartition(CONNECTIVE)
    if not so or item.answer is None or len(item.options) != 2:
        return None
    statement = fill_blank(item.text, item.options[item.answer])
    names = entities(statement)
    two = names[0] != names[1] and all(name in _NAME.findall(premise) for name in names)
    two = two and item.facets.get("category", "temporal") != "temporal"  # which end with an event, not with a name
    content = frozenset(content_words(statement, names).split())
    return _Halved(item, premise, conclusion.rstrip("."), names if two else None, content)


def _neutral(asked: _Halved, others: Sequence[_Halved], seed: int) -> str:
    """A conclusion of an axiom about something else, told of the same two; empty where there is none.

    Of people where the premise is about things, and of things where it is about people, as in figure 2: what something
    weighs says nothing of skill. Statements without a category have none: words alone do not tell what is unrelated.
    """
    if asked.names is None or not others:
        return ""
    chance = Random(f"{seed} {asked.item.id}")
    people = asked.item.facets["category"] == _PEOPLE
    for _ in range(_TRIES):
        other = chance.choice(others)
        alike = (other.item.facets["category"] == _PEOPLE) == people
        if alike or other.content & asked.content or other.names is None:
            continue
        names = dict(zip(other.names, asked.names, strict=True))
        told = other.concluded(chance.choice((0, 1)))
        return _renamed(told, names)
    return ""


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda name: names.get(name[0], name[0]), text)


# What answers say.


@dataclass(frozen=True, slots=True)
class ViewScore:
    """One model on one set of statements in one view."""

    model: str
    """Who was asked."""
    probe: str
    """The set, by the name of its masked words."""
    view: str
    """masked, sentences or entailment."""
    accuracy: Estimate
    """Share of statements right: the right word, sentence or conclusion before the flipped one."""
    strict: Estimate
    """Share of axioms with every statement right; a renaming counts once."""
    labels: Estimate | None
    """Of entailment: share of all three labels that are right."""
    agreement: Estimate | None
    """Share of statements on which it does as well as with the masked word; null where that was not asked."""


@dataclass(frozen=True, slots=True)
class ViewScores(Document):
    """Statements in three views, beside one another."""

    scores: tuple[ViewScore, ...]
    """By set and model, in the order of the views."""


def view_of(name: str, form: Form) -> tuple[str, str]:
    """The set and the view of a probe in a run, by its name and the form of its items.

    >>> view_of("curated-entailment", "pair"), view_of("curated", "cloze")
    (('curated', 'entailment'), ('curated', 'masked'))
    """
    named = next((each for each, its in VIEWS.items() if its == form and name.endswith(f"-{each}")), "")
    return (name.removesuffix(f"-{named}"), named) if named else (name, "masked" if form == "cloze" else "")


def view_scores(runs: Sequence[Answered]) -> ViewScores:
    """Every set that was asked in a view besides the masked word."""
    found: dict[tuple[str, str], dict[str, Answered]] = {}
    for run in runs:
        if run.probe.card.method == "rica" and run.judged and run.format == "loglikelihood":
            base, named = view_of(run.part.probe.name, run.items[0].form)
            if named:
                found.setdefault((base, run.part.model.name), {})[named] = run
    asked = {key: views for key, views in found.items() if set(views) - {"masked"}}
    return ViewScores(tuple(score for (base, model), views in asked.items() for score in _scores(base, model, views)))


def _scores(base: str, model: str, views: Mapping[str, Answered]) -> Iterator[ViewScore]:
    credited = {name: _credits(views[name]) for name in VIEWS if name in views}
    masked = credited.get("masked")
    for name, (items, values) in credited.items():
        units = [item.unit(views[name].probe.card.group) for item in items]
        known = without_repeats(values, [asked_again(item) for item in items])
        strict = family_accuracy(known, [item.unit() for item in items], option_counts=[2] * len(items))[0].strict
        labels = views[name].plain(views[name].credits(None)) if name == "entailment" else None
        agreement = None
        if masked is not None and name != "masked":
            other = dict(zip((statement_of(item) for item in masked[0]), masked[1], strict=True))
            pairs = [(value, other.get(statement_of(item), np.nan)) for item, value in zip(items, values, strict=True)]
            same = np.array([np.nan if np.isnan(a) or np.isnan(b) else float(a == b) for a, b in pairs])
            agreement = None if np.isnan(same).all() else accuracy(same, units)
        yield ViewScore(model, base, name, accuracy(values, units, chance=0.5), strict, labels, agreement)


def statement_of(item: Item) -> str:
    """The statement that an item in some view is made of, by the id of its masked word."""
    return item.groups.get(STATEMENT, item.id)


def _credits(run: Answered) -> tuple[list[Item], Floats]:
    """One item a statement, with what it earns."""
    if run.items[0].form != "pair":
        return list(run.items), run.credits(run.primary()).values
    follows: dict[str, dict[str, float]] = {}
    first: dict[str, Item] = {}
    for item, answer in zip(run.items, run.answers, strict=True):
        scores = np.asarray(answer.scores) - np.logaddexp.reduce(answer.scores)
        label = item.options[item.answer or 0]
        follows.setdefault(statement_of(item), {})[label] = float(scores[item.options.index("entailment")])
        if label == "entailment":
            first[statement_of(item)] = item
    both = {name: sides for name, sides in follows.items() if {"entailment", "contradiction"} <= sides.keys()}
    gaps = [sides["entailment"] - sides["contradiction"] for sides in both.values()]
    return [first[name] for name in both], np.array([0.5 if gap == 0 else float(gap > 0) for gap in gaps])


__all__ = ["VIEWS", "ViewScore", "ViewScores", "in_view", "statement_of", "view_of", "view_scores"]
