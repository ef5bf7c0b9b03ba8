"""Gold items of a qualification (section 4.2): triples whose judges all agree, some of each label."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace

from horsesense.errors import UserError
from horsesense.methods.partwhole.released import LABELS
from horsesense.methods.releases.votes import ReleasedVotes
from horsesense.records import Item, Probe


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
