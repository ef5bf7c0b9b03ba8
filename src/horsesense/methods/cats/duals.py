"""Dual instances: the same question after one edit (section "Robustness Test", table 5).

An operator builds a dual of a pair where it applies, and states what its key rests on. Keys are ``proved`` (they follow
by logic), ``asserted`` (people gave both, and both are published) or ``proposed`` (people have to judge them).

Twins are two labelled items of a set that are duals of each other. Winograd schemas come in pairs that differ in a word
("too large", "too small"), and the second version of argument reasoning has each argument twice, once with its claim
negated. Their keys are published.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, get_args

from annotated_types import Ge

from horsesense.core import Facet, Item, Probe, probe_name, view
from horsesense.errors import UserError, translate_errors, unknown
from horsesense.methods.cats.dual_edits import (
    Dual,
    Method,
    Pair,
    Status,
    converse,
    exchange_names,
    insert_negation,
    pair_of,
    remove_negation,
    shared_ends,
    substitute_opposite,
    swap_arguments,
)

_MOST_WORDS = 3
"""What may differ: a word, or a short phrase."""


def twins_of(pairs: Sequence[tuple[Item, Pair]]) -> list[tuple[Item, Item, Dual]]:
    """Return items that choose between the same two phrases, in texts that differ in one place, with opposite keys.

    Each item is in one pair of twins at most: with the nearest one behind it.
    """
    alike: Mapping[tuple[tuple[str, ...], ...], list[tuple[Item, Pair]]] = defaultdict(list)
    for item, pair in pairs:
        alike[tuple(_plain(middle) for middle in pair.middles)].append((item, pair))
    twins = []
    for members in alike.values():
        taken: set[str] = set()
        for index, (item, pair) in enumerate(members):
            if item.id in taken:
                continue
            for other, other_pair in members[index + 1 :]:
                if other.id in taken or other.answer == item.answer:
                    continue
                change = _change([*pair.before, "/", *pair.after], [*other_pair.before, "/", *other_pair.after])
                if change is not None:
                    taken |= {item.id, other.id}
                    twins.append((item, other, Dual(other_pair.texts, *change, flips=True, ground="keys")))
                    break
    return twins


def _plain(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _change(one: Sequence[str], other: Sequence[str]) -> tuple[Method, str] | None:
    """How one text became the other; None where more than a few words in one place differ."""
    first, last = shared_ends((one, other))
    before, after = one[first : len(one) - last], other[first : len(other) - last]
    if max(len(before), len(after)) > _MOST_WORDS or "/" in (*before, *after) or not (before or after):
        return None
    method: Method = "add" if not before else "delete" if not after else "substitute"
    return method, f"twins: {' '.join(before) or '–'} > {' '.join(after) or '–'}"


Operator = Callable[[Pair], Dual | None]

REMOVE = "remove-negation"
EDITS: Mapping[str, Operator] = {
    "insert-negation": insert_negation,
    REMOVE: remove_negation,
    "opposite": substitute_opposite,
    "converse": converse,
    "swap-arguments": swap_arguments,
    "exchange-names": exchange_names,
}
TWINS = "twins"
OperatorName = Literal[
    "insert-negation", "remove-negation", "opposite", "converse", "swap-arguments", "exchange-names", "twins"
]
OPERATORS: tuple[OperatorName, ...] = get_args(OperatorName)
STATUSES: tuple[Status, ...] = get_args(Status)


def make_duals(
    probes: Probe | Sequence[Probe],
    operators: Sequence[str] = (),
    statuses: Sequence[str] = (),
    each: int | None = None,
    seed: int = 0,
) -> Probe:
    """Build one family of two items per pair and applicable operator: ``a`` before the edit, ``b`` after it.

    A negation is removed from a pair that has one, or from a pair that was negated for it. Without operators or
    statuses, all are built. ``each`` is the maximum number of pairs per method (add, delete, substitute, swap),
    balanced over the probes; the paper has 75.
    """
    for what, names, known in (("operator", operators, OPERATORS), ("status", statuses, STATUSES)):
        for name in names:
            if name not in known:
                raise unknown(what, name, known)
    if each is not None and each < 1:
        raise UserError(f"{each} pairs per method were requested", fix="request 1 or more")
    sources = [probes] if isinstance(probes, Probe) else list(probes)
    name = f"{'-'.join(probe.card.name for probe in sources)}-duals"
    notes: Counter[str] = Counter()
    families = [
        family
        for probe in sources
        for family in _distinct(_families(name, probe, operators or OPERATORS, statuses or STATUSES, notes), notes)
    ]
    pairs = families if each is None else _balanced(families, each, seed)
    if not pairs:
        raise UserError(
            "no operator applies to any pair of this probe", fix="use sentences that differ in one place, such as sm"
        )
    for first, _ in pairs:
        notes[f"{first.facets['status']}: {first.facets['perturbation']} by {first.facets['operator']}"] += 1
    first_card = sources[0].card
    card = replace(
        first_card,
        name=name,
        made=_how_made(sources, each, pairs),
        licence=" and ".join(dict.fromkeys(probe.card.licence for probe in sources if probe.card.licence)),
        normalise="mean",
        notes={},
        human=(),
        seed=seed,
    )
    return Probe.of([item for family in pairs for item in family], card, dict(sorted((+notes).items())))


def _distinct(families: Iterable[tuple[Item, Item]], notes: Counter[str]) -> list[tuple[Item, Item]]:
    """Leave out families with the two questions of an earlier one: removing a negation undoes inserting it."""
    known: dict[frozenset[frozenset[str]], tuple[Item, Item]] = {}
    for family in families:
        questions = frozenset(frozenset(item.options) for item in family)
        notes["families with the questions of another one left out"] += questions in known
        known.setdefault(questions, family)
    return list(known.values())


def _how_made(sources: Sequence[Probe], each: int | None, pairs: Sequence[tuple[Item, Item]]) -> str:
    counts = Counter(str(first.facets["status"]) for first, _ in pairs)
    by_status = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    description = f"Duals of {', '.join(probe.card.name for probe in sources)}: {by_status} pairs."
    judge = " Proposed ones have to be judged by people before they count." if counts["proposed"] else ""
    quota = f" At most {each} of a method, balanced over sources." if each is not None else ""
    return description + judge + quota


def _families(
    name: str, probe: Probe, names: Sequence[str], statuses: Sequence[str], notes: Counter[str]
) -> Iterable[tuple[Item, Item]]:
    pairs: list[tuple[Item, Pair]] = []
    for item in probe.items:
        pair = _pair(item)
        if pair is None:
            notes["items that are not a labelled pair of similar sentences"] += 1
        else:
            pairs.append((item, pair))
    for item, pair in pairs:
        # Inserting a negation and removing it make the same two questions; items take turns, by their id.
        for operator in names if int(item.id[-1], 16) % 2 else names[::-1]:
            dual = EDITS[operator](pair) if operator in EDITS else None
            if dual is not None and dual.status in statuses and len(set(dual.options)) == 2:
                yield _edited(name, probe, item, pair, operator, dual)
            elif operator == REMOVE and (added := insert_negation(pair)) is not None and added.status in statuses:
                removed = replace(added, method="delete", edit=added.edit.replace("inserted", "removed"))
                first, second = _edited(name, probe, item, pair, operator, removed)
                yield replace(second, member="a"), replace(first, member="b")
    if TWINS in names and "asserted" in statuses:
        for first, second, dual in twins_of([each for each in pairs if "status" not in each[0].facets]):
            halves = _sourced(first, probe), _sourced(second, probe)
            yield _family(name, probe, f"{TWINS}: {first.id}", TWINS, dual, halves)
    notes["pairs that were looked at"] += len(pairs)


def _pair(item: Item) -> Pair | None:
    sentences = item if item.form == "sentences" else view(item, "sentences")
    if sentences is None or sentences.answer is None or len(sentences.options) != 2 or sentences.premise:
        return None
    return pair_of((sentences.options[0], sentences.options[1]))


def _edited(name: str, source: Probe, item: Item, pair: Pair, operator: str, dual: Dual) -> tuple[Item, Item]:
    assert item.answer is not None  # the pair has one
    original = replace(_sourced(item, source), options=pair.texts)
    turned = 1 - item.answer if dual.flips else item.answer
    halves = original, replace(original, options=dual.options, answer=turned)
    return _family(name, source, f"{operator}: {item.id}", operator, dual, halves)


def _sourced(item: Item, source: Probe) -> Item:
    """Return an item that names itself as its source."""
    return replace(item, source=replace(item.source, id=item.id, file=item.source.file or source.card.name))


def _family(
    name: str, source: Probe, family: str, operator: str, dual: Dual, halves: tuple[Item, Item]
) -> tuple[Item, Item]:
    facets: dict[str, Facet] = {"perturbation": dual.method, "operator": operator, "edit": dual.edit}
    facets |= {"flips": dual.flips, "status": dual.status, "ground": dual.ground}
    first, second = (
        replace(
            half,
            probe=name,
            form="sentences",
            text="",
            premise="",
            concepts=(),
            family=family,
            member=member,
            facets={"task": source.card.name, **half.facets, **facets},
        )
        for member, half in zip("ab", halves, strict=True)
    )
    return first, second


def _balanced(families: Sequence[tuple[Item, Item]], each: int, seed: int) -> list[tuple[Item, Item]]:
    """Take pairs of each method from the sources in turn, those with the strongest keys first."""
    draw = random.Random(seed)
    ids: set[str] = set()
    for method in dict.fromkeys(str(first.facets["perturbation"]) for first, _ in families):
        queues: dict[str, list[tuple[Item, Item]]] = {}
        for family in families:
            if family[0].facets["perturbation"] == method:
                queues.setdefault(str(family[0].facets["task"]), []).append(family)
        for queue in queues.values():
            draw.shuffle(queue)
            queue.sort(key=lambda family: -STATUSES.index(str(family[0].facets["status"])))  # taken from the end
        chosen: list[str] = []
        while len(chosen) < each and any(queues.values()):
            for queue in queues.values():
                if queue and len(chosen) < each:
                    chosen.append(queue.pop()[0].family)
        ids |= set(chosen)
    return [family for family in families if family[0].family in ids]


@translate_errors()
def build_duals(
    probes: Probe | str | Path | Sequence[Probe | str | Path],
    *,
    operators: Sequence[OperatorName] = (),
    statuses: Sequence[Status] = (),
    per_method: Annotated[int, Ge(1)] | None = None,
    seed: Annotated[int, Ge(0)] = 0,
) -> Probe:
    """Build duals: the same questions after one edit, each with the basis of its key (logic, people, or a guess).

    Args:
        probes: Names or files of probes of sentence pairs, or the word "orders" for built-in pairs of comparisons. In
            Python, also a `Probe`.
        operators: Edit to apply; twins pairs two items of the probe that differ in one place and have opposite keys. By
            default, all.
        statuses: Basis of the keys: proved (by logic), asserted (by people) or proposed (a guess). By default, all.
        per_method: Maximum number of pairs per kind of edit (add, delete, substitute, swap), balanced over the probes;
            the CATs paper has 75.
        seed: Random seed for sampling items.

    Returns:
        The probe: one family per pair and operator, with the original and its dual.
    """
    from horsesense.methods.audits import with_audit

    sources = [probes] if isinstance(probes, Probe | str | Path) else list(probes)
    try:
        opened = [_source(each, seed) for each in sources]
        return with_audit(make_duals(opened, operators, statuses, per_method, seed))
    except UserError as error:
        files = [each for each in sources if not isinstance(each, Probe)]
        raise (error.at(files[0]) if files and error.file is None else error) from None


def _source(probe: Probe | str | Path, seed: int) -> Probe:
    """Open a probe and name it after its file: all sets of a published dataset share the name on their card."""
    from horsesense.core.catalogue import as_probe
    from horsesense.methods.cats.orders import NAME, orders_probe

    if isinstance(probe, Probe):
        return probe
    if str(probe) == NAME:
        return orders_probe(None, seed)
    source = as_probe(probe)
    return replace(source, card=replace(source.card, name=probe_name(Path(probe))))
