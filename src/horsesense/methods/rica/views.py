"""One statement in three views: the masked word, the pair of sentences, entailment (section 3.1, figure 2).

`in_view` turns a RICA probe of masked words into the other two. Each item stores the statement that it was made from
(the group ``statement``), so that views can be compared item by item. In entailment a statement gives three items: its
conclusion, the flipped one, and (if items have a category) the conclusion of an unrelated axiom. Two things are
measured: whether the conclusion is ranked above the flipped one, which has the same chance level as the other views;
and the share of labels that are right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated

import numpy as np
from annotated_types import Ge

from horsesense.core import FORMS, Form, Item, Probe, ScoringSpec
from horsesense.core.catalogue import as_probe, name_in_run
from horsesense.core.document import Document
from horsesense.core.views import fill_blank, view
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.lexicons.novel_names import rename_entities
from horsesense.methods.rica.items import LABELS
from horsesense.methods.rica.published_statements import CONNECTIVE, content_words, entities
from horsesense.progress import NO_PROGRESS, Progress
from horsesense.runs.engine import ComputeSettings
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.settings import chosen_models
from horsesense.stats import Estimate, accuracy, family_accuracy
from horsesense.stats.families import without_repeats
from horsesense.stats.paired import is_retest
from horsesense.stats.resampling import Floats

if TYPE_CHECKING:
    from horsesense.models.protocol import Model

VIEWS: Mapping[str, Form] = {"masked": "cloze", "sentences": "sentences", "entailment": "pair"}
"""The views, each with the form of its items."""
STATEMENT = "statement"
_TRIES = 50
_PEOPLE = "social"
_NAME = re.compile(r"[^\W_]+")


# Conversion.


def in_view(probe: Probe, name: str, seed: int = 0) -> Probe:
    """Convert statements to another view; those that do not fit it are left out and counted."""
    if name not in VIEWS:
        raise unknown("view", name, VIEWS)
    if any(item.form != "cloze" for item in probe.items):
        raise UserError("views are made from a probe of masked words", fix="give a RICA probe of masked words")
    if name == "masked":
        return probe
    notes: Counter[str] = Counter()
    converted = _sentences(probe.items) if name == "sentences" else _entailments(probe.items, seed, notes)
    full_name = f"{probe.card.name}-{name}"
    items = [replace(item, probe=full_name) for item in converted]
    description = "whole statements, one against the other" if name == "sentences" else "premise and conclusion"
    normalise = "sum" if name == "sentences" else ""
    card = replace(
        probe.card, name=full_name, made=f"{probe.card.made} As {description}.", normalise=normalise, seed=seed
    )
    return Probe.of(items, card, dict(notes))


def _sentences(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        turned = view(item, "sentences")
        assert turned is not None, "a cloze can always be filled"
        yield replace(turned, groups={**item.groups, STATEMENT: item.id})


def _entailments(items: Sequence[Item], seed: int, notes: Counter[str]) -> Iterator[Item]:
    halves = [each for item in items if (each := _halved(item)) is not None]
    notes["statements without a premise"] += len(items) - len(halves)
    compared = [each for each in halves if each.names is not None]
    for each in halves:
        right, flipped = each.concluded(each.item.answer), each.concluded(1 - (each.item.answer or 0))
        hypotheses = {"entailment": right, "contradiction": flipped, "neutral": _neutral(each, compared, seed)}
        for label, text in hypotheses.items():
            if not text:
                notes["statements without a neutral conclusion"] += 1
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
    """The conclusion, with its blank."""
    names: tuple[str, str] | None
    """The two entities; None if there are not two."""
    content: frozenset[str]
    """Content words, regardless of the entities."""

    def concluded(self, option: int | None) -> str:
        return fill_blank(self.conclusion, self.item.options[option or 0])


def _halved(item: Item) -> _Halved | None:
    premise, so, conclusion = item.text.rpartition(CONNECTIVE)
    if not so or item.answer is None or len(item.options) != 2:
        return None
    statement = fill_blank(item.text, item.options[item.answer])
    names = entities(statement)
    two = names[0] != names[1] and all(name in _NAME.findall(premise) for name in names)
    two = (
        two and item.facets.get("category", "temporal") != "temporal"
    )  # temporal ones end with an event, not with a name
    content = frozenset(content_words(statement, names).split())
    return _Halved(item, premise, conclusion.rstrip("."), names if two else None, content)


def _neutral(asked: _Halved, others: Sequence[_Halved], seed: int) -> str:
    """Return the conclusion of an unrelated axiom about the same two entities, or an empty text.

    It is about people if the premise is about things, and vice versa, as in figure 2. Statements without a category
    have none: words alone do not show what is unrelated.
    """
    if asked.names is None or not others:
        return ""
    rng = Random(f"{seed} {asked.item.id}")
    people = asked.item.facets["category"] == _PEOPLE
    for _ in range(_TRIES):
        other = rng.choice(others)
        alike = (other.item.facets["category"] == _PEOPLE) == people
        if alike or other.content & asked.content or other.names is None:
            continue
        names = dict(zip(other.names, asked.names, strict=True))
        conclusion = other.concluded(rng.choice((0, 1)))
        return rename_entities(conclusion, names)
    return ""


# Scores.


@dataclass(frozen=True, slots=True)
class ViewScore:
    """Scores of one model on one set of statements in one view."""

    model: str
    """Model."""
    probe: str
    """Probe, by the name of its masked words."""
    view: str
    """masked, sentences or entailment."""
    accuracy: Estimate
    """Share of statements right: the right word, sentence or conclusion ranked above the flipped one."""
    strict: Estimate
    """Share of axioms with every statement right; a renaming counts once."""
    labels: Estimate | None
    """For entailment: share of all three labels that are right."""
    agreement: Estimate | None
    """Share of statements with the same credit as with the masked word; null if that was not run."""


@dataclass(frozen=True, slots=True)
class ViewRun(Document):
    """A set of statements as masked words, as sentences and as entailment."""

    out: Path
    """Run folder; every view is one of its probes."""
    page: Path
    """HTML report."""
    scores: tuple[ViewScore, ...]
    """One per model and view."""


@translate_errors()
def run_views(
    probe: Probe | str | Path,
    *,
    model: str | Path | Model | Sequence[str | Path | Model] = (),
    out: str | Path,
    limit: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
    spec: str | ScoringSpec = "default",
    device: str = "auto",
    progress: Progress = NO_PROGRESS,
) -> ViewRun:
    """Run models on a RICA probe in three views: masked words, sentences and entailment.

    A language model gets all three, entailment by a prompt; a model with an entailment head gets entailment alone. The
    same call resumes a stopped run.

    Args:
        probe: Name or file of a RICA probe of masked words. In Python, also a `Probe`.
        model: Model name, folder, GGUF file or server. By default, the models in horsesense.toml.
        out: Run folder.
        limit: Maximum number of statements; whole axioms are drawn, the same in every view.
        seed: Random seed.
        spec: Scoring spec.
        device: Device of the model: auto, cpu, cuda, cuda:1, mps.
        progress: Progress callback.

    Returns:
        The score of each model in each view, the agreement of the views, and the files.
    """
    from horsesense.models.hf.language_model import LanguageModel
    from horsesense.models.load import load_model
    from horsesense.runs.ask import ask, open_run
    from horsesense.runs.shards import draw

    whole, name = open_rica(probe)
    drawn = {item.id for item in draw(whole.items, limit, seed)}
    probes = {}
    for view_name in VIEWS:
        converted = in_view(whole, view_name, seed)  # of all items, for unrelated conclusions
        probes[view_name] = replace(converted, items=[item for item in converted.items if statement_of(item) in drawn])
    names = {view_name: name if view_name == "masked" else f"{name}-{view_name}" for view_name in VIEWS}
    folder, compute = Path(out), ComputeSettings(device=device)
    models: Sequence[str | Path | Model] = chosen_models(model)
    for each in models:
        loaded = load_model(each, device=device) if isinstance(each, str | Path) else each
        forms = loaded.family.forms if isinstance(loaded, LanguageModel) else FORMS
        able = {names[view_name]: probes[view_name] for view_name, form in VIEWS.items() if form in forms}
        if not able:
            raise UserError(f"{loaded.name} supports no view of RICA", fix="give another model")
        for view_name in VIEWS:
            if names[view_name] not in able:
                progress.log(f"{loaded.name} does not support the view {view_name}; it is left out")
        ask(loaded, able, out=folder, seed=seed, spec=spec, compute=compute, progress=progress)
    run = open_run(folder)
    page = run.report(folder / "report.html", cues=False, pictures=False, progress=progress)
    return ViewRun(folder, page, view_scores(run.answered))


def open_rica(probe: Probe | str | Path) -> tuple[Probe, str]:
    """Return a RICA probe and its name."""
    whole = as_probe(probe)
    if whole.card.method != "rica":
        file = None if isinstance(probe, Probe) else Path(probe)
        raise UserError("this is not a RICA probe", file=file, fix="import or build one first")
    return whole, name_in_run(probe)


def view_of(name: str, form: Form) -> tuple[str, str]:
    """Return the set and the view of a probe in a run, from its name and the form of its items.

    >>> view_of("curated-entailment", "pair"), view_of("curated", "cloze")
    (('curated', 'entailment'), ('curated', 'masked'))
    """
    named = next((each for each, its in VIEWS.items() if its == form and name.endswith(f"-{each}")), "")
    return (name.removesuffix(f"-{named}"), named) if named else (name, "masked" if form == "cloze" else "")


def view_scores(runs: Sequence[ProbeAnswers]) -> tuple[ViewScore, ...]:
    """Return the scores of every set that was run in a view other than masked words."""
    found: dict[tuple[str, str], dict[str, ProbeAnswers]] = {}
    for run in runs:
        if run.probe.card.method == "rica" and run.judged and run.format == "loglikelihood":
            base, named = view_of(run.part.probe.name, run.items[0].form)
            if named:
                found.setdefault((base, run.part.model.name), {})[named] = run
    asked = {key: views for key, views in found.items() if set(views) - {"masked"}}
    return tuple(score for (base, model), views in asked.items() for score in _scores(base, model, views))


def _scores(base: str, model: str, views: Mapping[str, ProbeAnswers]) -> Iterator[ViewScore]:
    credited = {name: _credits(views[name]) for name in VIEWS if name in views}
    masked = credited.get("masked")
    for name, (items, values) in credited.items():
        units = [item.unit(views[name].probe.card.group) for item in items]
        known = without_repeats(values, [is_retest(item) for item in items])
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
    """Return the statement of an item in any view, as the id of its masked word."""
    return item.groups.get(STATEMENT, item.id)


def _credits(run: ProbeAnswers) -> tuple[list[Item], Floats]:
    """Return one item per statement, with its credit."""
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
