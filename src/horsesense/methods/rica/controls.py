"""Controls of a RICA probe: the same items without their premise, and without their content words.

A model that answers the first uses the conclusion alone; one that answers the second uses the shape: which entity comes
first, whether there is a *not*, which comparative the premise has. Neither needs knowledge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from horsesense.core import BLANK, Card, Item, Probe, write_probe
from horsesense.core.catalogue import as_probe, name_in_run
from horsesense.core.document import Document
from horsesense.errors import UserError, translate_errors
from horsesense.lexicons.novel_names import novel_names
from horsesense.lexicons.word_forms import is_comparative_form, is_negation
from horsesense.lexicons.words import AUXILIARIES, FUNCTION_WORDS, HEDGES, listed, zipf
from horsesense.methods.rica.published_statements import CONNECTIVE, entities
from horsesense.runs.probe_answers import ProbeAnswers
from horsesense.stats import Estimate

CONTROLS = ("premise-removed", "structure-only")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SHAPE = (
    FUNCTION_WORDS | AUXILIARIES | HEDGES | frozenset(listed("likely so while than not made lives find finds time who"))
)
_NONSENSE = 400
_NO_PREMISE = "…"
NEAR = 0.03
"""Maximum distance of a control from chance, in addition to chance being in its interval."""


@dataclass(frozen=True, slots=True)
class WrittenControl:
    """The file of a control."""

    out: Path
    """File."""
    items: int


@dataclass(frozen=True, slots=True)
class WrittenControls(Document):
    """The controls of a probe."""

    probe: str
    """Name of the probe."""
    controls: Mapping[str, WrittenControl]
    """Files by kind of control."""


@translate_errors()
def write_controls(probe: Probe | str | Path, *, out: str | Path | None = None) -> WrittenControls:
    """Write the probe with its premise removed, and with its content words replaced by nonsense.

    Args:
        probe: Name or file of a probe. In Python, also a `Probe`.
        out: Folder of the controls. By default, the folder of the probe, or this one.

    Returns:
        The files.
    """
    whole, called = as_probe(probe), name_in_run(probe)
    folder = Path(out) if out is not None else Path() if isinstance(probe, Probe) else Path(probe).parent
    controls = {}
    for name in CONTROLS:
        path = folder / f"{called}-{name}.jsonl"
        changed = control(whole, name)
        write_probe(path, changed)
        controls[name] = WrittenControl(path, len(changed.items))
    return WrittenControls(called, controls)


def control(probe: Probe, name: str) -> Probe:
    """Return the probe as a control: the same answers, families and facets, with part of the question removed."""
    change = {"premise-removed": _without_premise, "structure-only": _as_nonsense}[name]
    items = [replace(change(item), probe=f"{item.probe}-{name}") for item in probe.items]
    lacking = "the premise removed" if name == "premise-removed" else "content words replaced by nonsense"
    card = replace(probe.card, name=f"{probe.card.name}-{name}", made=f"{probe.card.made} A control: {lacking}.")
    return Probe.of(items, card)


def missing_controls(card: Card, name: str, there: Collection[str]) -> tuple[str, ...]:
    """Return the kinds of control of a RICA probe that are missing; a control itself needs none.

    Controls are recognised by the end of their card's name.
    """
    if card.method != "rica" or card.name.endswith(tuple(f"-{kind}" for kind in CONTROLS)):
        return ()
    return tuple(kind for kind in CONTROLS if f"{name}-{kind}" not in there)


def _without_premise(item: Item) -> Item:
    if item.form == "pair":
        return replace(item, premise=_NO_PREMISE)
    text = _conclusion(item.text) if item.text else ""
    options = item.options if item.text else tuple(map(_conclusion, item.options))
    return replace(item, text=text, options=options)


def _conclusion(text: str) -> str:
    _, so, conclusion = text.rpartition(CONNECTIVE)
    if not so:
        # Two published statements have no premise; they stay as they are.
        return text
    return conclusion


def _as_nonsense(item: Item) -> Item:
    """Replace the content words by nonsense, the same for each occurrence of a word in a statement.

    Entities, negation, comparatives and function words stay.
    """
    if item.form not in ("cloze", "sentences", "pair"):
        raise UserError(f"an item of the form {item.form!r} has no premise and conclusion", fix="give a RICA probe")
    whole = item.text or item.options[0]
    kept = {name.lower() for name in entities(whole.replace(BLANK, "more"))}
    texts = (item.premise, item.text, *(item.options if item.form == "sentences" else ()))
    content = dict.fromkeys(word for text in texts for word in content_of(text, kept))
    names = novel_names(_NONSENSE, seed=7)
    nonsense = {word: names[i % _NONSENSE] for i, word in enumerate(content)}

    def hidden(text: str) -> str:
        return _WORD.sub(lambda match: nonsense.get(match[0].lower(), match[0]), text)

    options = tuple(map(hidden, item.options)) if item.form == "sentences" else item.options
    return replace(item, premise=hidden(item.premise), text=hidden(item.text), options=options)


def content_of(text: str, kept: Collection[str]) -> Iterator[str]:
    """Yield the content words of a text, in lower case: neither function words nor the ``kept`` names."""
    for match in _WORD.finditer(text):
        word = match[0].lower()
        bare = word.removesuffix("'s").removesuffix("’s")
        shape = word in _SHAPE or is_negation(word) or is_comparative_form(word)
        if not shape and bare not in kept and bare not in ("a", "b"):
            yield word


def shape_scores(probe: Probe) -> list[list[float]]:
    """Return for each option how often it is right in statements of the same shape about other properties.

    The shape is the sentence with a gap for every content word and numbered entities. Each half of the properties gives
    the counts for the other half. In `find_cues` this is the cue *structure only*.
    """
    hidden = control(probe, "structure-only").items
    shapes = [(_shape(item), frozenset(item.options)) for item in hidden]
    names = sorted({item.groups["property"] for item in hidden})
    half = {name: i % 2 for i, name in enumerate(names)}
    right: list[Counter[tuple[str, frozenset[str], str]]] = [Counter(), Counter()]
    for item, shape in zip(hidden, shapes, strict=True):
        right[half[item.groups["property"]]][(*shape, item.options[item.answer or 0])] += 1
    return [
        [float(right[1 - half[item.groups["property"]]][(*shape, option)]) for option in item.options]
        for item, shape in zip(hidden, shapes, strict=True)
    ]


def _shape(item: Item) -> str:
    names: dict[str, str] = {}
    entity_names = item.groups["entities"].split()

    def part(match: re.Match[str]) -> str:
        word = match[0].lower()
        bare = word.removesuffix("'s")
        if bare in entity_names:
            return names.setdefault(bare, str(len(names) + 1))
        return "_" if zipf(word) == 0 else word

    return _WORD.sub(part, item.text)


# Scores on the controls.


@dataclass(frozen=True, slots=True)
class ControlScore:
    """Scores of a model on a set and on its controls."""

    model: str
    """Model."""
    probe: str
    """Probe."""
    whole: Estimate
    """Score on the set itself, by the metric of its card."""
    controls: Mapping[str, Estimate]
    """Score on each control."""
    at_chance: bool
    """Whether every control has chance in its interval and is at most 0.03 away from it."""


def control_scores(runs: Sequence[ProbeAnswers]) -> tuple[ControlScore, ...]:
    """Return the scores of every RICA set that was run with a control."""
    by_name = {
        (run.part.model.name, run.part.probe.name): run
        for run in runs
        if run.format == "loglikelihood" and run.judged and run.probe.card.method == "rica"
    }
    found = []
    for (model, name), run in by_name.items():
        beside = {kind: by_name.get((model, f"{name}-{kind}")) for kind in CONTROLS}
        scores = {kind: each.estimate(each.credits(each.primary())) for kind, each in beside.items() if each}
        if scores:
            near = all(map(is_at_chance, scores.values()))
            found.append(ControlScore(model, name, run.estimate(run.credits(run.primary())), scores, near))
    return tuple(found)


def is_at_chance(estimate: Estimate) -> bool:
    """Return whether an estimate has chance in its interval and is within 0.03 of it."""
    chance = 0.5 if estimate.chance is None else estimate.chance
    return estimate.low <= chance <= estimate.high and abs(estimate.value - chance) <= NEAR
