"""The task in fewer labels: three ({guaranteed, probably}, unrelated, {unlikely, impossible}), or yes and no; and gold
items of a qualification (section 4.2): triples whose judges all agree, some of each label."""

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


def gold_triples(released: ReleasedVotes, each: int = 2, seed: int = 0) -> Probe:
    """So many triples of each label on which two people at least agree and nobody differs.

    No noun stands in two of them where that can be helped, so that nobody learns from one item what another asks.
    """
    if each < 1:
        raise UserError(f"{each} items of a label are none", fix="ask for 1 or more")
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
                f"{len(items)} triples are called {label} by all who judged them, and {each} are asked for",
                fix="ask for fewer, or give more judgements",
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
