"""The task in fewer labels: three ({guaranteed, probably}, unrelated, {unlikely, impossible}), or yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from horsesense.errors import UserError, unknown
from horsesense.methods.partwhole.released import LABELS
from horsesense.records import Item, Probe


@dataclass(frozen=True, slots=True)
class Labels:
    """A form of the task."""

    options: tuple[str, ...]
    places: tuple[int, ...]
    """For each of the five labels, impossible first, the place of its option."""
    ordered: bool = True


FORMS = {
    "five": Labels(LABELS, (0, 1, 2, 3, 4)),
    "three": Labels(("unlikely", "unrelated", "probably"), (0, 0, 1, 2, 2)),
    "entailment": Labels(("contradiction", "neutral", "entailment"), (0, 0, 1, 2, 2)),
    "binary": Labels(("no", "yes"), (0, 0, 0, 1, 1)),
}
"""``entailment`` is ``three`` under the names that inference models have; unrelated is *no* of the binary form, as
in the release."""


def find_form(name: str) -> Labels:
    if name not in FORMS:
        raise unknown("form of the task", name, FORMS)
    return FORMS[name]


def in_labels(items: Sequence[Item], form: str) -> list[Item]:
    """Items on the scale of five in another form; the label of five stays as a facet.

    >>> from horsesense.methods.partwhole.released import unjudged
    >>> from horsesense.records.item import NO_SOURCE
    >>> item = replace(unjudged("jeep", "tire", "old", source=NO_SOURCE), answer=3)
    >>> [each.options[each.answer] for name in FORMS for each in in_labels([item], name)]
    ['probably', 'probably', 'entailment', 'yes']
    """
    labels, made = find_form(form), []
    for item in items:
        if item.options != LABELS:
            raise UserError(
                f"item {item.id} is not on the scale of five ({', '.join(LABELS)})",
                fix="give what import partwhole or annotate apply wrote",
            )
        facets = dict(item.facets)
        if item.answer is not None:
            facets["label"] = LABELS[item.answer]
        answer = None if item.answer is None else labels.places[item.answer]
        made.append(replace(item, options=labels.options, answer=answer, ordered=labels.ordered, facets=facets))
    return made


def probe_in_labels(probe: Probe, form: str) -> Probe:
    """The same probe in another form."""
    made = f"{probe.card.made} In the form of {form} labels.".strip()
    return Probe.of(in_labels(probe.items, form), replace(probe.card, made=made))
