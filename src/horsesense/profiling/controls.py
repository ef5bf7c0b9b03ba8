"""Models of known truth, profiled like any other: the three built-in controls, and user-defined planted models.

A planted model assigns a score to each option of an item by any rule; the profile should identify that rule. The
built-in controls know nothing: one guesses, one follows surface cues, one picks the option nearest to the question.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol, runtime_checkable

from horsesense.core import Answer, Item, ScoringSpec
from horsesense.errors import UserError
from horsesense.models.locate import OF_PROFILE
from horsesense.profiling.conditions import Condition, Role, original_id
from horsesense.profiling.from_answers import Explained
from horsesense.registry import find
from horsesense.runs.ask_models import content_of
from horsesense.runs.manifest import ModelRecord, Part, ProbeRecord
from horsesense.runs.probe_answers import ProbeAnswers

GUESSER, CUE_READER, RELATEDNESS_READER = OF_PROFILE
CONTROLS = {
    GUESSER: "answers at random",
    CUE_READER: "follows the best surface cue",
    RELATEDNESS_READER: "picks the option most similar to the question",
}
"""Description by name; the names are reserved."""
SEED = 0
"""Seed of the guesses. It was not chosen by its results: one page of twenty may be wrong, including this one."""
_IN_FILE = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")


@runtime_checkable
class PlantedModel(Protocol):
    """A model of known truth."""

    @property
    def name(self) -> str:
        """Name in the results."""

    def scores(self, item: Item) -> Sequence[float]:
        """Return one score per option; the highest is its answer, equal ones tie.

        `horsesense.profiling.conditions.original_id` has the id of the question in the main condition, also for a
        question of the retest or one with a planted cue.
        """


def planted(name: str) -> PlantedModel | None:
    """Return the planted model of a name: ``FILE.py:NAME``, or that of a plug-in; None for other names.

    The object is a planted model, or a class or function without arguments that returns one.
    """
    if (inside := _IN_FILE.fullmatch(name)) is not None:
        found = _from_file(Path(inside["file"]), inside["name"])
        return _checked(found, f"{inside['name']} in {inside['file']}")
    kind, _, rest = name.partition(":")
    plugin = find("planted", kind) if re.fullmatch(r"[\w.-]{2,}", kind) else None
    if plugin is None:
        return None
    loaded = plugin.load(object, "anything")
    if not isinstance(loaded, PlantedModel) or isinstance(loaded, type):
        loaded = plugin.made(plugin.function(), object, *([rest] if rest else []))
    return _checked(loaded, f"{name} of the package {plugin.origin}")


def _from_file(path: Path, name: str) -> Any:
    from importlib.util import module_from_spec, spec_from_file_location

    if not path.is_file():
        raise UserError("there is no such file", file=path, fix="write FILE.py:NAME of a planted model")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # user code may raise anything
        raise UserError(f"the file cannot be run ({type(error).__name__}: {error})", file=path) from error
    if not hasattr(module, name):
        raise UserError(f"nothing in it is called {name!r}", file=path, fix="write FILE.py:NAME of a planted model")
    return getattr(module, name)


def _checked(found: Any, what: str) -> PlantedModel:
    if isinstance(found, type) or (callable(found) and not hasattr(found, "scores")):
        try:
            found = found()
        except Exception as error:  # user code may raise anything
            raise UserError(f"{what} cannot be called ({type(error).__name__}: {error})") from error
    if not isinstance(found, PlantedModel):
        raise UserError(f"{what} is not a planted model", fix="give it a name and a method scores(item)")
    return found


@dataclass(frozen=True)
class Guesser:
    """Chooses at random, reproducibly."""

    name: str = GUESSER
    seed: int = SEED

    def scores(self, item: Item) -> tuple[float, ...]:
        """Return random numbers that depend on the item alone."""
        rng = Random(f"{self.seed} {item.id}")
        return tuple(rng.random() for _ in item.options)


@dataclass(frozen=True)
class RuleReader:
    """Follows a rule that is stored as shares of the options of each item, and guesses on any other item."""

    name: str
    shares: Mapping[str, Sequence[float]]

    def scores(self, item: Item) -> Sequence[float]:
        """Return the shares of the options by the rule."""
        shares = self.shares.get(original_id(item))
        return Guesser().scores(item) if shares is None else shares


def control_named(name: str, by: Mapping[str, Explained]) -> PlantedModel | None:
    """Return a built-in control; None for other names. ``by`` has the explanations of each ability's answers."""
    if name == GUESSER:
        return Guesser()
    if name == CUE_READER:
        return RuleReader(name, {each.item: each.scores for one in by.values() for each in one.cue.answers})
    if name == RELATEDNESS_READER:
        if not all(one.related for one in by.values()):
            raise UserError(f"{name} needs an encoder", fix="run: horsesense fetch glove minilm")
        nearest = [list(one.related.values())[-1] for one in by.values()]  # sentence vectors, where they are
        return RuleReader(name, {item: shares for one in nearest for item, shares in one.items()})
    return None


def planted_answers(
    model: PlantedModel, name: str, conditions: Iterable[Condition]
) -> dict[str, dict[tuple[Role, str], ProbeAnswers]]:
    """Return the answers of a planted model by ability; without likelihoods it has only the first prompt format."""
    found: dict[str, dict[tuple[Role, str], ProbeAnswers]] = {}
    for condition in conditions:
        if condition.role in ("main", "twin", "retest", "planted"):
            answers = [Answer(item=i.id, view=i.form, scores=_scores(model, i)) for i in condition.probe.items]
            answered = ProbeAnswers(_part(model, name, condition, answers), condition.probe, ScoringSpec(), answers)
            found.setdefault(condition.ability, {})[condition.role, "loglikelihood"] = answered
    return found


def _scores(model: PlantedModel, item: Item) -> tuple[float, ...]:
    try:
        scores = tuple(map(float, model.scores(item)))
    except Exception as error:  # user code may raise anything
        raise UserError(
            f"the planted model {model.name} fails at {item.id} ({type(error).__name__}: {error})",
            fix="return one number per option from scores(item)",
        ) from error
    if len(scores) != len(item.options) or any(score != score for score in scores):
        raise UserError(
            f"the planted model {model.name} does not give a number for each of the {len(item.options)} options of "
            f"{item.id} ({', '.join(map(str, scores))})",
            fix="return one number per option from scores(item)",
        )
    return scores


def _part(model: PlantedModel, name: str, condition: Condition, answers: Sequence[Answer]) -> Part:
    content = hashlib.sha256(repr([(answer.item, answer.scores) for answer in answers]).encode()).hexdigest()
    about = CONTROLS.get(name) or " ".join((type(model).__doc__ or "a planted model").split())
    return Part(
        model=ModelRecord(
            name=name, family="control", architecture="none", direction="none", parameters=0, window=0,
            weights=content, revision="", dtype="float64", frame=about, kind="control",
        ),
        probe=ProbeRecord(
            name=condition.name, items=len(condition.probe.items), of=len(condition.probe.items),
            content=content_of(condition.probe.items),
        ),
        shards=1,
    )  # fmt: skip
