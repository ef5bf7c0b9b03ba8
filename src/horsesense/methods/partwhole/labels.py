"""The task with fewer labels, and gold items for a qualification test (section 4.2).

Three labels are {guaranteed, probably}, unrelated, {unlikely, impossible}; two are yes and no.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from horsesense.core import Item, Probe
from horsesense.errors import UserError, unknown
from horsesense.methods.partwhole.dataset import LABELS
from horsesense.methods.published.votes import ReleasedVotes


@dataclass(frozen=True, slots=True)
class Labels:
    """A form of the task."""

    options: tuple[str, ...]
    places: tuple[int, ...]
    """Index of the option for each of the five labels, impossible first."""
    ordered: bool = True


FORMS = {
    "five": Labels(LABELS, (0, 1, 2, 3, 4)),
    "three": Labels(("unlikely", "unrelated", "probably"), (0, 0, 1, 2, 2)),
    "entailment": Labels(("contradiction", "neutral", "entailment"), (0, 0, 1, 2, 2)),
    "binary": Labels(("no", "yes"), (0, 0, 0, 1, 1)),
}
"""``entailment`` is ``three`` under the names of inference models; unrelated is *no* of the binary form, as in the
published dataset."""


def find_form(name: str) -> Labels:
    if name not in FORMS:
        raise unknown("form of the task", name, FORMS)
    return FORMS[name]


def in_labels(items: Sequence[Item], form: str) -> list[Item]:
    """Map items with five labels to another form; the original label stays as a facet.

    >>> from horsesense.methods.partwhole.dataset import unjudged
    >>> from horsesense.core.item import NO_SOURCE
    >>> item = replace(unjudged("jeep", "tire", "old", source=NO_SOURCE), answer=3)
    >>> [each.options[each.answer] for name in FORMS for each in in_labels([item], name)]
    ['probably', 'probably', 'entailment', 'yes']
    """
    labels, made = find_form(form), []
    for item in items:
        if item.options != LABELS:
            raise UserError(
                f"item {item.id} does not have the five labels ({', '.join(LABELS)})",
                fix="give what import partwhole or annotate apply wrote",
            )
        facets = dict(item.facets)
        if item.answer is not None:
            facets["label"] = LABELS[item.answer]
        answer = None if item.answer is None else labels.places[item.answer]
        made.append(replace(item, options=labels.options, answer=answer, ordered=labels.ordered, facets=facets))
    return made


def probe_in_labels(probe: Probe, form: str) -> Probe:
    """Map a probe to another form."""
    made = f"{probe.card.made} In the form of {form} labels.".strip()
    return Probe.of(in_labels(probe.items, form), replace(probe.card, made=made))


def gold_triples(released: ReleasedVotes, each: int = 2, seed: int = 0) -> Probe:
    """Draw triples of each label on which at least two people agree and nobody differs.

    Nouns are repeated as little as possible, so that one item does not help with another.
    """
    if each < 1:
        raise UserError(f"{each} items per label were requested", fix="request 1 or more")
    votes: dict[str, list[str]] = defaultdict(list)
    for judgement in released.judgements:
        votes[judgement.item].append(judgement.value)
    agreed: dict[str, list[Item]] = {label: [] for label in LABELS}
    for item in released.probe.items:
        given = votes[item.id]
        if len(given) > 1 and len(set(given)) == 1 and given[0] in agreed:
            agreed[given[0]].append(item)
    draw, chosen, used = random.Random(seed), list[Item](), Counter[str]()
    for label, items in agreed.items():
        if len(items) < each:
            raise UserError(
                f"{len(items)} triples are called {label} by all annotators, and {each} are needed",
                fix="request fewer, or give more votes",
            )
        draw.shuffle(items)
        for _ in range(each):
            item = min(items, key=lambda item: used[item.groups["whole"]] + used[item.groups["part"]])
            items.remove(item)
            used.update((item.groups["whole"], item.groups["part"]))
            chosen.append(replace(item, answer=LABELS.index(label)))
    card = replace(
        released.probe.card,
        name="partwhole-gold",
        made=f"{each} triples of each label on which all judges agree, for a qualification. {released.probe.card.made}",
        seed=seed,
    )
    return Probe.of(chosen, card)
